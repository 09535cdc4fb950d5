import { inspect } from "node:util";
import { MessagingGateway, type Profile } from "messaging-gateway";
import { createLocalGateway } from "messaging-gateway/testing";
import { describe, expect, test, vi } from "vitest";
import { catchRejection } from "../../../support/catch-error.ts";
import { settle } from "../../../support/counting-clock.ts";
import { EMPTY_HASH, hmacSha256, sha256 } from "../../../support/node-crypto.ts";
import { type Outcomes, testOutcomes } from "../../../support/outcomes.ts";
import { SECRET, type SentRequest, scriptGateway } from "../../../support/scripted-gateway.ts";
import { throwing } from "../../../support/throwing.ts";
import { errorResponse, MAPPING, MESSAGE, ok, REQUEST_ID, USER } from "../../../support/wire.ts";
import { describeError } from "./call-ending.ts";

const message = ok({ message: MESSAGE });
const mapping = ok({ mapping: MAPPING });

function expectSigned(request: SentRequest | undefined, path: string, bodyHash: string): void {
	const { method, headers } = request ?? { method: "", headers: new Headers() };
	const toSign = [method, path, bodyHash, headers.get("X-Timestamp"), headers.get("X-Nonce")].join("\n");
	expect(headers.get("Authorization")).toBe(`HMAC ${hmacSha256(SECRET, toSign)}`);
}

describe("signing", () => {
	test.each<[title: string, signing: NonNullable<Profile["signing"]>, path: string, bodyHash: string]>([
		["by default", {}, "/api/analytics/contacts", EMPTY_HASH],
		[
			"with every other choice",
			{ path: "without_base_path", query: "included", emptyBody: "empty_object" },
			"/analytics/contacts?limit=5&cursor=a%26b+c",
			sha256("{}"),
		],
	])("covers, %s", async (_title, signing, path, bodyHash) => {
		const options = { baseUrl: "https://gateway.example/api/", profile: { signing } };
		const { gateway, requests } = scriptGateway([ok({ contacts: [], nextCursor: null })], options);
		await gateway.analytics.listContacts({ limit: 5, cursor: "a&b c" });
		expectSigned(requests[0], path, bodyHash);
		expect(requests[0]?.init).not.toHaveProperty("body");
	});

	test("is the same with the local gateway for every path and unit of timestamps", async () => {
		for (const path of ["decoded", "decoded_without_base_path"] as const) {
			const profile: Profile = { signing: { path, timestamp: "seconds", query: "included" } };
			await using local = createLocalGateway({ baseUrl: "https://gateway.localhost/api", profile });
			const gateway = new MessagingGateway({ ...local.clientOptions, logLevel: "off" });
			expect(await gateway.mappings.list({ limit: 1 })).toMatchObject({ mappings: [] });
			expect(local.requests[0]?.headers["x-timestamp"]).toMatch(/^\d{10}$/);
			local.faults.skewClock(3_600_000);
			expect(await gateway.mappings.list()).toMatchObject({ mappings: [] });
			expect(gateway.clockOffsetMs).toBeGreaterThan(3_590_000);
		}
	});

	test("a signer gets milliseconds, and the string to sign with seconds", async () => {
		const stamps: unknown[] = [];
		const { gateway, requests } = scriptGateway([mapping], {
			appSecret: undefined,
			profile: { signing: { timestamp: "seconds" } },
			signer: ({ timestamp, stringToSign }) => {
				stamps.push(timestamp, stringToSign.split("\n")[3]);
				return { signature: "0".repeat(64) };
			},
		});
		await gateway.mappings.get("+15551234567");
		const sent = requests[0]?.headers.get("X-Timestamp");
		expect(stamps).toEqual([requests[0]?.sentAt, sent]);
		expect(sent).toBe(String(Math.floor((requests[0]?.sentAt ?? 0) / 1000)));
	});
});

type Call = (gateway: MessagingGateway) => PromiseLike<unknown>;

/** A profile of untyped code, and a call with it: by default one that reads a mapping. */
interface Profiled {
	readonly profile: object;
	readonly call?: Call;
	readonly response?: Response;
}

const getMapping: Call = (gateway) => gateway.mappings.get(USER);
const sendText: Call = (gateway) => gateway.messages.sendText({ to: USER, text: "Hello" });
const post: Call = (gateway) => gateway.request("POST", "/message/text", { body: { b: "é", a: 1 } });
const of = (id: string, override: object, call?: Call): Profiled => ({
	profile: { operations: { [id]: override } },
	...(call && { call }),
});
const withBody = (canonicalBody: unknown): Profiled => ({
	profile: { signing: { canonicalBody } },
	call: post,
});

/** The one request of a call, of which the path and the body are signed as they are sent. */
async function requestOf({ profile, call = getMapping }: Profiled): Promise<string> {
	const data = { message: MESSAGE, mapping: MAPPING, agents: [], nextCursor: null };
	const { gateway, requests } = scriptGateway([ok(data)], { profile });
	await call(gateway);
	expect(requests).toHaveLength(1);
	const { method, url, body } = requests[0] ?? expect.unreachable();
	expectSigned(requests[0], new URL(url).pathname, body === undefined ? EMPTY_HASH : sha256(body));
	return [method, url, body].filter((part) => part !== undefined).join(" ");
}

const REQUESTS: Outcomes<Profiled> = {
	'PUT https://gateway.example/v2/%2B15551234567/texts {"text":"Hello"}': {
		"another method and path, with the same fields": of(
			"messages.sendText",
			{ method: "PUT", path: "/v2/{to}/texts" },
			sendText,
		),
	},
	'POST https://gateway.example/agents/search {"status":"online"}': {
		"a method that moves the fields from the query to the body": of(
			"agents.list",
			{ method: "POST", path: "/agents/search" },
			(gateway) => gateway.agents.list({ status: "online" }),
		),
	},
	"DELETE https://gateway.example/mapping/%2B15551234567/reset": {
		"a method that has no body": of("mappings.reset", { method: "DELETE" }, (gateway) =>
			gateway.mappings.reset(USER),
		),
	},
	"GET https://gateway.example/contacts/%2B15551234567?verbose=true": {
		"request.encode, with other fields for the path and the query": of("mappings.get", {
			path: "/contacts/{phone}",
			request: { encode: ({ toNumber }: { toNumber: string }) => ({ phone: toNumber, verbose: true }) },
		}),
	},
	'POST https://gateway.example/message/text {"b":"é","a":1}': {
		"a body in the order of insertion": withBody("json"),
	},
	'POST https://gateway.example/message/text   {"b":"é","a":1}': {
		"a body as a function writes it": withBody((body: object) => `  ${JSON.stringify(body)}`),
	},
};

/** The error of a call, how many requests it made, and its sentence: it quotes nothing of what a function threw. */
async function failureOf({ profile, call = getMapping, response = mapping }: Profiled): Promise<string> {
	const { gateway, clock, requests } = scriptGateway([response], { profile });
	const error = await catchRejection(settle(clock, call(gateway)));
	expect(inspect(error)).not.toContain("private");
	expect(clock.openTimers).toBe(0);
	return `${describeError(error)}; ${requests.length} sent; ${Reflect.get(Object(error), "message")}`;
}

const encodedBy = (encode: unknown): Profiled => of("mappings.get", { request: { encode } });
const privately = throwing(new Error("private"));

const FAILURES: Outcomes<Profiled> = {
	"InputError invalid_input, not_sent: it can't be serialized as JSON; 0 sent; The body can't be sent as JSON: it can't be serialized as JSON":
		{ "a canonical form that throws": { ...withBody(privately), call: sendText } },
	'InputError invalid_input, not_sent: ; 0 sent; profile.operations["mappings.get"].request.encode failed on this input':
		{
			"an encode that throws": encodedBy(privately),
			"an encode that returns nothing": encodedBy(() => undefined),
			"an encode that returns null": encodedBy(() => null),
			"an encode that returns a string": encodedBy(() => "x"),
		},
	"InputError invalid_input, not_sent: id must be a non-empty string that is valid in a path; 0 sent; id must be a non-empty string that is valid in a path":
		{ "a path with a field that isn't there": of("mappings.get", { path: "/m/{id}" }) },
	[`ResponseShapeError unexpected_response 200, accepted: response.decode of the profile threw; 1 sent; GET /mapping/{toNumber} got 200 (request ${REQUEST_ID}), but response.decode of the profile threw. error.readBody() returns the raw body`]:
		{ "a decode that throws": of("mappings.get", { response: { decode: privately } }) },
	[`NotFoundError not_found 404 SOME_CODE, rejected; 1 sent; GET /m/{toNumber} got 404 SOME_CODE (request ${REQUEST_ID}). error.gatewayMessage has the gateway's reason: fix that, or ask the gateway's operator`]:
		{
			"another path, which the error names": {
				...of("mappings.get", { path: "/m/{toNumber}" }),
				response: errorResponse(404),
			},
		},
};

describe("a call with a profile", () => {
	describe("sends", () => testOutcomes(REQUESTS, requestOf));
	describe("fails", () => testOutcomes(FAILURES, failureOf));

	test("resolves to what response.decode returns", async () => {
		const decode = (data: unknown) => ({ mapping: Reflect.get(Object(data), "contact") });
		const { profile } = of("mappings.get", { response: { decode } });
		const { gateway } = scriptGateway([ok({ contact: MAPPING })], { profile });
		expect(await gateway.mappings.get(USER)).toEqual({ mapping: MAPPING });
	});

	test("response.decode gets the input, the envelope's meta and the status", async () => {
		const decode = vi.fn(() => ({ chatGuid: "c", markedAt: 1 }));
		const profile = { operations: { "messages.markRead": { response: { decode } } } };
		const { gateway } = scriptGateway([ok({ done: true }), new Response(null, { status: 204 })], { profile });
		await gateway.messages.markRead({ to: USER, messageGuid: undefined });
		const meta = { requestId: expect.any(String), timestamp: expect.any(String) };
		expect(decode).toHaveBeenCalledExactlyOnceWith(
			{ done: true },
			{ input: { to: USER }, meta, status: 200 },
		);
		await gateway.messages.markRead({ groupId: "g-1" });
		const context = { input: { groupId: "g-1" }, meta: undefined, status: 204 };
		expect(decode).toHaveBeenLastCalledWith(undefined, context);
	});

	test("encode is given the wire's names", async () => {
		const encode = vi.fn((fields: Record<string, unknown>) => fields);
		const operations = { "messages.sendText": { request: { encode } } };
		const { gateway } = scriptGateway([message], { profile: { operations } });
		await gateway.messages.sendText({ to: USER, text: "Hi", statusCallback: "https://hooks.example" });
		const given = { to: USER, text: "Hi", status_callback: "https://hooks.example" };
		expect(encode).toHaveBeenCalledExactlyOnceWith(given);
	});
});

test("an operation that is none is rejected by the constructor, and the next one named", () => {
	const profile = { operations: { "messages.sendTxt": {} } } as Profile;
	expect(() => new MessagingGateway({ profile })).toThrow(
		/messages\.sendTxt.* isn't an operation: use messages\.sendText/,
	);
});

type Duplicates = NonNullable<Profile["duplicates"]>;

/** How the client understands the second of two sends to the local gateway of the same profile. */
async function repeatedWith(duplicates: Duplicates): Promise<string> {
	await using local = createLocalGateway({ profile: { duplicates } });
	const gateway = new MessagingGateway(local.clientOptions);
	await sendText(gateway);
	const error = await catchRejection(Promise.resolve(sendText(gateway)));
	expect(error).toMatchObject({
		gatewayMessage: expect.stringMatching(/^Blocked by the duplicate rule/),
		requestId: expect.any(String),
	});
	const { duplicate }: { duplicate?: { isDuplicate?: unknown } } = Object(error);
	return `${describeError(error)}; ${duplicate === undefined ? "no info" : `isDuplicate ${duplicate.isDuplicate}`}`;
}

const DUPLICATES: Outcomes<Duplicates> = {
	"DuplicateMessageError duplicate_message 409 DUPLICATE_MESSAGE, rejected; isDuplicate true": {
		"by default": {},
		"with the info beside the error": { infoPath: "data.duplicate" },
	},
	"DuplicateMessageError duplicate_message 429 E1042, rejected; no info": {
		"without info, by its code only": { status: 429, code: "E1042", infoPath: null },
	},
	"DuplicateMessageError duplicate_message 422 DUPLICATE_MESSAGE, rejected; isDuplicate true": {
		"with the info in its details": { status: 422, infoPath: "error.details.duplicate" },
	},
	"DuplicateMessageError duplicate_message 400 E1042, rejected; isDuplicate true": {
		"with the info at the root of the error": { status: 400, code: "E1042", infoPath: "error" },
	},
};

describe("the client and the local gateway agree on a duplicate", () =>
	testOutcomes(DUPLICATES, repeatedWith));
