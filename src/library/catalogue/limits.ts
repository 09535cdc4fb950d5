import type { ShapeIssue } from "../errors.ts";

/** The most that your gateway accepts in one request. */
export interface Limits {
	/** The longest text, in UTF-16 code units. @default 18_996 */
	textLength: number;
	/** The most attachments one message may have. @default 10 */
	attachments: number;
	/** The largest attachment sent in the request, in bytes before base64. @default 10_000_000 */
	attachmentBytes: number;
	/** The most contacts in a new group. @default 32 */
	participants: number;
	/** The longest time a typing indicator shows, in milliseconds. @default 300_000 */
	typingMs: number;
	/** The most items on one page. @default 100 */
	pageSize: number;
	/**
	 * The longest id, name or other short string, in UTF-16 code units. URLs and cursors have no limit.
	 * @default 1_024
	 */
	stringLength: number;
}

/** The local gateway's limits, which are assumptions. The client checks only those that its profile sets. */
export const ASSUMED_LIMITS: Readonly<Limits> = {
	textLength: 18_996,
	attachments: 10,
	attachmentBytes: 10_000_000,
	participants: 32,
	typingMs: 300_000,
	pageSize: 100,
	stringLength: 1_024,
};

/** The limit of a field, and the unit in messages. */
interface FieldLimit {
	readonly limit: keyof Limits;
	readonly unit: string;
}

const OTHER_STRINGS: FieldLimit = { limit: "stringLength", unit: " UTF-16 code units" };

/** Fields of inputs with a limit of their own. */
const LIMITED_FIELDS = new Map<string, FieldLimit>([
	["text", { limit: "textLength", unit: " UTF-16 code units" }],
	["attachments", { limit: "attachments", unit: " items" }],
	["participants", { limit: "participants", unit: " items" }],
	["durationMs", { limit: "typingMs", unit: "" }],
	["limit", { limit: "pageSize", unit: "" }],
]);

/** URLs and cursors, under our names and those of the wire. Their length is not the caller's choice. */
const UNLIMITED_STRINGS = /^(cursor|status_?callback|\w*url)$/i;

/** Which limit applies to a field of an input, by its name and the type of its value. */
export function limitOf(field: string, type: string): FieldLimit | undefined {
	const isShortString = type === "string" && !UNLIMITED_STRINGS.test(field);
	return LIMITED_FIELDS.get(field) ?? (isShortString ? OTHER_STRINGS : undefined);
}

/** The fields of an input that exceed the limits; the sizes of attachments are checked where they are read. */
export function findExcesses(
	input: Readonly<Record<string, unknown>>,
	limits: Partial<Limits>,
): ShapeIssue[] {
	return Object.entries(input).flatMap(([path, value]) => {
		const { limit, unit = "" } = limitOf(path, typeof value) ?? {};
		const most = limit && limits[limit];
		const size = typeof value === "string" || Array.isArray(value) ? value.length : Number(value);
		return most !== undefined && size > most ? [{ path, message: `must be at most ${most}${unit}` }] : [];
	});
}
