import { describe, expect, test } from "vitest";
import { EXAMPLES } from "../../../../../src/tools/console/explain/examples.ts";
import {
	EMPTY_INPUT,
	type ExplainInput,
} from "../../../../../src/tools/console/explain/input/explain-input.ts";
import { readBody } from "../../../../../src/tools/console/explain/input/read-body.ts";
import { readTime } from "../../../../../src/tools/console/explain/input/read-time.ts";
import { runExplanation } from "../../../../../src/tools/console/explain/input/run-explanation.ts";
import { writeReport } from "../../../../../src/tools/console/explain/write-report.ts";

function explain(input: ExplainInput) {
	const result = runExplanation(input);
	if ("problem" in result) throw new Error(result.problem);
	return result;
}

const valid = EXAMPLES[0]?.input ?? EMPTY_INPUT;

describe("the examples", () => {
	test.each([
		["A valid delivery", []],
		["Parsed and serialized again", ["body_reserialized"]],
		["A byte order mark", ["bom_added"]],
		["Line ends translated", ["line_ends_changed"]],
		["Still in base64", ["body_in_base64"]],
		["A secret with whitespace", ["secret_padded"]],
		["The App Secret", ["request_signing_secret"]],
		["Another environment", ["other_secret"]],
		["Milliseconds", ["timestamp_in_milliseconds"]],
		["A replay", ["delivery_too_old"]],
		["Another header prefix", ["other_vendor_prefix"]],
		["A header is missing", ["header_missing"]],
	])("%s", (title, causes) => {
		const input = EXAMPLES.find((example) => example.title === title)?.input;
		const { findings } = explain(input ?? EMPTY_INPUT);
		expect(findings.filter(({ certainty }) => certainty === "certain").map(({ cause }) => cause)).toEqual(
			causes,
		);
	});

	test("are all covered above", () => {
		expect(EXAMPLES).toHaveLength(12);
	});
});

describe("the form", () => {
	test("reports a missing secret if it is empty", () => {
		expect(explain(EMPTY_INPUT).findings.map(({ cause }) => cause)).toContain("secret_missing");
	});

	test("keeps the bytes of a body as base64 or a file", () => {
		const body = {
			...valid.body,
			base64: btoa("a\r\n\xff"),
			file: { name: "f", bytes: Uint8Array.of(1, 2) },
		};
		expect(readBody({ ...body, mode: "base64" })).toEqual({ body: Uint8Array.of(97, 13, 10, 255) });
		expect(readBody({ ...body, mode: "file" })).toEqual({ body: Uint8Array.of(1, 2) });
		expect(readBody({ ...body, mode: "text" })).toEqual({ body: valid.body.text });
	});

	test("decodes base64 in lines", () => {
		const body = { ...valid.body, mode: "base64", base64: " Y\nQ== " } as const;
		expect(readBody(body)).toEqual({ body: Uint8Array.of(97) });
	});

	test("reports input that cannot be read", () => {
		expect(runExplanation({ ...valid, body: { ...valid.body, mode: "base64", base64: "?" } })).toEqual({
			problem: "This is not base64.",
		});
		expect(runExplanation({ ...valid, body: { ...valid.body, mode: "file" } })).toEqual({
			problem: "No file was chosen.",
		});
		expect(runExplanation({ ...valid, now: "soon" })).toHaveProperty("problem");
	});

	test("uses this machine's time by default", () => {
		expect(explain({ ...valid, now: "" }).findings.map(({ cause }) => cause)).toContain("delivery_too_old");
	});

	test("leaves an invalid tolerance to the explanation", () => {
		const causes = explain({ ...valid, toleranceSeconds: "five" }).findings.map(({ cause }) => cause);
		expect(causes).toContain("tolerance_unusable");
		expect(explain({ ...valid, toleranceSeconds: "" }).isValid).toBe(true);
	});

	test("accepts one of several secrets, and ignores empty fields", () => {
		expect(explain({ ...valid, secrets: ["", "another", ...valid.secrets] }).isValid).toBe(true);
		expect(explain({ ...valid, vendor: " " }).isValid).toBe(true);
	});

	test.each([
		["1767225600", 1767225600000],
		["1767225600123", 1767225600123],
		[" 2026-01-01T00:00:00Z ", 1767225600000],
		["soon", undefined],
		["99999999999999999999", undefined],
	])("reads the time %j", (input, ms) => {
		expect(readTime(input)).toBe(ms);
	});
});

describe("the report", () => {
	test("contains the findings and checks, and nothing of the delivery", () => {
		for (const { input } of EXAMPLES) {
			const report = writeReport(explain(input));
			expect(report).toMatch(/^The delivery is (accepted|rejected)/);
			for (const secret of [...input.secrets, input.appSecret, "v1=", "Crème", "+15551234567"]) {
				if (secret !== "") expect(report.replace("v1= and", "")).not.toContain(secret);
			}
		}
	});

	test("names causes, fixes and numbers", () => {
		const report = writeReport({
			isValid: false,
			code: undefined,
			findings: [{ cause: "unexplained", certainty: "likely", message: "M.", fix: "F." }],
			checked: { headerNames: [], bodyBytes: undefined, hmacs: 3, skipped: ["S."] },
		});
		expect(report).toBe(
			"The delivery is rejected.\n- likely (unexplained): M. F.\nChecked: no headers; no bytes of raw body; 3 HMACs.\nS.\n",
		);
	});
});
