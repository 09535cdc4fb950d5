import type { Inbox, InboxResult } from "messaging-gateway/webhooks";
import { createWebhookHandler } from "messaging-gateway/webhooks";
import { describe, expect, test, vi } from "vitest";
import { settle } from "../../../support/counting-clock.ts";
import { type Outcomes, testOutcomes } from "../../../support/outcomes.ts";
import type { Fault } from "../../../support/scripted-store.ts";
import { createReceiver, type ReceiverOptions } from "../../../support/webhook-receiver.ts";

/** A receiver's secret, and how the store's claim fails. */
interface SetUp {
	readonly secret?: ReceiverOptions["secret"];
	readonly fault?: Fault;
}

/** How `ready()` ends: if it rejects, then with what `onError` gets of a first delivery. */
async function outcomeOf({ secret, fault }: SetUp): Promise<string> {
	const { handler, send, fail, reports, calls, clock } = createReceiver(
		secret === undefined ? {} : { secret },
	);
	if (fault !== undefined) fail("claim", fault);
	const error: unknown = await settle(clock, handler.ready()).catch((thrown: unknown) => thrown);
	expect(reports).toEqual([]);
	if (error === undefined) return `ready, after ${calls.join(" and ")}`;
	await settle(clock, send());
	expect(reports[0]?.error).toEqual(error);
	return [String(error), Reflect.get(Object(error), "code")].filter(Boolean).join("; ");
}

const SET_UPS: Outcomes<SetUp> = {
	"ready, after claim and release": {
		"a delivery could be processed": {},
		"a function finds the secret of each delivery": { secret: () => undefined as never },
		"the platform finds the secret of each delivery": { secret: { fromPlatform: () => "whsec-1" } },
	},
	"WebhookVerificationError: The webhook secret is empty. Pass `secret`, or set MESSAGING_GATEWAY_WEBHOOK_SECRET; configuration":
		{ "an empty secret": { secret: "" }, "an empty secret in a list": { secret: ["whsec-1", ""] } },
	"WebhookVerificationError: The webhook secret is an empty list; configuration": {
		"an empty list of secrets": { secret: [] },
	},
	"Error: the store's claim failed": {
		"a store that throws": { fault: "throw" },
		"a store that rejects": { fault: "reject" },
	},
	"StoreError: no response within storeTimeoutMs, 5000 ms. Check the store's server, and that its Pool has free connections":
		{ "a store that does not respond": { fault: "hang" } },
};

/** How an inbox's transaction ends, or what its `run` rejects with. */
type Ended = InboxResult | Error;

/** How `ready()` ends, and what its work wants of the transaction. */
async function inboxOutcomeOf(ended: Ended): Promise<string> {
	const wanted: unknown[] = [];
	const inbox: Inbox<object> = {
		async run(_key, work) {
			if (ended instanceof Error) throw ended;
			wanted.push(await work({}));
			return ended;
		},
	};
	const handler = createWebhookHandler({ secret: "whsec-1", inbox, on: { unknown: () => undefined } });
	const error: unknown = await handler.ready().catch((thrown: unknown) => thrown);
	// As it is, whichever it is.
	expect([undefined, ended, Reflect.get(ended, "error")]).toContain(error);
	return [error === undefined ? "ready" : String(error), ...wanted].join(", after ");
}

const READ_COMMITTED = new Error("the inbox's transaction must be READ COMMITTED");

const INBOXES: Outcomes<Ended> = {
	"ready, after roll_back": { "a transaction is opened and rolled back": { status: "ended" } },
	"Error: the inbox's transaction must be READ COMMITTED, after roll_back": {
		"something is wrong with the transaction": { status: "broken", error: READ_COMMITTED },
	},
	"Error: refused": { "no transaction can be opened": new Error("refused") },
};

describe("ready", () => {
	testOutcomes(SET_UPS, outcomeOf);
	describe("of an inbox", () => testOutcomes(INBOXES, inboxOutcomeOf));

	test("runs nothing, and what it records is no event's, and may be there", async () => {
		const handle = vi.fn();
		const { handler, respond, reports } = createReceiver({ on: { inbound_message: handle } });
		await handler.ready();
		expect([handle.mock.calls, reports]).toEqual([[], []]);
		await handler.ready();
		expect(await respond({ eventId: "ready" })).toBe("200");
	});
});
