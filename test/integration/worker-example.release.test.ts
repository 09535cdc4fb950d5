import { createLocalGateway } from "messaging-gateway/testing";
import { type ListeningGateway, listen } from "messaging-gateway/testing/node";
import { signWebhook } from "messaging-gateway/webhooks";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createD1InNode } from "./support/d1-in-node.ts";

const ALICE = "+15551234567";
const BOB = "+15557654321";
const QUESTION = "Where is order 4711?";

let server: ListeningGateway;
let database: ReturnType<typeof createD1InNode>;
/** Delivers to the example. */
let deliver: (request: Request) => Promise<Response>;

beforeEach(async () => {
	vi.spyOn(console, "log").mockImplementation(() => undefined);
	vi.spyOn(console, "error").mockImplementation(() => undefined);
	// The example keeps the receiver that it makes for its first request.
	vi.resetModules();
	const { default: worker } = await import("../../examples/worker/main.ts");
	database = createD1InNode();
	deliver = (request) => worker.fetch(request, bindings);
	const local = createLocalGateway({ deliverTo: deliver });
	server = await listen(local);
	const bindings = {
		DB: database,
		MESSAGING_GATEWAY_BASE_URL: server.url,
		MESSAGING_GATEWAY_APP_ID: local.appId,
		MESSAGING_GATEWAY_APP_SECRET: local.appSecret,
		MESSAGING_GATEWAY_WEBHOOK_SECRET: local.webhookSecret,
	};
});

afterEach(async () => {
	await server.local[Symbol.asyncDispose]();
	await server.close();
	vi.restoreAllMocks();
});

/** A contact asks about the order. @returns the status of each delivery of the question. */
async function ask(number: string): Promise<(number | undefined)[]> {
	await server.local.contact(number).reply(QUESTION);
	await server.local.settled();
	const questions = server.local.deliveries.filter(({ kind }) => kind === "inbound_message");
	return questions.at(-1)?.attempts.map(({ status }) => status) ?? [];
}

const repliedTo = (): unknown[] => server.local.sent.map(({ to }) => to);

test("a question is acknowledged when the reply is sent", async () => {
	expect(await ask(ALICE)).toEqual([200]);
	expect(repliedTo()).toEqual([ALICE]);
});

test("a question whose reply is blocked as a duplicate is not acknowledged", async () => {
	expect(await ask(BOB)).toEqual([200]);
	expect(await ask(ALICE)).toEqual([500, 500, 500, 500, 500, 500]);
	expect(repliedTo()).toEqual([BOB]);
});

test("an event of a new type is acknowledged and kept", async () => {
	const body = JSON.stringify({ type: "contact_typing" });
	const headers = signWebhook({ body, secret: server.local.webhookSecret, eventId: "evt_new" });
	const request = new Request("https://worker.example/webhooks", { method: "POST", headers, body });
	expect((await deliver(request)).status).toBe(200);
	const { results } = await database.prepare("SELECT * FROM unknown_events").bind().all();
	expect(results).toEqual([{ event_id: "evt_new", raw_body: body }]);
});

test("a question whose reply may have been sent is left to a person: there is no second reply", async () => {
	server.local.faults.dropConnection({ when: "after" });
	expect(await ask(ALICE)).toEqual([200]);
	expect(repliedTo()).toEqual([ALICE]);
	expect(console.error).toHaveBeenCalledOnce();
});
