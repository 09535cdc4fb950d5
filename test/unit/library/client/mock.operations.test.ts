import type { GatewayCall, MessagingGateway } from "messaging-gateway";
import { describe, expect, test } from "vitest";
import { OPERATIONS } from "../../../../src/library/catalogue/index.ts";
import { catchRejection } from "../../../support/catch-error.ts";
import { mockGateway } from "../../../support/mocked-gateway.ts";
import { AGENT, USER } from "../../../support/wire.ts";

const OTHER_AGENT = "+15550000002";
const NEW_AGENT = "+15550000003";
const OTHER_USER = "+15557654321";

/** What the calls below need to find. */
interface Setting {
	messageId: string;
	messageGuid: string;
}

interface Case {
	id: string;
	call: (gateway: MessagingGateway, setting: Setting) => GatewayCall<unknown>;
	sent: { method: string; path: string; query?: string; body?: unknown };
	data: unknown;
}

const escaped = "%2B15551234567";
const at = expect.any(Number);
const mapping = expect.objectContaining({ userNumber: USER, agentNumber: AGENT });
const message = expect.objectContaining({ to: USER, from: AGENT, status: "queued", outbound: true });

const cases: Case[] = [
	{
		id: "messages.sendText",
		call: (gateway) =>
			gateway.messages.sendText({
				to: USER,
				text: "Again",
				effect: "slam",
				statusCallback: "https://hooks.example/s",
			}),
		sent: {
			method: "POST",
			path: "/message/text",
			body: { to: USER, text: "Again", effect: "slam", status_callback: "https://hooks.example/s" },
		},
		data: { message: expect.objectContaining({ text: "Again", status_callback: "https://hooks.example/s" }) },
	},
	{
		id: "messages.sendAttachments",
		call: (gateway) =>
			gateway.messages.sendAttachments({
				to: USER,
				attachments: [{ data: new Uint8Array([1]), name: "a.png" }],
			}),
		sent: {
			method: "POST",
			path: "/message/attachment",
			body: { to: USER, attachments: [{ data: "AQ==", name: "a.png", mimeType: "image/png" }] },
		},
		data: { message },
	},
	{
		id: "messages.sendVoiceNote",
		call: (gateway) =>
			gateway.messages.sendVoiceNote({ to: USER, attachment: { data: new Uint8Array([1]), name: "a.m4a" } }),
		sent: {
			method: "POST",
			path: "/message/voice",
			body: { to: USER, attachment: { data: "AQ==", name: "a.m4a", mimeType: "audio/mp4" } },
		},
		data: { message },
	},
	{
		id: "messages.tapback",
		call: (gateway, { messageGuid }) =>
			gateway.messages.addTapback({ messageGuid, reaction: "love", partIndex: 0 }),
		sent: {
			method: "POST",
			path: "/message/tapback",
			body: { messageGuid: expect.any(String), reaction: "love", partIndex: 0, action: "add" },
		},
		data: { messageGuid: expect.any(String), reaction: "love", action: "add" },
	},
	{
		id: "messages.tapback",
		call: (gateway, { messageGuid }) => gateway.messages.removeTapback({ messageGuid, reaction: "love" }),
		sent: {
			method: "POST",
			path: "/message/tapback",
			body: { messageGuid: expect.any(String), reaction: "love", action: "remove" },
		},
		data: { messageGuid: expect.any(String), reaction: "love", action: "remove" },
	},
	{
		id: "messages.typing",
		call: (gateway) => gateway.messages.startTyping({ to: USER, durationMs: 5_000 }),
		sent: { method: "POST", path: "/message/typing", body: { to: USER, durationMs: 5_000, state: "start" } },
		data: { chatGuid: expect.any(String), state: "start", expiresAt: at },
	},
	{
		id: "messages.typing",
		call: (gateway) => gateway.messages.stopTyping({ to: USER }),
		sent: { method: "POST", path: "/message/typing", body: { to: USER, state: "stop" } },
		data: { chatGuid: expect.any(String), state: "stop", expiresAt: null },
	},
	{
		id: "messages.markRead",
		call: (gateway) => gateway.messages.markRead({ to: USER }),
		sent: { method: "POST", path: "/message/read", body: { to: USER } },
		data: { chatGuid: expect.any(String), markedAt: at },
	},
	{
		id: "messages.checkCapability",
		call: (gateway) => gateway.messages.checkCapability(USER),
		sent: { method: "GET", path: `/capability/${escaped}` },
		data: { number: USER, native: true, service: "native", checkedAt: at },
	},
	{
		id: "messages.get",
		call: (gateway, { messageId }) => gateway.messages.get(messageId),
		sent: { method: "GET", path: expect.stringMatching(/^\/message\/[0-9a-f-]{36}$/) as string },
		data: { message: expect.objectContaining({ text: "First" }) },
	},
	{
		id: "agents.register",
		call: (gateway) => gateway.agents.register({ agentNumber: NEW_AGENT, name: "Desk 3" }),
		sent: { method: "POST", path: "/agent", body: { agentNumber: NEW_AGENT, name: "Desk 3" } },
		data: { agent: expect.objectContaining({ agentNumber: NEW_AGENT, name: "Desk 3" }) },
	},
	{
		id: "agents.list",
		call: (gateway) => gateway.agents.list({ status: "online", limit: 1 }),
		sent: { method: "GET", path: "/agent", query: "status=online&limit=1" },
		data: { agents: [expect.objectContaining({ agentNumber: AGENT })], nextCursor: expect.any(String) },
	},
	{
		id: "agents.get",
		call: (gateway) => gateway.agents.get(AGENT),
		sent: { method: "GET", path: "/agent/%2B15550000001" },
		data: { agent: expect.objectContaining({ agentNumber: AGENT, status: "online" }) },
	},
	{
		id: "agents.assign",
		call: (gateway) => gateway.agents.assign({ agentNumber: OTHER_AGENT, userNumber: OTHER_USER }),
		sent: {
			method: "POST",
			path: "/agent/assign",
			body: { agentNumber: OTHER_AGENT, userNumber: OTHER_USER },
		},
		data: { mapping: expect.objectContaining({ agentNumber: OTHER_AGENT, userNumber: OTHER_USER }) },
	},
	{
		id: "agents.reassign",
		call: (gateway) =>
			gateway.agents.reassign({ userNumber: USER, toAgentNumber: OTHER_AGENT, fromAgentNumber: AGENT }),
		sent: {
			method: "POST",
			path: "/agent/reassign",
			body: { userNumber: USER, toAgentNumber: OTHER_AGENT, fromAgentNumber: AGENT },
		},
		data: { mapping: expect.objectContaining({ agentNumber: OTHER_AGENT }), previousAgentNumber: AGENT },
	},
	{
		id: "agents.block",
		call: (gateway) => gateway.agents.block(AGENT, { reason: "on leave" }),
		sent: { method: "POST", path: "/agent/%2B15550000001/block", body: { reason: "on leave" } },
		data: { agent: expect.objectContaining({ status: "blocked", blockedReason: "on leave" }) },
	},
	{
		id: "agents.unblock",
		call: (gateway) => gateway.agents.unblock(AGENT),
		sent: { method: "POST", path: "/agent/%2B15550000001/unblock" },
		data: { agent: expect.objectContaining({ status: "online" }) },
	},
	{
		id: "mappings.get",
		call: (gateway) => gateway.mappings.get(USER),
		sent: { method: "GET", path: `/mapping/${escaped}` },
		data: { mapping },
	},
	{
		id: "mappings.list",
		call: (gateway) => gateway.mappings.list({ agentNumber: AGENT }),
		sent: { method: "GET", path: "/mapping", query: "agentNumber=%2B15550000001" },
		data: { mappings: [mapping], nextCursor: null },
	},
	{
		id: "mappings.create",
		call: (gateway) => gateway.mappings.create({ userNumber: OTHER_USER, maxConsecutiveMessages: 2 }),
		sent: { method: "POST", path: "/mapping", body: { userNumber: OTHER_USER, maxConsecutiveMessages: 2 } },
		data: { mapping: expect.objectContaining({ userNumber: OTHER_USER, maxConsecutiveMessages: 2 }) },
	},
	{
		id: "mappings.update",
		call: (gateway) => gateway.mappings.update(USER, { maxConsecutiveMessages: 9 }),
		sent: { method: "PATCH", path: `/mapping/${escaped}`, body: { maxConsecutiveMessages: 9 } },
		data: { mapping: expect.objectContaining({ maxConsecutiveMessages: 9 }) },
	},
	{
		id: "mappings.reset",
		call: (gateway) => gateway.mappings.reset(USER),
		sent: { method: "POST", path: `/mapping/${escaped}/reset` },
		data: { mapping: expect.objectContaining({ consecutiveCount: 0 }) },
	},
	{
		id: "mappings.delete",
		call: (gateway) => gateway.mappings.delete(USER),
		sent: { method: "DELETE", path: `/mapping/${escaped}` },
		data: { deleted: true },
	},
	{
		id: "settings.setWebhooks",
		call: (gateway) =>
			gateway.settings.setWebhooks({ inboundWebhookUrl: "https://hooks.example/in", statusWebhookUrl: null }),
		sent: {
			method: "POST",
			path: "/settings/webhooks",
			body: { inboundWebhookUrl: "https://hooks.example/in", statusWebhookUrl: "" },
		},
		data: { inboundWebhookUrl: "https://hooks.example/in", statusWebhookUrl: null },
	},
	{
		id: "settings.getWebhooks",
		call: (gateway) => gateway.settings.getWebhooks(),
		sent: { method: "GET", path: "/settings/webhooks" },
		data: { inboundWebhookUrl: null, statusWebhookUrl: null },
	},
	{
		id: "analytics.listMessages",
		call: (gateway) => gateway.analytics.listMessages(USER, { limit: 5 }),
		sent: { method: "GET", path: `/analytics/conversation/${escaped}`, query: "limit=5" },
		data: { messages: [expect.objectContaining({ text: "First" })], nextCursor: null },
	},
	{
		id: "analytics.listContacts",
		call: (gateway) => gateway.analytics.listContacts({ agentNumber: AGENT }),
		sent: { method: "GET", path: "/analytics/contacts", query: "agentNumber=%2B15550000001" },
		data: { contacts: [expect.objectContaining({ userNumber: USER, outbound: 1 })], nextCursor: null },
	},
	{
		id: "analytics.getNumberStats",
		call: (gateway) => gateway.analytics.getNumberStats(AGENT, { after: 1 }),
		sent: { method: "GET", path: "/analytics/number/%2B15550000001", query: "after=1" },
		data: expect.objectContaining({ number: AGENT, outbound: 1, contacts: 1 }),
	},
	{
		id: "queue.getStatus",
		call: (gateway) => gateway.queue.getStatus({ agentNumber: AGENT }),
		sent: { method: "GET", path: "/queue/status", query: "agentNumber=%2B15550000001" },
		data: expect.objectContaining({ pending: 0, processing: 0, failed: 0 }),
	},
	{
		id: "health.check",
		call: (gateway) => gateway.health.check(),
		sent: { method: "GET", path: "/health" },
		data: expect.anything(),
	},
];

test("the table below has every operation", () => {
	expect([...new Set(cases.map(({ id }) => id))]).toEqual(OPERATIONS.map(({ id }) => id));
});

describe("against the mocked gateway", () => {
	test.each(cases)("$id is understood, and so is its response", async ({ id, call, sent, data }) => {
		using mock = mockGateway({ agents: [AGENT, OTHER_AGENT] });
		const gateway = mock.connect({ responseValidation: { documented: "throw", provisional: "throw" } });
		const { message } = await gateway.messages.sendText({ to: USER, from: AGENT, text: "First" });
		await mock.local.settled();
		const { messageId, messageGuid } = (await gateway.messages.get(message.messageId)).message;

		const result = await call(gateway, { messageId, messageGuid: messageGuid ?? "" }).withResponse();
		expect(result.data).toEqual(data);
		expect(result.attempts).toBe(1);
		const request = mock.local.requests.at(-1);
		const operation = OPERATIONS.find((candidate) => candidate.id === id);
		expect(request).toMatchObject({ operationId: id, method: sent.method, status: operation?.successStatus });
		expect(request?.path).toEqual(sent.path);
		expect(Object.fromEntries(new URLSearchParams(request?.query))).toEqual(
			Object.fromEntries(new URLSearchParams(sent.query)),
		);
		expect(request?.body === "" ? undefined : JSON.parse(request?.body ?? "")).toEqual(sent.body);
		expect(result.meta === undefined).toBe(id === "health.check");
	});

	test("lists go over all their pages", async () => {
		using mock = mockGateway();
		const gateway = mock.connect();
		const numbers = Array.from({ length: 7 }, (_, at) => `+1555000100${at}`);
		for (const userNumber of numbers) await gateway.mappings.create({ userNumber });
		const found = [];
		for await (const { userNumber } of gateway.mappings.list({ limit: 3 })) found.push(userNumber);
		expect(found.toSorted()).toEqual(numbers);
		expect(mock.local.requests.filter(({ operationId }) => operationId === "mappings.list")).toHaveLength(3);
		expect(await gateway.mappings.list({ limit: 3 }).toArray({ limit: 4 })).toHaveLength(4);
	});

	test("an input that only the gateway rejects is reported with its fields", async () => {
		using mock = mockGateway();
		const gateway = mock.connect({ checkPhoneNumbers: false });
		const error = await catchRejection(gateway.messages.sendText({ to: "5551234567", text: "Hello" }));
		expect(error).toMatchObject({ code: "bad_request", status: 400, gatewayCode: "VALIDATION_ERROR" });
		expect((error as { fieldErrors: unknown }).fieldErrors).toMatchObject([{ field: "to" }]);
		expect(mock.local.sent).toEqual([]);
	});
});
