import { describe, expect, test } from "vitest";
import { nameDay, threadItems } from "../../../../../src/tools/console/conversations/state/thread-items.ts";
import type { MessageView } from "../../../../../src/tools/control/contract.ts";
import { CONTACT, conversationView, messageView } from "./views.ts";

const NOW = new Date(2026, 10, 21, 12).getTime();
const HOUR = 3_600_000;

const items = (messages: readonly MessageView[], conversation = conversationView()) =>
	threadItems(conversation, messages, NOW);
const bubbles = (messages: readonly MessageView[], conversation = conversationView()) =>
	items(messages, conversation).filter((item) => item.kind === "message");

describe("days", () => {
	test("come before their first message", () => {
		const labels = items([
			messageView({ sequence: 1, timestamp_ms: NOW - 49 * HOUR }),
			messageView({ sequence: 2, timestamp_ms: NOW - 25 * HOUR }),
			messageView({ sequence: 3, timestamp_ms: NOW - HOUR }),
			messageView({ sequence: 4, timestamp_ms: NOW }),
		]).map((item) => (item.kind === "day" ? item.label : item.message.messageId));
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
		const group = conversationView({ key: "grp", groupId: "grp", contacts: [CONTACT, "+15557770002"] });
		expect(bubbles([message]).map(({ isSenderNamed }) => isSenderNamed)).toEqual([false]);
		expect(bubbles([message], group).map(({ isSenderNamed }) => isSenderNamed)).toEqual([true]);
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
		bubbles([messageView({ status })], conversationView({ key: number, contacts: [number] }))[0]?.isSms;

	test("are marked while they fall back, and if the contact makes all fall back", () => {
		expect(isSms("SMS_FALLBACK")).toBe(true);
		expect(isSms("delivered", "+15550001002")).toBe(true);
		expect(isSms("delivered")).toBe(false);
		expect(isSms("queued", "+15550001002")).toBe(false);
	});
});
