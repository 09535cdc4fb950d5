import {
	defineOperation,
	type MessagingGateway,
	type OperationId,
	type OperationProfile,
	type Profile,
} from "messaging-gateway";
import { profileFromJson, type RequestMap } from "messaging-gateway/maps";
import { createSender, memorySendStore } from "messaging-gateway/sends";
import { describe, expect, test } from "vitest";
import { OPERATIONS } from "../../../../src/library/catalogue/index.ts";
import { MAPPED_PROFILE } from "../../../support/mapped-profile.ts";
import { type Outcomes, testOutcomes } from "../../../support/outcomes.ts";
import { type SentRequest, scriptGateway } from "../../../support/scripted-gateway.ts";
import { failWith, refusedBy } from "../../../support/sent-requests.ts";
import { MESSAGE, ok, USER } from "../../../support/wire.ts";

const profile = profileFromJson(MAPPED_PROFILE);
const AGENT = "+15550000001";
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const FILES = [{ url: "https://a.example/1" }, { name: "b", url: "https://a.example/2" }];

/** A call, and the profile if it is not the mapped one. */
type Call = (gateway: MessagingGateway) => unknown;
type Row = Call | readonly [given: Profile, call: Call];

const read = (row: Row): readonly [Profile, Call] => (typeof row === "function" ? [profile, row] : row);

/** The method, the place and the body of a request. */
function describeRequest({ method, url, body }: SentRequest): string {
	const place = decodeURIComponent(url.replace("https://gateway.example", ""));
	return [method, place, ...(body === undefined ? [] : [body])].join(" ");
}

/** The one request of a call. */
async function requestOf(row: Row): Promise<string> {
	const [given, call] = read(row);
	const response = ok({ entries: [], result: {}, message: MESSAGE });
	const { gateway, requests } = scriptGateway([response], { profile: given, logLevel: "off" });
	await call(gateway);
	const [request] = requests;
	if (request === undefined) throw new Error("nothing was sent");
	return describeRequest(request);
}

/** What is wrong with the input of a call, which sends nothing. */
async function problemOf(row: Row): Promise<string> {
	const [given, call] = read(row);
	const error = await refusedBy((gateway) => call(gateway) as Promise<unknown>, { profile: given });
	expect(error).toMatchObject({ code: "invalid_input", outcome: "not_sent" });
	return error.message;
}

/** A profile whose one operation differs. */
const only = (id: OperationId, operation: OperationProfile): Profile =>
	profileFromJson({ operations: { [id]: operation } });
const files = (request: RequestMap, given = FILES): Row => [
	only("messages.sendAttachments", { map: { request: { "people[]": "participants", ...request } } }),
	({ messages }) => messages.sendAttachments({ participants: [USER, AGENT], attachments: given }),
];
const text = (request: RequestMap, more: object = {}, rest: OperationProfile = {}): Row => [
	only("messages.sendText", { map: { request }, ...rest }),
	({ messages }) => messages.sendText({ to: USER, text: "Hi", ...more } as { to: string; text: string }),
];
const note = (file: RequestMap[string], attachment: object): Row => [
	only("messages.sendVoiceNote", { map: { request: { to: "to", file } } }),
	({ messages }) => messages.sendVoiceNote({ to: USER, attachment: attachment as { url: string } }),
];
const LIST = JSON.stringify(FILES);
const PEOPLE = `"people":["${USER}","${AGENT}"]`;
const [ONE, TWO] = ["https://a.example/1", "https://a.example/2"];

const REQUESTS: Outcomes<Row> = {
	[`POST /v2/messages {"content":{"body":"Hi"},"effect":"SLAM","kind":"text","recipients":[{"number":"${USER}"}],"sender":"${AGENT}"}`]:
		{
			"names, constants, lists, other values and the default sender": ({ messages }) =>
				messages.sendText({ to: USER, text: "Hi", effect: "slam" }),
		},
	[`POST /v2/messages {"content":{"body":"Hi"},"effect":"echo","kind":"text","recipients":[{"number":"${USER}"}],"sender":"${USER}"}`]:
		{
			"a value that its map lacks, and the caller's sender": ({ messages }) =>
				messages.sendText({ to: USER, text: "Hi", effect: "echo", from: USER }),
		},
	[`POST /v2/rooms/g 1/messages {"content":{"body":"Hi"},"kind":"text","sender":"${AGENT}"}`]: {
		"the first route that fits, with that route's own map": ({ messages }) =>
			messages.sendText({ groupId: "g 1", text: "Hi" }),
	},
	[`POST /v2/messages {"content":{"parts":[{"type":"text","value":"Look"},{"type":"file","value":"${ONE}"}]},"kind":"media","recipients":[{"number":"${USER}"}],"sender":"${AGENT}"}`]:
		{
			"text and media in one list": ({ messages }) =>
				messages.sendAttachments({ to: USER, text: "Look", attachments: [{ url: ONE }] }),
		},
	[`POST /v2/messages {"content":{"parts":[{"type":"file","value":"${ONE}"}]},"kind":"media","recipients":[{"number":"${USER}"}],"sender":"${AGENT}"}`]:
		{
			"media alone in a list that may have text": ({ messages }) =>
				messages.sendAttachments({ to: USER, attachments: [{ url: ONE }] }),
		},
	[`POST /v2/media?number=${USER} {"file":{"link":"https://a.example/a.mp3"}}`]: {
		"a query with a body, and one item that is in no list": ({ messages }) =>
			messages.sendVoiceNote({ to: USER, attachment: { url: "https://a.example/a.mp3" } }),
	},
	'DELETE /v2/messages/m/1/reaction {"emoji":"HEART"}': {
		"another method for another input, and a body with DELETE": ({ messages }) =>
			messages.removeTapback({ messageGuid: "m/1", reaction: "love" }),
	},
	'POST /v2/messages/m/1/reaction {"emoji":"HEART","part":0}': {
		"the first route for an input that no route is for": ({ messages }) =>
			messages.addTapback({ messageGuid: "m/1", reaction: "love", partIndex: 0 }),
	},
	[`PUT /v2/chats/${USER}/typing`]: {
		"no body if all of its fields are absent": ({ messages }) => messages.startTyping({ to: USER }),
	},
	[`PUT /v2/chats/${USER}/typing {"seconds":2}`]: {
		seconds: ({ messages }) => messages.startTyping({ to: USER, durationMs: 2_900 }),
	},
	[`POST /v2/receipts?number=${USER}&agent=${AGENT}`]: {
		"the default sender where the operation has none": ({ messages }) => messages.markRead({ to: USER }),
	},
	[`GET /v2/contacts/${USER}/messages?page[from]=1970-01-01T00:00:00.000Z&page[to]=1`]: {
		"times as ISO 8601 and in seconds, and names with brackets": ({ analytics }) =>
			analytics.listMessages(USER, { after: 0, before: 1_999 }),
	},
	'POST /v2/hooks {"status":{"url":""}}': {
		"an empty string": ({ settings }) => settings.setWebhooks({ statusWebhookUrl: "" }),
	},
	[`POST /message/attachment {${PEOPLE},"urls":["${ONE}","${TWO}"]}`]: {
		"one field of each item": files({ urls: { each: "attachments", item: "url" } }),
	},
	[`POST /message/attachment {"files":[{"at":{"href":"${ONE}"}},{"at":{"href":"${TWO}"},"title":{"of":"b"}}],${PEOPLE}}`]:
		{
			"an object of each item, some fields of it deeper or absent": files({
				files: { each: "attachments", as: "list", item: { "at.href": "url", "title.of": "name" } },
			}),
		},
	[`POST /message/attachment {"files":${LIST},${PEOPLE}}`]: {
		"a list as it is": files({ "files[]": "attachments" }),
	},
	[`POST /message/attachment {"a":null,"files":${LIST},${PEOPLE}}`]: {
		"null among constants": files({ a: { value: null }, "files[]": "attachments" }),
	},
	[`POST /message/attachment {"files":[{"all":${LIST}}],${PEOPLE}}`]: {
		"a list inside the first item of a list": files({ "files[].all": "attachments" }),
	},
	[`POST /message/attachment {"file":"${ONE}",${PEOPLE}}`]: {
		"the only item of a list": files(
			{ file: { each: "attachments", item: "url", as: "first" } },
			FILES.slice(0, 1),
		),
	},
	[`POST /message/text {"a":[{"text":"Hi","to":"${USER}"}]}`]: {
		"two values in the first item of a list": text({ "a[].to": "to", "a[].text": "text" }),
	},
	[`POST /message/voice {"file":"${ONE}","to":"${USER}"}`]: {
		"a field of a field": note("attachment.url", { url: ONE }),
	},
	[`POST /message/text {"from":"${AGENT}","text":"Hi","to":"${USER}"}`]: {
		"a default sender without a map": [
			profileFromJson({ defaults: { from: AGENT } }),
			({ messages }) => messages.sendText({ to: USER, text: "Hi" }),
		],
	},
	[`POST /message/read {"to":"${USER}"}`]: {
		"a default sender where the operation has none, without a map": [
			profileFromJson({ defaults: { from: AGENT } }),
			({ messages }) => messages.markRead({ to: USER }),
		],
	},
	[`POST /own {"text":"Hi","to":"${USER}"}`]: {
		"an operation of the caller's own, which gets no default sender": [
			profileFromJson({ defaults: { from: AGENT } }),
			(gateway) => {
				const { input, data } = OPERATIONS.find(({ id }) => id === "messages.sendText") ?? {};
				if (input === undefined || data === undefined) throw new Error("there is no such operation");
				const own = defineOperation({ id: "own", method: "POST", path: "/own", input, data });
				return gateway.call(own, { to: USER, text: "Hi" } as never);
			},
		],
	},
	[`POST /x {"a":"${USER}","b":"Hi"}`]: {
		"a route's own map, where the operation has none": [
			only("messages.sendText", { routes: [{ path: "/x", request: { a: "to", b: "text" } }] }),
			({ messages }) => messages.sendText({ to: USER, text: "Hi" }),
		],
	},
};

const MESSAGES_OF = "GET /v2/contacts/{contact}/messages";
const inRoom = [{ when: { groupId: true }, path: "/rooms" }] as const;

const PROBLEMS: Outcomes<Row> = {
	"participants has no place in the profile's map of messages.sendText, POST /v2/messages": {
		"a field that the map lacks": ({ messages }) =>
			messages.sendText({ participants: [USER, AGENT], text: "Hi" }),
	},
	"groupId has no place in the profile's map of messages.sendText, POST /rooms": {
		"a field that only chooses the route by being there": [
			only("messages.sendText", { routes: inRoom, map: { request: { text: "text" } } }),
			({ messages }) => messages.sendText({ groupId: "g", text: "Hi" }),
		],
	},
	"from has no place in the profile's map of messages.sendText, POST /message/text": {
		"a sender that the caller names": text({ to: "to", text: "text" }, { from: AGENT }),
		"a sender that the caller names beside a default one": [
			profileFromJson({
				defaults: { from: AGENT },
				operations: { "messages.sendText": { map: { request: { to: "to", text: "text" } } } },
			}),
			({ messages }) => messages.sendText({ to: USER, text: "Hi", from: USER }),
		],
	},
	"attachments.data has no place in the profile's map": {
		"the bytes of an item": ({ messages }) =>
			messages.sendAttachments({
				to: USER,
				attachments: [{ data: new Uint8Array([1]), name: "a.png", mimeType: "image/png" }],
			}),
	},
	"attachments.url has no place in the profile's map": {
		"the address of an item": files({ names: { each: "attachments", item: "name" } }),
	},
	"attachment.data has no place in the profile's map of messages.sendVoiceNote, POST /message/voice": {
		"the bytes of a field whose address has a place": note("attachment.url", {
			data: new Uint8Array([1]),
			name: "a.mp3",
			mimeType: "audio/mpeg",
		}),
	},
	"to is needed for PUT /v2/chats/{number}/typing": {
		"a parameter of the path without its field": ({ messages }) => messages.startTyping({ groupId: "g" }),
	},
	"after is needed for GET /since/{after}": {
		"a parameter of the path without the field of its time": [
			only("analytics.listMessages", {
				path: "/since/{after}",
				map: { request: { "{after}": { from: "after", unit: "s" }, "?to": "toNumber" } },
			}),
			({ analytics }) => analytics.listMessages(USER),
		],
	},
	"cursor must be the nextCursor of the page before": {
		"a word for a number's cursor": ({ agents }) => agents.list({ cursor: "x" }),
		"a number and more for a number's cursor": ({ agents }) => agents.list({ cursor: "1x" }),
		"more and a number for a number's cursor": ({ agents }) => agents.list({ cursor: "x1" }),
	},
	"after must be a time in Unix milliseconds": {
		"a time that no date has": ({ analytics }) =>
			analytics.listMessages(USER, { after: Number.MAX_SAFE_INTEGER }),
	},
	"attachments must be one: the gateway takes no more": {
		"a second item, where the gateway has one": files({
			file: { each: "attachments", item: "url", as: "first" },
		}),
	},
	"text must be visible ASCII, since the profile sends it as a header": Object.fromEntries(
		["Grüße", "a\nb", " a", "a "].map((value) => [
			`a header of ${JSON.stringify(value)}`,
			text({ to: "to", "header:X-Text": "text" }, { text: value }),
		]),
	),
	"participants must be visible ASCII, since the profile sends it as a header": {
		"a header of a list": [
			only("messages.sendText", { map: { request: { "header:X-To": "participants", text: "text" } } }),
			({ messages }) => messages.sendText({ participants: [USER, AGENT], text: "Hi" }),
		],
	},
	"effect must be visible ASCII, since the profile sends it as a header": {
		"a header of another value": text(
			{ to: "to", text: "text", "header:X-Effect": { from: "effect", map: { slam: "é" } } },
			{ effect: "slam" },
		),
	},
};

describe("a request has", () => testOutcomes(REQUESTS, requestOf));
describe("a request is not sent with", () => {
	testOutcomes(PROBLEMS, problemOf);
});

describe("the headers of a request", () => {
	/** The header of each request. */
	const keysOf = (requests: readonly SentRequest[]) =>
		requests.map(({ headers }) => headers.get("Idempotency-Key"));

	test("have constants as strings", async () => {
		const request: RequestMap = {
			to: "to",
			"header:X-Text": "text",
			"header:X-Part": { value: 5 },
			"header:X-Flag": { value: true },
		};
		const own = only("messages.sendText", { map: { request } });
		const { gateway, requests } = scriptGateway([ok({})], { profile: own, logLevel: "off" });
		await gateway.messages.sendText({ to: USER, text: "a b" });
		const names = ["X-Text", "X-Part", "X-Flag"];
		expect(names.map((name) => requests[0]?.headers.get(name))).toEqual(["a b", "5", "true"]);
	});

	test("have one UUID in all attempts of a call, and another in the next call", async () => {
		const busy = () => new Response(null, { status: 429, headers: { "Retry-After": "0" } });
		const { gateway, requests } = scriptGateway([busy(), ok({ result: {} }), ok({ result: {} })], {
			profile,
			logLevel: "off",
		});
		await gateway.messages.sendText({ to: USER, text: "Hi" });
		await gateway.messages.sendText({ to: USER, text: "Hi" });
		const keys = keysOf(requests);
		expect(keys[0]).toMatch(UUID);
		expect([keys[1] === keys[0], keys[2] === keys[0]]).toEqual([true, false]);
	});

	test("have the caller's header instead of the profile's", async () => {
		const { gateway, requests } = scriptGateway([ok({ result: {} })], { profile, logLevel: "off" });
		const headers = { "idempotency-KEY": "mine" };
		await gateway.messages.sendText({ to: USER, text: "Hi" }, { headers });
		expect(keysOf(requests)).toEqual(["mine"]);
	});

	test("of a sender have the same UUID in a second attempt with its key, and no other key has it", async () => {
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
		const keys = keysOf(requests);
		expect(keys[0]).toMatch(UUID);
		expect([keys[1] === keys[0], keys[2] === keys[0]]).toEqual([true, false]);
	});
});

test("an error names the route of its request", async () => {
	const { error } = await failWith(
		[new Response(null, { status: 404 })],
		({ messages }) => messages.sendText({ groupId: "g", text: "Hi" }),
		{ profile },
	);
	expect(error.message).toMatch(/^Not sent: POST \/v2\/rooms\/\{room\}\/messages got 404/);
});

describe("a response", () => {
	const strictly = { profile, responseValidation: { provisional: "throw" } } as const;
	const empty = () => new Response(null, { status: 204 });

	test("becomes our data, with what only the input knows", async () => {
		const result = {
			uuid: "u-1",
			state: "WAITING",
			sender: AGENT,
			recipients: [{ number: USER }],
			members: [USER, AGENT],
			room: null,
			chat: { id: "c-1" },
			createdAt: "2026-01-01T00:00:00.123Z",
		};
		const { gateway } = scriptGateway([ok({ result })], strictly);
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

	test("may have no body if its data comes from the input", async () => {
		const { gateway } = scriptGateway([empty()], strictly);
		const input = { messageGuid: "m", reaction: "love" };
		expect(await gateway.messages.removeTapback(input)).toEqual({ ...input, action: "remove" });
	});

	test("needs a body for anything else", async () => {
		const send: Call = ({ messages }) => messages.sendText({ to: USER, text: "Hi" });
		const { error } = await failWith([empty()], send as () => Promise<unknown>, { profile });
		expect(error).toMatchObject({ code: "unexpected_response", outcome: "unknown" });
	});

	test("of another shape is a mismatch that names our field", async () => {
		const { error } = await failWith([ok({ page: { items: 5 } })], ({ agents }) => agents.list(), strictly);
		expect(error.message).toContain("agents must be an array");
	});
});

/** The pages that a gateway returns, and how they are read. */
type Pages = readonly [
	pages: readonly unknown[],
	list: (gateway: MessagingGateway) => PromiseLike<unknown[]>,
];

const device = (phone: string) => ({ phone });
const contact = (number: string) => ({ contact: number });

const PAGES: Outcomes<Pages> = {
	"3 from GET /v2/devices?size=2, GET /v2/devices?size=2&skip=2": {
		"by offset and total": [
			[
				{ page: { items: [device("a"), device("b")], total: 3 } },
				{ page: { items: [device("c")], total: 3 } },
			],
			({ agents }) => agents.list({ limit: 2 }).toArray({ limit: 10 }),
		],
	},
	'3 from POST /v2/contacts/search {"paging":{"size":2}}, POST /v2/contacts/search {"paging":{"number":2,"size":2}}, POST /v2/contacts/search {"paging":{"number":3,"size":2}}':
		{
			"by page, up to an empty one": [
				[[contact("a"), contact("b")], [contact("c")], []],
				({ mappings }) => mappings.list({ limit: 2 }).toArray({ limit: 10 }),
			],
		},
	[`1 from ${MESSAGES_OF.replace("{contact}", USER)}, ${MESSAGES_OF.replace("{contact}", USER)}?page[after]=n`]:
		{
			"by cursor": [
				[
					{ entries: [{ uuid: "1" }], paging: { after: "n" } },
					{ entries: [], paging: { after: "" } },
				],
				({ analytics }) => analytics.listMessages(USER).toArray({ limit: 9 }),
			],
		},
};

describe("a list is read", () => {
	testOutcomes(PAGES, async ([pages, list]) => {
		const responses = pages.map((page) => ok(page));
		const { gateway, requests } = scriptGateway(responses, { profile, logLevel: "off" });
		const { length } = await list(gateway);
		return `${length} from ${requests.map(describeRequest).join(", ")}`;
	});
});
