import { describe, expect, test } from "vitest";
import { EXAMPLES } from "../../../../src/console/explain/examples.ts";
import { EMPTY_INPUT, type ExplainInput } from "../../../../src/console/explain/input/explain-input.ts";
import { readBody } from "../../../../src/console/explain/input/read-body.ts";
import { readTime } from "../../../../src/console/explain/input/read-time.ts";
import { runExplanation } from "../../../../src/console/explain/input/run-explanation.ts";
import { writeReport } from "../../../../src/console/explain/write-report.ts";

function explain(input: ExplainInput) {
	const result = runExplanation(input);
	if ("problem" in result) throw new Error(result.problem);
	return result;
}

const right = EXAMPLES[0]?.input ?? EMPTY_INPUT;

describe("the examples", () => {
	test.each([
		["A right delivery", []],
		["Parsed and written again", ["body_reserialized"]],
		["A byte order mark", ["bom_added"]],
		["Line ends translated", ["line_ends_changed"]],
		["Still in base64", ["body_in_base64"]],
		["A secret with a blank", ["secret_padded"]],
		["The App Secret", ["request_signing_secret"]],
		["Another environment", ["other_secret"]],
		["Milliseconds", ["timestamp_in_milliseconds"]],
		["A replay", ["delivery_too_old"]],
		["Another vendor’s word", ["other_vendor_prefix"]],
		["A header is missing", ["header_missing"]],
	])("%s", (title, causes) => {
		const input = EXAMPLES.find((example) => example.title === title)?.input;
		const { findings } = explain(input ?? EMPTY_INPUT);
		expect(findings.filter(({ certainty }) => certainty === "certain").map(({ cause }) => cause)).toEqual(
			causes,
		);
	});

	test("are all told here", () => {
		expect(EXAMPLES).toHaveLength(12);
	});
});

describe("what is filled in", () => {
	test("an empty page says that the secret is missing", () => {
		expect(explain(EMPTY_INPUT).findings.map(({ cause }) => cause)).toContain("secret_missing");
	});

	test("a body as base64 or a file keeps its bytes", () => {
		const body = {
			...right.body,
			base64: btoa("a\r\n\xff"),
			file: { name: "f", bytes: Uint8Array.of(1, 2) },
		};
		expect(readBody({ ...body, mode: "base64" })).toEqual({ body: Uint8Array.of(97, 13, 10, 255) });
		expect(readBody({ ...body, mode: "file" })).toEqual({ body: Uint8Array.of(1, 2) });
		expect(readBody({ ...body, mode: "text" })).toEqual({ body: right.body.text });
	});

	test.each(["YQ==", "YQ", " Y\nQ== "])("%j is base64", (base64) => {
		expect(readBody({ ...right.body, mode: "base64", base64 })).toEqual({ body: Uint8Array.of(97) });
	});

	test("what cannot be read is told instead of explained", () => {
		expect(runExplanation({ ...right, body: { ...right.body, mode: "base64", base64: "?" } })).toEqual({
			problem: "This is not base64.",
		});
		expect(runExplanation({ ...right, body: { ...right.body, mode: "file" } })).toEqual({
			problem: "No file was chosen.",
		});
		expect(runExplanation({ ...right, now: "soon" })).toHaveProperty("problem");
	});

	test("the time of the page's machine is taken where none is given", () => {
		expect(explain({ ...right, now: "" }).findings.map(({ cause }) => cause)).toContain("delivery_too_old");
	});

	test("a tolerance that is no number is told by the explanation", () => {
		const causes = explain({ ...right, toleranceSeconds: "five" }).findings.map(({ cause }) => cause);
		expect(causes).toContain("tolerance_unusable");
		expect(explain({ ...right, toleranceSeconds: "" }).isValid).toBe(true);
	});

	test("one of several secrets is enough, and empty fields do not count", () => {
		expect(explain({ ...right, secrets: ["", "another", ...right.secrets] }).isValid).toBe(true);
		expect(explain({ ...right, vendor: " " }).isValid).toBe(true);
	});

	test.each([
		["1767225600", 1767225600000],
		["1767225600123", 1767225600123],
		[" 2026-01-01T00:00:00Z ", 1767225600000],
		["0", 0],
		["soon", undefined],
		["", undefined],
		["99999999999999999999", undefined],
	])("the time %j", (text, ms) => {
		expect(readTime(text)).toBe(ms);
	});
});

describe("the report", () => {
	test("tells what was found and looked at, and nothing of the delivery", () => {
		for (const { input } of EXAMPLES) {
			const report = writeReport(explain(input));
			expect(report).toMatch(/^The delivery is (accepted|refused)/);
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
			"The delivery is refused.\n- likely (unexplained): M. F.\nLooked at: no headers; no bytes of raw body; 3 HMACs.\nS.\n",
		);
	});
});
