import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { bundleForUser } from "../support/bundle.ts";
import { createPnpmProject } from "./support/pnpm-project.ts";

/** What a dependency of the user has from its own copy of the package. */
const LIBRARY = [
	`export { InputError, isMessagingGatewayError, MessagingGateway, NotFoundError } from "messaging-gateway";`,
	`export { diagnose } from "messaging-gateway/doctor";`,
	`export { createSender, memorySendStore } from "messaging-gateway/sends";`,
	`export { memoryStore, PermanentWebhookError } from "messaging-gateway/webhooks";`,
];

/** What the user does with both: each case prints its result, or the error's name and message. */
const MAIN = `
import { InputError, isMessagingGatewayError, MessagingGateway, NotFoundError } from "messaging-gateway";
import { diagnose } from "messaging-gateway/doctor";
import { createSender, memorySendStore } from "messaging-gateway/sends";
import { createLocalGateway, createWebhookRequest } from "messaging-gateway/testing";
import { createWebhookHandler, memoryStore } from "messaging-gateway/webhooks";
import * as library from "library";

const local = createLocalGateway({ rules: "off" });
const input = { to: "+15551234567", text: "Hello" };
const senderOptions = { digestSecret: "a secret for digests" };
const theirs = new library.MessagingGateway({ ...local.clientOptions, logLevel: "off" });
const ours = new MessagingGateway({ ...local.clientOptions, logLevel: "off" });
const hints = [];
async function handle(error, store) {
	const secret = local.webhookSecret;
	const on = { inbound_message: () => { throw error; }, unknown: () => undefined };
	const handler = createWebhookHandler({ secret, store, on, onError: (_error, { hint }) => void hints.push(hint) });
	const request = await createWebhookRequest("inbound_message", {}, { secret });
	return (await handler.fetch(request)).status;
}
const caught = (promise) => promise.then(() => undefined, (error) => error);
const cases = {
	isAnotherCopy: () => library.MessagingGateway !== MessagingGateway,
	async errors() {
		const missing = await caught(theirs.mappings.get("+15559999999"));
		const invalid = await caught(theirs.messages.sendText({}));
		return [missing instanceof NotFoundError, invalid instanceof InputError, invalid instanceof NotFoundError, isMessagingGatewayError(missing)];
	},
	send: async () => (await createSender({ gateway: theirs, store: memorySendStore(), ...senderOptions }).send("a", input)).status,
	sendByTheirs: async () => (await library.createSender({ gateway: ours, store: memorySendStore(), ...senderOptions }).send("b", input)).status,
	sendIntoTheirs: async () => (await createSender({ gateway: ours, store: library.memorySendStore(), ...senderOptions }).send("c", input)).status,
	diagnose: async () => (await diagnose(theirs, { probeBody: true })).isHealthy,
	diagnoseByTheirs: async () => (await library.diagnose(ours, { probeBody: true })).isHealthy,
	handle: () => handle(new library.PermanentWebhookError("closed"), memoryStore()),
	handleWithTheirStore: () => handle(new library.PermanentWebhookError("closed"), library.memoryStore()),
	hints: () => hints,
};
const results = {};
for (const [name, run] of Object.entries(cases)) {
	try {
		results[name] = await run();
	} catch (error) {
		results[name] = error.name + ": " + error.message;
	}
}
console.log(JSON.stringify(results));
await local.close();
`;

const GIVEN_UP = "Your handler gave up on the event, so it is acknowledged";
const WORKS = {
	isAnotherCopy: true,
	errors: [true, true, false, true],
	send: "accepted",
	sendByTheirs: "accepted",
	sendIntoTheirs: "accepted",
	diagnose: true,
	diagnoseByTheirs: true,
	handle: 200,
	handleWithTheirStore: 200,
	hints: [GIVEN_UP, GIVEN_UP],
};

const TWO = (what: string, theirs: string, ours: string): string =>
	`${what} is of messaging-gateway@${theirs}, and this code of messaging-gateway@${ours}: install one version`;
const REJECTED = `ConfigurationError: ${TWO("gateway", "0.2", "0.1")}`;
const REJECTED_BY_THEIRS = `ConfigurationError: ${TWO("gateway", "0.1", "0.2")}`;

/** Runs the user's file with the user's version and that of a dependency. */
async function runTogether(version: string, lines: readonly string[] = LIBRARY): Promise<object> {
	const library = { name: "library", version, lines };
	using project = await createPnpmProject("0.1.0", [library]);
	const main = project.write("main.mjs", MAIN);
	const { stdout, stderr } = await promisify(execFile)(process.execPath, [main], { timeout: 60_000 });
	expect(stderr).toBe("");
	return JSON.parse(stdout);
}

describe("a user has 0.1.0, and a dependency", () => {
	test("0.1.1: errors, sends, diagnosis and handlers work together", async () => {
		expect(await runTogether("0.1.1")).toEqual(WORKS);
	});

	test("that is compiled apart, as Next.js does with instrumentation.ts: they work together", async () => {
		const bundle = await bundleForUser(LIBRARY.join("\n"), { platform: "node", minify: true });
		expect(
			await runTogether(
				"0.1.0",
				bundle.outputFiles.map(({ text }) => text),
			),
		).toEqual(WORKS);
	});

	test("0.2.0: one sentence with both versions, before anything is sent", async () => {
		const hint = TWO("its error", "0.2 PermanentWebhookError", "0.1");
		expect(await runTogether("0.2.0")).toEqual({
			...WORKS,
			errors: [false, false, false, false],
			send: REJECTED,
			sendByTheirs: REJECTED_BY_THEIRS,
			diagnose: REJECTED,
			diagnoseByTheirs: REJECTED_BY_THEIRS,
			handle: 500,
			handleWithTheirStore: 500,
			hints: [expect.stringContaining(hint), expect.stringContaining(hint)],
		});
	});
});
