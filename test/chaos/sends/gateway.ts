/** The local gateway with its control, in a process of its own, whose time passes fast. It prints its port. */
import { createControlledGateway } from "../../../src/tools/control/create-controlled-gateway.ts";
import { createControlRoutes } from "../../../src/tools/control/http/create-control-routes.ts";
import { LOOPBACK_HOSTS } from "../../../src/tools/control/http/hosts.ts";
import { serveGateway } from "../../../src/tools/local-gateway/http-server.ts";
import { inOrder } from "../../../src/tools/local-gateway/routes.ts";
import { FastClock } from "./fast-clock.ts";
import {
	ACCEPTED_PATH,
	APP,
	CONTROL_TOKEN,
	SENDS_VARIABLE,
	type SendsSettings,
	WEBHOOK_SECRET,
} from "./settings.ts";

process.stdin.on("close", () => process.exit()).resume();

const { startMs, receiverUrl } = JSON.parse(process.env[SENDS_VARIABLE] ?? "") as SendsSettings;
const { local, control } = createControlledGateway({
	...APP,
	webhookSecret: WEBHOOK_SECRET,
	clock: new FastClock(startMs),
	deliverTo: receiverUrl,
	// The windows are as long as by default; a low limit is met often.
	rules: { maxConsecutiveMessages: 2 },
	// An attempt has ten seconds of this fast time, in which a receiver on a slow machine may be at something else.
	webhooks: { retryDelaysMs: Array<number>(1_000).fill(30_000) },
});
const routes = inOrder(
	({ url }) => {
		if (new URL(url).pathname !== ACCEPTED_PATH) return undefined;
		const undelivered = local.deliveries.filter(({ state }) => state !== "delivered").length;
		return Promise.resolve(Response.json({ sent: local.sent, undelivered }));
	},
	createControlRoutes(control, { token: CONTROL_TOKEN, hosts: LOOPBACK_HOSTS }),
);
const server = await serveGateway(local, { port: 0, host: "127.0.0.1", routes });
console.log(server.port);
