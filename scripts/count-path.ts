/**
 * Counts the files and functions of `src/library` that one warm call, delivery and send enter:
 * `node --conditions=@messaging-gateway/source scripts/count-path.ts`, with `--list` to name them.
 */
import { Session } from "node:inspector/promises";
import process from "node:process";
import { setImmediate } from "node:timers/promises";
import { operationSamples } from "../test/support/operation-samples.ts";
import { inboundMessage } from "../test/support/webhook-payloads.ts";

const LIBRARY = new URL("../src/library/", import.meta.url).href;

/** The first runs read the environment, choose the hashing and learn shapes. */
const WARM_UP_RUNS = 3;

const session = new Session();
session.connect();
await session.post("Profiler.enable");
// V8 counts only calls of functions that it compiled after this.
await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
const { MessagingGateway } = await import("messaging-gateway");
const { createSender, memorySendStore } = await import("messaging-gateway/sends");
const { createWebhookHandler, memoryStore, signWebhook } = await import("messaging-gateway/webhooks");

const text = { to: "+15551234567", text: "Hello" };
const secret = "a-secret-of-the-account";
const { data } = operationSamples["messages.sendText"];
const meta = { requestId: crypto.randomUUID(), timestamp: new Date().toISOString() };
const gateway = new MessagingGateway({
	baseUrl: "https://gateway.example",
	appId: "app-1",
	appSecret: "a-secret-of-the-app",
	fetch: async () => Response.json({ ok: true, data, meta }),
});
const webhooks = createWebhookHandler({
	secret,
	store: memoryStore(),
	on: { inbound_message: async () => undefined, unknown: () => undefined },
});
const sender = createSender({ gateway, store: memorySendStore(), digestSecret: "a-secret-of-the-digests" });

/** Each makes the function that is counted, of a run's number. */
const PATHS: Readonly<Record<string, (run: number) => () => PromiseLike<unknown>>> = {
	sendText: () => () => gateway.messages.sendText(text),
	webhook(run) {
		const body = JSON.stringify({ ...inboundMessage, messageId: `message-${run}` });
		const headers = signWebhook({ body, secret });
		const request = new Request("https://app.example/webhooks", { method: "POST", headers, body });
		return () => webhooks.fetch(request);
	},
	send: (run) => () => sender.send(`key-${run}`, text),
};

const counts: Record<string, { files: number; functions: number }> = {};
for (const [name, prepare] of Object.entries(PATHS)) {
	for (let run = 1; run <= WARM_UP_RUNS; run++) await prepare(run)();
	const counted = prepare(0);
	await setImmediate();
	await session.post("Profiler.takePreciseCoverage");
	await counted();
	await setImmediate();
	const { result } = await session.post("Profiler.takePreciseCoverage");
	const files = result
		.filter(({ url }) => url.startsWith(LIBRARY))
		.map(({ url, functions }) => {
			const entered = functions.filter(({ ranges }) => (ranges[0]?.count ?? 0) > 0);
			return { path: url.slice(LIBRARY.length), names: entered.map(({ functionName }) => functionName) };
		})
		.filter(({ names }) => names.length > 0);
	counts[name] = { files: files.length, functions: files.flatMap(({ names }) => names).length };
	if (process.argv.includes("--list"))
		for (const { path, names } of files)
			console.log(`${name}: ${path}: ${names.map((each) => each || "(arrow)").join(", ")}`);
}
console.log(JSON.stringify(counts));
