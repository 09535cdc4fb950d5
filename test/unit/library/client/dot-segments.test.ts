import { defineOperation, defineProfile, type Operation, type Profile, type Schema } from "messaging-gateway";
import { signRequest } from "messaging-gateway/signing";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { catchError, catchRejection } from "../../../support/catch-error.ts";
import { SECRET, scriptGateway } from "../../../support/scripted-gateway.ts";
import { ok, USER } from "../../../support/wire.ts";

/** How many signatures were made since the test began. */
const counter = vi.hoisted(() => ({ signatures: 0 }));

vi.mock(import("../../../../src/library/signing/hash.ts"), async (importOriginal) => {
	const original = await importOriginal();
	return {
		...original,
		createHmacKey(secret) {
			const key = original.createHmacKey(secret);
			return {
				...key,
				signHex(...parts) {
					counter.signatures++;
					return key.signHex(...parts);
				},
			};
		},
	};
});

beforeEach(() => {
	counter.signatures = 0;
});

const anything: Schema<object> = {
	"~standard": { version: 1, vendor: "test", validate: (value) => ({ value: value as object }) },
};

/** Every spelling of a dot segment of the URL Standard, and what its parser reads as one of them. */
const DOTS = [
	".",
	"..",
	"%2e",
	"%2E",
	"%2e%2e",
	"%2E%2e",
	"%2E%2E",
	".%2e",
	".%2E",
	"%2e.",
	"%2E.",
	".\t.",
	".\n%2e",
	"\r..",
];

const CLIMBING = [
	...DOTS.flatMap((dots) => [`/a/${dots}/x`, `/a/${dots}`, `/${dots}/x`, `/a/${dots}/${dots}/${dots}/x`]),
	"/a\\..\\x",
	"/a/..\\x",
	"/a\\%2e%2e/x",
];

const base = { baseUrl: "https://gateway.example/api" };
const own = { id: "own", method: "GET", input: anything, data: anything } as const;

function define(path: string): Operation<object, object> {
	return defineOperation({ ...own, path });
}

/** An operation that nobody checked, as of a caller that changes one after it was defined. */
function unchecked(path: string): Operation<object, object> {
	return { ...define("/x"), path };
}

describe.each(CLIMBING)("%j", (path) => {
	test("is no path of gateway.request, and nothing is signed or sent", async () => {
		const { gateway, requests } = scriptGateway([ok({})], base);
		expect(await catchRejection(gateway.request("GET", path))).toMatchObject({ code: "configuration" });
		expect({ requests: requests.length, ...counter }).toEqual({ requests: 0, signatures: 0 });
	});

	test("is no path of an operation", async () => {
		expect(catchError(() => define(path))).toMatchObject({ code: "configuration" });
		const { gateway, requests } = scriptGateway([ok({})], base);
		expect(await catchRejection(gateway.call(unchecked(path), {}))).toMatchObject({ code: "configuration" });
		expect({ requests: requests.length, ...counter }).toEqual({ requests: 0, signatures: 0 });
	});

	test("is no path of a profile, not even of one that was changed after it was checked", async () => {
		const profile = { operations: { "mappings.get": { path } } };
		expect(catchError(() => defineProfile(profile))).toMatchObject({ code: "configuration" });
		const operation = { path: "/m/{toNumber}" };
		const changed: Profile = { operations: { "mappings.get": operation } };
		const { gateway, requests } = scriptGateway([ok({})], { ...base, profile: changed });
		operation.path = path;
		expect(await catchRejection(gateway.mappings.get(USER))).toMatchObject({ code: "configuration" });
		expect({ requests: requests.length, ...counter }).toEqual({ requests: 0, signatures: 0 });
	});

	test.each(["", "https://gateway.example/api", "http://user:pass@localhost:8080"])(
		"is not signed by signRequest behind %j",
		(origin) => {
			for (const query of ["", "?a=/../b", "#/../b"]) {
				const input = { method: "GET", url: origin + path + query, appId: "app-1", appSecret: SECRET };
				const error = catchError(() => signRequest(input));
				expect(error).toMatchObject({ code: "configuration" });
				expect(String(error)).toContain("dot segment");
			}
			expect(counter.signatures).toBe(0);
		},
	);
});

describe("what comes out of the parts of a path", () => {
	test.each<[title: string, path: string, input: Record<string, string>]>([
		["a half escape in the template", "/a/%2{b}%2e/x", { b: "e" }],
		["a dot of the template and one of the value", "/a/.{b}/x", { b: "." }],
		["two values", "/a/{b}{c}/x", { b: ".", c: "." }],
	])("%s does not climb", async (_title, path, input) => {
		const { gateway, requests } = scriptGateway([ok({})], base);
		expect(await catchRejection(gateway.request("GET", path, { params: input }))).toMatchObject({
			outcome: expect.toBeOneOf(["not_sent", undefined]),
		});
		expect(await catchRejection(gateway.call(define(path), input))).toBeDefined();
		expect({ requests: requests.length, ...counter }).toEqual({ requests: 0, signatures: 0 });
	});

	test.each([
		["another host", "@elsewhere.example/x"],
		["another port", ":8443/x"],
		["a query", "/x?y=1"],
		["a fragment", "/x#y"],
		["a letter that is escaped", "/é"],
	])("%s is not reached by an operation that nobody checked", async (_title, path) => {
		const { gateway, requests } = scriptGateway([ok({})], base);
		expect(await catchRejection(gateway.call(unchecked(path), {}))).toMatchObject({ code: "configuration" });
		expect({ requests: requests.length, ...counter }).toEqual({ requests: 0, signatures: 0 });
	});

	test("the error names the template, and no value", async () => {
		const { gateway } = scriptGateway([ok({})], base);
		const error = await catchRejection(gateway.call(unchecked("/a/%2e%2e/{number}"), { number: USER }));
		expect(String(error)).toContain("GET /a/%2e%2e/{number}");
		expect(String(error)).not.toContain("1555");
	});
});

describe("paths that only look like it are as they were", () => {
	test.each(["/...", "/.a", "/a.", "/..a/x", "/%2e%2ea", "/%252e%252e/x", "/a..b", "/%2F..%2F"])(
		"%s",
		async (path) => {
			const { gateway, requests } = scriptGateway([ok({})], base);
			await gateway.request("GET", path);
			expect(requests[0]?.url).toBe(`https://gateway.example/api${path}`);
			for (const url of [path, `https://gateway.example${path}`, `${path}?a=/../b#/../c`]) {
				const { stringToSign } = signRequest({ method: "GET", url, appId: "app-1", appSecret: SECRET });
				expect(stringToSign.split("\n")[1]).toBe(path);
			}
		},
	);

	test.each([
		["https://gateway.example", "/"],
		["https://gateway.example?a=1", "/"],
		["https://gateway.example/", "/"],
		["https://gateway.example//a//", "//a//"],
		["//a/b", "//a/b"],
		["  https://gateway.example/a b ", "/a%20b"],
		["https://[::1]:8080/é", "/%C3%A9"],
		["HTTPS:gateway.example/a", "/a"],
	])("signRequest signs %j as %s", (url, path) => {
		const { stringToSign } = signRequest({ method: "GET", url, appId: "app-1", appSecret: SECRET });
		expect(stringToSign.split("\n")[1]).toBe(path);
	});
});
