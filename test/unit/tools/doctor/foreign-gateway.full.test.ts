import { type ClientOptions, defineProfile, MessagingGateway } from "messaging-gateway";
import { type Diagnosis, type DiagnosisFinding, diagnose } from "messaging-gateway/doctor";
import { describe, expect, test } from "vitest";
import { cases } from "../../../support/cases.ts";
import {
	FOREIGN_APP,
	FOREIGN_SECRET,
	type ForeignGateway,
	type ForeignGatewayOptions,
	startForeignGateway,
} from "../../../support/foreign-gateway.ts";
import { causesOf, runProfileSource } from "./diagnosed.ts";

function clientOf(gateway: ForeignGateway, options: ClientOptions = {}): MessagingGateway {
	return new MessagingGateway({
		baseUrl: gateway.baseUrl,
		appId: FOREIGN_APP,
		appSecret: FOREIGN_SECRET,
		logLevel: "off",
		maxRetries: 0,
		...options,
	});
}

async function examine(
	options: ForeignGatewayOptions,
	{ extraPath = "", ...client }: ClientOptions & { extraPath?: string } = {},
): Promise<Diagnosis> {
	await using gateway = await startForeignGateway(options);
	return await diagnose(clientOf(gateway, { ...client, baseUrl: gateway.baseUrl + extraPath }));
}

function find({ findings }: Diagnosis, cause: string): DiagnosisFinding | undefined {
	return findings.find((finding) => finding.cause === cause);
}

describe("what doctor must say", () => {
	test("a base URL one segment too long, and a gateway that authenticates first: no known path was found", async () => {
		const diagnosis = await examine({ isAuthFirst: true }, { extraPath: "/v1" });
		expect(diagnosis.isHealthy).toBe(false);
		expect(find(diagnosis, "wrong_base_path")).toMatchObject({
			certainty: "likely",
			isBlocking: true,
			message: expect.stringContaining("no known path was found"),
		});
	});

	test("and one whose /health needs no signature: the base URL to set", async () => {
		await using gateway = await startForeignGateway({ isAuthFirst: true });
		// A health endpoint in front of the authentication.
		const fetch: ClientOptions["fetch"] = async (url, init) =>
			url === `${gateway.baseUrl}/health` ? new Response("OK") : globalThis.fetch(url, init);
		const diagnosis = await diagnose(clientOf(gateway, { fetch, baseUrl: `${gateway.baseUrl}/v1` }));
		expect(find(diagnosis, "wrong_base_path")?.fix).toContain(`Set baseUrl to ${gateway.baseUrl},`);
	});

	test.each([true, false])("timestamps in seconds, reason hidden: %s", async (isSilent) => {
		const diagnosis = await examine({ unit: "seconds", isSilent });
		expect(diagnosis.findings).toMatchObject([
			{
				cause: "other_signing_form",
				certainty: "certain",
				message: expect.stringMatching(/timestamp "seconds".*differ from section 5\.1/),
			},
		]);
		expect(diagnosis.signing).toMatchObject({ timestamp: "seconds" });
		expect(runProfileSource(diagnosis.profileSource).signing).toMatchObject({ timestamp: "seconds" });
	});

	test.each([
		["decoded", "/api/v1", "decoded"],
		["decoded", "", "decoded"],
		["decoded_mountless", "/api/v1", "decoded_without_base_path"],
		["mountless", "/api/v1", "without_base_path"],
	] as const)("a path signed %s at %j: the profile to paste", async (signedPath, mount, path) => {
		await using gateway = await startForeignGateway({ signedPath, mount, mapping: "present" });
		const diagnosis = await diagnose(clientOf(gateway));
		expect(causesOf(diagnosis)).toEqual(["other_signing_form"]);
		const profile = runProfileSource(diagnosis.profileSource);
		expect(profile.signing?.path).toBe(path);
		const pasted = clientOf(gateway, { profile });
		expect(await pasted.mappings.get("+15555550100")).toMatchObject({
			mapping: { userNumber: "+15555550100" },
		});
		expect((await diagnose(pasted)).isHealthy).toBe(null);
	});

	test.each([
		[400, "BAD_REQUEST"],
		[403, "FORBIDDEN"],
		[404, "NOT_HERE"],
		[422, "INVALID"],
	])("a wrong signature that gets %d %s is a rejection", async (status, code) => {
		const wrong = { status, code };
		expect(await examine({ wrong })).toMatchObject({ isHealthy: null, findings: [] });
		const other = await examine({ wrong, nothing: "{}" });
		expect(causesOf(other)).toEqual(["other_signing_form"]);
		const lost = await examine({ wrong }, { appSecret: "another" });
		expect(lost.isHealthy).toBe(false);
		// What both got, and never another status.
		expect(lost.findings).toMatchObject([
			{
				certainty: "likely",
				message: expect.stringContaining(`got ${status} in the error envelope, with our signature`),
			},
		]);
	});

	test("/health that wants a signature is not a firewall", async () => {
		const alone = await examine({ health: "envelope_401" });
		expect(alone.isHealthy).toBe(null);
		expect(alone.findings).toMatchObject([
			{ cause: "health_unavailable", fix: expect.stringContaining("wants a signature there") },
		]);
		const lost = await examine({ health: "envelope_401" }, { appSecret: "another" });
		expect(find(lost, "credentials_or_dialect")?.message).toContain("baseUrl is wrong");
		for (const { message } of [...alone.findings, ...lost.findings])
			expect(message).not.toMatch(/firewall|VPN/);
	});

	test.each(["html", "text", "problem"] as const)("errors as %s, secret right", async (errors) => {
		const diagnosis = await examine({ errors });
		expect(diagnosis.isHealthy).toBe(null);
		expect(diagnosis.findings).toMatchObject([
			{
				cause: "errors_without_envelope",
				certainty: "certain",
				isBlocking: false,
				message: expect.stringMatching(/got 404 .*of the gateway, or of a proxy/),
			},
		]);
	});

	test.each(["empty_200", "empty_204"] as const)("%s of setWebhooks is fine", async (settings) => {
		await using gateway = await startForeignGateway({ settings });
		const client = clientOf(gateway);
		expect(await client.settings.setWebhooks({ statusWebhookUrl: "" })).toBeUndefined();
		expect(await diagnose(client, { probeBody: true })).toMatchObject({
			isHealthy: true,
			hasTestedBodies: true,
			findings: [],
		});
	});
});

/** One thing changed at a time. */
const VARIATIONS: Readonly<Record<string, ForeignGatewayOptions>> = {
	"insertion order": { canonical: "insertion" },
	"raw bodies": { canonical: "raw" },
	"escaped letters": { canonical: "escaped" },
	"bodies as Go writes them": { canonical: "go" },
	"bodies as PHP writes them": { canonical: "php" },
	"reversed order": { canonical: "reversed" },
	"spaced bodies": { canonical: "spaced" },
	"decoded path": { signedPath: "decoded" },
	"path without the mount": { signedPath: "mountless" },
	"decoded path without the mount": { signedPath: "decoded_mountless" },
	"lower-case escapes": { signedPath: "lower_case_hex" },
	"signed query": { signedQuery: "raw" },
	"separate query": { signedQuery: "separate" },
	"{} for nothing": { nothing: "{}" },
	seconds: { unit: "seconds" },
	"another nonce": { nonce: "hex" },
	"wrong is 400": { wrong: { status: 400, code: "BAD_REQUEST" } },
	"wrong is 403": { wrong: { status: 403, code: "FORBIDDEN" } },
	"wrong is 404": { wrong: { status: 404, code: "NO_MAPPING" } },
	"no reasons": { isSilent: true },
	"unknown app": { appId: "somebody-else", unknownApp: "NO_SUCH_CALLER" },
	"another secret": { secret: "another" },
	"HTML errors": { errors: "html" },
	"text errors": { errors: "text" },
	"authenticates first": { isAuthFirst: true },
	"checks nothing": { isUnchecked: true },
	"forbids mappings": { isForbidden: true },
	"health 401 in the envelope": { health: "envelope_401" },
	"health 401 as a page": { health: "html_401" },
	"health as a page": { health: "html_200" },
	"no health": { health: "missing" },
	"empty health": { health: "empty" },
	"failing health": { health: "failing" },
	"a mapping": { mapping: "present" },
	"a missing mapping like an unknown path": { mapping: "missing_as_unknown_path" },
	"strict settings": { settings: "strict" },
	"empty settings": { settings: "empty_204" },
	"six minutes off": { clockMs: 360_000 },
	"an hour off": { clockMs: -3_600_000 },
	"a limit": { limit: 5 },
	"failing in the envelope": { failing: "envelope" },
	"failing as a page": { failing: "page" },
	"a proxy that rewrites": { proxy: { rewrites: true } },
	"a proxy that drops the nonce": { proxy: { drops: "X-Nonce" } },
	"a proxy that replaces Authorization": { proxy: { replacesAuthorization: true } },
	"a proxy with a password": { proxy: { password: true } },
	"a proxy that redirects": { proxy: { redirects: true } },
	"a proxy with another time": { proxy: { dateMs: 600_000 } },
};

/** What must hold of a gateway if a cause is said to be certain; a cause that is absent here is never certain. */
const TRUTHS: Readonly<
	Partial<Record<DiagnosisFinding["cause"], (gateway: ForeignGatewayOptions) => boolean>>
> = {
	other_signing_form: ({
		signedPath = "raw",
		signedQuery = "none",
		nothing = "",
		unit,
		canonical = "sorted",
		proxy,
	}) =>
		signedPath !== "raw" ||
		signedQuery !== "none" ||
		nothing !== "" ||
		unit === "seconds" ||
		canonical !== "sorted" ||
		proxy?.strips !== undefined,
	unknown_signing_form: ({ canonical = "sorted", signedQuery = "none" }) =>
		["reversed", "spaced"].includes(canonical) || signedQuery === "separate",
	path_rewritten: ({ proxy, signedPath }) => proxy?.rewrites === true || signedPath === "lower_case_hex",
	clock_off: ({ clockMs = 0 }) => Math.abs(clockMs) > 300_000,
	not_permitted: ({ isForbidden }) => isForbidden === true,
	signature_not_checked: ({ isUnchecked }) => isUnchecked === true,
	errors_without_envelope: ({ errors = "envelope" }) => errors !== "envelope",
	health_unavailable: ({ health = "ok", isAuthFirst, failing, limit }) =>
		!["ok", "empty"].includes(health) || isAuthFirst === true || failing !== undefined || limit !== undefined,
	rate_limited: ({ limit }) => limit !== undefined,
	gateway_failing: ({ failing, health }) => failing === "envelope" || health === "failing",
	redirected: ({ proxy }) => proxy?.redirects === true,
};

function merge(left: ForeignGatewayOptions, right: ForeignGatewayOptions): ForeignGatewayOptions {
	const proxy = { ...left.proxy, ...right.proxy };
	return { mount: "/api", ...left, ...right, ...(Object.keys(proxy).length === 0 ? {} : { proxy }) };
}

/** Every rule that holds whatever the gateway is, by what the gateway itself saw. */
async function expectTruth(options: ForeignGatewayOptions): Promise<void> {
	await using gateway = await startForeignGateway(options);
	for (const probeBody of [false, true]) {
		const client = clientOf(gateway);
		const diagnosis = await diagnose(client, { probeBody });
		const where = JSON.stringify({ options, diagnosis });

		for (const { cause, certainty } of diagnosis.findings) {
			if (certainty === "certain") expect(TRUTHS[cause]?.(options), `${cause} of ${where}`).toBe(true);
		}
		if (options.limit === undefined) {
			// It then says that calls which name a contact may still fail.
			const isUnproven = diagnosis.untested.some((sentence) => sentence.startsWith("How escapes in a path"));
			expect(isUnproven && diagnosis.isHealthy, where).toBeFalsy();
			if (diagnosis.isHealthy !== false && !isUnproven)
				expect(await reaches(gateway, client, "mapping"), where).toBe(true);
			if (diagnosis.hasTestedBodies && diagnosis.isHealthy !== false) {
				expect(await reaches(gateway, client, "settings"), where).toBe(true);
			}
			if (diagnosis.profileSource !== undefined) {
				const profile = defineProfile(runProfileSource(diagnosis.profileSource));
				expect(await reaches(gateway, clientOf(gateway, { profile }), "mapping"), where).toBe(true);
				if (diagnosis.hasTestedBodies) {
					expect(await reaches(gateway, clientOf(gateway, { profile }), "settings"), where).toBe(true);
				}
			}
		}
		if (!probeBody) {
			expect(
				gateway.seen.every(({ method }) => method === "GET"),
				where,
			).toBe(true);
			expect(diagnosis.hasTestedBodies).toBe(false);
		}
		// Nobody is left without an explanation.
		expect(diagnosis.isHealthy !== false || diagnosis.findings.length > 0, where).toBe(true);
		for (const secret of [FOREIGN_SECRET, FOREIGN_APP, "15555550100"]) expect(where).not.toContain(secret);
		if (!probeBody) gateway.seen.length = 0;
	}
}

/** Whether a call of the client is handled by the gateway, with its signature accepted. */
async function reaches(
	gateway: ForeignGateway,
	client: MessagingGateway,
	route: "mapping" | "settings",
): Promise<boolean> {
	const before = gateway.seen.length;
	const call =
		route === "mapping"
			? client.mappings.get("+15555550123")
			: client.settings.setWebhooks({
					inboundWebhookUrl: "https://a.example/é?a=<&b=👋",
					statusWebhookUrl: "",
				});
	await Promise.allSettled([call]);
	return gateway.seen.slice(before).some((request) => request.route === route && request.isHandled);
}

describe("no finding is false, and nothing is healthy that was not seen to work", () => {
	const names = Object.keys(VARIATIONS);

	test.each(names)("%s", async (name) => {
		await expectTruth(merge(VARIATIONS[name] ?? {}, {}));
	});

	test.each(names)("%s, with each of the others", async (name) => {
		const others = names.slice(names.indexOf(name) + 1);
		const step = Math.max(1, Math.round(others.length / cases(others.length)));
		for (const other of others.filter((_, at) => at % step === 0)) {
			await expectTruth(merge(VARIATIONS[name] ?? {}, VARIATIONS[other] ?? {}));
		}
	});
});
