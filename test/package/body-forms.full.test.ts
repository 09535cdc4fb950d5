import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { type NeededCommand, requireCommand } from "../../scripts/needed-commands.ts";
import { BODY_FORMS, type BodyFormName, writeInBodyForm } from "../../src/library/signing/body-forms.ts";
import vectors from "../vectors/body_forms.json" with { type: "json" };

const folder = mkdtempSync(join(tmpdir(), "messaging-gateway-body-forms-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** Bodies as ours are: strings, booleans, integers, and fractions that all languages write alike. */
const field = fc.string({ unit: "binary", maxLength: 30 }).map((text) => text.toWellFormed());
/** Keys of letters: languages sort others differently, and JavaScript lists digits first. */
const name = fc.stringMatching(/^[a-zA-Z_]{1,8}$/).filter((key) => !key.startsWith("__"));
const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
	tree: fc.oneof(
		{ depthSize: "small" },
		field,
		fc.boolean(),
		fc.constant(null),
		fc.integer({ min: Number.MIN_SAFE_INTEGER, max: Number.MAX_SAFE_INTEGER }),
		fc.integer({ min: -999_999, max: 999_999 }).map((number) => number / 1_000),
		fc.array(tie("tree"), { maxLength: 4 }),
		fc.dictionary(name, tie("tree"), { maxKeys: 5, noNullPrototype: true }),
	),
}));
const random = fc.sample(fc.dictionary(name, tree, { maxKeys: 6, noNullPrototype: true }), 300);
const bodies: readonly unknown[] = [...vectors.map(({ body }) => body), ...random];

function writeWith(command: NeededCommand, script: string): Record<BodyFormName, string>[] {
	const path = join(folder, "bodies.json");
	writeFileSync(path, JSON.stringify(bodies));
	const args = command === "python3" ? ["-B", script, path] : [script, path];
	return JSON.parse(execFileSync(requireCommand(command), args, { encoding: "utf8", timeout: 60_000 }));
}

describe.each<[NeededCommand, script: string, forms: readonly BodyFormName[]]>([
	[
		"python3",
		"test/languages/python/body_forms.py",
		["rfc8785", "json", "ascii", "ascii_spaced", "html_escaped", "no_nulls"],
	],
	["php", "test/languages/php/body_forms.php", ["rfc8785", "ascii_slashes", "slashes"]],
])("what %s writes", (command, script, forms) => {
	const written = writeWith(command, script);

	test.each(forms)("is what we write: %s", (form) => {
		expect(written).toHaveLength(bodies.length);
		expect(bodies.map((body) => writeInBodyForm(body, form))).toEqual(written.map((each) => each[form]));
	});
});

test.each(BODY_FORMS)("attachments of megabytes overflow no regular expression: %s", (form) => {
	for (const text of ["x".repeat(5_000_000), '/"'.repeat(2_000_000)]) {
		expect(JSON.parse(writeInBodyForm({ b: 1, a: text }, form))).toEqual({ a: text, b: 1 });
	}
});
