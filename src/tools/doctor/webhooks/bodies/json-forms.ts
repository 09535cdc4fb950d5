import { isJsonObject } from "../../../../library/is-object.ts";
import { canonicalize } from "../../../../library/signing/canonical-json.ts";
import { writeDeliveredJson } from "../../../delivered-json.ts";
import type { Candidate } from "../candidate.ts";
import { bodyBefore, type DecodedBody } from "./raw-body.ts";

/** A value written as JSON in one of the ways that senders write it. */
export interface JsonForm {
	readonly text: string;
	/** The form in words, e.g. "compact JSON". */
	readonly form: string;
}

type Named<Value> = readonly [name: string, value: Value];

const LAYOUTS: readonly Named<(value: unknown) => string>[] = [
	["compact JSON", (value) => JSON.stringify(value)],
	["JSON with a space after each comma and colon", writeSpaced],
	["JSON indented by 2 spaces", (value) => JSON.stringify(value, undefined, 2)],
	["JSON indented by 4 spaces", (value) => JSON.stringify(value, undefined, 4)],
	["JSON indented by tabs", (value) => JSON.stringify(value, undefined, "\t")],
];

/** What other languages escape that JavaScript does not: outside of strings, JSON has none of these characters. */
const ESCAPES: readonly Named<(json: string) => string>[] = [
	["", (json) => json],
	[" with \\u escapes beyond ASCII", escapeBeyondAscii],
	[" with escaped slashes", escapeSlashes],
	[" with escaped slashes and \\u escapes beyond ASCII", (json) => escapeSlashes(escapeBeyondAscii(json))],
	[" with \\u escapes for HTML", (json) => json.replace(/[<>&\u2028\u2029]/g, toEscape)],
	[" with \\u escapes for HTML and beyond ASCII", escapeAsDotNet],
];

/** A body that was parsed and written again in another form. */
export function undoReserialization({ text }: DecodedBody): Candidate<Uint8Array>[] {
	if (text === undefined) return [];
	const value = attempt((): unknown => JSON.parse(text.replace(/^\ufeff/, "")));
	if (value === undefined) return [];
	const message = (form: string) =>
		`The signature matches the payload as ${form}: the body was parsed and written again in another form.`;
	return [
		...(typeof value === "string"
			? [bodyBefore(value, "body_reserialized", message("the content of a JSON string"))]
			: []),
		...listJsonForms(value).map(({ text: written, form }) =>
			bodyBefore(written, "body_reserialized", message(form)),
		),
	];
}

const ENDS: readonly Named<string>[] = [
	["", ""],
	[" and a line feed at the end", "\n"],
];

/** How long a value is as compact JSON; 0 if it cannot be written. */
export function jsonLength(value: unknown): number {
	const json: unknown = attempt(() => JSON.stringify(value));
	return typeof json === "string" ? json.length : 0;
}

/** The forms in which a sender may have written the value, without duplicates and the commonest first. */
export function listJsonForms(value: unknown): JsonForm[] {
	const forms = new Map<string, string>();
	for (const [end, lineEnd] of ENDS) {
		for (const { text: json, form } of listLayouts(value)) {
			for (const [escaping, applyEscapes] of ESCAPES) {
				const text = applyEscapes(json) + lineEnd;
				if (!forms.has(text)) forms.set(text, `${form}${escaping}${end}`);
			}
		}
	}
	return [...listOwnForm(value), ...[...forms].map(([text, form]) => ({ text, form }))];
}

function listOwnForm(value: unknown): JsonForm[] {
	if (!isJsonObject(value)) return [];
	const text = attempt(() => writeDeliveredJson(value));
	return text === undefined ? [] : [{ text, form: "JSON as the local gateway writes it" }];
}

function listLayouts(value: unknown): JsonForm[] {
	const orders: Named<unknown>[] = [
		["", value],
		// A value without a canonical form, such as one with a lone surrogate, is `undefined` here.
		[" with sorted keys", attempt((): unknown => JSON.parse(canonicalize(value)))],
	];
	return orders.flatMap(([order, ordered]) =>
		LAYOUTS.flatMap(([layout, write]) => {
			const text: unknown = attempt(() => write(ordered));
			// A function or a `toJSON` may leave nothing to write.
			return typeof text === "string" ? [{ text, form: `${layout}${order}` }] : [];
		}),
	);
}

/** As Python's json.dumps. JSON strings hold no raw line feed, so each one belongs to the layout. */
function writeSpaced(value: unknown): string {
	return JSON.stringify(value, undefined, 1).replace(/,\n */g, ", ").replace(/\n */g, "");
}

function escapeBeyondAscii(json: string): string {
	return json.replace(/[\u007f-\uffff]/g, toEscape);
}

function escapeSlashes(json: string): string {
	return json.replaceAll("/", "\\/");
}

/** System.Text.Json escapes most of what means something in HTML, with upper-case digits. */
function escapeAsDotNet(json: string): string {
	return json.replace(/\\\\|\\"|[&'<>+`\u007f-\uffff]/g, (found) => {
		if (found === "\\\\") return found;
		const escaped = toEscape(found === '\\"' ? '"' : found);
		return `\\u${escaped.slice(2).toUpperCase()}`;
	});
}

function toEscape(character: string): string {
	return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/** `undefined` if the value cannot be read or written: a cycle, a BigInt, a getter that throws. */
function attempt<Value>(make: () => Value): Value | undefined {
	try {
		return make();
	} catch {
		return undefined;
	}
}
