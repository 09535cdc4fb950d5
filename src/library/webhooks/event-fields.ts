import type { InboundMessage, InboundReaction, StatusUpdate } from "../catalogue/events.ts";
import type { ShapeIssue } from "../errors.ts";

/** The payload of each kind of event. */
export interface EventPayloads {
	inbound_message: InboundMessage;
	inbound_reaction: InboundReaction;
	status: StatusUpdate;
}

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

/** Says what a value must be, or nothing if it is. */
type Check = (value: unknown) => string | undefined;

/** Checks a value, or a list and each of its items. */
type Field = Check | { readonly items: Check };

const string: Check = (value) => (typeof value === "string" ? undefined : "must be a string");
const stringOrNull: Check = (value) => (value === null ? undefined : string(value));
const boolean: Check = (value) => (typeof value === "boolean" ? undefined : "must be a boolean");
const integer: Check = (value) => {
	if (Number.isSafeInteger(value)) return undefined;
	if (typeof value !== "number" || !Number.isFinite(value)) return "must be a number";
	if (!Number.isInteger(value)) return "must be an integer";
	return value > 0
		? `must be at most ${Number.MAX_SAFE_INTEGER}`
		: `must be at least ${Number.MIN_SAFE_INTEGER}`;
};
const list: Check = (value) => (Array.isArray(value) ? undefined : "must be an array");
const anything: Check = () => undefined;

const shared = {
	messageId: string,
	from: string,
	to: string,
	outbound: boolean,
	nativeMessageNumber: string,
	participants: { items: string },
	chatGuid: string,
	groupId: stringOrNull,
	messageGuid: string,
	timestamp_ms: integer,
};

/**
 * What each payload must hold: the schemas of `catalogue/events.ts` as plain functions, which spare every receiver the
 * code of a schema library. A test holds the two together. The field by which a kind is recognized has been checked by
 * then.
 */
const FIELDS: {
	readonly [Kind in keyof EventPayloads]: Readonly<Record<Exclude<keyof EventPayloads[Kind], "type">, Field>>;
} = {
	inbound_message: { ...shared, text: string, attachments: list, accountId: string },
	inbound_reaction: {
		...shared,
		originalMessageGuid: string,
		originalText: string,
		reaction: string,
		accountId: string,
	},
	status: {
		...shared,
		status: string,
		text: string,
		attachments: list,
		status_callback: stringOrNull,
		error: anything,
	},
};

/** As pairs, since every event goes through them. */
const PAIRS = {
	inbound_message: /* @__PURE__ */ Object.entries(FIELDS.inbound_message),
	inbound_reaction: /* @__PURE__ */ Object.entries(FIELDS.inbound_reaction),
	status: /* @__PURE__ */ Object.entries(FIELDS.status),
};

/** Finds what is not as documented in a payload, which was parsed from JSON; `undefined` if nothing is. */
export function findFieldProblems(
	kind: keyof EventPayloads,
	payload: Readonly<Record<string, unknown>>,
): FieldProblems | undefined {
	const unfit = PAIRS[kind].filter(([name, field]) => !fits(field, payload[name]));
	return unfit.length === 0 ? undefined : describeProblems(unfit, payload);
}

function fits(field: Field, value: unknown): boolean {
	if (typeof field === "function") return value !== undefined && field(value) === undefined;
	return Array.isArray(value) && value.every((item) => field.items(item) === undefined);
}

function describeProblems(
	unfit: readonly (readonly [name: string, field: Field])[],
	payload: Readonly<Record<string, unknown>>,
): FieldProblems {
	const issues: ShapeIssue[] = [];
	let issueCount = 0;
	const note = (path: string, message: string | undefined): void => {
		if (message === undefined) return;
		issueCount++;
		if (issues.length < MAX_ISSUES) issues.push({ path, message });
	};
	for (const [name, field] of unfit) {
		const value = payload[name];
		if (typeof field === "function") note(name, field(value) ?? "is required");
		else if (!Array.isArray(value)) note(name, list(value));
		else for (const [at, item] of value.entries()) note(`${name}.${at}`, field.items(item));
	}
	return { issues, issueCount, names: new Set(unfit.map(([name]) => name)) };
}
