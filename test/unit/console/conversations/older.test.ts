import { expect, test } from "vitest";
import { countOlderDeliveries } from "../../../../src/console/conversations/state/delivery-facts.ts";
import {
	applyChanges,
	fromSnapshot,
	MAX_KEPT,
} from "../../../../src/console/conversations/state/gateway-state.ts";
import {
	describeOlderMessages,
	describeOlderWebhooks,
} from "../../../../src/console/conversations/state/older.ts";
import type { Change } from "../../../../src/control/contract.ts";
import { CONTACT, deliveryView, messageView, snapshotOf } from "./views.ts";

const OTHER = "+15557654321";

test.each([
	[0, 0, undefined],
	[500, 0, undefined],
	[500, 220, "The newest 500 messages are shown; 220 older ones are not."],
	[1, 1, "The newest message is shown; 1 older one is not."],
	[2, 1_204, "The newest 2 messages are shown; 1,204 older ones are not."],
	[0, 220, "220 messages are too old for this page, and not shown."],
	[0, 1, "1 message is too old for this page, and not shown."],
])("with %i messages shown and %i older ones a thread shows: %j", (shown, older, words) => {
	expect(describeOlderMessages(shown, older)).toBe(words);
});

test.each([
	[1, "1 older webhook, of all kinds, is not shown."],
	[220, "220 older webhooks, of all kinds, are not shown."],
])("with %i older webhooks the list shows: %j", (older, words) => {
	expect(describeOlderWebhooks(older)).toBe(words);
});

test("older deliveries are counted for one conversation, or for all", () => {
	const older = { [CONTACT]: 3, [OTHER]: 2 };
	expect(countOlderDeliveries(older, CONTACT)).toBe(3);
	expect(countOlderDeliveries(older, "+15550000009")).toBe(0);
	expect(countOlderDeliveries(older, null)).toBe(5);
});

test("dropped items are counted with those that the snapshot left out", () => {
	const start = fromSnapshot(
		snapshotOf({
			messages: [messageView({ sequence: 1, conversationKey: OTHER })],
			older: { messages: { [CONTACT]: 4 }, deliveries: { [CONTACT]: 7 } },
		}),
		0,
	);
	const sequences = Array.from({ length: MAX_KEPT + 1 }, (_, at) => at + 2);
	const state = applyChanges(
		start,
		sequences.flatMap((sequence): Change[] => [
			{ type: "message", message: messageView({ sequence }) },
			{ type: "delivery", delivery: deliveryView({ sequence }) },
		]),
		0,
	);
	expect(state.messages.size).toBe(MAX_KEPT);
	expect(state.older).toEqual({
		messages: { [OTHER]: 1, [CONTACT]: 5 },
		deliveries: { [CONTACT]: 8 },
	});
	expect(start.older.messages).toEqual({ [CONTACT]: 4 });
});

test("changes of items that are too old for the page are ignored", () => {
	const start = fromSnapshot(
		snapshotOf({
			messages: [messageView({ sequence: 5 })],
			deliveries: [deliveryView({ sequence: 5 })],
			older: { messages: { [CONTACT]: 1 }, deliveries: { [CONTACT]: 1 } },
		}),
		0,
	);
	const state = applyChanges(
		start,
		[
			{ type: "message", message: messageView({ sequence: 4, status: "read" }) },
			{ type: "delivery", delivery: deliveryView({ sequence: 4, state: "failed" }) },
		],
		0,
	);
	expect(state).toEqual(start);
});

test("a reset restarts the count", () => {
	const start = fromSnapshot(snapshotOf({ older: { messages: { [CONTACT]: 4 }, deliveries: {} } }), 0);
	const state = applyChanges(start, [{ type: "reset", snapshot: snapshotOf() }], 0);
	expect(state.older).toEqual({ messages: {}, deliveries: {} });
});
