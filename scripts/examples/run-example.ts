import { randomUUID } from "node:crypto";
import { styleText } from "node:util";
import { connect } from "messaging-gateway/testing";
import { type ListeningGateway, listen } from "messaging-gateway/testing/node";
import { findListenAddress } from "../../src/tools/cli/dev/listen-address.ts";
import { startDevServer } from "../../src/tools/cli/dev/start-dev-server.ts";
import { findFreePort } from "../../test/support/free-port.ts";
import { startPostgres } from "../../test/support/servers/postgres-server.ts";
import { startRedis } from "../../test/support/servers/redis-server.ts";
import { requireCommand } from "../needed-commands.ts";
import { buildPages } from "./build-pages.ts";
import { converse, greetBot, isListening, shipOrders, stopAndStart, typeThreeLines } from "./converse.ts";
import { fillHistory } from "./fill-history.ts";
import type { Example } from "./list-examples.ts";
import { startCommands } from "./start-commands.ts";
import { startProcesses } from "./start-processes.ts";

/**
 * Runs an example to its end: against the gateway that the environment names, or else against a local one, which also
 * delivers webhooks to the example if it listens for them.
 * @returns its exit code.
 */
export async function runExample(example: Example): Promise<number> {
	await using started = new AsyncDisposableStack();
	const environment: NodeJS.Dict<string> = { ...process.env, NEXT_TELEMETRY_DISABLED: "1" };
	const port = await findFreePort();
	const isAlone = environment["MESSAGING_GATEWAY_BASE_URL"] === undefined && !example.bringsGateway;
	const needsPage = example.controlsGateway || example.isBot;
	const gateway = isAlone && !needsPage ? started.use(await startGateway()) : undefined;
	if (gateway !== undefined) Object.assign(environment, variablesOf(gateway), { PORT: String(port) });
	if (isAlone && example.isBot) await buildPages(say);
	const page = isAlone && needsPage ? started.use(await startControlledGateway(example, port)) : undefined;
	if (page !== undefined) Object.assign(environment, page.variables);
	if (example.needsBrowser) environment["CHROMIUM_PATH"] ??= requireCommand("chromium");
	if (example.needsRedis && environment["REDIS_URL"] === undefined) {
		const { url } = started.use(await startRedis({ durable: true }));
		environment["REDIS_URL"] = url;
		say(`a Redis listens on ${url}`);
	}
	if (example.needsPostgres && environment["DATABASE_URL"] === undefined) {
		const { url } = started.use(await startPostgres());
		environment["DATABASE_URL"] = url;
		say(`a PostgreSQL listens on ${url}`);
	}
	const running = started.use(startProcesses(startCommands(example, port), environment));
	if (gateway !== undefined && example.receivesWebhooks && (await isListening(port, running.whenEnding))) {
		const url = `http://127.0.0.1:${port}`;
		const webhookUrl = `${url}/webhooks`;
		if (example.acceptsOrders) await shipOrders(gateway.local, url, say, running.whenEnding);
		else if (example.takesStops) await stopAndStart(gateway.local, webhookUrl, say);
		else if (example.repliesInTurns) await typeThreeLines(gateway.local, webhookUrl, say, running.whenEnding);
		else await converse(gateway.local, webhookUrl, say);
		say("Ctrl+C ends it");
	}
	if (page !== undefined && example.isBot && (await isListening(port, running.whenEnding))) {
		await greetBot(page.local, say, running.whenEnding);
		say(`write to the bot on the page: ${page.consoleUrl}`);
		say("Ctrl+C ends it");
	}
	return await running.exitCode;
}

async function startGateway(): Promise<ListeningGateway> {
	const gateway = await listen({ agents: ["+15550000001", "+15550000002"] });
	await fillHistory(gateway.local);
	say(`a local gateway listens on ${gateway.url}`);
	return gateway;
}

/** What `messaging-gateway dev` starts, with the variables of an application and of who plays the contact. */
async function startControlledGateway({ receivesWebhooks, isBot }: Example, port: number) {
	const token = randomUUID();
	const secrets = { appId: "example", appSecret: randomUUID(), webhookSecret: randomUUID() };
	const address = { listenOn: await findListenAddress("127.0.0.1"), port: 0 };
	const standIn = receivesWebhooks || isBot ? undefined : () => new Response("thank you");
	const deliverTo = isBot ? `http://127.0.0.1:${port}/webhooks` : standIn;
	const server = await startDevServer({ ...address, token, gateway: { ...secrets, deliverTo } });
	say(`a local gateway listens on ${server.baseUrl}`);
	if (standIn !== undefined) say("a stand-in for your application receives its webhooks");
	const variables = {
		MESSAGING_GATEWAY_BASE_URL: server.baseUrl,
		MESSAGING_GATEWAY_APP_ID: secrets.appId,
		MESSAGING_GATEWAY_APP_SECRET: secrets.appSecret,
		MESSAGING_GATEWAY_WEBHOOK_SECRET: secrets.webhookSecret,
		MESSAGING_GATEWAY_CONTROL_TOKEN: token,
		MESSAGING_GATEWAY_DIGEST_SECRET: process.env["MESSAGING_GATEWAY_DIGEST_SECRET"] ?? randomUUID(),
		...(isBot && { PORT: String(port) }),
	};
	const local = await connect({ baseUrl: server.baseUrl, token });
	const { consoleUrl } = server;
	return { variables, local, consoleUrl, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

function variablesOf({ url, local }: ListeningGateway): Record<string, string> {
	return {
		MESSAGING_GATEWAY_BASE_URL: url,
		MESSAGING_GATEWAY_APP_ID: local.appId,
		MESSAGING_GATEWAY_APP_SECRET: local.appSecret,
		MESSAGING_GATEWAY_WEBHOOK_SECRET: local.webhookSecret,
		MESSAGING_GATEWAY_DIGEST_SECRET: process.env["MESSAGING_GATEWAY_DIGEST_SECRET"] ?? randomUUID(),
	};
}

function say(line: string): void {
	console.log(styleText("dim", `· ${line}`, { stream: process.stdout }));
}
