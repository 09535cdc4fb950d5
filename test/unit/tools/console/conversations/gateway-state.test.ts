import { describe, expect, test } from "vitest";
import {
	applyChanges,
	fromSnapshot,
	MAX_KEPT,
} from "../../../../../src/tools/console/conversations/state/gateway-state.ts";
import type { Change } from "../../../../../src/tools/control/contract.ts";
import { AGENT, agentView, CONTACT, conversationView, messageView, snapshotOf } from "./views.ts";

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
