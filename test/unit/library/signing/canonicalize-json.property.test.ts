import fc from "fast-check";
import { CanonicalJsonError, canonicalize } from "messaging-gateway/signing";
import { expect, test } from "vitest";
import { canonicalizeJson } from "../../../../src/library/signing/canonicalize-json.ts";
import { cases } from "../../../support/cases.ts";

/** A number below `options`, chosen by fast-check. */
type Choose = (options: number) => number;

const choices = fc.infiniteStream(fc.nat()).map(
	(stream): Choose =>
		(options) =>
			Number(stream.next().value) % options,
);

/** Any JSON value, with any well-formed strings and keys. */
const json = fc.jsonValue({ stringUnit: "binary" });

/** An object with so many keys that they are ranked before they are compared. */
const wideObject = fc
	.uniqueArray(
		fc.string({ unit: fc.constantFrom("a", "B", "é", "\u0000", "\ud7ff", "\uffff", "😂"), maxLength: 8 }),
		{ minLength: 64, maxLength: 200 },
	)
	.map((keys) => Object.fromEntries(keys.map((key, at) => [key, at])));

/** JSON of a value with other whitespace, escapes, digits and order of keys, and with keys that are replaced later. */
function spell(value: unknown, choose: Choose): string {
	const blank = () => ["", "", " ", "\t\n", "\r"][choose(5)] ?? "";
	return `${blank()}${spellToken(value, choose) || blank()}${blank()}`;
}

function spellToken(value: unknown, choose: Choose): string {
	if (typeof value === "string") return spellString(value, choose);
	if (typeof value === "number") return spellNumber(value, choose);
	if (typeof value !== "object" || value === null) return String(value);
	if (Array.isArray(value)) return `[${value.map((item) => spell(item, choose)).join(",")}]`;
	const entries = Object.entries(value);
	const first = choose(entries.length + 1);
	const members = [...entries.slice(first), ...entries.slice(0, first)].flatMap(([key, member]) => {
		const written = `${spell(key, choose)}:${spell(member, choose)}`;
		return choose(8) === 0 ? [`${spell(key, choose)}:[{}]`, written] : [written];
	});
	return `{${members.join(",")}}`;
}

function spellString(value: string, choose: Choose): string {
	const content = [...value].map((character) => {
		if (choose(3) > 0) return JSON.stringify(character).slice(1, -1);
		const units = Array.from({ length: character.length }, (_, at) => character.charCodeAt(at));
		const hex = units.map((unit) => unit.toString(16).padStart(4, "0"));
		return hex.map((digits) => `\\u${choose(2) === 0 ? digits : digits.toUpperCase()}`).join("");
	});
	return `"${content.join("")}"`;
}

function spellNumber(value: number, choose: Choose): string {
	const exponential = value.toExponential();
	return [String(value), exponential, exponential.toUpperCase(), value.toPrecision(17)][choose(4)] ?? "";
}

test("JSON of any spelling gets the canonical form of its value", () => {
	fc.assert(
		fc.property(fc.oneof(json, wideObject), choices, (value, choose) => {
			const written = canonicalizeJson(Buffer.from(spell(value, choose)));
			expect(Buffer.from(written).toString()).toBe(canonicalize(value));
		}),
		{ numRuns: cases(1_000) },
	);
});

test("exactly what JSON.parse rejects is not JSON", () => {
	const characters = fc.constantFrom(...'{}[]:,"\\0123456789.eE+-truefalsn u\t\u0000\u001f😂');
	const edit = fc.record({ at: fc.nat(), remove: fc.nat({ max: 2 }), add: fc.string({ unit: characters }) });
	fc.assert(
		fc.property(json, fc.array(edit, { maxLength: 3 }), (value, edits) => {
			const edited = edits.reduce((text, { at, remove, add }) => {
				const start = at % (text.length + 1);
				return `${text.slice(0, start)}${add}${text.slice(start + remove)}`;
			}, JSON.stringify(value));
			// Half of a pair has no UTF-8.
			const text = edited.toWellFormed();
			expect(isJson(text, JSON.parse)).toBe(
				isJson(text, (string) => {
					try {
						canonicalizeJson(Buffer.from(string));
					} catch (error) {
						if (error instanceof CanonicalJsonError && error.code === "not_json") throw error;
					}
				}),
			);
		}),
		{ numRuns: cases(1_000) },
	);
});

function isJson(text: string, read: (text: string) => unknown): boolean {
	try {
		read(text);
		return true;
	} catch {
		return false;
	}
}
