import { postgresInbox } from "messaging-gateway/stores/postgres";
import { createWebhookHandler, type Inbox, type WebhookErrorContext } from "messaging-gateway/webhooks";
import { expect, test, vi } from "vitest";
import { deliver, receiver } from "../../../support/webhook-delivery.ts";
import { inboundMessage } from "../../../support/webhook-payloads.ts";

const RULE = "the inbox must do the work and resolve to a status: ended, repeated, in_flight or broken";

/** What an inbox of untyped code may do. */
type Run = (...given: Parameters<Inbox<unknown>["run"]>) => Promise<unknown>;

/** Delivers an event to an inbox. @returns the response, and what `onError` got. */
async function respondTo(inbox: Inbox<unknown>, bindDelivery = false) {
	const onError = vi.fn<(error: unknown, context: WebhookErrorContext) => void>();
	const handle = vi.fn();
	const on = { inbound_message: handle, unknown: handle };
	const webhooks = createWebhookHandler({ ...receiver(), inbox, on, onError, bindDelivery });
	const { status, body } = await webhooks.handle(deliver(JSON.stringify(inboundMessage)));
	return {
		response: `${status} ${body}`.trim(),
		runs: handle.mock.calls.length,
		hints: onError.mock.calls.map(([, { hint }]) => hint),
	};
}

test.each<[title: string, run: Run]>([
	["resolves to nothing", async () => undefined],
	["resolves to null", async () => null],
	["resolves to another status", async () => ({ status: "done" })],
	["ends without doing the work", async () => ({ status: "ended" })],
])("an inbox that %s acknowledges nothing, and the report names the rule", async (_title, run) => {
	const bind = async (_digest: string, eventId: string) => eventId;
	const { response, runs, hints } = await respondTo({ run, bind } as Inbox<unknown>);
	expect([response, runs]).toEqual(["503 store_unavailable", 0]);
	expect(hints).toEqual([expect.stringContaining(RULE)]);
});

test("neither does a transaction function that forgets the work", async () => {
	const { response, runs, hints } = await respondTo(postgresInbox({ transaction: async () => ({}) }));
	expect([response, runs]).toEqual(["503 store_unavailable", 0]);
	expect(hints).toEqual([expect.stringContaining(RULE)]);
});

test("an inbox that binds to nothing runs nothing, and the report names the rule", async () => {
	const run = async () => ({ status: "ended" });
	const bind = async () => undefined;
	const { response, runs, hints } = await respondTo({ run, bind } as unknown as Inbox<unknown>, true);
	expect([response, runs]).toEqual(["503 store_unavailable", 0]);
	expect(hints).toEqual([expect.stringContaining("bind must resolve to the bound event id")]);
});
