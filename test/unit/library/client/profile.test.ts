import { DuplicateMessageError, MessagingGateway, type Profile } from "messaging-gateway";
import { createLocalGateway } from "messaging-gateway/testing";
import { describe, expect, test, vi } from "vitest";
import { catchRejection } from "../../../support/catch-error.ts";
import { EMPTY_HASH, hmacSha256, sha256 } from "../../../support/node-crypto.ts";
import { SECRET, type SentRequest, scriptGateway } from "../../../support/scripted-gateway.ts";
import { failWith, refusedBy } from "../../../support/sent-requests.ts";
import { throwing } from "../../../support/throwing.ts";
import { errorResponse, MAPPING, MESSAGE, ok, USER } from "../../../support/wire.ts";

const message = ok({ message: MESSAGE });
const mapping = ok({ mapping: MAPPING });
const getMapping = (gateway: MessagingGateway) => gateway.mappings.get(USER);

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

	test.each<[title: string, canonicalBody: NonNullable<Profile["signing"]>["canonicalBody"], body: string]>([
		["insertion order", "json", '{"b":"é","a":1}'],
		["a function", (body) => `  ${JSON.stringify(body)}`, '  {"b":"é","a":1}'],
	])("hashes and sends the same bytes: %s", async (_title, canonicalBody, body) => {
		const { gateway, requests } = scriptGateway([message], {
			profile: { signing: { canonicalBody } } as Profile,
		});
		await gateway.request("POST", "/message/text", { body: { b: "é", a: 1 } });
		expect(requests[0]?.body).toBe(body);
		expectSigned(requests[0], "/message/text", sha256(body));
	});

	test("a canonical form that throws fails the call with nothing sent", async () => {
		const canonicalBody = throwing(new Error("private"));
		const error = await refusedBy((gateway) => gateway.messages.sendText({ to: USER, text: "Hi" }), {
			profile: { signing: { canonicalBody } },
		});
		expect(error).toMatchObject({ code: "invalid_input" });
		expect(error.message).not.toContain("private");
	});
});

describe("operations", () => {
	test("another method and path, with the same fields", async () => {
		const operations = { "messages.sendText": { method: "PUT", path: "/v2/{to}/texts" } } as const;
		const { gateway, requests } = scriptGateway([message], { profile: { operations } });
		await gateway.messages.sendText({ to: USER, text: "Hello" });
		expect(requests[0]).toMatchObject({ method: "PUT", body: '{"text":"Hello"}' });
		expect(requests[0]?.url).toBe("https://gateway.example/v2/%2B15551234567/texts");
		expectSigned(requests[0], "/v2/%2B15551234567/texts", sha256('{"text":"Hello"}'));
	});

	test("a method that moves the fields between query and body", async () => {
		const profile: Profile = {
			operations: {
				"agents.list": { method: "POST", path: "/agents/search" },
				"mappings.reset": { method: "DELETE" },
			},
		};
		const { gateway, requests } = scriptGateway([ok({ agents: [], nextCursor: null }), mapping], { profile });
		await gateway.agents.list({ status: "online" });
		await gateway.mappings.reset(USER);
		expect(requests[0]).toMatchObject({
			url: "https://gateway.example/agents/search",
			body: '{"status":"online"}',
		});
		expect(requests[1]).toMatchObject({ method: "DELETE", body: undefined });
	});

	test("request.encode and response.decode translate both ways", async () => {
		const profile: Profile = {
			operations: {
				"mappings.get": {
					path: "/contacts/{phone}",
					request: { encode: ({ toNumber }) => ({ phone: toNumber, verbose: true }) },
					response: { decode: (data) => ({ mapping: (data as { contact: unknown }).contact }) },
				},
			},
		};
		const { gateway, requests } = scriptGateway([ok({ contact: MAPPING })], { profile });
		expect(await gateway.mappings.get(USER)).toEqual({ mapping: MAPPING });
		expect(requests[0]?.url).toBe("https://gateway.example/contacts/%2B15551234567?verbose=true");
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

	test.each<[title: string, encode: (fields: Record<string, unknown>) => unknown]>([
		["throws", throwing(new Error("private"))],
		["gives nothing", () => undefined],
		["gives null", () => null],
		["gives a text", () => "x"],
	])("an encode that %s fails the call with nothing sent", async (_title, encode) => {
		const operations = { "mappings.get": { request: { encode: encode as never } } };
		const error = await refusedBy(getMapping, { profile: { operations } });
		expect(error).toMatchObject({ code: "invalid_input", outcome: "not_sent" });
		expect(error.message).not.toContain("private");
	});

	test("a path that needs a field that isn't there names it", async () => {
		const operations = { "mappings.get": { path: "/m/{id}" } };
		const error = await refusedBy(getMapping, { profile: { operations } });
		expect(error).toMatchObject({ issues: [{ path: "id" }] });
	});

	test("a decode that throws is a misfit, accepted and not repeated", async () => {
		const decode = throwing(new Error("private"));
		const operations = { "mappings.get": { response: { decode } } };
		const { error, requests } = await failWith([mapping], getMapping, { profile: { operations } });
		expect(error).toMatchObject({ code: "unexpected_response", outcome: "accepted" });
		expect(error.message).toContain("response.decode of the profile threw");
		expect(error.message).not.toContain("private");
		expect(requests).toHaveLength(1);
	});

	test("errors name the path that was used", async () => {
		const operations = { "mappings.get": { path: "/m/{toNumber}" } };
		const { error } = await failWith([errorResponse(404)], getMapping, { profile: { operations } });
		expect(error.message).toMatch(/^GET \/m\/\{toNumber\} got 404/);
	});
});

test("an operation that is none is rejected by the constructor, and the next one named", () => {
	const profile = { operations: { "messages.sendTxt": {} } } as Profile;
	expect(() => new MessagingGateway({ profile })).toThrow(
		/messages\.sendTxt.* isn't an operation: use messages\.sendText/,
	);
});

test.each<[title: string, duplicates: NonNullable<Profile["duplicates"]>]>([
	["by default", {}],
	["a 429 with its code only", { status: 429, code: "E1042", infoPath: null }],
	["a 422 with the info in its details", { status: 422, infoPath: "error.details.duplicate" }],
	["a 400 with the info at the root of the error", { status: 400, code: "E1042", infoPath: "error" }],
	["a 409 with the info beside the error", { infoPath: "data.duplicate" }],
])("the client and the local gateway agree on a duplicate: %s", async (_title, duplicates) => {
	await using local = createLocalGateway({ profile: { duplicates } });
	const gateway = new MessagingGateway(local.clientOptions);
	const send = () => gateway.messages.sendText({ to: USER, text: "Hello" });
	await send();
	const error = await catchRejection(send());
	expect(error).toBeInstanceOf(DuplicateMessageError);
	const { status = 409, code = "DUPLICATE_MESSAGE", infoPath } = duplicates;
	const duplicate = infoPath === null ? undefined : expect.objectContaining({ isDuplicate: true });
	expect(error).toMatchObject({ status, gatewayCode: code, duplicate, attempts: 1 });
	expect(error).toHaveProperty("gatewayMessage", expect.stringMatching(/^Blocked by the duplicate rule/));
	expect(error).toHaveProperty("requestId", expect.any(String));
});
