import { isJsonObject } from "../../../../../library/is-object.ts";
import { parseJson } from "../../../../control/parse-json.ts";
import { asObject } from "../../../parts/json-value.ts";

export interface ReadHeaders {
	/** By name as written; an array if the name occurs several times. */
	readonly headers: Readonly<Record<string, string | string[]>>;
	/** The lines that are not headers, numbered from 1. */
	readonly unreadable: readonly { readonly number: number; readonly text: string }[];
}

type HeaderLine = readonly [name: string, value: string];

/** Lines that tools print around headers: request and status lines, and messages of curl. */
const NOISE = [
	/^[A-Z]+ \S+( HTTP\/[\d.]+)?$/,
	/^HTTP\/[\d.]+ \d{3}/,
	/^[*{}]( |$)/,
	/^curl /,
	/^:(method|path|authority|scheme|status):/,
];

/**
 * Parses headers from lines of a log, the output of `curl -v`, `-H` options, or JSON: an object, an array of pairs,
 * Node's `rawHeaders`, or an event with `headers`.
 */
export function readHeaders(pasted: string): ReadHeaders {
	const text = pasted.trim();
	const value = /^[[{]/.test(text) ? parseJson(text) : undefined;
	return value === undefined ? readLines(pasted) : { headers: gather(readJson(value)), unreadable: [] };
}

function readLines(text: string): ReadHeaders {
	const fields: HeaderLine[] = [];
	const unreadable: { number: number; text: string }[] = [];
	for (const [at, line] of text.split(/\r\n|\r|\n/).entries()) {
		// A line that starts with whitespace continues the one before (obsolete line folding of HTTP).
		const last = /^[ \t]+\S/.test(line) && !/^\s*(-H|--header)\b/.test(line) ? fields.at(-1) : undefined;
		const plain = unwrapLine(line);
		if (last !== undefined && readField(plain) === undefined) {
			fields.splice(-1, 1, [last[0], `${last[1]} ${plain}`.trim()]);
			continue;
		}
		if (plain === "" || NOISE.some((noise) => noise.test(plain))) continue;
		const field = readField(plain);
		if (field === undefined) unreadable.push({ number: at + 1, text: plain.slice(0, 40) });
		else fields.push(field);
	}
	return { headers: gather(fields), unreadable };
}

/** Removes curl's prefix of a line, and the shell's quotes around an option. */
function unwrapLine(line: string): string {
	const plain = line.replace(/^\s*[<>] ?/, "").trim();
	const option = /^(?:-H|--header)[ =]?\s*(['"]?)(.*?)\1\s*\\?$/.exec(plain);
	return option?.[2] ?? plain;
}

function readField(line: string): HeaderLine | undefined {
	const [, name, value = ""] = /^([\w!#$%&'*+.^`|~-]+)\s*:\s*(.*)$/.exec(line) ?? [];
	return name === undefined ? undefined : [name, value];
}

function readJson(value: unknown): HeaderLine[] {
	if (Array.isArray(value)) return readList(value);
	if (!isJsonObject(value)) return [];
	const { headers } = value;
	if (typeof headers === "object" && headers !== null) return readJson(headers);
	return Object.entries(value).flatMap(([name, entry]) => toFields(name, entry));
}

function readList(list: readonly unknown[]): HeaderLine[] {
	if (list.every((entry) => typeof entry === "string")) {
		return list.flatMap((name, at) => (at % 2 === 0 ? toFields(name, list[at + 1]) : []));
	}
	return list.flatMap((entry: unknown) => {
		if (Array.isArray(entry)) return toFields(entry[0], entry[1]);
		// The format of browsers and HAR files.
		const { name, value } = asObject(entry);
		return toFields(name, value);
	});
}

function toFields(name: unknown, value: unknown): HeaderLine[] {
	if (typeof name !== "string") return [];
	const values: unknown[] = Array.isArray(value) ? value : [value];
	return values.flatMap((one): HeaderLine[] =>
		typeof one === "string" || typeof one === "number" ? [[name, String(one)]] : [],
	);
}

function gather(fields: readonly HeaderLine[]): Record<string, string | string[]> {
	const byName = Map.groupBy(fields, ([name]) => name);
	return Object.fromEntries(
		Array.from(byName, ([name, [first, ...others]]) => {
			const value = first?.[1] ?? "";
			return [name, others.length === 0 ? value : [value, ...others.map(([, other]) => other)]];
		}),
	);
}

/** What was parsed of pasted headers, in a sentence. */
export function describeHeaders({ headers, unreadable }: ReadHeaders): string {
	const [first] = unreadable;
	if (first !== undefined) return `Line ${first.number} isn't a header: ${first.text}`;
	const count = Object.keys(headers).length;
	return `${count} ${count === 1 ? "header" : "headers"} read.`;
}
