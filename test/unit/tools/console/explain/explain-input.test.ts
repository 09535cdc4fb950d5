import { describe, expect, test } from "vitest";
import { EXAMPLES } from "../../../../../src/tools/console/explain/examples.ts";
import {
	EMPTY_INPUT,
	type ExplainInput,
	explainInput,
	readBody,
	readTime,
} from "../../../../../src/tools/console/explain/explain-input.ts";
import { writeReport } from "../../../../../src/tools/console/explain/explanation-view.tsx";

function explain(input: ExplainInput) {
	const result = explainInput(input);
	if ("problem" in result) throw new Error(result.problem);
	return result;
}

const valid = EXAMPLES["A valid delivery"] ?? EMPTY_INPUT;

describe("the examples", () => {
	test.each([
		["A valid delivery", []],
		["Parsed and serialized again", ["body_reserialized"]],
		["A byte order mark", ["bom_added"]],
		["Still in base64", ["body_in_base64"]],
		["A secret with whitespace", ["secret_padded"]],
		["The App Secret", ["request_signing_secret"]],
		["Another environment", ["other_secret"]],
		["A replay", ["delivery_too_old"]],
		["A header is missing", ["header_missing"]],
	])("%s", (title, causes) => {
		const { findings } = explain(EXAMPLES[title] ?? EMPTY_INPUT);
		expect(findings.filter(({ certainty }) => certainty === "certain").map(({ cause }) => cause)).toEqual(
			causes,
		);
	});

	test("are all covered above", () => {
		expect(Object.keys(EXAMPLES)).toHaveLength(9);
	});
});

describe("the form", () => {
	test("reports a missing secret if it is empty", () => {
		expect(explain(EMPTY_INPUT).findings.map(({ cause }) => cause)).toContain("secret_missing");
	});

	test("keeps the bytes of a body in base64", () => {
		expect(readBody({ text: btoa("a\r\n\xff"), isBase64: true })).toEqual(Uint8Array.of(97, 13, 10, 255));
		expect(readBody({ text: " Y\nQ== ", isBase64: true })).toEqual(Uint8Array.of(97));
		expect(readBody(valid.body)).toBe(valid.body.text);
	});

	test("reports input that cannot be read", () => {
		expect(explainInput({ ...valid, body: { text: "?", isBase64: true } })).toEqual({
			problem: "The body is not base64.",
		});
		expect(explainInput({ ...valid, now: "soon" })).toHaveProperty("problem");
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
		expect(explain({ ...valid, secret: "another", secondSecret: valid.secret }).isValid).toBe(true);
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
		for (const input of Object.values(EXAMPLES)) {
			const report = writeReport(explain(input));
			expect(report).toMatch(/^The delivery is (accepted|rejected)/);
			for (const secret of [input.secret, input.appSecret, "v1=", "Crème", "+15551234567"]) {
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
