import { type ClientOptions, MessagingGateway, type SigningProfile } from "messaging-gateway";
import { type DiagnoseOptions, type Diagnosis, diagnose } from "messaging-gateway/doctor";
import { signRequest } from "messaging-gateway/signing";
import { createLocalGateway, type LocalGateway, type LocalGatewayOptions } from "messaging-gateway/testing";
import { describe, expect, test } from "vitest";
import { catchRejection } from "../../../support/catch-error.ts";
import { repeatingSigner } from "../../../support/repeating-signer.ts";
import { scriptGateway } from "../../../support/scripted-gateway.ts";
import { errorResponse, json, MAPPING, networkError, ok, text } from "../../../support/wire.ts";
import { causesOf, runProfileSource, triedBy } from "./diagnosed.ts";
import { isSignedAs } from "./signed-as.ts";

const WITH_BASE = "https://gateway.localhost/api/v1";

/** A client with the default profile, of a gateway that may have another one. */
function defaultClient(local: LocalGateway, options: ClientOptions = {}): MessagingGateway {
	const { profile: _, ...shared } = local.clientOptions;
	return new MessagingGateway({ ...shared, logLevel: "off", ...options });
}

const spaced = (body: unknown): string => JSON.stringify(body, null, 1);

/** Every signing form without bodies. */
const FORMS = (["request_line", "without_base_path"] as const).flatMap((path) =>
	(["excluded", "included"] as const).flatMap((query) =>
		(["empty_string", "empty_object"] as const).map((emptyBody) => ({ path, query, emptyBody })),
	),
);

interface Decided {
	readonly url: URL;
	readonly headers: Headers;
	/** Which request it is: the first three ask for the health, and the fourth has a wrong signature. */
	readonly count: number;
	/** Which POST it is, from 1 on, or 0. */
	readonly posts: number;
}

/** A gateway that decides by the request alone, after three healthy responses; by default it accepts what is rightly signed. */
function decide(
	response: (request: Decided) => Response | Promise<Response> | undefined,
	options: ClientOptions = {},
) {
	let count = 0;
	let posts = 0;
	return scriptGateway(
		[
			({ url, headers, method }) => {
				count += 1;
				if (url.endsWith("/health")) return text(200, "OK");
				const isPost = method === "POST";
				if (isPost) posts += 1;
				const decided = response({ url: new URL(url), headers, count, posts: isPost ? posts : 0 });
				return decided ?? errorResponse(isSignedAs(url, headers) || count > 4 ? 404 : 401);
			},
		],
		options,
	);
}

describe("a gateway of another signing form", () => {
	const pairs = FORMS.flatMap((theirs) => FORMS.map((ours) => [theirs, ours] as const));

	test.each(pairs)("that signs %j is found by a client that signs %j", async (theirs, ours) => {
		await using local = createLocalGateway({ baseUrl: WITH_BASE, profile: { signing: theirs } });
		const gateway = defaultClient(local, { profile: { signing: ours } });
		const diagnosis = await diagnose(gateway);
		expect(diagnosis.signing).toEqual(theirs);
		const isSame = JSON.stringify(theirs) === JSON.stringify(ours);
		expect(causesOf(diagnosis)).toEqual(isSame ? [] : ["other_signing_form"]);
		expect(diagnosis.isHealthy).toBe(isSame ? null : false);
		expect(local.requests.length).toBeLessThanOrEqual(15);
		expect(local.requests.every(({ method, body }) => method === "GET" && body === "")).toBe(true);
		if (isSame) {
			expect(diagnosis.profileSource).toBeUndefined();
			return;
		}
		const pasted = defaultClient(local, { profile: runProfileSource(diagnosis.profileSource) });
		expect(await pasted.mappings.list({ limit: 1 })).toMatchObject({ mappings: [] });
		await pasted.settings.setWebhooks({ statusWebhookUrl: "" });
		expect((await diagnose(pasted)).isHealthy).toBe(null);
	});

	test("names each choice in the words of the profile, and fits a profile as it is", async () => {
		const signing = { emptyBody: "empty_object", query: "included" } as const;
		await using local = createLocalGateway({ profile: { signing } });
		const diagnosis = await diagnose(defaultClient(local));
		expect(diagnosis.findings).toMatchObject([
			{
				cause: "other_signing_form",
				certainty: "certain",
				isBlocking: true,
				message: expect.stringContaining(
					'query "included" instead of "excluded", emptyBody "empty_object" instead of "empty_string"',
				),
			},
		]);
		// The paths are the same where the base address has none.
		expect(diagnosis.signing).toEqual(signing);
		const gateway = defaultClient(local, { profile: { signing: diagnosis.signing } });
		expect(await gateway.mappings.list({ limit: 1 })).toMatchObject({ mappings: [] });
	});

	test.each([
		["sorted", "excluded"],
		["sorted", "included"],
		["included", "sorted"],
		["excluded", "sorted"],
		["sorted", "sorted"],
	] as const)("that signs the query %s is found by a client that has it %s", async (theirs, ours) => {
		await using local = createLocalGateway({ profile: { signing: { query: theirs } } });
		const diagnosis = await diagnose(defaultClient(local, { profile: { signing: { query: ours } } }));
		expect(diagnosis.signing?.query).toBe(theirs);
		expect(causesOf(diagnosis)).toEqual(theirs === ours ? [] : ["other_signing_form"]);
	});

	const KEY = Buffer.from("00ff7e3f112233445566778899aabbcc", "hex");

	test.each([
		["hex", KEY.toString("hex"), "text"],
		["base64", KEY.toString("base64"), "text"],
		["prefixed_base64", `whsec_${KEY.toString("base64")}`, "text"],
		["text", KEY.toString("hex"), "hex"],
	] as const)(
		"whose secret is %s is found at once, with a profile to paste",
		async (theirs, appSecret, ours) => {
			const profile = { signing: { secret: theirs } };
			await using local = createLocalGateway({ baseUrl: WITH_BASE, appSecret, profile });
			const gateway = defaultClient(local, { appSecret, profile: { signing: { secret: ours } } });
			const diagnosis = await diagnose(gateway);
			expect(causesOf(diagnosis)).toEqual(["other_signing_form"]);
			expect(diagnosis.signing?.secret).toBe(theirs);
			expect(diagnosis.findings[0]?.message).toContain(`secret "${theirs}" instead of "${ours}"`);
			expect(local.requests.length).toBeLessThanOrEqual(12);
			const pasted = defaultClient(local, { appSecret, profile: runProfileSource(diagnosis.profileSource) });
			expect(await pasted.mappings.list({ limit: 1 })).toMatchObject({ mappings: [] });
			expect(JSON.stringify(diagnosis)).not.toContain(appSecret);
			// Bytes have no other reading, and are right as they are.
			if (theirs !== "text") {
				const withBytes = defaultClient(local, { appSecret: KEY });
				expect((await diagnose(withBytes)).isHealthy).toBe(null);
			}
		},
	);

	test("is tried with the most similar form first", async () => {
		const signing = { path: "without_base_path", emptyBody: "empty_object" } as const;
		await using local = createLocalGateway({ baseUrl: WITH_BASE, profile: { signing } });
		const { checks } = await diagnose(defaultClient(local));
		const tried = checks.filter(({ probe }) => probe === "signed").map((check) => check.signing);
		const own = { path: "request_line", query: "excluded", emptyBody: "empty_string" };
		expect(tried).toEqual([
			own,
			{ ...own, emptyBody: "empty_object" },
			{ ...own, path: "without_base_path" },
			{ ...own, timestamp: "seconds" },
			{ ...own, path: "without_base_path", emptyBody: "empty_object" },
			// A contact whose plus is escaped.
			{ ...own, path: "without_base_path", emptyBody: "empty_object" },
		]);
	});

	test("leaves what JSON cannot hold to be kept", async () => {
		const profile = {
			vendor: { headerPrefix: "Acme" },
			operations: { "agents.list": { path: "/agents" } },
			duplicates: { status: 429 },
			signing: { canonicalBody: (body: unknown) => JSON.stringify(body) },
		};
		await using local = createLocalGateway({ profile: { signing: { emptyBody: "empty_object" } } });
		const { profileSource } = await diagnose(defaultClient(local, { profile }));
		expect(profileSource).toContain(
			"// Keep signing.canonicalBody, vendor, operations, duplicates of your present profile.",
		);
		expect(runProfileSource(profileSource)).toEqual({
			signing: { path: "request_line", query: "excluded", emptyBody: "empty_object" },
		});
	});

	test("a search that meets a failing gateway ends there", async () => {
		const { gateway, requests } = decide(({ count }) =>
			count <= 5 ? errorResponse(401) : errorResponse(503),
		);
		const diagnosis = await diagnose(gateway);
		expect(causesOf(diagnosis)).toEqual(["gateway_failing"]);
		expect(diagnosis.untested.join()).toContain("The other signing forms");
		expect(requests).toHaveLength(6);
	});
});

describe("credentials", () => {
	test.each<[title: string, options: ClientOptions, cause: string, forms: number]>([
		// The first form in seconds is rejected for its timestamp, so the others are not tried.
		["a wrong secret", { appSecret: "another-secret" }, "credentials_or_dialect", 5],
		["an app id that the gateway names", { appId: "app-9" }, "app_id_unknown", 8],
	])("%s is one likely finding after every form", async (_title, options, cause, forms) => {
		await using local = createLocalGateway({ baseUrl: WITH_BASE });
		const diagnosis = await diagnose(defaultClient(local, options));
		expect(diagnosis).toMatchObject({ isHealthy: false, isReachable: true, signing: undefined });
		expect(diagnosis.findings).toMatchObject([
			{
				cause,
				certainty: "likely",
				isBlocking: true,
				message: expect.stringContaining("The gateway's code is UNAUTHORIZED."),
			},
		]);
		expect(diagnosis.profileSource).toBeUndefined();
		expect(triedBy(diagnosis).slice(3)).toEqual([
			"wrongly_signed rejected",
			...Array.from({ length: forms }, () => "signed rejected"),
		]);
	});

	test("a gateway that gives no reason leaves secret, app id and form in one finding", async () => {
		const { gateway } = decide(() => errorResponse(401, { code: "DENIED", message: "no" }));
		const { findings, untested } = await diagnose(gateway);
		expect(findings).toMatchObject([{ cause: "credentials_or_dialect" }]);
		expect(findings[0]?.message).toMatch(
			/4 signing forms.*our clock is off.*don't show which\. The gateway's code is DENIED\./,
		);
		expect(untested.join("\n")).toMatch(/^The credentials and the signing/m);
	});

	test("a 401 is a rejection without an envelope, and in one even with a foreign challenge", async () => {
		const bare = decide(() => text(401, "nope"));
		expect((await diagnose(bare.gateway)).findings[0]?.message).toContain("no error envelope.");
		const { gateway } = decide(() => errorResponse(401, { headers: { "WWW-Authenticate": "Bearer" } }));
		expect(causesOf(await diagnose(gateway))).toEqual(["credentials_or_dialect"]);
	});

	test("a secret that was rotated is fetched again, once", async () => {
		await using local = createLocalGateway();
		let calls = 0;
		const appSecret = () => (++calls === 1 ? "old" : local.appSecret);
		const diagnosis = await diagnose(defaultClient(local, { appSecret }));
		expect(diagnosis).toMatchObject({ isHealthy: null, findings: [] });
		expect(triedBy(diagnosis).slice(4, 6)).toEqual(["signed rejected", "signed accepted"]);
		expect(calls).toBe(2);
	});

	test("a secret's function that fails later is a configuration error", async () => {
		await using local = createLocalGateway();
		let calls = 0;
		const appSecret = () => {
			if (++calls > 1) throw new Error("vault");
			return "old";
		};
		expect(await catchRejection(diagnose(defaultClient(local, { appSecret })))).toMatchObject({
			code: "configuration",
		});
	});
});

describe("the reason that a rejection names", () => {
	const field = { field: "X-Timestamp", issue: "invalid", message: "is not accepted" };

	test.each<[title: string, rejection: Parameters<typeof errorResponse>[1], cause: string]>([
		["a header", { message: "Authorization header is missing" }, "header_dropped"],
		["a header with others named", { message: "X-Nonce is required, with a timestamp" }, "header_dropped"],
		["the nonce, in details", { details: { reason: "NONCE_REPLAYED" } }, "nonce_rejected"],
		["the nonce, in the code", { code: "REPLAYED" }, "nonce_rejected"],
		["the nonce, in words", { message: "this nonce was seen" }, "nonce_rejected"],
		["the timestamp, as a field", { details: [field] }, "timestamp_rejected"],
		["the timestamp, in words", { message: "clock skew" }, "timestamp_rejected"],
		["the app", { code: "UNKNOWN_APP_ID" }, "app_id_unknown"],
		["everything at once", { message: "check app id, nonce and timestamp" }, "credentials_or_dialect"],
	])("of %s", async (_title, rejection, cause) => {
		const { gateway } = decide(() => errorResponse(401, rejection));
		const { findings } = await diagnose(gateway);
		expect(findings).toMatchObject([{ cause, certainty: "likely", isBlocking: true }]);
	});

	test("a signer that repeats a nonce is seen on our side", async () => {
		await using local = createLocalGateway();
		const signer = repeatingSigner(local.clientOptions.appSecret);
		const diagnosis = await diagnose(defaultClient(local, { appSecret: undefined, signer }));
		const message =
			"Your signer returned the same nonce for two requests: the gateway rejects the second one.";
		expect(diagnosis.findings).toMatchObject([{ cause: "nonce_repeated", certainty: "certain", message }]);
		expect(triedBy(diagnosis)).toHaveLength(5);
	});
});

describe("a signature that is not what decides", () => {
	test("a gateway that accepts everything is usable, and shows nothing of its form", async () => {
		const { gateway } = decide(() => ok({ mapping: MAPPING }));
		const diagnosis = await diagnose(gateway, { probeBody: true });
		expect(diagnosis).toMatchObject({ isHealthy: null, signing: undefined, profileSource: undefined });
		expect(diagnosis.findings).toMatchObject([
			{ cause: "signature_not_checked", certainty: "certain", isBlocking: false },
		]);
		expect(triedBy(diagnosis).slice(3)).toEqual(["wrongly_signed accepted", "signed accepted"]);
	});

	test("one without that path responds to a wrong signature in the same way", async () => {
		const { gateway } = decide(() => errorResponse(404, { code: "NOT_FOUND" }));
		const diagnosis = await diagnose(gateway);
		expect(diagnosis.isHealthy).toBe(false);
		expect(diagnosis.findings).toMatchObject([
			{
				cause: "signature_not_checked",
				certainty: "likely",
				isBlocking: true,
				message: expect.stringContaining("baseUrl is wrong"),
			},
		]);
		expect(diagnosis.untested.join("\n")).toMatch(/^The credentials and the signing/m);
	});

	test("403 for a right signature and 401 for a wrong one: the app may not", async () => {
		const { gateway } = decide(({ url, headers }) =>
			isSignedAs(url, headers) ? errorResponse(403) : errorResponse(401),
		);
		const diagnosis = await diagnose(gateway);
		expect(diagnosis.findings).toMatchObject([{ cause: "not_permitted", certainty: "certain" }]);
		expect(diagnosis).toMatchObject({ isHealthy: false, signing: { query: "excluded" } });
	});

	test("403 for both is a rejection, and the form is searched", async () => {
		const theirs = { emptyBody: "empty_object", query: "included" } as const;
		const { gateway } = decide(({ url, headers }) =>
			isSignedAs(url, headers, theirs) ? errorResponse(404) : errorResponse(403),
		);
		const diagnosis = await diagnose(gateway);
		expect(causesOf(diagnosis)).toEqual(["other_signing_form"]);
		expect(diagnosis.signing).toEqual(theirs);
		const stubborn = decide(() => errorResponse(403));
		expect((await diagnose(stubborn.gateway)).findings).toMatchObject([
			{
				cause: "credentials_or_dialect",
				message: expect.stringContaining("the app may not read mappings"),
			},
		]);
	});

	test("a control that fails leaves it open", async () => {
		const { gateway } = decide(({ count }) => (count === 4 ? errorResponse(429) : ok({ mapping: MAPPING })));
		const diagnosis = await diagnose(gateway);
		expect(causesOf(diagnosis)).toEqual(["rate_limited"]);
		expect(diagnosis).toMatchObject({ isHealthy: false, signing: undefined });
	});
});

describe("the query", () => {
	test("rejected in both forms is a form that was not found", async () => {
		const { gateway } = decide(({ url }) => (url.search === "" ? undefined : errorResponse(401)));
		const diagnosis = await diagnose(gateway);
		expect(diagnosis.findings).toMatchObject([{ cause: "unknown_signing_form", certainty: "certain" }]);
		expect(diagnosis.signing).toEqual({ emptyBody: "empty_string" });
		expect(diagnosis.untested.join()).not.toContain("queries");
	});

	test.each<[title: string, query: (count: number) => Response]>([
		["accepted in both forms with another status", () => errorResponse(400)],
		["failing", () => errorResponse(500)],
		["limited the second time", (count) => (count === 6 ? errorResponse(400) : errorResponse(429))],
	])("%s is untested", async (_title, query) => {
		const { gateway } = decide(({ url, count }) => (url.search === "" ? undefined : query(count)));
		const diagnosis = await diagnose(gateway);
		expect(diagnosis).toMatchObject({
			isHealthy: null,
			findings: [],
			signing: { emptyBody: "empty_string" },
		});
		expect(diagnosis.untested.join("\n")).toMatch(/^How queries are signed/m);
	});
});

describe("a path that is rewritten on its way", () => {
	/** Rewrites a path like a proxy that parses and serializes it. */
	function rewriting(local: LocalGateway, strip = ""): ClientOptions["fetch"] {
		return (url, init) => local.clientOptions.fetch(url.replace("%2B", "+").replace(strip, ""), init);
	}

	test("is found by an escape that proxies keep", async () => {
		await using local = createLocalGateway();
		const diagnosis = await diagnose(defaultClient(local, { fetch: rewriting(local) }));
		expect(diagnosis.findings).toMatchObject([{ cause: "path_rewritten", certainty: "certain" }]);
		expect(diagnosis.findings[0]?.fix).toContain('profile.signing.path "decoded" is accepted');
		expect(triedBy(diagnosis).at(-1)).toBe("signed_with_space rejected");
		expect(local.requests.at(-1)?.path).toBe("/mapping/+%2015555550100");
		expect(diagnosis).toMatchObject({ isHealthy: false, profileSource: undefined });
	});

	test("and where the base path is cut off as well", async () => {
		await using local = createLocalGateway();
		const fetch = rewriting(local, "/gw");
		const diagnosis = await diagnose(defaultClient(local, { fetch, baseUrl: `${local.baseUrl}/gw` }));
		expect(diagnosis.findings).toMatchObject([
			{
				cause: "path_rewritten",
				fix: expect.stringContaining('profile.signing.path "decoded_without_base_path"'),
			},
		]);
	});

	test("that has no plus has nothing to try", async () => {
		await using local = createLocalGateway();
		const options = { appSecret: "wrong" };
		const diagnosis = await diagnose(defaultClient(local, options), { probeNumber: "55501" });
		expect(triedBy(diagnosis)).not.toContain("signed_with_space rejected");
	});
});

describe("a signer", () => {
	/** A back end that signs in its own form. */
	function signer(local: LocalGateway): ClientOptions["signer"] {
		return ({ method, url, timestamp, nonce, body }) => {
			const { appId } = local;
			const { headers } = signRequest({
				method,
				url,
				timestamp,
				nonce,
				appId,
				appSecret: local.appSecret,
				...(body && { body: JSON.parse(new TextDecoder().decode(body)) as unknown }),
			});
			return { signature: headers.Authorization.slice(5) };
		};
	}
	/** What a client with that signer finds of a gateway that signs so. */
	async function examine(signing: SigningProfile = {}, options: DiagnoseOptions = {}): Promise<Diagnosis> {
		await using local = createLocalGateway({ profile: { signing } });
		return await diagnose(defaultClient(local, { appSecret: undefined, signer: signer(local) }), options);
	}

	test("that signs as the gateway does is healthy", async () => {
		const diagnosis = await examine({}, { probeBody: true });
		expect(diagnosis).toMatchObject({ isHealthy: true, findings: [], signing: { canonicalBody: "rfc8785" } });
		expect(diagnosis.untested.join("\n")).not.toMatch(/^How queries are signed/m);
	});

	test("is tried with one form only", async () => {
		const diagnosis = await examine({ emptyBody: "empty_object" });
		expect(diagnosis.findings).toMatchObject([
			{
				cause: "credentials_or_dialect",
				message: expect.stringContaining("in the only signing form that could be tried"),
			},
		]);
		expect(diagnosis.untested.join()).toContain("Other signing forms: the signer");
		expect(triedBy(diagnosis).slice(3)).toEqual(["wrongly_signed rejected", "signed rejected"]);
	});

	test("posts bodies in its own form only", async () => {
		const diagnosis = await examine({ canonicalBody: spaced }, { probeBody: true });
		expect(causesOf(diagnosis)).toEqual(["unknown_signing_form"]);
		const posted = diagnosis.checks.filter(({ method }) => method === "POST");
		expect(new Set(posted.map((check) => check.signing?.canonicalBody))).toEqual(new Set(["rfc8785"]));
		expect(diagnosis.findings[0]?.message).toMatch(/even one with a single short field/);
	});

	test("whose query is rejected learns of the other choice", async () => {
		const diagnosis = await examine({ query: "included" });
		expect(diagnosis.findings).toMatchObject([
			{
				cause: "unknown_signing_form",
				certainty: "likely",
				fix: expect.stringContaining('query to "included"'),
			},
		]);
	});
});

describe("bodies", () => {
	const SETTINGS = {
		inboundWebhookUrl: "https://a.example/in",
		statusWebhookUrl: "https://a.example/status",
	};

	async function probe(options: LocalGatewayOptions, client: ClientOptions = {}) {
		const local = createLocalGateway(options);
		const right = new MessagingGateway(local.clientOptions);
		await right.settings.setWebhooks(SETTINGS);
		const diagnosis = await diagnose(defaultClient(local, client), { probeBody: true });
		const posted = local.requests.filter(({ method }) => method !== "GET").slice(1);
		expect(await right.settings.getWebhooks()).toEqual(SETTINGS);
		await local[Symbol.asyncDispose]();
		return { diagnosis, posted };
	}

	test.each<[title: string, theirs: SigningProfile, ours: SigningProfile, found: string, posts: number]>([
		["RFC 8785, by a client of RFC 8785", {}, {}, "rfc8785", 2],
		["RFC 8785, by a client of JSON", {}, { canonicalBody: "json" }, "rfc8785", 3],
		["JSON, by a client of RFC 8785", { canonicalBody: "json" }, {}, "rfc8785", 2],
		["JSON, by a client of JSON", { canonicalBody: "json" }, { canonicalBody: "json" }, "json", 2],
		["RFC 8785, by a client of spaces", {}, { canonicalBody: spaced }, "rfc8785", 3],
	])("are found to be accepted: %s", async (_title, theirs, ours, found, posts) => {
		const { diagnosis, posted } = await probe(
			{ profile: { signing: theirs } },
			{ profile: { signing: ours } },
		);
		expect(diagnosis.signing).toEqual({
			emptyBody: "empty_string",
			query: "excluded",
			canonicalBody: found,
		});
		const isSame = (ours.canonicalBody ?? "rfc8785") === found;
		expect(causesOf(diagnosis)).toEqual(isSame ? [] : ["other_signing_form"]);
		expect(diagnosis.profileSource?.includes(`canonicalBody: "${found}"`) ?? false).toBe(!isSame);
		expect(posted).toHaveLength(posts);
		expect(triedBy(diagnosis).filter((line) => line.includes("body"))[0]).toBe(
			"wrongly_signed_body rejected",
		);
	});

	test("of a function that is right have no word in the result", async () => {
		const signing = { canonicalBody: spaced };
		const { diagnosis } = await probe({ profile: { signing } }, { profile: { signing } });
		expect(diagnosis).toMatchObject({ isHealthy: true, profileSource: undefined });
		expect(diagnosis.signing).not.toHaveProperty("canonicalBody");
	});

	test("and queries in unknown forms are both reported", async () => {
		const { gateway } = decide(({ url, posts }) =>
			posts > 0 || url.search !== "" ? errorResponse(401) : undefined,
		);
		const { findings } = await diagnose(gateway, { probeBody: true });
		expect(findings.map(({ message }) => message.split(" ", 3).join(" "))).toEqual([
			"Calls with a",
			"Signed GETs work,",
		]);
	});

	test("are not posted with a correct signature if a wrong one is not rejected", async () => {
		const { gateway, requests } = decide(({ posts }) =>
			posts > 0 ? json(200, { ok: true, data: {} }) : undefined,
		);
		const diagnosis = await diagnose(gateway, { probeBody: true });
		expect(diagnosis).toMatchObject({ isHealthy: null, signing: { query: "excluded" } });
		expect(diagnosis.untested.join("\n")).toMatch(
			/^Bodies are unproven: a body with a wrong signature got 200, which is no rejection/m,
		);
		expect(requests.filter(({ method }) => method === "POST")).toHaveLength(1);
	});

	test.each<[title: string, response: () => Response | Promise<never>, said: string, made: number]>([
		["a failing gateway", () => errorResponse(500), "got 500", 2],
		["a broken connection", () => Promise.reject(networkError("ECONNRESET")), "got no response", 4],
	])("stay untested at %s", async (_title, response, said, made) => {
		const { gateway, requests } = decide(({ posts }) => {
			if (posts > 1) return response();
			return posts === 1 ? errorResponse(401) : undefined;
		});
		const diagnosis = await diagnose(gateway, { probeBody: true });
		expect(diagnosis.untested.join("\n")).toContain(said);
		expect(requests.filter(({ method }) => method === "POST")).toHaveLength(made);
	});

	test.each([{ method: "PUT" as const }, { path: "/settings/{inboundWebhookUrl}" }])(
		"are not posted where the profile makes it %j",
		async (override) => {
			const profile = { operations: { "settings.setWebhooks": override } };
			const { gateway, requests } = decide(() => undefined, { profile });
			const diagnosis = await diagnose(gateway, { probeBody: true });
			expect(diagnosis.untested.join("\n")).toMatch(
				/^Bodies are unproven: the profile makes settings.setWebhooks/m,
			);
			expect(requests.every(({ method }) => method === "GET")).toBe(true);
		},
	);

	test("are posted without what the profile would make of them", async () => {
		const request = {
			encode: () => ({ inboundWebhookUrl: "" }),
			decode: (fields: object) => ({ ...fields }),
		};
		const profile = { operations: { "settings.setWebhooks": { path: "/hooks", request } } };
		const { gateway, requests } = decide(
			({ posts }) => (posts > 0 ? errorResponse(posts === 1 ? 401 : 400) : undefined),
			{ profile },
		);
		expect(await diagnose(gateway, { probeBody: true })).toMatchObject({ isHealthy: true });
		const posted = requests.filter(({ method }) => method === "POST");
		expect(posted.map(({ url }) => new URL(url).pathname)).toEqual(["/hooks", "/hooks"]);
		for (const { body } of posted) expect(body).not.toContain("inboundWebhookUrl");
	});
});

test("everything wrong at once takes thirty requests", async () => {
	const theirs = { path: "without_base_path", query: "included", emptyBody: "empty_object" } as const;
	await using local = createLocalGateway({
		baseUrl: WITH_BASE,
		profile: { signing: { ...theirs, canonicalBody: spaced } },
	});
	local.faults.skewClock(3_600_000);
	let calls = 0;
	const appSecret = () => (++calls === 1 ? "old" : local.appSecret);
	const profile = { signing: { canonicalBody: (body: unknown) => JSON.stringify(body, null, 2) } };
	const diagnosis = await diagnose(defaultClient(local, { appSecret, profile }), { probeBody: true });
	expect(causesOf(diagnosis)).toEqual(["unknown_signing_form", "other_signing_form", "clock_off"]);
	expect(diagnosis.signing).toEqual(theirs);
	expect(local.requests).toHaveLength(30);
	expect(diagnosis.checks).toHaveLength(30);
});
