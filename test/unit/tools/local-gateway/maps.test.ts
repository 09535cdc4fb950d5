import { MessagingGateway } from "messaging-gateway";
import { diagnose } from "messaging-gateway/doctor";
import { profileFromJson } from "messaging-gateway/maps";
import { createLocalGateway, type LocalGatewayOptions } from "messaging-gateway/testing";
import { describe, expect, test } from "vitest";
import { catchRejection } from "../../../support/catch-error.ts";
import { MAPPED_PROFILE } from "../../../support/mapped-profile.ts";
import { readSnippets } from "../../../support/read-snippets.ts";

const profile = profileFromJson(MAPPED_PROFILE);
const USER = "+15551234567";
const AGENT = "+15550000001";

function start(options: LocalGatewayOptions = {}) {
	const local = createLocalGateway({ profile, rules: "off", ...options });
	const gateway = new MessagingGateway({
		...local.clientOptions,
		responseValidation: { provisional: "throw" },
		maxRetries: 0,
	});
	return { local, gateway };
}

describe("a client and a local gateway with the same maps", () => {
	test("a text goes through, with its names, its values and its default sender", async () => {
		const { local, gateway } = start();
		const { message } = await gateway.messages.sendText({ to: USER, text: "Hi", effect: "slam" });
		expect(message).toMatchObject({ status: "queued", text: "Hi", from: AGENT, to: USER });
		expect(message.timestamp_ms).toBe(local.sent[0]?.timestamp_ms);
		expect(local.sent).toEqual([expect.objectContaining({ messageId: message.messageId, text: "Hi" })]);
		expect(local.requests[0]).toMatchObject({ path: "/v2/messages", operationId: "messages.sendText" });
		expect(JSON.parse(local.requests[0]?.body ?? "")).toMatchObject({ kind: "text", effect: "SLAM" });
		expect(local.requests[0]?.headers["idempotency-key"]).toMatch(/^[0-9a-f-]{36}$/);
	});

	test("two operations on one route are told apart by what the request says", async () => {
		const { local, gateway } = start();
		const attachments = [{ url: "https://a.example/1" }, { url: "https://a.example/2", name: "b" }];
		const call = gateway.messages.sendAttachments({ to: USER, text: "Look", attachments });
		await expect(call).rejects.toMatchObject({ code: "unexpected_response", outcome: "accepted" });
		expect(local.requests[0]).toMatchObject({
			path: "/v2/messages",
			operationId: "messages.sendAttachments",
			status: 202,
		});
		expect(local.sent[0]).toMatchObject({ text: "Look", attachments });
	});

	test("one operation has a route for a group", async () => {
		const { local, gateway } = start();
		const error = await catchRejection(gateway.messages.sendText({ groupId: "g 1", text: "Hi" }));
		expect(local.requests[0]).toMatchObject({
			path: "/v2/rooms/g%201/messages",
			operationId: "messages.sendText",
		});
		expect(error).toMatchObject({ status: 404, gatewayCode: "GROUP_NOT_FOUND" });
	});

	test("media has its own route, a query and a body", async () => {
		const { local, gateway } = start();
		const attachment = { data: new Uint8Array([1, 2]), name: "a.mp3", mimeType: "audio/mpeg" };
		const error = await catchRejection(gateway.messages.sendVoiceNote({ to: USER, attachment }));
		// The map has no place for the name, which a file needs here.
		expect(error).toMatchObject({ status: 400 });
		const url = "https://a.example/a.mp3";
		await gateway.messages.sendVoiceNote({ to: USER, attachment: { url } });
		expect(local.requests[1]).toMatchObject({ path: "/v2/media", query: "?number=%2B15551234567" });
		expect(local.sent[0]).toMatchObject({ attachments: [{ url }] });
	});

	test("a tapback is added with POST and removed with DELETE, each with 204", async () => {
		const { local, gateway } = start();
		await gateway.messages.sendText({ to: USER, text: "Hi" });
		await local.settled();
		const messageGuid = local.sent[0]?.messageGuid ?? "";
		const input = { messageGuid, reaction: "love" };
		expect(await gateway.messages.addTapback(input)).toEqual({ ...input, action: "add" });
		expect(await gateway.messages.removeTapback(input)).toEqual({ ...input, action: "remove" });
		const sent = local.requests.slice(1).map(({ method, path, status }) => ({ method, path, status }));
		const path = `/v2/messages/${messageGuid}/reaction`;
		expect(sent).toEqual([
			{ method: "POST", path, status: 204 },
			{ method: "DELETE", path, status: 204 },
		]);
	});

	test("typing stops with DELETE", async () => {
		const { local, gateway } = start();
		await gateway.messages.sendText({ to: USER, text: "Hi" });
		expect(await gateway.messages.startTyping({ to: USER, durationMs: 3_000 })).toMatchObject({
			state: "start",
		});
		expect(await gateway.messages.stopTyping({ to: USER })).toMatchObject({ state: "stop" });
		expect(local.requests.map(({ method }) => method)).toEqual(["POST", "PUT", "DELETE"]);
	});

	test("pages by offset, by number and by cursor each have every item once", async () => {
		const agents = ["+15550000001", "+15550000002", "+15550000003", "+15550000004", "+15550000005"];
		const { local, gateway } = start({ agents });
		const list = await gateway.agents.list({ limit: 2 }).toArray({ limit: 10 });
		expect(list.map(({ agentNumber }) => agentNumber)).toEqual(agents);
		expect(list[0]).toMatchObject({ status: "online", lastSeenAt: expect.any(Number) });
		expect(local.requests.map(({ query }) => query)).toEqual(["?size=2", "?size=2&skip=2", "?size=2&skip=4"]);
		const loose = new MessagingGateway({ ...local.clientOptions, logLevel: "off" });
		for (const at of [1, 2, 3]) await loose.messages.sendText({ to: `+1555123456${at}`, text: `Hi ${at}` });
		const contacts = await loose.mappings.list({ limit: 2 }).toArray({ limit: 10 });
		expect(contacts.map(({ userNumber }) => userNumber)).toEqual([
			"+15551234563",
			"+15551234562",
			"+15551234561",
		]);
		for (const at of [1, 2]) await loose.messages.sendText({ to: USER, text: `Again ${at}` });
		const messages = await loose.analytics.listMessages(USER, { limit: 1 }).toArray({ limit: 10 });
		expect(messages.map(({ text }) => text)).toEqual(["Again 2", "Again 1"]);
	});

	test("other values and units come back as ours", async () => {
		const { gateway } = start();
		expect(await gateway.messages.checkCapability(USER)).toEqual({
			number: USER,
			native: true,
			service: "native",
			checkedAt: expect.any(Number),
		});
	});
});

test("the guides' profiles work from their JSON", async () => {
	const shownUnder = (title: string) =>
		readSnippets()
			.filter(({ language, heading }) => language === "json" && heading === title)
			.map(({ code }) => JSON.parse(code));
	const [guide] = shownUnder("Describe calls as data");
	const maps = shownUnder("Maps").map(({ operations }) => operations);
	const own = profileFromJson({ ...guide, operations: Object.assign({}, guide.operations, ...maps) });
	const local = createLocalGateway({ profile: own, agents: [AGENT] });
	const gateway = new MessagingGateway({ ...local.clientOptions, logLevel: "off" });
	const { message } = await gateway.messages.sendText({ to: USER, text: "Hi" });
	expect(message).toMatchObject({ status: "queued", text: "Hi", groupId: null });
	await local.settled();
	const input = { messageGuid: local.sent[0]?.messageGuid ?? "", reaction: "like" };
	expect(await gateway.messages.addTapback(input)).toEqual({ ...input, action: "add" });
	expect(await gateway.messages.removeTapback(input)).toEqual({ ...input, action: "remove" });
	const requests = local.requests.map(({ method, path }) => `${method} ${path.split("/")[2]}`);
	expect(requests).toEqual(["POST messages", "POST messages", "DELETE messages"]);
});

test("a route for one value rejects another one", async () => {
	const routes = [
		{ request: { "{guid}": "messageGuid", act: "action", emoji: "reaction" } },
		{
			when: { action: "remove" },
			path: "/undo/{guid}",
			request: { "{guid}": "messageGuid", act: "action", emoji: "reaction" },
		},
	];
	const operations = { "messages.tapback": { path: "/react/{guid}", routes } };
	const local = createLocalGateway({ profile: profileFromJson({ operations }) });
	const gateway = new MessagingGateway({ ...local.clientOptions, profile: {} });
	const call = (path: string, act: string) =>
		catchRejection(gateway.request("POST", path, { body: { act, emoji: "love" } }));
	expect(await call("/undo/m", "add")).toMatchObject({ status: 400, fieldErrors: [{ field: "action" }] });
	for (const [path, act] of [
		["/undo/m", "remove"],
		["/react/m", "add"],
	] as const)
		expect(await call(path, act)).toMatchObject({ gatewayCode: "MESSAGE_NOT_FOUND" });
});

describe("a request that the map does not make", () => {
	const send = (body: object, headers: Record<string, string> = { "Idempotency-Key": "1" }) => {
		const { local } = start();
		const gateway = new MessagingGateway({ ...local.clientOptions, profile: {} });
		return catchRejection(gateway.request("POST", "/v2/messages", { body, headers }));
	};
	const body = { kind: "text", recipients: [{ number: USER }], content: { body: "Hi" }, sender: AGENT };

	test.each<[title: string, given: object, headers: Record<string, string> | undefined, field: string]>([
		["has an unknown field", { ...body, mood: "good" }, undefined, "mood"],
		["has one below", { ...body, content: { body: "Hi", lang: "en" } }, undefined, "content.lang"],
		["lacks a header", body, {}, "header:Idempotency-Key"],
		["lacks a field", { ...body, content: {} }, undefined, "content.body"],
		["has another constant", { ...body, kind: "poem" }, undefined, "kind"],
	])("%s: the error names the place on the wire", async (_title, given, headers, field) => {
		const error = await send(given, headers);
		expect(error).toMatchObject({ status: 400, fieldErrors: [{ field }] });
	});
});

test("the doctor's reads are made by the map", async () => {
	const request = { "{id}": "toNumber", "header:X-Api-Version": { value: 2 }, "?full": { value: true } };
	const map = { request, response: { root: "item", fields: { "mapping.userNumber": "number" } } };
	const own = profileFromJson({ operations: { "mappings.get": { path: "/v2/contacts/{id}", map } } });
	const local = createLocalGateway({ profile: own });
	const gateway = new MessagingGateway(local.clientOptions);
	expect(await diagnose(gateway)).toMatchObject({ hasTestedBodies: false, isHealthy: null });
	const reads = local.requests.filter(({ path }) => path.startsWith("/v2/contacts/"));
	expect(new Set(reads.map(({ headers }) => headers["x-api-version"]))).toEqual(new Set(["2"]));
	expect(reads[0]?.query).toMatch(/^\?full=true/);
	expect(reads.some(({ status }) => status === 404)).toBe(true);
});
