import type { ShapeIssue } from "../errors.ts";
import {
	type EventPayloads,
	type Field,
	type FieldType,
	fits,
	PAYLOAD_FIELDS,
	type Payload,
} from "./event-fields.ts";
import { fillNothing } from "./fill-nothing.ts";

/** The fields of a payload that are not as documented. */
export interface FieldProblems {
	/** The first of them: a payload may hold more than anybody reads. */
	readonly issues: readonly ShapeIssue[];
	/** How many there are. */
	readonly issueCount: number;
	/** The names of their fields. */
	readonly names: ReadonlySet<string>;
}

/** The most issues of a payload that are kept. */
const MAX_ISSUES = 20;

/** A payload with what it certainly means. */
export interface CheckedPayload {
	/** The payload; a copy if anything was filled. */
	readonly data: Payload;
	/** The names of the fields that were filled. */
	readonly filled: readonly string[];
	/** What is not as documented, with all that was filled; `undefined` if nothing is. */
	readonly problems: FieldProblems | undefined;
}

/** Checks a payload, once what is certainly nothing is filled. Of a kind that is not known it knows nothing. */
export function checkPayload(kind: keyof EventPayloads | undefined, payload: Payload): CheckedPayload {
	const unfit = kind === undefined ? [] : findUnfit(PAYLOAD_FIELDS[kind], payload);
	if (kind === undefined || unfit.length === 0) return { data: payload, filled: [], problems: undefined };
	const values = fillNothing(kind, payload, unfit);
	const data = { ...payload, ...values };
	return { data, filled: Object.keys(values), problems: describeProblems(findUnfit(unfit, data), data) };
}

function findUnfit(fields: readonly Field[], payload: Payload): readonly Field[] {
	return fields.filter(([name, type]) => !fits(type, payload[name]));
}

function describeProblems(unfit: readonly Field[], payload: Payload): FieldProblems | undefined {
	if (unfit.length === 0) return undefined;
	const issues: ShapeIssue[] = [];
	let issueCount = 0;
	const note = (path: string, value: unknown, type: FieldType): void => {
		if (fits(type, value)) return;
		issueCount++;
		if (issues.length < MAX_ISSUES) issues.push({ path, message: describeMisfit(value, type) });
	};
	for (const [name, type] of unfit) {
		const value = payload[name];
		if (type !== "array of string" || !Array.isArray(value)) note(name, value, type);
		else for (const [at, item] of value.entries()) note(`${name}.${at}`, item, "string");
	}
	return { issues, issueCount, names: new Set(unfit.map(([name]) => name)) };
}

function describeMisfit(value: unknown, type: FieldType): string {
	if (value === undefined) return "is missing";
	if (type === "integer") return "must be an integer within 2^53";
	return `must be ${type.startsWith("a") ? "an" : "a"} ${type}`;
}
