import { MessagingGateway } from "messaging-gateway";
import type { LocalGateway, LocalGatewayOptions } from "messaging-gateway/testing";
import { describe, expect, test } from "vitest";
import { testOutcomes } from "../../../support/outcomes.ts";
import {
	AGENT,
	ALICE,
	BOB,
	call,
	createFrozenGateway,
	parse,
	pathOf,
	START_MS,
	sendText,
	signedRequest,
} from "../../../support/signed-client.ts";
import {
	attaches,
	calls,
	codeOf,
	play,
	read,
	responseTo,
	type Step,
	type Story,
	sends,
	sentenceOf,
} from "./steps.ts";

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** An unsigned request to any URL of the gateway. */
const asks =
	(path: string, method = "GET") =>
	async ({ fetch, baseUrl }: LocalGateway) =>
		parse(await fetch(new Request(new URL(path, baseUrl), { method })));

/** An unsigned request with a body that `Request` would not send. */
const health = (body: string) => async (local: LocalGateway) => {
	async function* chunks() {
		yield new TextEncoder().encode(body);
	}
	const url = `${local.baseUrl}/health`;
	return parse(await local.handle({ method: "GET", url, headers: new Headers(), body: chunks() }));
};

/** The last response in a line: its status and code, and each field that is wrong. */
async function linesOf(story: Story): Promise<string> {
	const result = await responseTo(story);
	const { details } = result.body.error ?? {};
	if (!Array.isArray(details)) return codeOf(result);
	const fields = details.map(({ field, issue, message }) => `${field || "(all)"} ${issue}: ${message}`);
	return [result.status, ...fields.toSorted()].join("; ");
}

const sendsBody = (body: unknown) => calls("POST", "/message/text", body);
const sendsTo = (fields: object) => sendsBody({ to: ALICE, text: "x", ...fields });
const lists = (query: string) => calls("GET", `/agent?${query}`);

const DOTTED: LocalGatewayOptions = { profile: { operations: { "health.check": { path: "/health.json" } } } };
const IGNORING = read("unknown request fields are ignored");

describe("a request gets", () =>
	testOutcomes<Story>(
		{
			200: {
				"a page of one": [{}, lists("limit=1")],
				"a literal segment rather than a parameter": [
					{},
					calls("POST", "/agent/assign", { agentNumber: AGENT, userNumber: ALICE }),
				],
				"a literal path rather than a parameter, whatever their order": [
					{ profile: { operations: { "health.check": { path: "/agent/health" } } } },
					asks("/agent/health"),
				],
				"a path with a dot": [DOTTED, asks("/health.json")],
				"a path below a base path": [{ baseUrl: "http://gateway.localhost/api" }, calls("GET", "/agent")],
			},
			202: {
				"emoji that fill 18,996 code units": [{}, sends(ALICE, "🎉".repeat(9_498))],
				"a text as long as the profile's limit": [
					{ profile: { limits: { textLength: 1 } } },
					sends(ALICE, "x"),
				],
				"reading: unknown fields are ignored": [IGNORING, sendsTo({ note: 1, statusCallback: "x" })],
				"reading: they are ignored below, too": [
					IGNORING,
					attaches([{ url: "https://a.example/x.png", alt: "A picture" }], { note: 1 }),
				],
			},
			"404 NOT_FOUND": {
				"an unknown path": [{}, asks("/nothing")],
				"an unknown path below the base path": [
					{ baseUrl: "http://gateway.localhost/api" },
					asks("/api/nothing"),
				],
				"a path outside the base path": [{ baseUrl: "http://gateway.localhost/api" }, asks("/agent")],
				"a path that begins like the base path": [
					{ baseUrl: "http://gateway.localhost/api" },
					asks("/apiagent"),
				],
				"an empty parameter": [{ baseUrl: "http://gateway.localhost/api" }, asks("/api/mapping/")],
				"another character than a dot": [DOTTED, asks("/healthxjson")],
				"a segment too many": [{}, asks("/agent/x/y/z")],
			},
			"405 METHOD_NOT_ALLOWED": { "a method that the path has not": [{}, calls("PUT", "/mapping/x")] },
			"400; toNumber invalid: must be percent-encoded UTF-8": {
				"a path that isn't UTF-8": [{}, calls("GET", "/mapping/%ff")],
			},
			"400; (all) invalid: the body must be JSON": {
				"a body that isn't JSON, if no signature is checked before": [{}, health("{not json")],
			},
			"400; (all) invalid: the body must be a JSON object": {
				"an array": [{}, sendsBody([])],
				"a text": [{}, health('"text"')],
			},
			"400; text required: is required": { "no text": [{}, sendsBody({ to: ALICE })] },
			"400; text invalid: must not be empty": { "an empty text": [{}, sendsTo({ text: "" })] },
			"400; text invalid: must be at most 18996 UTF-16 code units": {
				"a text of 18,997": [{}, sendsTo({ text: "x".repeat(18_997) })],
				"emoji that fill 18,998 code units": [{}, sendsTo({ text: "🎉".repeat(9_499) })],
			},
			"400; text invalid: must be at most 1 UTF-16 code units": {
				"a text longer than the profile's limit": [
					{ profile: { limits: { textLength: 1 } } },
					sends(ALICE, "xx"),
				],
			},
			"400; to invalid: must be an e-mail address, a short code of 3 to 6 digits, or a number in E.164: + and 7 to 15 digits, such as +15551234567":
				{
					"a number without a plus": [{}, sendsTo({ to: "15551234567" })],
					"reading: unknown fields are ignored, and what else is wrong is not": [
						IGNORING,
						sendsTo({ to: "55", note: 1 }),
					],
				},
			"400; (all) invalid: must have exactly one of to, groupId, participants": {
				"no target": [{}, sendsBody({ text: "x" })],
				"two targets": [{}, sendsTo({ groupId: "g" })],
			},
			"400; colour unknown_field: isn't known": {
				"an unknown field": [{}, sendsTo({ colour: "red" })],
				"an unknown field in the query": [{}, lists("colour=red")],
			},
			"400; attachments.0.alt unknown_field: isn't known": {
				"an unknown field below": [{}, attaches([{ url: "https://a.example/x.png", alt: "A picture" }])],
			},
			"400; statusCallback unknown_field: isn't known": {
				"our own name of a field": [{}, sendsTo({ statusCallback: "x" })],
			},
			"400; status_callback invalid: must be an absolute http or https URL": {
				"the wire's name of a field": [{}, sendsTo({ status_callback: "x" })],
			},
			"400; status_callback invalid: must be an https URL without credentials; http is for localhost, *.localhost and loopback addresses":
				{ "a URL without https": [{}, sendsTo({ status_callback: "http://a.example" })] },
			"400; participants invalid: must be two different contacts or more": {
				"one participant": [{}, sendsBody({ participants: [ALICE, ALICE], text: "x" })],
			},
			"400; colour unknown_field: isn't known; text required: is required; to invalid: must be an e-mail address, a short code of 3 to 6 digits, or a number in E.164: + and 7 to 15 digits, such as +15551234567":
				{ "several mistakes": [{}, sendsBody({ to: "55", colour: 1 })] },
			"400; limit invalid: must be at least 1": { "a page of none": [{}, lists("limit=0")] },
			"400; limit invalid: must be at most 100": { "a page of 101": [{}, lists("limit=101")] },
			"400; limit invalid: must be a number": {
				"a page of x": [{}, lists("limit=x")],
				"two sizes of a page": [{}, lists("limit=1&limit=2")],
			},
			"400; cursor invalid: must be the nextCursor of the previous page": {
				"a cursor that is none": [{}, lists("cursor=x")],
				"a cursor with something after it": [{}, lists("cursor=1x")],
				"a cursor with something before it": [{}, lists("cursor=x1")],
				"a cursor of 16 digits": [{}, lists(`cursor=${"1".repeat(16)}`)],
			},
		},
		linesOf,
	));

const mapped = { agentNumber: AGENT, userNumber: ALICE };
const STRANGER = "+15550000099";
const maps = calls("POST", "/mapping", mapped);
const asksFor = (method: string, path: string, body?: object): Story => [{}, maps, calls(method, path, body)];
const ofAgent = (rest = "") => pathOf("/agent", STRANGER, rest);
const ofBob = (rest = "") => pathOf("/mapping", BOB, rest);

describe("what does not exist gets", () =>
	testOutcomes<Story>(
		{
			"404 AGENT_NOT_FOUND: No agent has this number: register it first, or name it in the option agents.": {
				"agents.get": asksFor("GET", ofAgent()),
				"agents.block": asksFor("POST", ofAgent("/block")),
				"agents.unblock": asksFor("POST", ofAgent("/unblock")),
				"agents.assign": asksFor("POST", "/agent/assign", { ...mapped, agentNumber: STRANGER }),
				"agents.reassign": asksFor("POST", "/agent/reassign", { toAgentNumber: STRANGER, userNumber: ALICE }),
				"mappings.create": asksFor("POST", "/mapping", { agentNumber: STRANGER, userNumber: BOB }),
				"analytics.getNumberStats": asksFor("GET", pathOf("/analytics/number", STRANGER)),
				"messages.sendText": asksFor("POST", "/message/text", { to: ALICE, text: "Hi", from: STRANGER }),
			},
			"404 MAPPING_NOT_FOUND: No agent is mapped to this number: create a mapping, or send first.": {
				"mappings.get": asksFor("GET", ofBob()),
				"mappings.update": asksFor("PATCH", ofBob(), { maxConsecutiveMessages: 2 }),
				"mappings.reset": asksFor("POST", ofBob("/reset")),
				"mappings.delete": asksFor("DELETE", ofBob()),
				"agents.reassign": asksFor("POST", "/agent/reassign", { toAgentNumber: AGENT, userNumber: BOB }),
				"messages.typing": asksFor("POST", "/message/typing", { to: BOB, state: "start" }),
				"messages.markRead": asksFor("POST", "/message/read", { to: BOB }),
				"analytics.listMessages": asksFor("GET", pathOf("/analytics/conversation", BOB)),
			},
			"404 GROUP_NOT_FOUND: No group has this id: send to participants first.": {
				"messages.sendText": asksFor("POST", "/message/text", { groupId: "nope", text: "Hi" }),
				"messages.typing": asksFor("POST", "/message/typing", { groupId: "nope", state: "start" }),
				"messages.markRead": asksFor("POST", "/message/read", { groupId: "nope" }),
			},
			"404 MESSAGE_NOT_FOUND: No message has this id; a messageGuid exists once it is sent.": {
				"messages.get": asksFor("GET", "/message/nope"),
				"messages.tapback": asksFor("POST", "/message/tapback", {
					messageGuid: "nope",
					reaction: "love",
					action: "add",
				}),
			},
		},
		(story) => sentenceOf(responseTo(story)),
	));

/** A gateway whose list of agents is encoded by a function that throws. */
const throwsInCodec = (thrown: unknown): Story => {
	const encode = (): never => {
		throw thrown;
	};
	const response = { encode, decode: (data: unknown) => data };
	return [{ profile: { operations: { "agents.list": { response } } } }, lists("limit=1")];
};

describe("what fails within gets, without its own words,", () =>
	testOutcomes<Story>(
		{
			"500 INTERNAL_ERROR: The local gateway, or a codec of its profile, failed with TypeError.": {
				"an error": throwsInCodec(new TypeError("private")),
			},
			"500 INTERNAL_ERROR: The local gateway, or a codec of its profile, failed with string.": {
				"a string": throwsInCodec("private"),
			},
		},
		(story) => sentenceOf(responseTo(story)),
	));

test("a body that breaks off is no request", async () => {
	const local = createFrozenGateway();
	async function* body() {
		yield new Uint8Array(1);
		throw new Error("reset");
	}
	const { headers, url } = signedRequest(local, "POST", "/message/text", {});
	await expect(local.handle({ method: "POST", url, headers, body: body() })).rejects.toThrow("reset");
	expect(local.requests).toEqual([]);
});

describe("envelopes", () => {
	test("a success carries data, an id and the time", async () => {
		const { status, headers, body } = await call(createFrozenGateway(), "GET", "/settings/webhooks");
		expect([status, body]).toEqual([
			200,
			{
				ok: true,
				data: { inboundWebhookUrl: null, statusWebhookUrl: null },
				meta: { requestId: expect.stringMatching(UUID), timestamp: new Date(START_MS).toISOString() },
			},
		]);
		expect(headers.get("X-Request-Id")).toBe(body.meta.requestId);
		expect(headers.get("Date")).toBe(new Date(START_MS).toUTCString());
		expect(headers.get("Content-Type")).toBe("application/json");
	});

	test("a failure carries a code, a message without the number, and the same id", async () => {
		const { status, headers, body } = await call(createFrozenGateway(), "GET", pathOf("/mapping", ALICE));
		const error = {
			code: "MAPPING_NOT_FOUND",
			message: expect.not.stringContaining(ALICE),
			requestId: headers.get("X-Request-Id"),
		};
		expect([status, body]).toEqual([404, { ok: false, error }]);
	});

	test("a wrong method names the right ones", async () => {
		const { headers } = await call(createFrozenGateway(), "PUT", "/mapping/x");
		expect(headers.get("Allow")?.split(", ").sort()).toEqual(["DELETE", "GET", "PATCH"]);
	});
});

test("URLs and cursors have no limit of length, which the specification does not show; ids have one", async () => {
	const long = "x".repeat(5_000);
	const url = `https://receiver.example/${long}`;
	const local = createFrozenGateway();
	const { messages, settings } = new MessagingGateway(local.clientOptions);
	await settings.setWebhooks({ inboundWebhookUrl: url, statusWebhookUrl: url });
	expect(await settings.getWebhooks()).toEqual({ inboundWebhookUrl: url, statusWebhookUrl: url });
	const { message } = await messages.sendText({ to: ALICE, text: "Hello", statusCallback: url });
	expect(message.status_callback).toBe(url);
	// No page starts there, but the length is not the reason.
	const { body } = await call(local, "GET", `/analytics/contacts?cursor=${long}`);
	expect(JSON.stringify(body)).not.toContain("must be at most");
	await expect(messages.sendText({ groupId: long, text: "Hello" })).rejects.toMatchObject({ status: 400 });
});

describe("a body larger than the limits allow is 413, and read for", () => {
	const SMALL = { attachments: 1, attachmentBytes: 3_000_000, textLength: 1_000 };

	testOutcomes<object>(
		{
			// Base64 of the attachment, the text, and a megabyte for the rest.
			"5 MB": { "limits of the profile": SMALL },
			"14 MB": {
				"limits that are undefined, which are the assumed ones": {
					attachments: 1,
					attachmentBytes: undefined,
					textLength: undefined,
				},
			},
		},
		async (limits) => {
			const local = createFrozenGateway({ profile: { limits } });
			let megabytes = 0;
			async function* body() {
				for (; megabytes < 200; megabytes++) yield new Uint8Array(1_000_000);
			}
			const { headers, url } = signedRequest(local, "POST", "/message/text", {});
			const response = local.handle({ method: "POST", url, headers, body: body() });
			expect(await codeOf(parse(await response))).toBe("413 ATTACHMENT_TOO_LARGE");
			return `${megabytes} MB`;
		},
	);
});

test("requests are recorded as received, without the signature", async () => {
	const { local } = await play([{}, sends(), lists("limit=1"), asks("/nothing")]);
	expect(local.requests).toMatchObject([
		{
			method: "POST",
			path: "/message/text",
			query: "",
			body: `{"text":"Hello","to":"${ALICE}"}`,
			operationId: "messages.sendText",
			status: 202,
			headers: { authorization: "HMAC ***", "x-app-id": "local-app" },
		},
		{ method: "GET", path: "/agent", query: "?limit=1", body: "", operationId: "agents.list", status: 200 },
		{ method: "GET", path: "/nothing", status: 404 },
	]);
	expect(local.requests[2]).not.toHaveProperty("operationId");
});

test("under a reading an ignored field is not kept", async () => {
	const attachments = [{ url: "https://a.example/x.png", alt: "A picture" }];
	const { local } = await play([IGNORING, attaches(attachments, { note: 1 })]);
	expect(local.sent[0]?.attachments).toEqual([{ url: "https://a.example/x.png" }]);
});

describe("browsers", () => {
	test("a preflight needs no signature and is not recorded", async () => {
		const local = createFrozenGateway();
		const { status, headers } = await asks("/mapping/x", "OPTIONS")(local);
		expect([status, Object.fromEntries(headers)]).toEqual([
			204,
			{
				"access-control-allow-origin": "*",
				"access-control-allow-methods": "GET, PATCH, DELETE",
				"access-control-allow-headers": "Authorization, Content-Type, X-App-Id, X-Nonce, X-Timestamp",
				"access-control-expose-headers": "Date, Retry-After, X-Request-Id",
				"access-control-max-age": "600",
			},
		]);
		expect(local.requests).toEqual([]);
	});

	/** Responses of all kinds may be read, with the headers that matter. */
	testOutcomes<readonly Step[]>(
		{
			"200 may be read": { "a success": [lists("limit=1")] },
			"404 may be read": {
				"what no operation has": [calls("GET", "/nothing")],
				"a preflight of it": [asks("/nothing", "OPTIONS")],
			},
			"429 may be read": {
				"a fault": [(local) => local.faults.respond({ status: 429, retryAfterSeconds: 3 }), lists("limit=1")],
			},
		},
		async (steps) => {
			const { status, headers } = await responseTo([{}, ...steps]);
			expect(headers.get("Access-Control-Allow-Origin")).toBe("*");
			expect(headers.get("Access-Control-Expose-Headers")).toBe("Date, Retry-After, X-Request-Id");
			return `${status} may be read`;
		},
	);
});

describe("readings", () => {
	test("change every response but those of faults, one after the other", async () => {
		const local = createFrozenGateway(
			read(
				"events and responses have additional fields",
				"error codes have other names",
				"errors have no requestId",
				"health is plain text",
				"setWebhooks has an empty response",
			),
		);
		const health = await call(local, "GET", "/health");
		expect([health.body, health.headers.get("Content-Type")]).toEqual(["OK", "text/plain"]);
		const { status, body, headers } = await call(local, "POST", "/settings/webhooks", {});
		expect([status, body, headers.has("Content-Type")]).toEqual([204, "", false]);
		expect((await sendText(local, ALICE)).body).toMatchObject({ ok: true, region: "eu" });
		for (const path of [pathOf("/mapping", BOB), "/nowhere"]) {
			const error = { code: "ACME-1", message: expect.any(String) };
			expect((await call(local, "GET", path)).body).toEqual({ ok: false, error, region: "eu" });
		}
		const wrongMethod = await call(local, "DELETE", "/health");
		expect([wrongMethod.status, wrongMethod.headers.get("Allow")]).toEqual([405, "GET"]);
		local.faults.respond({ status: 404 });
		const { requestId } = (await sendText(local, BOB)).body.error;
		expect(requestId).toEqual(expect.any(String));
	});

	test("only a further request of a kept connection is cut, before the gateway sees it", async () => {
		const local = createFrozenGateway(read("kept connections are cut"));
		const request = (isConnectionReused?: boolean) => ({
			method: "GET",
			url: `${local.baseUrl}/health`,
			headers: new Headers(),
			body: null,
			isConnectionReused,
		});
		expect((await local.handle(request())).status).toBe(200);
		expect((await local.handle(request(false))).status).toBe(200);
		await expect(local.handle(request(true))).rejects.toThrow(TypeError);
		expect(local.requests).toHaveLength(2);
	});
});
