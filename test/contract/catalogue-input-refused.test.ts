import { describe, expect, test } from "vitest";
import { OPERATIONS, type OperationId } from "../../src/catalogue/index.ts";
import { changedInput, checkInput } from "../support/operation-samples.ts";

const to = "+15551234567";
const two = [to, "+15557654321"];
const url = "https://files.example/a.png";
const att = { url };
const data = { data: "AAAA", name: "a.m4a", mimeType: "audio/mp4" };
const long = (length: number): string => "x".repeat(length);

/** Changes to the sample that are refused, with the paths of the issues. */
const refused: [id: OperationId, title: string, changes: Record<string, unknown>, paths: string[]][] = [
	["messages.sendText", "no target", { to: undefined }, [""]],
	["messages.sendText", "two targets", { groupId: "g" }, [""]],
	["messages.sendText", "three targets", { groupId: "g", participants: two }, [""]],
	["messages.sendText", "a name for one contact", { groupName: "n" }, ["groupName"]],
	[
		"messages.sendText",
		"a name for a group that exists",
		{ to: undefined, groupId: "g", groupName: "n" },
		["groupName"],
	],
	["messages.sendText", "one participant", { to: undefined, participants: [to] }, ["participants"]],
	[
		"messages.sendText",
		"33 participants",
		{ to: undefined, participants: Array(33).fill(to) },
		["participants"],
	],
	[
		"messages.sendText",
		"a participant without a plus",
		{ to: undefined, participants: [to, "15551234567"] },
		["participants.1"],
	],
	["messages.sendText", "no text", { text: undefined }, ["text"]],
	["messages.sendText", "an empty text", { text: "" }, ["text"]],
	["messages.sendText", "18,997 code units", { text: long(18_997) }, ["text"]],
	["messages.sendText", "a text that is a number", { text: 5 }, ["text"]],
	["messages.sendText", "a number with 7 digits", { to: "+1234567" }, ["to"]],
	["messages.sendText", "a number with 16 digits", { to: "+1234567890123456" }, ["to"]],
	["messages.sendText", "a number that starts with 0", { to: "+0123456789" }, ["to"]],
	["messages.sendText", "a number with blanks", { to: "+1 555 123 4567" }, ["to"]],
	["messages.sendText", "a number with a newline", { to: `${to}\n` }, ["to"]],
	["messages.sendText", "full-width digits", { to: "+１５５５１２３４５６７" }, ["to"]],
	["messages.sendText", "a target that is null", { to: null }, ["to"]],
	[
		"messages.sendText",
		"a callback that is no web address",
		{ statusCallback: "javascript:alert(1)" },
		["statusCallback"],
	],
	["messages.sendText", "a callback without an origin", { statusCallback: "/cb" }, ["statusCallback"]],
	["messages.sendText", "several faults at once", { to: "1", text: "", from: "2" }, ["to", "from", "text"]],
	["messages.sendText", "the name on the wire", { status_callback: url }, [""]],
	["messages.sendAttachments", "no attachment", { attachments: [] }, ["attachments"]],
	["messages.sendAttachments", "11 attachments", { attachments: Array(11).fill(att) }, ["attachments"]],
	[
		"messages.sendAttachments",
		"an attachment from a file path",
		{ attachments: [{ url: "file:///etc/passwd" }] },
		["attachments.0.url"],
	],
	[
		"messages.sendAttachments",
		"an attachment of both kinds",
		{ attachments: [{ ...att, ...data }] },
		["attachments.0"],
	],
	["messages.sendAttachments", "an attachment of no kind", { attachments: [att, {}] }, ["attachments.1"]],
	[
		"messages.sendAttachments",
		"data without a name",
		{ attachments: [{ ...data, name: undefined }] },
		["attachments.0"],
	],
	["messages.sendAttachments", "an empty text", { text: "" }, ["text"]],
	[
		"messages.sendVoiceNote",
		"data that is not base64",
		{ attachment: { ...data, data: "private!" } },
		["attachment.data"],
	],
	[
		"messages.sendVoiceNote",
		"data without its padding",
		{ attachment: { ...data, data: "AAA" } },
		["attachment.data"],
	],
	["messages.sendVoiceNote", "no data", { attachment: { ...data, data: "" } }, ["attachment.data"]],
	[
		"messages.sendVoiceNote",
		"a media type without a slash",
		{ attachment: { ...data, mimeType: "audio" } },
		["attachment.mimeType"],
	],
	["messages.tapback", "no message", { messageGuid: "" }, ["messageGuid"]],
	["messages.tapback", "another action", { action: "toggle" }, ["action"]],
	["messages.tapback", "an empty reaction", { reaction: "" }, ["reaction"]],
	["messages.tapback", "a reaction of 65 code units", { reaction: long(65) }, ["reaction"]],
	["messages.tapback", "a negative part", { partIndex: -1 }, ["partIndex"]],
	["messages.tapback", "half a part", { partIndex: 0.5 }, ["partIndex"]],
	["messages.typing", "no chat", { to: undefined }, [""]],
	["messages.typing", "two chats", { groupId: "g" }, [""]],
	["messages.typing", "another state", { state: "pause" }, ["state"]],
	["messages.typing", "0 ms", { durationMs: 0 }, ["durationMs"]],
	["messages.typing", "300,001 ms", { durationMs: 300_001 }, ["durationMs"]],
	["messages.typing", "an infinite time", { durationMs: Number.POSITIVE_INFINITY }, ["durationMs"]],
	["messages.markRead", "no chat", { groupId: undefined }, [""]],
	["messages.markRead", "an empty message", { messageGuid: "" }, ["messageGuid"]],
	["messages.checkCapability", "a number with letters", { toNumber: "+1555private" }, ["toNumber"]],
	["messages.get", "an empty id", { messageId: "" }, ["messageId"]],
	["messages.get", "an id of 513 characters", { messageId: long(513) }, ["messageId"]],
	["agents.register", "a threshold of 0", { maxConsecutiveMessages: 0 }, ["maxConsecutiveMessages"]],
	["agents.register", "an empty name", { name: "" }, ["name"]],
	["agents.list", "0 items", { limit: 0 }, ["limit"]],
	["agents.list", "101 items", { limit: 101 }, ["limit"]],
	["agents.list", "half an item", { limit: 1.5 }, ["limit"]],
	["agents.list", "items as a text", { limit: "50" }, ["limit"]],
	["agents.list", "an empty cursor", { cursor: "" }, ["cursor"]],
	["agents.list", "a cursor without end", { cursor: long(1_025) }, ["cursor"]],
	["agents.get", "a number without a plus", { agentNumber: "15551234567" }, ["agentNumber"]],
	["agents.assign", "no user", { userNumber: undefined }, ["userNumber"]],
	["agents.assign", "no agent", { agentNumber: undefined }, ["agentNumber"]],
	["agents.reassign", "no new agent", { toAgentNumber: undefined }, ["toAgentNumber"]],
	["agents.reassign", "an old agent that is null", { fromAgentNumber: null }, ["fromAgentNumber"]],
	["agents.block", "an empty reason", { reason: "" }, ["reason"]],
	["agents.unblock", "a reason", { reason: "why" }, [""]],
	["mappings.get", "an empty number", { toNumber: "" }, ["toNumber"]],
	["mappings.list", "an agent that is no number", { agentNumber: "private" }, ["agentNumber"]],
	["mappings.create", "no user", { userNumber: undefined }, ["userNumber"]],
	["mappings.update", "no change", { maxConsecutiveMessages: undefined }, ["maxConsecutiveMessages"]],
	["mappings.update", "a threshold of 1.5", { maxConsecutiveMessages: 1.5 }, ["maxConsecutiveMessages"]],
	[
		"mappings.update",
		"a threshold that is NaN",
		{ maxConsecutiveMessages: Number.NaN },
		["maxConsecutiveMessages"],
	],
	["mappings.reset", "dots for a number", { toNumber: ".." }, ["toNumber"]],
	["mappings.delete", "a path for a number", { toNumber: "+15551234567/reset" }, ["toNumber"]],
	[
		"settings.setWebhooks",
		"another protocol",
		{ inboundWebhookUrl: "ftp://a.example" },
		["inboundWebhookUrl"],
	],
	["settings.setWebhooks", "no host", { inboundWebhookUrl: "https://" }, ["inboundWebhookUrl"]],
	["settings.setWebhooks", "a blank", { statusWebhookUrl: " " }, ["statusWebhookUrl"]],
	["settings.setWebhooks", "a boolean", { statusWebhookUrl: false }, ["statusWebhookUrl"]],
	["analytics.listMessages", "a negative time", { after: -1 }, ["after"]],
	["analytics.listMessages", "a time with a fraction", { before: 0.5 }, ["before"]],
	["analytics.listMessages", "a date", { after: new Date(0) }, ["after"]],
	["analytics.listContacts", "a span", { after: 1 }, [""]],
	["analytics.getNumberStats", "a page", { limit: 5 }, [""]],
	["queue.getStatus", "an agent that is empty", { agentNumber: "" }, ["agentNumber"]],
];

describe("inputs that are refused", () => {
	test.each(refused)("%s: %s", async (id, _title, changes, paths) => {
		const outcome = await checkInput(id, changedInput(id, changes));
		expect(outcome.ok ? [] : outcome.issues.map(({ path }) => path)).toEqual(paths);
	});

	test.each(refused)("%s: %s, in words that do not quote the value", async (id, _title, changes) => {
		const outcome = await checkInput(id, changedInput(id, changes));
		const said = outcome.ok ? "" : outcome.issues.map(({ message }) => message).join("\n");
		expect(said).not.toContain("Invalid input");
		expect(said).not.toMatch(
			/private|javascript|passwd|toggle|pause|x{9}|1234567890123456|15551234567\/reset/,
		);
	});

	test("every operation with fields is in the table", () => {
		const covered = new Set(refused.map(([id]) => id));
		expect(OPERATIONS.map(({ id }) => id).filter((id) => !covered.has(id))).toEqual([
			"settings.getWebhooks",
			"health.check",
		]);
	});
});
