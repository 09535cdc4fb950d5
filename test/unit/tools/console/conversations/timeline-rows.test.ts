import { describe, expect, test } from "vitest";
import { nameDay } from "../../../../../src/tools/console/conversations/state/clock.ts";
import { type Entry, toEntry } from "../../../../../src/tools/console/conversations/state/entries.ts";
import { isRowOf, timelineRows } from "../../../../../src/tools/console/conversations/state/timeline-rows.ts";
import type { DeliveryView, MessageView, RequestView } from "../../../../../src/tools/control/contract.ts";
import {
	CONTACT,
	conversationView,
	deliveryView,
	messageView,
	requestView,
} from "../../../../support/console-views.ts";

const NOW = new Date(2026, 10, 21, 12).getTime();
const HOUR = 3_600_000;

const entries = (messages: readonly MessageView[]): Entry[] =>
	messages.flatMap((message) => toEntry({ type: "message", message }) ?? []);
const rowsOf = (all: readonly Entry[], conversation = conversationView(), isOfAll = false) => {
	const conversations = new Map([[conversation.key, conversation]]);
	return timelineRows(all, { conversations, isOfAll, isWhole: true, now: NOW });
};
const items = (messages: readonly MessageView[], conversation = conversationView()) =>
	rowsOf(entries(messages), conversation);
const bubbles = (messages: readonly MessageView[], conversation = conversationView()) =>
	items(messages, conversation).filter((item) => item.kind === "message");

describe("days", () => {
	test("come before their first message", () => {
		const labels = items([
			messageView({ sequence: 1, timestamp_ms: NOW - 49 * HOUR }),
			messageView({ sequence: 2, timestamp_ms: NOW - 25 * HOUR }),
			messageView({ sequence: 3, timestamp_ms: NOW - HOUR }),
			messageView({ sequence: 4, timestamp_ms: NOW }),
		]).map((item) => (item.kind === "day" ? item.label : item.kind === "message" && item.message.messageId));
		expect(labels).toEqual([
			"Thursday 19 November",
			"message-1",
			"Yesterday",
			"message-2",
			"Today",
			"message-3",
			"message-4",
		]);
	});

	test("have names that do not depend on the time of day", () => {
		expect(nameDay(new Date(2026, 10, 20, 0, 1).getTime(), NOW)).toBe("Yesterday");
	});
});

describe("bubbles", () => {
	test("of one sender within a short time are grouped", () => {
		const firsts = bubbles([
			messageView({ sequence: 1, timestamp_ms: NOW }),
			messageView({ sequence: 2, timestamp_ms: NOW + 1_000 }),
			messageView({ sequence: 3, timestamp_ms: NOW + 2_000, outbound: false }),
			messageView({ sequence: 4, timestamp_ms: NOW + 200_000, outbound: false }),
		]).map(({ isFirst }) => isFirst);
		expect(firsts).toEqual([true, false, true, true]);
	});

	test("name their senders only in groups", () => {
		const message = messageView({ outbound: false });
		const group = conversationView({ groupId: "grp", contacts: [CONTACT, "+15557770002"] });
		expect(bubbles([message]).map(({ sender }) => sender)).toEqual([undefined]);
		expect(bubbles([message], group).map(({ sender }) => sender)).toEqual([CONTACT]);
	});

	test("have the message that they reply to", () => {
		const [, reply] = bubbles([
			messageView({ sequence: 1 }),
			messageView({ sequence: 2, outbound: false, replyToGuid: "guid-1" }),
		]);
		expect(reply?.repliesTo?.messageId).toBe("message-1");
	});

	test("mark the last message of the contact that the agent has read", () => {
		const read = bubbles(
			[
				messageView({ sequence: 1, outbound: false }),
				messageView({ sequence: 2, outbound: false }),
				messageView({ sequence: 3 }),
				messageView({ sequence: 4, outbound: false }),
			],
			conversationView({ readUpTo: { sequence: 3, at: NOW } }),
		).filter(({ isReadByAgent }) => isReadByAgent);
		expect(read.map(({ message }) => message.messageId)).toEqual(["message-2"]);
	});
});

describe("messages by SMS", () => {
	const isSms = (status: string, number = CONTACT) =>
		bubbles([messageView({ status })], conversationView({ contacts: [number] }))[0]?.isSms;

	test("are marked while they fall back, and if the contact makes all fall back", () => {
		expect(isSms("SMS_FALLBACK")).toBe(true);
		expect(isSms("delivered", "+15550001002")).toBe(true);
		expect(isSms("delivered")).toBe(false);
		expect(isSms("queued", "+15550001002")).toBe(false);
	});
});

const webhook = (sequence: number, fields: Partial<DeliveryView> = {}): Entry => {
	const body = JSON.stringify({ status: ["sent", "delivered", "read"][sequence % 3] });
	const delivery = deliveryView({ sequence, state: "delivered", body, createdAt: NOW, ...fields });
	return { kind: "webhook", sequence, conversationKey: CONTACT, delivery };
};

describe("webhooks", () => {
	test("of the statuses of one message are one row, which is that of each", () => {
		const rows = rowsOf([webhook(3), webhook(4), webhook(5)]).slice(1);
		expect(rows).toMatchObject([{ kind: "webhook", name: "status sent · delivered · read", sequence: 5 }]);
		const [row] = rows;
		expect(row && [2, 3, 4, 5, 6, undefined].map((sequence) => isRowOf(row, sequence))).toEqual([
			false,
			true,
			true,
			true,
			false,
			false,
		]);
	});

	test.each([{ status: 500 }, { status: 200, durationMs: 1_000 }])(
		"that fail, were slow, or are about another message, have rows of their own: %j",
		(fields) => {
			const attempts = [{ at: 0, timestamp: 0, headers: {}, ...fields }];
			const rows = rowsOf([
				webhook(3),
				webhook(4, { attempts }),
				webhook(5),
				webhook(6, { messageId: "m2" }),
			]);
			expect(rows.filter(({ kind }) => kind === "webhook")).toHaveLength(4);
		},
	);
});

describe("requests", () => {
	const request = (fields: Partial<RequestView> = {}): Entry => {
		const view = requestView({
			sequence: 9,
			at: NOW,
			operationId: "messages.sendText",
			status: 409,
			...fields,
		});
		return { kind: "request", sequence: view.sequence, conversationKey: CONTACT, request: view };
	};
	const ghosts = (...all: Entry[]) =>
		rowsOf(all).flatMap((row) => (row.kind === "request" ? [row.isGhost] : []));

	test("that would have sent a message have its ghost", () => {
		expect(ghosts(request(), request({ status: 202 }), request({ operationId: "agents.list" }))).toEqual([
			true,
			false,
			false,
		]);
	});

	test("whose message was accepted, though a fault broke the connection, have none", () => {
		const accepted = entries([messageView({ sequence: 8, timestamp_ms: NOW + 1 })]);
		const earlier = entries([messageView({ sequence: 8, timestamp_ms: NOW - 1 })]);
		expect(ghosts(...accepted, request())).toEqual([false]);
		expect(ghosts(...earlier, request())).toEqual([true]);
	});
});

test("the timeline of all names the contact of each row", () => {
	const message = messageView({ sequence: 1, timestamp_ms: NOW });
	const rows = rowsOf([...entries([message]), webhook(2)], conversationView(), true);
	expect(rows.slice(1)).toMatchObject([{ contact: CONTACT }, { contact: CONTACT }]);
});
