import { describe, expect, test } from "vitest";
import { OPERATIONS, type OperationId } from "../../src/catalogue/index.ts";
import { changedInput, checkInput, operationSamples } from "../support/operation-samples.ts";

const ids = OPERATIONS.map(({ id }) => id);

describe("every operation", () => {
	test.each(ids)("%s accepts its sample unchanged", async (id) => {
		const { input } = operationSamples[id];
		expect(await checkInput(id, input)).toEqual({ ok: true, value: input });
	});

	test.each(ids)("%s refuses a field that is not known, by its name", async (id) => {
		expect(await checkInput(id, { ...operationSamples[id].input, nope: "private" })).toEqual({
			ok: false,
			issues: [{ path: "", message: "has a field that is not known: nope" }],
		});
	});

	test.each(ids)("%s refuses what is no object", async (id) => {
		for (const input of [null, undefined, [], "private", 5]) {
			expect(await checkInput(id, input)).toEqual({
				ok: false,
				issues: [{ path: "", message: "must be an object" }],
			});
		}
	});
});

const to = "+15551234567";
const url = "https://files.example/a.png";
const att = { url };
const data = { data: "AAAA", name: "a.m4a", mimeType: "audio/mp4" };
const long = (length: number): string => "x".repeat(length);

/** Changes to the sample that stay valid; `undefined` removes a field. */
const accepted: [id: OperationId, title: string, changes: Record<string, unknown>][] = [
	["messages.sendText", "18,996 code units", { text: long(18_996) }],
	["messages.sendText", "a text of white space", { text: " " }],
	["messages.sendText", "a group", { to: undefined, groupId: "g" }],
	[
		"messages.sendText",
		"32 participants and a name",
		{ to: undefined, participants: Array(32).fill(to), groupName: "n" },
	],
	["messages.sendText", "an effect that is new", { effect: "sparkle" }],
	[
		"messages.sendText",
		"all options",
		{ from: to, effect: "slam", replyToGuid: "g", statusCallback: "http://localhost:1/x" },
	],
	["messages.sendText", "the shortest number", { to: "+12345678" }],
	["messages.sendText", "the longest number", { to: "+123456789012345" }],
	[
		"messages.sendAttachments",
		"ten attachments with a text",
		{ attachments: Array(10).fill(att), text: "t" },
	],
	[
		"messages.sendAttachments",
		"both kinds",
		{ attachments: [{ ...att, name: "n", mimeType: "image/svg+xml" }, data] },
	],
	["messages.sendVoiceNote", "a URL", { attachment: att }],
	["messages.tapback", "an emoji", { reaction: "👩‍👩‍👧‍👦" }],
	["messages.tapback", "removal, and the first part", { action: "remove", partIndex: 0 }],
	["messages.typing", "1 ms in a group", { to: undefined, groupId: "g", durationMs: 1 }],
	["messages.typing", "stop without a duration", { state: "stop", durationMs: undefined }],
	["messages.markRead", "up to a message", { messageGuid: "guid-1" }],
	["messages.get", "an id of any form", { messageId: "m/1 ü" }],
	["agents.register", "name and threshold", { name: "Desk 1", maxConsecutiveMessages: 1 }],
	["agents.list", "the limits of a page", { limit: 1, cursor: long(1_024), status: "online" }],
	["agents.list", "100 items and a status that is new", { limit: 100, status: "dozing" }],
	["agents.reassign", "from a named agent", { fromAgentNumber: to }],
	["agents.block", "a reason", { reason: "spam" }],
	["mappings.list", "of one agent", { agentNumber: to, limit: 50 }],
	["mappings.create", "everything", { agentNumber: to, maxConsecutiveMessages: 1_000 }],
	["settings.setWebhooks", "nothing to change", { inboundWebhookUrl: undefined }],
	["settings.setWebhooks", "empty and null to unset", { inboundWebhookUrl: "", statusWebhookUrl: null }],
	["settings.setWebhooks", "both, one in upper case", { statusWebhookUrl: "HTTP://localhost:8080/s" }],
	[
		"analytics.listMessages",
		"everything",
		{ agentNumber: to, after: 0, before: 1767225600123, limit: 100, cursor: "c" },
	],
	["analytics.listContacts", "of one agent", { agentNumber: to }],
	["analytics.getNumberStats", "a span", { after: 1, before: 2 }],
	["queue.getStatus", "of one agent", { agentNumber: to }],
];

describe("inputs at the edge that are accepted", () => {
	test.each(accepted)("%s: %s", async (id, _title, changes) => {
		const input = changedInput(id, changes);
		expect(await checkInput(id, input)).toEqual({ ok: true, value: input });
	});
});
