import { describe, expect, test } from "vitest";
import { nameDay } from "../../../../../src/tools/console/conversations/state/clock.ts";
import { type Entry, toEntry } from "../../../../../src/tools/console/conversations/state/entries.ts";
import { isRowOf, timelineRows } from "../../../../../src/tools/console/conversations/state/timeline-rows.ts";
import type { DeliveryView, MessageView, RequestView } from "../../../../../src/tools/control/contract.ts";
import {
	attemptView,
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
	const message = (fields: Partial<MessageView> = {}) =>
		entries([messageView({ sequence: 2, messageId: "message-1", timestamp_ms: NOW, ...fields })]);
	const statusesOf = (rows: ReturnType<typeof rowsOf>) =>
		rows.map((row) => (row.kind === "message" ? row.statuses : row.kind));

	test("of the statuses of a message are in its bubble, which is the row of each", () => {
		const attempts = [attemptView({ status: 204 })];
		const rows = rowsOf([...message(), webhook(3), webhook(4), webhook(5, { attempts })]);
		expect(statusesOf(rows)).toEqual(["day", "3 statuses · 204"]);
		const [, row] = rows;
		const isRow = [1, 2, 3, 4, 5, 6, undefined].map((sequence) => row && isRowOf(row, sequence));
		expect(isRow).toEqual([false, true, true, true, true, false, false]);
	});

	test("that are kept are quiet, too", () => {
		expect(statusesOf(rowsOf([...message(), webhook(3, { state: "kept" })]))).toEqual([
			"day",
			"1 status · kept",
		]);
	});

	test.each<Partial<DeliveryView>>([
		{ attempts: [attemptView({ status: 500 })] },
		{ attempts: [attemptView({ status: 200, durationMs: 1_000 })] },
		{ messageId: "another" },
		{ kind: "inbound_message" },
	])("that fail, were slow, or are no statuses of a message here, have rows of their own: %j", (fields) => {
		const rows = rowsOf([...message(), webhook(3), webhook(4, fields), webhook(5)]);
		expect(rows.map(({ kind }) => kind)).toEqual(["day", "message", "webhook"]);
	});

	test("give a reason once while it is the same", () => {
		const failing = (sequence: number, reason: string) =>
			webhook(sequence, {
				attempts: [attemptView({ status: 500 })],
				diagnosis: { cause: "server_failed", reason, fix: "", remedies: [] },
			});
		const rows = rowsOf([
			failing(3, "It fails."),
			failing(4, "It fails."),
			failing(5, "It is gone."),
			...message({ sequence: 6 }),
			failing(7, "It is gone."),
		]);
		expect(rows.flatMap((row) => (row.kind === "webhook" ? [row.isRepeated] : []))).toEqual([
			false,
			true,
			false,
			false,
		]);
	});
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

	test("stand above the message that they made, though they are over later", () => {
		const message = (sequence: number) => messageView({ sequence, timestamp_ms: NOW + sequence });
		const rows = rowsOf([
			...entries([message(1), message(2)]),
			request({ sequence: 3, at: NOW, status: 409 }),
			request({ sequence: 4, at: NOW + 1, status: 202 }),
			request({ sequence: 5, at: NOW + 2, status: 202 }),
			request({ sequence: 6, at: NOW, operationId: "messages.markRead", status: 200 }),
			...entries([message(7)]),
		]);
		expect(rows.slice(1).map(({ key }) => key)).toEqual(["4", "1", "5", "2", "3", "6", "7"]);
		expect(rows.flatMap((row) => (row.kind === "request" && row.isGhost ? [row.key] : []))).toEqual(["3"]);
	});
});

test("the timeline of all names the contact of each row", () => {
	const message = messageView({ sequence: 1, timestamp_ms: NOW });
	const sent = webhook(2, { kind: "inbound_message" });
	const rows = rowsOf([...entries([message]), sent], conversationView(), true);
	expect(rows.slice(1)).toMatchObject([{ contact: CONTACT }, { contact: CONTACT }]);
});
