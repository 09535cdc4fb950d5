import { describe, expect, test } from "vitest";
import { REACTIONS } from "../../../../../src/library/catalogue/shared.ts";
import {
	describeConversation,
	describeError,
	filterConversations,
	sortConversations,
	summarizeMessage,
	titleOf,
} from "../../../../../src/tools/console/conversations/state/conversations.ts";
import { announce } from "../../../../../src/tools/console/conversations/state/describe-entries.ts";
import type { Entry } from "../../../../../src/tools/console/conversations/state/entries.ts";
import { fromSnapshot } from "../../../../../src/tools/console/conversations/state/gateway-state.ts";
import {
	describeSize,
	readAttachment,
} from "../../../../../src/tools/console/conversations/timeline/attachment.tsx";
import { findFileProblem } from "../../../../../src/tools/console/conversations/timeline/composer.tsx";
import { REACTION_PATHS } from "../../../../../src/tools/console/conversations/timeline/reactions.tsx";
import type { DeliveryView, MessageView } from "../../../../../src/tools/control/contract.ts";
import {
	CONTACT,
	conversationView,
	deliveryView,
	messageView,
	snapshotOf,
} from "../../../../support/console-views.ts";

describe("conversations", () => {
	test("are sorted by their last message", () => {
		const conversations = [
			conversationView({ key: "+15550000011", lastMessageAt: 1 }),
			conversationView({ key: "+15550000012", lastMessageAt: null }),
			conversationView({ key: "+15550000013", lastMessageAt: 2 }),
		];
		const keys = sortConversations(fromSnapshot(snapshotOf({ conversations }), 0)).map(({ key }) => key);
		expect(keys).toEqual(["+15550000013", "+15550000011", "+15550000012"]);
	});

	test("are found by their numbers, groups and titles, or by a failed message", () => {
		const contacts = ["+15557770001", "+15557770002"];
		const conversations = [
			conversationView({ failedCount: 1 }),
			conversationView({ key: "Group-A", groupId: "Group-A", contacts }),
		];
		const find = (text: string, isOnlyFailed = false) =>
			filterConversations(conversations, { text, isOnlyFailed }).map(({ key }) => key);
		expect(find("")).toEqual([CONTACT, "Group-A"]);
		expect(find(CONTACT.slice(4))).toEqual([CONTACT]);
		expect(find("group-a")).toEqual(["Group-A"]);
		expect(find("7770002")).toEqual(["Group-A"]);
		expect(find("nobody")).toEqual([]);
		expect(find("", true)).toEqual([CONTACT]);
		expect(find("group", true)).toEqual([]);
	});

	test("have their numbers as titles", () => {
		const contacts = ["+15557770001", "+15557770002", "+15557770003"];
		expect(titleOf(conversationView())).toBe(CONTACT);
		expect(titleOf(conversationView({ groupId: "g", contacts }))).toBe("+15557770001 + 2");
	});

	test("are described by their members or behaviour", () => {
		const group = conversationView({ groupId: "g", contacts: ["+15557770001", "+15557770002"] });
		expect(describeConversation(group)).toBe("+15557770001, +15557770002 with agent +15550000001");
		expect(describeConversation(conversationView())).toBe("with agent +15550000001");
		expect(describeConversation(conversationView({ behaviour: "It never replies." }))).toBe(
			"It never replies.",
		);
	});

	test.each([
		[{ text: " two\nlines " }, "two lines"],
		[{ text: "", attachments: [{}] }, "An attachment"],
		[{ text: "", attachments: [{}, {}] }, "2 attachments"],
		[{ text: "", kind: "voice" as const, attachments: [{}] }, "Voice note"],
		[{ text: " " }, "Empty message"],
	])("%j is summarized in one line", (fields, line) => {
		expect(summarizeMessage(messageView(fields))).toBe(line);
	});

	test.each([
		[null, null],
		["no such number", "no such number"],
		[{ message: "no such number", code: "X" }, "no such number"],
		[{ code: "NO_SUCH_NUMBER" }, "NO_SUCH_NUMBER"],
		[{ reason: 7 }, '{"reason":7}'],
	])("the error %j is described", (error, words) => {
		expect(describeError(error)).toBe(words);
	});
});

describe("attachments", () => {
	test.each([
		[{ id: "1", name: "a.png", mimeType: "image/png", size: 1_234 }, "image", "kept", "1 kB"],
		[{ id: "1", name: "a.svg", mimeType: "image/svg+xml" }, "file", "kept", null],
		[{ id: "1", name: "a.wav", mimeType: "audio/wav" }, "audio", "kept", null],
		[{ id: "1", name: "a.mp4", mimeType: "video/mp4" }, "video", "kept", null],
		[{ url: "https://example.com/x/a.pdf", size: 10 }, "file", "linked", "10 B"],
		[{ url: "javascript:alert(1)", name: "x" }, "file", "none", null],
		[{ url: "not a url", name: 7 }, "file", "none", null],
	])("%j", (item, form, source, size) => {
		const { id, link, ...facts } = readAttachment(item);
		expect(facts).toMatchObject({ form, size });
		expect(id === undefined ? (link === undefined ? "none" : "linked") : "kept").toBe(source);
	});

	test("always have a name", () => {
		expect(readAttachment({ url: "https://example.com/x/a.pdf" }).name).toBe("a.pdf");
		expect(readAttachment({ url: "https://example.com/" }).name).toBe("attachment");
		expect(readAttachment({}).name).toBe("attachment");
	});

	test("are rejected before they are read if they are empty or too large", () => {
		const problem = (size: number) => findFileProblem({ name: "a.png", size }, 10_000_000);
		expect(problem(10_000_000)).toBeUndefined();
		expect(problem(0)).toBe("a.png is empty.");
		expect(problem(11_400_000)).toBe("a.png has 11.4 MB; an attachment may have up to 10 MB.");
	});

	test("have readable sizes", () => {
		expect([0, 999, 1_000, 1_000_000].map(describeSize)).toEqual(["0 B", "999 B", "1 kB", "1 MB"]);
	});
});

// The page repeats the reactions, because importing them would also bundle the schemas.
test("every known reaction has an icon", () => {
	expect([...REACTION_PATHS.keys()]).toEqual(REACTIONS);
});

describe("announcements of a timeline", () => {
	const entryOf = (fields: Partial<MessageView>): Entry => {
		const message = messageView(fields);
		return { kind: "message", sequence: message.sequence, conversationKey: CONTACT, message };
	};
	const sent = entryOf({ sequence: 1, text: "Hello" });

	test("include new messages with their senders", () => {
		const reply = entryOf({ sequence: 2, text: "Hi", outbound: false });
		expect(announce([sent], [sent, reply])).toEqual([`${CONTACT}: Hi`]);
		expect(announce([], [sent])).toEqual(["Agent: Hello"]);
		expect(announce([reply], [sent, reply])).toEqual([]);
	});

	test("include failures and reactions, but no other statuses", () => {
		const changed = (fields: Partial<MessageView>) =>
			announce([sent], [entryOf({ sequence: 1, text: "Hello", ...fields })]);
		expect(changed({ status: "read" })).toEqual([]);
		expect(changed({ status: "failed", error: "gone" })).toEqual(["Message failed: gone"]);
		expect(changed({ status: "failed" })).toEqual(["Message failed: no reason given"]);
		expect(changed({ tapbacks: [{ by: CONTACT, reaction: "love" }] })).toEqual([`${CONTACT} reacted: love`]);
	});

	test("include a webhook that fails, once for each reason", () => {
		const entryOf = (fields: Partial<DeliveryView>): Entry => {
			const delivery = deliveryView({ sequence: 2, ...fields });
			return { kind: "webhook", sequence: 2, conversationKey: CONTACT, delivery };
		};
		const attempts = [{ at: 0, timestamp: 0, headers: {}, status: 500 }];
		const pending = entryOf({});
		const failed = entryOf({ attempts });
		expect(announce([sent], [sent, pending])).toEqual([]);
		expect(announce([sent, pending], [sent, failed])).toEqual(["A webhook failed: 500 · trying again"]);
		expect(announce([sent, failed], [sent, { ...failed }])).toEqual([]);
	});
});
