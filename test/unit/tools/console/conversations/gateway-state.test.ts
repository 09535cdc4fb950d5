import { describe, expect, test } from "vitest";
import {
	applyChanges,
	countUnseen,
	EMPTY_PAGE,
	fromSnapshot,
	MAX_KEPT,
	type PageEvent,
	reducePage,
} from "../../../../../src/tools/console/conversations/state/gateway-state.ts";
import type { Change, MessageView } from "../../../../../src/tools/control/contract.ts";
import {
	AGENT,
	agentView,
	CONTACT,
	conversationView,
	messageView,
	snapshotOf,
} from "../../../../support/console-views.ts";

const start = fromSnapshot(
	snapshotOf({
		agents: [agentView()],
		conversations: [conversationView()],
		messages: [messageView({ sequence: 1 })],
	}),
	50,
);

const afterChanges = (...changes: Change[]) => applyChanges(start, changes, 99);

test("the clock of a snapshot has the time of its arrival", () => {
	expect(start.clock).toEqual({ now: 1_000_000, offsetMs: 0, readAt: 50 });
});

describe("changes", () => {
	test("replace one item, and nothing else", () => {
		const state = afterChanges({ type: "message", message: messageView({ sequence: 1, status: "read" }) });
		expect(state.messages.get("message-1")?.status).toBe("read");
		expect(start.messages.get("message-1")?.status).toBe("sent");
		expect(state.agents).toBe(start.agents);
		expect(state.conversations).toBe(start.conversations);
	});

	test("of each kind are applied", () => {
		const destinations = { inboundWebhookUrl: "http://localhost:3000/in", statusWebhookUrl: null };
		const state = afterChanges(
			{ type: "agent", agent: agentView({ status: "offline" }) },
			{ type: "conversation", conversation: conversationView({ key: "+15550001004" }) },
			{ type: "conversation_deleted", key: CONTACT },
			{ type: "destinations", destinations },
			{ type: "clock", now: 5, offsetMs: 7 },
			{ type: "faults", faults: ["late"] },
			{ type: "rules", areOn: false },
		);
		expect(state).toMatchObject({
			destinations,
			clock: { now: 5, offsetMs: 7, readAt: 99 },
			faults: ["late"],
			areRulesOn: false,
		});
		expect(state.agents.get(AGENT)?.status).toBe("offline");
		expect([...state.conversations.keys()]).toEqual(["+15550001004"]);
	});

	test("before a reset are discarded, later ones are kept", () => {
		const state = afterChanges(
			{ type: "message", message: messageView({ sequence: 3 }) },
			{ type: "reset", snapshot: snapshotOf({ appId: "another-app" }) },
			{ type: "message", message: messageView({ sequence: 4 }) },
		);
		expect(state.appId).toBe("another-app");
		expect([...state.messages.keys()]).toEqual(["message-4"]);
	});

	test("beyond the limit drop the oldest messages, but no conversations", () => {
		const state = afterChanges(
			...Array.from({ length: MAX_KEPT + 5 }, (_, at): Change[] => [
				{ type: "message", message: messageView({ sequence: at + 10 }) },
				{ type: "conversation", conversation: conversationView({ key: `+1555${at}` }) },
			]).flat(),
		);
		expect(state.messages.size).toBe(MAX_KEPT);
		expect(state.messages.has("message-1")).toBe(false);
		expect(state.messages.has(`message-${MAX_KEPT + 14}`)).toBe(true);
		expect(state.conversations.size).toBe(MAX_KEPT + 6);
	});

	test("of messages that are older than all in the page are ignored", () => {
		const later = fromSnapshot(snapshotOf({ messages: [messageView({ sequence: 5 })] }), 0);
		const change: Change = { type: "message", message: messageView({ sequence: 4, status: "read" }) };
		expect(applyChanges(later, [change], 0).messages).toBe(later.messages);
	});
});

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
