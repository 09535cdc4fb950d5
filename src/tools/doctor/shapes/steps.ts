import { OPERATIONS, type OperationId } from "../../../library/catalogue/index.ts";
import { isJsonObject } from "../../../library/is-object.ts";

/** What the steps know: what the user named, and what earlier responses showed. */
export interface StepContext {
	/** The contact, if the user named one. */
	readonly to: string | undefined;
	/** The text to send. */
	readonly text: string;
	/** Whether the gateway accepted the text. */
	isTextAccepted?: boolean;
	agentNumber?: string | undefined;
	messageId?: string | undefined;
	messageGuid?: string | undefined;
}

/** What a call shows. */
export interface Learned {
	readonly isSuccess: boolean;
	/** The data under our names, as far as it was found. */
	readonly data: unknown;
}

/** One call to make. */
export interface PlannedCall {
	readonly operation: OperationId;
	/** What distinguishes it from the operation's other step. */
	readonly detail?: string;
	/** Whether the contact sees it. */
	readonly isSend: boolean;
	/** Whether it repeats an earlier send. */
	readonly isRepeated?: boolean;
	/** The input, or what it needs that is not known. */
	readonly input: (context: StepContext) => Readonly<Record<string, unknown>> | string;
	/** Notes what later steps need. */
	readonly learn?: (response: Learned, context: StepContext) => void;
	/** Whether the call is made again a little later, e.g. because a message is not sent yet. */
	readonly isTooEarly?: (context: StepContext) => boolean;
}

/** A number reserved for fiction, in an area code that does not exist. */
const NOBODY = "+15555550100";

const NEEDS_TO = "needs --to";
const NEEDS_AGENT = "needs an agent, and no response named one";
const NEEDS_TEXT = "needs an accepted text, and none was accepted";
const NEEDS_ID = "needs the messageId of an accepted text, and no response named one";
const NEEDS_GUID = "needs the messageGuid of a sent message, and no response named one";

/** Every call; each comes after those whose responses it needs. */
export const STEPS: readonly PlannedCall[] = [
	read("health.check", () => ({})),
	{
		...read("agents.list", () => ({})),
		learn: ({ data }, context) => learn(context, "agentNumber", data, "agents"),
	},
	read("mappings.list", () => ({})),
	read("settings.getWebhooks", () => ({})),
	read("messages.checkCapability", ({ to }) => (to === undefined ? NEEDS_TO : { toNumber: to })),
	read("queue.getStatus", () => ({})),
	{
		...send("messages.sendText", (to, { text }) => ({ to, text })),
		learn: (response, context) => {
			context.isTextAccepted = response.isSuccess;
			learnMessage(response, context);
		},
	},
	{
		...read("messages.get", ({ to, messageId, isTextAccepted }) =>
			messageId === undefined ? whyNoId(to, isTextAccepted) : { messageId },
		),
		learn: learnMessage,
		isTooEarly: ({ messageGuid }) => messageGuid === undefined,
	},
	{
		...read("mappings.get", ({ to = NOBODY }) => ({ toNumber: to })),
		learn: ({ data }, context) => learn(context, "agentNumber", data, "mapping"),
	},
	{
		...send("messages.sendText", (to, { text, isTextAccepted }) =>
			isTextAccepted ? { to, text } : NEEDS_TEXT,
		),
		detail: "the same text again",
		isRepeated: true,
	},
	send("messages.sendAttachments", (to) => ({
		to,
		attachments: [{ data: PICTURE, name: "dot.png", mimeType: "image/png" }],
	})),
	send("messages.sendVoiceNote", (to) => ({
		to,
		attachment: { data: SILENCE, name: "silence.wav", mimeType: "audio/wav" },
	})),
	{ ...send("messages.typing", (to) => ({ to, state: "start" })), detail: "start" },
	{ ...send("messages.typing", (to) => ({ to, state: "stop" })), detail: "stop" },
	send("messages.markRead", (to) => ({ to })),
	tapback("add"),
	tapback("remove"),
	read("agents.get", ({ agentNumber }) => (agentNumber === undefined ? NEEDS_AGENT : { agentNumber })),
	read("analytics.listMessages", ({ to }) => (to === undefined ? NEEDS_TO : { toNumber: to })),
	read("analytics.listContacts", () => ({})),
	read("analytics.getNumberStats", ({ agentNumber }) =>
		agentNumber === undefined ? NEEDS_AGENT : { number: agentNumber },
	),
];

/** Operations that change the account; they are never called. */
export const UNTRIED: readonly OperationId[] = OPERATIONS.map(({ id }) => id).filter(
	(id) => !STEPS.some(({ operation }) => operation === id),
);

function read(operation: OperationId, input: PlannedCall["input"]): PlannedCall {
	return { operation, isSend: false, input };
}

function send(
	operation: OperationId,
	input: (to: string, context: StepContext) => ReturnType<PlannedCall["input"]>,
): PlannedCall {
	const inputOf: PlannedCall["input"] = (context) =>
		context.to === undefined ? NEEDS_TO : input(context.to, context);
	return { operation, isSend: true, input: inputOf };
}

function tapback(action: "add" | "remove"): PlannedCall {
	const step = send("messages.tapback", (_to, { messageGuid }) =>
		messageGuid === undefined ? NEEDS_GUID : { messageGuid, action, reaction: "like" },
	);
	return { ...step, detail: action };
}

function whyNoId(to: string | undefined, isTextAccepted = false): string {
	if (to === undefined) return NEEDS_TO;
	return isTextAccepted ? NEEDS_ID : NEEDS_TEXT;
}

function learnMessage({ data }: Learned, context: StepContext): void {
	learn(context, "messageId", data, "message");
	learn(context, "messageGuid", data, "message");
}

/** Notes a field of `data[name]`, or of its first item. */
function learn(
	context: StepContext,
	field: "agentNumber" | "messageId" | "messageGuid",
	data: unknown,
	name: string,
): void {
	const found = isJsonObject(data) ? data[name] : undefined;
	const item: unknown = Array.isArray(found) ? found[0] : found;
	const value = isJsonObject(item) ? item[field] : undefined;
	if ((typeof value === "string" && value !== "") || typeof value === "number")
		context[field] ??= String(value);
}

/** One transparent pixel, as PNG in base64. */
const PICTURE =
	"iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";

/** A tenth of a second of silence, as WAV in base64: 8-bit samples in mono, 8,000 a second, of which "gICA" are three. */
const SILENCE = `UklGRkYDAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YSIDAACA${"gICA".repeat(267)}`;
