import {
	defineOperation,
	defineProfile,
	type MessagingGateway,
	type Operation,
	type Profile,
	type Schema,
} from "messaging-gateway";
import { signRequest } from "messaging-gateway/signing";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { catchRejection } from "../../../support/catch-error.ts";
import { type Outcomes, testOutcomes } from "../../../support/outcomes.ts";
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

/** Rows of paths, by what they are. */
const rowsOf = (paths: readonly string[]) =>
	Object.fromEntries(paths.map((path) => [JSON.stringify(path), path]));

const CLIMBING = rowsOf([
	...DOTS.flatMap((dots) => [`/a/${dots}/x`, `/a/${dots}`, `/${dots}/x`, `/a/${dots}/${dots}/${dots}/x`]),
	"/a\\..\\x",
	"/a/..\\x",
	"/a\\%2e%2e/x",
]);

const ALIKE = rowsOf([
	...["/...", "/.a", "/a.", "/..a/x", "/%2e%2ea", "/%252e%252e/x", "/a..b", "/%2F..%2F"],
]);

const base = { baseUrl: "https://gateway.example/api" };
const own = { id: "own", method: "GET", input: anything, data: anything } as const;

function define(path: string): Operation<object, object> {
	return defineOperation({ ...own, path });
}

/** An operation that nobody checked, as of a caller that changes one after it was defined. */
function unchecked(path: string): Operation<object, object> {
	return { ...define("/x"), path };
}

type Way = (path: string) => string | Promise<string>;

/** The path that a call sends behind that of the base URL. A call that fails sends and signs nothing. */
async function sentPath(
	call: (gateway: MessagingGateway) => PromiseLike<unknown>,
	profile: Profile = {},
): Promise<string> {
	const { gateway, requests } = scriptGateway([ok({ mappings: [], nextCursor: null })], { ...base, profile });
	const before = counter.signatures;
	try {
		await call(gateway);
	} catch (error) {
		expect([requests, counter.signatures]).toEqual([[], before]);
		throw error;
	}
	return String(requests[0]?.url.replace(base.baseUrl, ""));
}

/** Whatever a client has a path from. */
const WAYS: Readonly<Record<string, Way>> = {
	"gateway.request": (path) => sentPath((gateway) => gateway.request("GET", path)),
	"an operation": (path) => define(path).path,
	"a profile"(path) {
		defineProfile({ operations: { "mappings.list": { path } } });
		return path;
	},
	"a changed operation": (path) => sentPath((gateway) => gateway.call(unchecked(path), {})),
	"a changed profile"(path) {
		const operation = { path: "/m" };
		return sentPath(
			(gateway) => {
				operation.path = path;
				return gateway.mappings.list();
			},
			{ operations: { "mappings.list": operation } },
		);
	},
};

/** What a client makes of a path from each of them, by what comes of it. */
async function sentFrom(path: string): Promise<string> {
	const endings: [way: string, ending: string][] = [];
	for (const [way, run] of Object.entries(WAYS)) {
		const taken = async (): Promise<string> => run(path);
		const ending = await taken().then((sent) => (sent === path ? "as it is" : sent), describeRejection);
		endings.push([way, ending]);
	}
	const groups = Array.from(
		Map.groupBy(endings, ([, ending]) => ending),
		([ending, ways]) => `${ways.map(([way]) => way).join(", ")}: ${ending}`,
	);
	return groups.join("; ");
}

/** A sentence behind the name of the operation, or the request, that it is about. */
function describeRejection(error: unknown): string {
	expect(error).toMatchObject({ name: "ConfigurationError", code: "configuration", outcome: "not_sent" });
	return String(error).replace(/^.*?: (?=the path)/s, "");
}

const SENT: Outcomes<string> = {
	'gateway.request, an operation, a profile: the path must start with "/" and be a template such as /mapping/{toNumber}; a changed operation, a changed profile: the path would change in the URL, e.g. by the removal of dot segments':
		{
			...CLIMBING,
			"another host": "@elsewhere.example/x",
			"another port": ":8443/x",
			"a query": "/x?y=1",
			"a fragment": "/x#y",
			"a letter that is escaped": "/é",
		},
	"gateway.request, an operation, a profile, a changed operation, a changed profile: as it is": ALIKE,
};

describe("a path that a client sends", () => testOutcomes(SENT, sentFrom));

function signedPath(url: string): string | undefined {
	const { stringToSign } = signRequest({ method: "GET", url, appId: "app-1", appSecret: SECRET });
	return stringToSign.split("\n")[1];
}

/** What stands in front of a path, with the part of it that is signed. */
const ORIGINS = [
	["", ""],
	["https://gateway.example", ""],
	["https://gateway.example/api", "/api"],
	["http://user:pass@localhost:8080", ""],
] as const;

/** What signRequest makes of a path, whatever stands around it. */
function signedFrom(path: string): string {
	const endings = ORIGINS.flatMap(([origin, prefix]) =>
		["", "?a=/../b", "#/../b", "?a=/../b#/../c"].map((rest) => {
			try {
				return signedPath(origin + path + rest) === prefix + path ? "as it is" : "as another";
			} catch (error) {
				expect(counter.signatures).toBe(0);
				expect(error).toMatchObject({ code: "configuration" });
				return String(error);
			}
		}),
	);
	return [...new Set(endings)].join("; ");
}

const SIGNED: Outcomes<string> = {
	"ConfigurationError: url has a dot segment, which isn't part of the path that is requested: check the values in it, since encodeURIComponent keeps dots":
		CLIMBING,
	"as it is": ALIKE,
};

describe("a path that signRequest signs", () => {
	testOutcomes(SIGNED, signedFrom);

	test.each([
		["https://gateway.example", "/"],
		["https://gateway.example?a=1", "/"],
		["https://gateway.example/", "/"],
		["https://gateway.example//a//", "//a//"],
		["//a/b", "//a/b"],
		["  https://gateway.example/a b ", "/a%20b"],
		["https://[::1]:8080/é", "/%C3%A9"],
		["HTTPS:gateway.example/a", "/a"],
	])("of %j is %s", (url, path) => {
		expect(signedPath(url)).toBe(path);
	});
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

	test("the error names the template, and no value", async () => {
		const { gateway } = scriptGateway([ok({})], base);
		const error = await catchRejection(gateway.call(unchecked("/a/%2e%2e/{number}"), { number: USER }));
		expect(String(error)).toContain("GET /a/%2e%2e/{number}");
		expect(String(error)).not.toContain("1555");
	});
});
