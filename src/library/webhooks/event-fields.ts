import type { InboundMessage, InboundReaction, StatusUpdate } from "../catalogue/events.ts";
import type { ShapeIssue } from "../errors.ts";
import { fillNothing } from "./fill-nothing.ts";

/** The payload of each kind of event. */
export interface EventPayloads {
	inbound_message: InboundMessage;
	inbound_reaction: InboundReaction;
	status: StatusUpdate;
}

/** A payload that was parsed from JSON. */
export type Payload = Record<string, unknown>;

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

/** What a field holds: its type in the specification's tables, or anything that is there. */
type FieldType =
	| "string"
	| "string or null"
	| "boolean"
	| "integer"
	| "array"
	| "array of string"
	| "anything";

/** A field that the specification's tables list. */
export type Field = readonly [name: string, type: FieldType];

const shared = {
	messageId: "string",
	from: "string",
	to: "string",
	outbound: "boolean",
	nativeMessageNumber: "string",
	participants: "array of string",
	chatGuid: "string",
	groupId: "string or null",
	messageGuid: "string",
	timestamp_ms: "integer",
} as const;

/**
 * What each payload must hold: the schemas of `catalogue/events.ts` as a table, which spares every receiver the code of a
 * schema library. A test holds the two together. The field by which a kind is recognized has been checked by then.
 */
const FIELDS: {
	readonly [Kind in keyof EventPayloads]: Readonly<
		Record<Exclude<keyof EventPayloads[Kind], "type">, FieldType>
	>;
} = {
	inbound_message: { ...shared, text: "string", attachments: "array", accountId: "string" },
	inbound_reaction: {
		...shared,
		originalMessageGuid: "string",
		originalText: "string",
		reaction: "string",
		accountId: "string",
	},
	status: {
		...shared,
		status: "string",
		text: "string",
		attachments: "array",
		status_callback: "string or null",
		error: "anything",
	},
};

/** As pairs, since every event goes through them. */
const PAIRS: { readonly [Kind in keyof EventPayloads]: readonly Field[] } = {
	inbound_message: /* @__PURE__ */ Object.entries(FIELDS.inbound_message),
	inbound_reaction: /* @__PURE__ */ Object.entries(FIELDS.inbound_reaction),
	status: /* @__PURE__ */ Object.entries(FIELDS.status),
};

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
	const unfit = kind === undefined ? [] : findUnfit(PAIRS[kind], payload);
	if (kind === undefined || unfit.length === 0) return { data: payload, filled: [], problems: undefined };
	const values = fillNothing(kind, payload, unfit);
	const data = { ...payload, ...values };
	return { data, filled: Object.keys(values), problems: describeProblems(findUnfit(unfit, data), data) };
}

function findUnfit(fields: readonly Field[], payload: Payload): readonly Field[] {
	return fields.filter(([name, type]) => !fits(type, payload[name]));
}

function fits(type: FieldType, value: unknown): boolean {
	switch (type) {
		case "string or null":
			return value === null || typeof value === "string";
		case "integer":
			return Number.isSafeInteger(value);
		case "array":
			return Array.isArray(value);
		case "array of string":
			return Array.isArray(value) && value.every((item) => typeof item === "string");
		case "anything":
			return value !== undefined;
		default:
			return typeof value === type;
	}
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
