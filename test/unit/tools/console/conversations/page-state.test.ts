import { describe, expect, test } from "vitest";
import {
	countUnseen,
	EMPTY_PAGE,
	type PageEvent,
	reducePage,
} from "../../../../../src/tools/console/conversations/state/gateway-state.ts";
import type { MessageView } from "../../../../../src/tools/control/contract.ts";
import { CONTACT, messageView, snapshotOf } from "./views.ts";

const OTHER = "+15550001004";

const reduce = (...events: PageEvent[]) => events.reduce(reducePage, EMPTY_PAGE);
const unseen = (...events: PageEvent[]) => Object.fromEntries(countUnseen(reduce(...events)));

const snapshot = (...messages: MessageView[]): PageEvent => ({
	type: "snapshot",
	snapshot: snapshotOf({ messages }),
	at: 0,
});
const arrive = (...messages: MessageView[]): PageEvent => ({
	type: "changes",
	changes: messages.map((message) => ({ type: "message", message })),
	at: 0,
});
const view = (key: string | null): PageEvent => ({ type: "viewed", key });
const message = (sequence: number, conversationKey = CONTACT) => messageView({ sequence, conversationKey });

describe("unseen messages", () => {
	test("exclude those that exist when the page opens", () => {
		expect(unseen(snapshot(message(1), message(2)))).toEqual({});
	});

	test("are counted, except in the conversation in view", () => {
		expect(
			unseen(snapshot(message(1)), view(CONTACT), arrive(message(2), message(3, OTHER), message(4, OTHER))),
		).toEqual({ [OTHER]: 2 });
	});

	test("become seen when their conversation is opened", () => {
		const events = [snapshot(message(1)), arrive(message(2, OTHER))];
		expect(unseen(...events)).toEqual({ [OTHER]: 1 });
		expect(unseen(...events, view(OTHER))).toEqual({});
		expect(unseen(...events, view(OTHER), view(null), arrive(message(3, OTHER)))).toEqual({ [OTHER]: 1 });
	});

	test("are kept over a reconnect, which adds the missed ones", () => {
		expect(
			unseen(
				snapshot(message(1)),
				arrive(message(2, OTHER)),
				snapshot(message(1), message(2, OTHER), message(3, OTHER)),
			),
		).toEqual({ [OTHER]: 2 });
	});

	test("are counted again from zero after a restart or reset of the gateway", () => {
		const events = [snapshot(message(8)), arrive(message(9, OTHER))];
		expect(unseen(...events, snapshot(message(1, OTHER)))).toEqual({});
		const reset: PageEvent = {
			type: "changes",
			changes: [{ type: "reset", snapshot: snapshotOf({ messages: [message(20)] }) }],
			at: 0,
		};
		expect(unseen(...events, reset)).toEqual({});
	});
});

test("changes before the first snapshot are ignored: it includes them", () => {
	expect(reduce(arrive(message(1))).gateway).toBeNull();
});
