/** A step of a message. */
export type Step = "sent" | "SMS_FALLBACK" | "delivered" | "read" | "failed" | "reply" | "react";

/** When the steps of a message happen, in milliseconds after its acceptance. */
export interface Delays {
	/** When the message is sent, or fails, or falls back to SMS. @default 20 */
	sentMs?: number | undefined;
	/** When the message is delivered. @default 40 */
	deliveredMs?: number | undefined;
	/** When the message is read. @default 60 */
	readMs?: number | undefined;
	/** When the contact replies or reacts. @default 80 */
	replyMs?: number | undefined;
	/** When the magic number "reads late" reads the message. @default 5_000 */
	readLateMs?: number | undefined;
}

/** A step and the delay before it. */
export type TimedStep = readonly [Step, keyof Delays];

/** A contact's number with a special behaviour. */
export interface MagicNumber {
	/** The number, in E.164. */
	readonly number: string;
	/** A short name. */
	readonly name: string;
	/** The behaviour, in a sentence. */
	readonly behaviour: string;
	/** The steps of a message to it. */
	readonly steps: readonly TimedStep[];
	/** Whether it can use the native messaging network. */
	readonly isNative: boolean;
}

const SENT: TimedStep = ["sent", "sentMs"];
const DELIVERED: TimedStep = ["delivered", "deliveredMs"];
const READ: TimedStep = ["read", "readMs"];

const ORDINARY = { steps: [SENT, DELIVERED, READ], isNative: true } as const;

/** Contacts with a special behaviour. A message to any other number is sent, delivered and read. */
export const MAGIC_NUMBERS = [
	{
		number: "+15550001001",
		name: "always fails",
		behaviour: "A message fails before it is sent, so the same text may be sent again at once.",
		steps: [["failed", "sentMs"]],
		isNative: true,
	},
	{
		number: "+15550001002",
		name: "falls back to SMS",
		behaviour: "A message is sent, falls back to SMS and is delivered; it is never read.",
		steps: [SENT, ["SMS_FALLBACK", "sentMs"], DELIVERED],
		isNative: true,
	},
	{
		number: "+15550001003",
		name: "without the native network",
		behaviour: "Its capability is SMS; a message goes by SMS from the start, and tapbacks are rejected.",
		steps: [["SMS_FALLBACK", "sentMs"], DELIVERED],
		isNative: false,
	},
	{
		number: "+15550001004",
		name: "replies",
		behaviour: "A message is read, and the contact replies with a text.",
		steps: [SENT, DELIVERED, READ, ["reply", "replyMs"]],
		isNative: true,
	},
	{
		number: "+15550001005",
		name: "reacts",
		behaviour: "A message is read, and the contact reacts with love.",
		steps: [SENT, DELIVERED, READ, ["react", "replyMs"]],
		isNative: true,
	},
	{
		number: "+15550001006",
		name: "reads late",
		behaviour: "A message is delivered at once and read much later.",
		steps: [SENT, DELIVERED, ["read", "readLateMs"]],
		isNative: true,
	},
	{
		number: "+15550001007",
		name: "never replies",
		behaviour: "A message is delivered, but not read, and there is no reply.",
		steps: [SENT, DELIVERED],
		isNative: true,
	},
] as const satisfies readonly MagicNumber[];

const BY_NUMBER: ReadonlyMap<string, MagicNumber> = new Map(
	MAGIC_NUMBERS.map((entry) => [entry.number, entry]),
);

/** The behaviour of a chat: that of a magic number in its own chat, otherwise the ordinary one. */
export function behaviourOf(chat: {
	readonly groupId: string | null;
	readonly contacts: readonly string[];
}): {
	readonly steps: readonly TimedStep[];
	readonly isNative: boolean;
} {
	const magic = chat.groupId === null ? BY_NUMBER.get(chat.contacts[0] ?? "") : undefined;
	return magic ?? ORDINARY;
}
