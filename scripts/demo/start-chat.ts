import { randomUUID } from "node:crypto";
import { MessagingGateway } from "messaging-gateway";
import { connect } from "messaging-gateway/testing";
import { chooseControlToken } from "../../src/tools/cli/credentials/control-token.ts";
import { findListenAddress } from "../../src/tools/cli/dev/listen-address.ts";
import { startDevServer } from "../../src/tools/cli/dev/start-dev-server.ts";
import { LOCAL_GATEWAY } from "../../src/tools/cli/gateway-options.ts";
import { startApplication } from "./application.ts";
import { buyBicycle, fillChats, type Pause } from "./conversation.ts";

/** Starts what `messaging-gateway dev` starts, and an application beside it. */
export async function startChat(pause: Pause) {
	await using started = new AsyncDisposableStack();
	const webhookSecret = randomUUID();
	// This machine's own token, so the commands that the page offers work in a shell.
	const token = chooseControlToken(undefined);
	const server = started.use(
		await startDevServer({
			port: 0,
			listenOn: await findListenAddress("127.0.0.1"),
			token,
			gateway: { appId: LOCAL_GATEWAY.appId, appSecret: randomUUID(), webhookSecret },
		}),
	);
	const local = await connect({ baseUrl: server.baseUrl, token });
	const gateway = new MessagingGateway({ ...local.clientOptions, logLevel: "off" });
	const application = started.use(await startApplication(gateway, webhookSecret, pause));
	await fillChats(gateway, local);
	const stack = started.move();
	const { baseUrl, consoleUrl, oneTimeUrl } = server;
	return {
		baseUrl,
		consoleUrl,
		oneTimeUrl,
		appSecret: local.clientOptions.appSecret,
		whenDone: application.whenDone,
		/** Resolves when the last webhook has failed. */
		play: () => buyBicycle(local, application.moveRoute, pause),
		[Symbol.asyncDispose]: () => stack.disposeAsync(),
	};
}
