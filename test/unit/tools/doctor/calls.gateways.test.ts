import { diagnose, type SigningChoices } from "messaging-gateway/doctor";
import { describe, expect, test } from "vitest";
import { OPERATIONS } from "../../../../src/library/catalogue/index.ts";
import { causesOf } from "./diagnosed.ts";
import {
	examineSynthetic,
	PLAIN,
	type SyntheticGateway,
	SyntheticServer,
	type Verdict,
} from "./synthetic-gateway.ts";

/** A gateway that differs in everything from what the package assumes. */
const FOREIGN = {
	path: "decoded_below",
	query: "sorted",
	nothing: "{}",
	secret: "hex",
	unit: 1000,
	body: "php",
} as const;

const FOREIGN_CHOICES: SigningChoices = {
	path: "decoded_without_base_path",
	query: "sorted",
	emptyBody: "empty_object",
	secret: "hex",
	timestamp: "seconds",
	canonicalBody: "ascii_slashes",
};

const PLAIN_CHOICES: SigningChoices = {
	path: "request_line",
	query: "excluded",
	emptyBody: "empty_string",
	canonicalBody: "rfc8785",
};

/** What is certain of a gateway, in how many requests. */
type Row = [
	title: string,
	gateway: Partial<SyntheticGateway>,
	kind: Verdict["kind"],
	causes: readonly string[],
	signing: SigningChoices | undefined,
	requests: number,
];

describe("a gateway", () => {
	test.each<Row>([
		["as the package assumes", {}, "certain", [], PLAIN_CHOICES, 10],
		["of another form", FOREIGN, "certain", ["other_signing_form"], FOREIGN_CHOICES, 33],
		[
			"that escapes as Go does",
			{ body: "go" },
			"certain",
			["other_signing_form"],
			{ ...PLAIN_CHOICES, canonicalBody: "html_escaped" },
			15,
		],
		[
			"whose secret is base64 after a prefix",
			{ secret: "whsec" },
			"certain",
			["other_signing_form"],
			{ ...PLAIN_CHOICES, secret: "prefixed_base64" },
			11,
		],
		["whose 403 is a wrong signature", { mark: "403" }, "certain", [], PLAIN_CHOICES, 10],
		["whose 404 is a wrong signature", { mark: "404" }, "certain", [], PLAIN_CHOICES, 11],
		["whose 400 is a wrong signature", { mark: "400" }, "certain", [], PLAIN_CHOICES, 10],
		[
			"that has limits, and says how long to wait",
			{ ...FOREIGN, limit: 7 },
			"certain",
			["other_signing_form"],
			FOREIGN_CHOICES,
			33,
		],
		["that rejects odd contacts first", { contacts: "before" }, "certain", [], PLAIN_CHOICES, 10],
		[
			"that checks no signature",
			{ checks: "nothing", mapping: "present" },
			"open",
			["signature_not_checked"],
			undefined,
			5,
		],
		[
			"that checks those of posts",
			{ checks: "posts", mapping: "present" },
			"open",
			["signature_not_checked"],
			undefined,
			5,
		],
	])("%s", async (_title, gateway, kind, causes, signing, requests) => {
		const { diagnosis, ...verdict } = await examineSynthetic({ ...PLAIN, ...gateway });
		expect(verdict).toEqual({ kind, wrong: [], requests });
		expect(causesOf(diagnosis)).toEqual(causes);
		expect(diagnosis.signing).toEqual(signing);
		expect(diagnosis.isHealthy).toBe(kind === "open" ? null : causes.length === 0);
	});

	test.each<[title: string, gateway: Partial<SyntheticGateway>, untested: RegExp]>([
		[
			"that rejects unknown keys before it looks at the signature",
			{ keys: "before" },
			/^Bodies are unproven: a body with a wrong signature got 400/m,
		],
		[
			"that does not check the signatures of posts",
			{ checks: "reads" },
			/^Bodies are unproven: a body with a wrong signature got 200/m,
		],
		[
			"that rejects unknown parameters before it looks at the signature",
			{ parameters: "before" },
			/^How queries are signed/m,
		],
	])("%s: what that hides is open", async (_title, gateway, untested) => {
		const { kind, wrong, diagnosis } = await examineSynthetic({ ...PLAIN, ...gateway });
		expect([kind, wrong]).toEqual(["reads", []]);
		expect(diagnosis.findings).toEqual([]);
		expect(diagnosis.untested.join("\n")).toMatch(untested);
	});

	test("whose odd contacts get the response of a bad query shows escapes by a contact with a space", async () => {
		const gateway = { path: "decoded", mark: "404_missing", contacts: "after" } as const;
		const { kind, wrong, diagnosis } = await examineSynthetic({ ...PLAIN, ...gateway });
		expect([kind, wrong]).toEqual(["certain", []]);
		expect(diagnosis.signing?.path).toBe("decoded");
	});

	test("whose missing mapping looks like a wrong signature is never healthy: escapes are open", async () => {
		const gateway = { path: "decoded", mark: "404_missing", contacts: "spaces_before" } as const;
		const { wrong, diagnosis } = await examineSynthetic({ ...PLAIN, ...gateway });
		expect(wrong).toEqual([]);
		expect(diagnosis).toMatchObject({ isHealthy: null, hasTestedBodies: true });
		expect(diagnosis.signing).not.toHaveProperty("path");
		expect(diagnosis.untested.join("\n")).toMatch(/^How escapes in a path are signed/m);
	});

	test("whose bad requests look alike before and after the signature leaves queries open", async () => {
		const gateway = {
			mark: "404",
			contacts: "after",
			parameters: "before",
			query: "raw",
			errors: "text",
		} as const;
		const { kind, wrong, diagnosis } = await examineSynthetic({ ...PLAIN, ...gateway });
		expect([kind, wrong]).toEqual(["reads", []]);
		expect(diagnosis.untested.join("\n")).toMatch(/^How queries are signed/m);
	});

	test("whose 403 is about the mapping or the signature rewrites no path for certain", async () => {
		const gateway = {
			path: "decoded",
			mark: "403",
			contacts: "after",
			mapping: "forbidden",
			errors: "text",
		} as const;
		const { wrong, diagnosis } = await examineSynthetic({ ...PLAIN, ...gateway });
		expect(wrong).toEqual([]);
		expect(diagnosis.signing?.path).toBe("decoded");
	});

	test("that escapes as Go does is never healthy: reads alone leave that open", async () => {
		const diagnosis = await diagnose(new SyntheticServer({ ...PLAIN, body: "go" }).client());
		expect(diagnosis).toMatchObject({ isHealthy: null, hasTestedBodies: false, findings: [] });
	});
});

test("the routes that are tried are those of the catalogue", async () => {
	const { diagnosis } = await examineSynthetic(PLAIN);
	const tried = new Set(diagnosis.checks.map(({ method, path }) => `${method} ${path}`));
	const isTried = ["health.check", "mappings.get", "settings.setWebhooks"];
	for (const { id, method, path } of OPERATIONS)
		expect(tried.has(`${method} ${path}`), id).toBe(isTried.includes(id));
});
