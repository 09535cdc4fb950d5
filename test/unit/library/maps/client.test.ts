import type { MessagingGateway, OperationId, OperationProfile } from "messaging-gateway";
import { profileFromJson, type RequestMap, type ResponseMap } from "messaging-gateway/maps";
import { createSender, memorySendStore } from "messaging-gateway/sends";
import { describe, expect, test } from "vitest";
import { MAPPED_PROFILE } from "../../../support/mapped-profile.ts";
import { type SentRequest, scriptGateway } from "../../../support/scripted-gateway.ts";
import { failWith, refusedBy } from "../../../support/sent-requests.ts";
import { MESSAGE, ok, USER } from "../../../support/wire.ts";

const profile = profileFromJson(MAPPED_PROFILE);
const AGENT = "+15550000001";
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** The request of one call. */
async function sent(
	call: (gateway: MessagingGateway) => unknown,
	response = ok({}),
): Promise<{ place: string; body: unknown; headers: Headers }> {
	const { gateway, requests } = scriptGateway([response], { profile, logLevel: "off" });
	await call(gateway);
	return partsOf(requests[0]);
}

function partsOf(request: SentRequest | undefined) {
	const { method = "", url = "", body, headers = new Headers() } = request ?? {};
	const place = `${method} ${decodeURIComponent(url.replace("https://gateway.example", ""))}`;
	return { place, body: body === undefined ? undefined : JSON.parse(body), headers };
}

describe("a request", () => {
	test.each<[title: string, call: (gateway: MessagingGateway) => unknown, place: string, body: unknown]>([
		[
			"has names, constants, lists, other values and the default sender",
			({ messages }) => messages.sendText({ to: USER, text: "Hi", effect: "slam" }),
			"POST /v2/messages",
			{
				kind: "text",
				recipients: [{ number: USER }],
				content: { body: "Hi" },
				sender: AGENT,
				effect: "SLAM",
			},
		],
		[
			"keeps a value that its map lacks, and the caller's sender",
			({ messages }) => messages.sendText({ to: USER, text: "Hi", effect: "echo", from: USER }),
			"POST /v2/messages",
			{ kind: "text", recipients: [{ number: USER }], content: { body: "Hi" }, sender: USER, effect: "echo" },
		],
		[
			"goes to the first route that fits, with that route's own map",
			({ messages }) => messages.sendText({ groupId: "g 1", text: "Hi" }),
			"POST /v2/rooms/g 1/messages",
			{ kind: "text", content: { body: "Hi" }, sender: AGENT },
		],
		[
			"has text and media in one list",
			({ messages }) =>
				messages.sendAttachments({ to: USER, text: "Look", attachments: [{ url: "https://a.example/1" }] }),
			"POST /v2/messages",
			{
				kind: "media",
				recipients: [{ number: USER }],
				sender: AGENT,
				content: {
					parts: [
						{ type: "text", value: "Look" },
						{ type: "file", value: "https://a.example/1" },
					],
				},
			},
		],
		[
			"has a query with a body, and one item that is in no list",
			({ messages }) => messages.sendVoiceNote({ to: USER, attachment: { url: "https://a.example/a.mp3" } }),
			`POST /v2/media?number=${USER}`,
			{ file: { link: "https://a.example/a.mp3" } },
		],
		[
			"has another method for another input, and a body with DELETE",
			({ messages }) => messages.removeTapback({ messageGuid: "m/1", reaction: "love" }),
			"DELETE /v2/messages/m/1/reaction",
			{ emoji: "HEART" },
		],
		[
			"has no body if all of its fields are absent",
			({ messages }) => messages.startTyping({ to: USER }),
			`PUT /v2/chats/${USER}/typing`,
			undefined,
		],
		[
			"has seconds",
			({ messages }) => messages.startTyping({ to: USER, durationMs: 2_900 }),
			`PUT /v2/chats/${USER}/typing`,
			{ seconds: 2 },
		],
		[
			"has the default sender where the operation has none",
			({ messages }) => messages.markRead({ to: USER }),
			`POST /v2/receipts?number=${USER}&agent=${AGENT}`,
			undefined,
		],
		[
			"has times as ISO 8601, and names with brackets",
			({ analytics }) => analytics.listMessages(USER, { after: 0, before: 1_999 }),
			`GET /v2/contacts/${USER}/messages?page[from]=1970-01-01T00:00:00.000Z&page[to]=1`,
			undefined,
		],
		[
			"keeps an empty string",
			({ settings }) => settings.setWebhooks({ statusWebhookUrl: "" }),
			"POST /v2/hooks",
			{ status: { url: "" } },
		],
	])("%s", async (_title, call, place, body) => {
		const request = await sent(call, ok({ entries: [], result: {} }));
		expect(request).toMatchObject({ place, body });
		if (body !== undefined) expect(request.body).toEqual(body);
	});

	test("has one UUID in all attempts of a call, and another in the next call", async () => {
		const busy = () => new Response(null, { status: 429, headers: { "Retry-After": "0" } });
		const { gateway, requests } = scriptGateway([busy(), ok({ result: {} }), ok({ result: {} })], {
			profile,
			logLevel: "off",
		});
		await gateway.messages.sendText({ to: USER, text: "Hi" });
		await gateway.messages.sendText({ to: USER, text: "Hi" });
		const keys = requests.map(({ headers }) => headers.get("Idempotency-Key"));
		expect(keys[0]).toMatch(UUID);
		expect(keys[1]).toBe(keys[0]);
		expect(keys[2]).not.toBe(keys[0]);
	});

	test("has the caller's header instead of the profile's", async () => {
		const headers = { "idempotency-KEY": "mine" };
		const request = await sent(({ messages }) => messages.sendText({ to: USER, text: "Hi" }, { headers }));
		expect(request.headers.get("Idempotency-Key")).toBe("mine");
	});

	test("of a sender has the same UUID in a second attempt with its key, and no other key has it", async () => {
		const rejected = () => new Response(null, { status: 422 });
		const { gateway, requests } = scriptGateway(
			[rejected(), ok({ result: { uuid: MESSAGE.messageId } }), ok({ result: {} })],
			{ profile, logLevel: "off" },
		);
		const store = memorySendStore();
		const sender = createSender({ gateway, store, digestSecret: "a digest secret of 32 characters" });
		const input = { to: USER, text: "Hi" };
		await expect(sender.send("order-1", input)).rejects.toMatchObject({ outcome: "rejected" });
		expect(await sender.send("order-1", input)).toMatchObject({ status: "accepted" });
		await sender.send("order-2", input);
		const keys = requests.map(({ headers }) => headers.get("Idempotency-Key"));
		expect(keys[0]).toMatch(UUID);
		expect(keys[1]).toBe(keys[0]);
		expect(keys[2]).not.toBe(keys[0]);
	});

	test.each<[path: string, problem: string, call: (gateway: MessagingGateway) => unknown]>([
		[
			"participants",
			"has no place in the profile's map of messages.sendText, POST /v2/messages",
			({ messages }) => messages.sendText({ participants: [USER, AGENT], text: "Hi" }),
		],
		[
			"attachments.data",
			"has no place in the profile's map",
			({ messages }) =>
				messages.sendAttachments({
					to: USER,
					attachments: [{ data: new Uint8Array([1]), name: "a.png", mimeType: "image/png" }],
				}),
		],
		[
			"to",
			"is needed for PUT /v2/chats/{number}/typing",
			({ messages }) => messages.startTyping({ groupId: "g" }),
		],
		["cursor", "must be the nextCursor of the page before", ({ agents }) => agents.list({ cursor: "x" })],
		[
			"after",
			"must be a time in Unix milliseconds",
			({ analytics }) => analytics.listMessages(USER, { after: Number.MAX_SAFE_INTEGER }),
		],
	])("is not sent without %s, which %s", async (path, problem, call) => {
		const error = await refusedBy((gateway) => call(gateway) as Promise<unknown>, { profile });
		expect(error).toMatchObject({ code: "invalid_input", outcome: "not_sent", issues: [{ path }] });
		expect(error.message).toContain(`${path} ${problem}`);
	});

	test("names its route in errors", async () => {
		const { error } = await failWith(
			[new Response(null, { status: 404 })],
			({ messages }) => messages.sendText({ groupId: "g", text: "Hi" }),
			{ profile },
		);
		expect(error.message).toMatch(/^Not sent: POST \/v2\/rooms\/\{room\}\/messages got 404/);
	});
});

/** A client whose profile has one map. */
function withMap(id: OperationId, operation: OperationProfile, responses: Response[] = [ok({})]) {
	const own = profileFromJson({ operations: { [id]: operation } });
	return scriptGateway(responses, { profile: own, logLevel: "off" });
}

const FILES = [{ url: "https://a.example/1" }, { url: "https://a.example/2", name: "b" }];

describe("a source", () => {
	test.each<[title: string, request: RequestMap, body: unknown]>([
		[
			"one field of each item",
			{ urls: { each: "attachments", item: "url" } },
			{ urls: FILES.map(({ url }) => url) },
		],
		[
			"an object of each item, some fields of it deeper",
			{ files: { each: "attachments", as: "list", item: { "at.href": "url", title: "name" } } },
			{ files: [{ at: { href: FILES[0]?.url } }, { at: { href: FILES[1]?.url }, title: "b" }] },
		],
		["a list as it is", { "files[]": "attachments" }, { files: FILES }],
		["a null among constants", { a: { value: null }, "files[]": "attachments" }, { a: null, files: FILES }],
	])("is %s", async (_title, request, body) => {
		const map = { request: { "people[]": "participants", ...request } };
		const { gateway, requests } = withMap("messages.sendAttachments", { map });
		const participants = [USER, AGENT];
		await gateway.messages.sendAttachments({ participants, attachments: FILES });
		expect(partsOf(requests[0]).body).toEqual({ people: participants, ...Object(body) });
	});

	test("of one item rejects a second one, which would be lost", async () => {
		const request: RequestMap = { to: "to", file: { each: "attachments", item: "url", as: "first" } };
		const { gateway, requests } = withMap("messages.sendAttachments", { map: { request } });
		const send = (attachments: typeof FILES) => gateway.messages.sendAttachments({ to: USER, attachments });
		await expect(send(FILES)).rejects.toMatchObject({
			issues: [{ path: "attachments", message: "must be one: the gateway takes no more" }],
		});
		await send(FILES.slice(0, 1));
		expect(requests.map((request) => partsOf(request).body)).toEqual([{ to: USER, file: FILES[0]?.url }]);
	});

	test.each(["Grüße", "a\nb", " a", ""])(
		"in a header rejects what a header cannot hold: %j",
		async (text) => {
			const request: RequestMap = { to: "to", "header:X-Text": "text", "header:X-Part": { value: 5 } };
			const { gateway, requests } = withMap("messages.sendText", { map: { request } });
			await expect(gateway.messages.sendText({ to: USER, text })).rejects.toMatchObject({
				code: "invalid_input",
			});
			await gateway.messages.sendText({ to: USER, text: "a b" });
			expect(requests).toHaveLength(1);
			expect([requests[0]?.headers.get("X-Text"), requests[0]?.headers.get("X-Part")]).toEqual(["a b", "5"]);
		},
	);
});

describe("the end of a list", () => {
	const contact = { contact: USER };
	const fields = { userNumber: "contact" };
	test.each<[title: string, next: NonNullable<ResponseMap["next"]>, page: object, cursor: string | null]>([
		["a next cursor", { cursor: "next" }, { next: "n" }, "n"],
		["a number as the next cursor", { cursor: "next" }, { next: 7 }, "7"],
		["no next cursor", { cursor: "next" }, { next: null }, null],
		["more", { page: true, more: "more" }, { more: true }, "2"],
		["no more", { page: true, more: "more" }, { more: false }, null],
		["more pages", { page: true, pages: "pages" }, { pages: 2 }, "2"],
		["no more pages", { page: true, pages: "pages" }, { pages: 1 }, null],
		["a page and no end", { page: true }, {}, "2"],
		["an offset and no end", { offset: true }, {}, "1"],
		["a total", { offset: true, total: "total" }, { total: 1 }, null],
	])("%s", async (_title, next, page, cursor) => {
		const response = { list: "items", fields, next };
		const { gateway } = withMap("mappings.list", { map: { response } }, [ok({ items: [contact], ...page })]);
		expect(await gateway.mappings.list()).toEqual({ mappings: [{ userNumber: USER }], nextCursor: cursor });
	});

	test("a list needs a body, whatever its fields are", async () => {
		const response = { list: "items", fields: { userNumber: { value: USER } } };
		const empty = new Response(null, { status: 204 });
		const { gateway } = withMap("mappings.list", { map: { response } }, [empty]);
		await expect(gateway.mappings.list()).rejects.toMatchObject({ code: "unexpected_response" });
	});
});

test("times keep their milliseconds, and nothing is read from what every object has", async () => {
	const fields: ResponseMap["fields"] = {
		chatGuid: "toString",
		markedAt: { at: "at", unit: "s" },
	};
	const { gateway } = withMap("messages.markRead", { map: { response: { fields } } }, [
		ok({ at: "1767225600.1239" }),
		ok({ at: "soon" }),
	]);
	expect(await gateway.messages.markRead({ to: USER })).toEqual({ markedAt: 1767225600124 });
	expect(await gateway.messages.markRead({ to: USER })).toEqual({ markedAt: "soon" });
});

test.each([
	[4711, "4711"],
	[0, "0"],
	["4711", "4711"],
	[2 ** 53, 2 ** 53],
	[null, null],
])("an id of %j is text as %j", async (id, text) => {
	const fields: ResponseMap["fields"] = { chatGuid: { at: "id", text: true } };
	const { gateway } = withMap("messages.markRead", { map: { response: { fields } } }, [ok({ id })]);
	expect(await gateway.messages.markRead({ to: USER })).toEqual({ chatGuid: text });
});

test("a default sender needs no map", async () => {
	const own = profileFromJson({ defaults: { from: AGENT } });
	const { gateway, requests } = scriptGateway(
		[ok({ message: MESSAGE }), ok({ chatGuid: "c", markedAt: 1 })],
		{
			profile: own,
		},
	);
	await gateway.messages.sendText({ to: USER, text: "Hi" });
	await gateway.messages.markRead({ to: USER });
	const bodies = requests.map((request) => partsOf(request).body);
	expect(bodies).toEqual([{ to: USER, text: "Hi", from: AGENT }, { to: USER }]);
});

describe("a response", () => {
	test("becomes our data, with what only the input knows", async () => {
		const { gateway } = scriptGateway(
			[
				ok({
					result: {
						uuid: "u-1",
						state: "WAITING",
						sender: AGENT,
						recipients: [{ number: USER }],
						members: [USER, AGENT],
						room: null,
						chat: { id: "c-1" },
						createdAt: "2026-01-01T00:00:00.123Z",
					},
				}),
			],
			{ profile, responseValidation: { provisional: "throw" } },
		);
		expect(await gateway.messages.sendText({ to: USER, text: "Hi" })).toEqual({
			message: {
				messageId: "u-1",
				status: "queued",
				text: "Hi",
				from: AGENT,
				to: USER,
				groupId: null,
				attachments: [],
				status_callback: null,
				outbound: true,
				nativeMessageNumber: AGENT,
				participants: [USER, AGENT],
				chatGuid: "c-1",
				messageGuid: null,
				timestamp_ms: 1767225600123,
				error: null,
			},
		});
	});

	test("may have no body if its data comes from the input, and only then", async () => {
		const empty = () => new Response(null, { status: 204 });
		const { gateway } = scriptGateway([empty()], { profile, responseValidation: { provisional: "throw" } });
		const input = { messageGuid: "m", reaction: "love" };
		expect(await gateway.messages.removeTapback(input)).toEqual({ ...input, action: "remove" });
		const { error } = await failWith(
			[empty()],
			({ messages }) => messages.sendText({ to: USER, text: "Hi" }),
			{
				profile,
			},
		);
		expect(error).toMatchObject({ code: "unexpected_response", outcome: "unknown" });
	});

	test("of another shape is a mismatch that names our field", async () => {
		const { error } = await failWith([ok({ page: { items: 5 } })], ({ agents }) => agents.list(), {
			profile,
			responseValidation: { provisional: "throw" },
		});
		expect(error.message).toContain("agents must be an array");
	});
});

describe("the pages of a list", () => {
	const device = (phone: string) => ({ phone });
	const contact = (number: string) => ({ contact: number });

	test.each<[title: string, pages: unknown[], list: "agents" | "mappings", places: string[]]>([
		[
			"by offset and total",
			[
				{ page: { items: [device("a"), device("b")], total: 3 } },
				{ page: { items: [device("c")], total: 3 } },
			],
			"agents",
			["GET /v2/devices?size=2", "GET /v2/devices?size=2&skip=2"],
		],
		[
			"by page, up to an empty one",
			[[contact("a"), contact("b")], [contact("c")], []],
			"mappings",
			Array(3).fill("POST /v2/contacts/search"),
		],
	])("%s", async (_title, pages, list, places) => {
		const { gateway, requests } = scriptGateway(
			pages.map((page) => ok(page)),
			{ profile, logLevel: "off" },
		);
		const items = await gateway[list].list({ limit: 2 }).toArray({ limit: 10 });
		expect(items).toHaveLength(3);
		expect(requests.map((request) => partsOf(request).place)).toEqual(places);
		if (list === "mappings") {
			const bodies = requests.map((request) => partsOf(request).body);
			expect(bodies).toEqual([
				{ paging: { size: 2 } },
				{ paging: { size: 2, number: 2 } },
				{ paging: { size: 2, number: 3 } },
			]);
		}
	});

	test("by cursor", async () => {
		const { gateway, requests } = scriptGateway(
			[ok({ entries: [{ uuid: "1" }], paging: { after: "n" } }), ok({ entries: [], paging: { after: "" } })],
			{ profile, logLevel: "off" },
		);
		expect(await gateway.analytics.listMessages(USER).toArray({ limit: 9 })).toEqual([{ messageId: "1" }]);
		expect(partsOf(requests[1]).place).toBe(`GET /v2/contacts/${USER}/messages?page[after]=n`);
	});
});
