import { MessagingGateway } from "messaging-gateway";
import { createLocalGateway } from "messaging-gateway/testing";
import { describe, expect, test } from "vitest";
import { profileFromJson } from "../../../../src/library/maps/profile-from-json.ts";
import { createOpenApiDocument } from "../../../../src/tools/openapi/create-openapi-document.ts";
import { MAPPED_PROFILE } from "../../../support/mapped-profile.ts";
import {
	createSchemaChecker,
	jsonSchemaOf,
	operationsById,
	parametersOf,
	responseOf,
} from "../../../support/openapi-schemas.ts";

const profile = profileFromJson(MAPPED_PROFILE);
const document = createOpenApiDocument({ profile });
const placed = operationsById(document);
const check = createSchemaChecker(document);
const USER = "+15551234567";

function find(id: string) {
	const entry = placed.get(id);
	if (entry === undefined) throw new Error(`the document has no ${id}`);
	return entry;
}

describe("the document of a mapped profile", () => {
	test.each<[id: string, method: string, path: string, parameters: string[]]>([
		["messages.sendText_or_sendAttachments", "POST", "/v2/messages", ["header Idempotency-Key"]],
		["messages.sendText_groupId", "POST", "/v2/rooms/{room}/messages", ["path room"]],
		["messages.sendVoiceNote", "POST", "/v2/media", ["query number", "header X-Request-Key"]],
		["messages.tapback", "POST", "/v2/messages/{id}/reaction", ["path id"]],
		["messages.tapback_remove", "DELETE", "/v2/messages/{id}/reaction", ["path id"]],
		["messages.typing", "PUT", "/v2/chats/{number}/typing", ["path number"]],
		["messages.typing_stop", "DELETE", "/v2/chats/{number}/typing", ["path number"]],
		["messages.markRead", "POST", "/v2/receipts", ["query number", "query agent"]],
		["agents.list", "GET", "/v2/devices", ["query size", "query skip", "query state"]],
	])("has %s as %s %s", (id, method, path, parameters) => {
		const entry = find(id);
		expect(entry).toMatchObject({ method, path });
		expect(parametersOf(document, entry).map((each) => `${each.in} ${each.name}`)).toEqual(parameters);
		expect(entry.operation).not.toHaveProperty("x-sdk-methods");
	});

	test("has examples that fit, with the places and the values of the maps", () => {
		const shown = [...placed.values()].flatMap(({ operation }) =>
			Object.values(operation.requestBody?.content ?? {}),
		);
		expect(shown.flatMap(({ schema, example }) => check(schema, example))).toEqual([]);
		expect(shown.map(({ example }) => example)).toEqual(
			expect.arrayContaining([
				{ kind: "text", recipients: [{ number: USER }], content: { body: "Hello" } },
				{ emoji: "HEART" },
			]),
		);
	});

	test("fits what a client with that profile sends, and what a local gateway responds", async () => {
		const local = createLocalGateway({ profile, rules: "off", agents: ["+15550000001", "+15550000002"] });
		const gateway = new MessagingGateway({ ...local.clientOptions, logLevel: "off" });
		const { messages } = gateway;
		const attachments = [{ url: "https://a.example/1" }, { url: "https://a.example/2", name: "b" }];
		await messages.sendText({ to: USER, text: "Hi", effect: "slam" });
		await messages.sendAttachments({ to: USER, text: "Look", attachments });
		await messages.sendVoiceNote({ to: USER, attachment: { url: "https://a.example/a.mp3" } });
		await local.settled();
		const messageGuid = local.sent[0]?.messageGuid ?? "";
		await messages.addTapback({ messageGuid, reaction: "love", partIndex: 0 });
		await messages.removeTapback({ messageGuid, reaction: "like" });
		await messages.startTyping({ to: USER, durationMs: 2_000 });
		await messages.stopTyping({ to: USER });
		await messages.markRead({ to: USER });
		await messages.checkCapability(USER);
		await gateway.agents.list({ limit: 1, status: "online" });
		await gateway.mappings.list({ limit: 1, agentNumber: "+15550000001" });
		await gateway.analytics.listMessages(USER, { after: 0, limit: 2 });
		await gateway.settings.setWebhooks({ statusWebhookUrl: "https://a.example/hook" });
		await gateway.mappings.delete(USER);
		const problems = local.requests.flatMap(({ method, path, query, body, operationId, status = 0 }) => {
			const entry = [...placed.values()].find(
				(each) =>
					each.method === method &&
					new RegExp(`^${each.path.replace(/\{\w+\}/g, "[^/]+")}$`).test(path) &&
					each.operation.operationId.includes(operationId?.split(".")[1] ?? "none"),
			);
			if (entry === undefined) return [`${method} ${path} is not in the document`];
			const schema = jsonSchemaOf(entry.operation.requestBody?.content);
			const names = parametersOf(document, entry).map(({ name }) => name);
			const unknown = [...new URLSearchParams(query).keys()].filter((name) => !names.includes(name));
			return [
				...(body === "" ? [] : schema === undefined ? ["no body"] : check(schema, JSON.parse(body))),
				...unknown.map((name) => `${name} is no parameter`),
				...(responseOf(document, entry, status) === undefined ? [`${status} is not shown`] : []),
			].map((problem) => `${method} ${path}: ${problem}`);
		});
		expect(problems).toEqual([]);
		expect(local.requests).toHaveLength(14);
	});

	test("shows the data of a response in its places, and 204 where there is none", () => {
		const page = jsonSchemaOf(responseOf(document, find("agents.list"), 200)?.content);
		expect(check(page ?? {}, { ok: true, data: { page: { items: [{ phone: 5 }] } } }).join()).toContain(
			"phone",
		);
		const device = {
			phone: USER,
			label: null,
			state: "UP",
			load: { contacts: 1 },
			seen: "2026-01-01T00:00:00.000Z",
			since: 1767225600,
		};
		const meta = { requestId: "0f6c9d1e-3c55-4b8e-9a55-2f4f3d1c7a10", timestamp: "2026-01-01T00:00:00.000Z" };
		const data = { page: { items: [device], total: 1 } };
		expect(check(page ?? {}, { ok: true, data, meta })).toEqual([]);
		const removed = responseOf(document, find("messages.tapback_remove"), 204);
		expect(removed).not.toHaveProperty("content");
		expect(responseOf(document, find("messages.tapback_remove"), 200)).toBeUndefined();
	});

	test("leaves attachments the choice of a URL or bytes", () => {
		const body = jsonSchemaOf(find("messages.sendVoiceNote").operation.requestBody?.content) ?? {};
		const file = { type: "audio/mp4" };
		expect(check(body, { file: { ...file, link: "https://a.example/1" } })).toEqual([]);
		expect(check(body, { file: { ...file, content: "AAAA" } })).toEqual([]);
		expect(check(body, { file: { ...file, size: 1 } })).not.toEqual([]);
	});
});
