import type { OperationId } from "../../../library/catalogue/index.ts";
import { itemsOf } from "../plan/plausible.ts";

/** What the steps know: what the user named, and what earlier responses showed. */
export interface StepContext {
	/** The contact who gets messages, if the user named one. */
	readonly to: string | undefined;
	/** A contact to ask for, if the user named one. */
	readonly probeNumber: string | undefined;
	/** The text to send. */
	readonly text: string;
	agentNumber?: string | undefined;
	/** A contact whom the gateway knows. */
	userNumber?: string | undefined;
	/** Any message that the gateway has. */
	messageId?: string | undefined;
	/** The text that was sent. */
	sentId?: string | undefined;
	sentGuid?: string | undefined;
	/** Whether the gateway showed another number than the one that a message was sent to. */
	isMisled?: boolean;
}

/** One call to make. */
export interface TrialStep {
	readonly operation: OperationId;
	/** What distinguishes it from the operation's other step. */
	readonly detail?: string;
	/** Whether the contact sees it. */
	readonly isSend: boolean;
	/** The input, or why there is none. */
	readonly input: (context: StepContext) => Readonly<Record<string, unknown>> | string;
}

/** A number reserved for fiction, in an area code that does not exist. */
const NOBODY = "+15555550100";

const NO_CONTACT = "the gateway named no contact; --probe-number names one";
const NO_AGENT = "the gateway named no agent";
const NO_MESSAGE = "the gateway named no message";

/** Every call that only reads; each comes after those whose responses it needs. */
export const READ_STEPS: readonly TrialStep[] = [
	read("health.check", () => ({})),
	read("agents.list", () => ({})),
	read("mappings.list", () => ({})),
	read("analytics.listContacts", () => ({})),
	read("settings.getWebhooks", () => ({})),
	read("queue.getStatus", () => ({})),
	read("mappings.get", (context) => ({ toNumber: contactOf(context) ?? NOBODY })),
	read("agents.get", ({ agentNumber }) => (agentNumber === undefined ? NO_AGENT : { agentNumber })),
	read("analytics.getNumberStats", ({ agentNumber }) =>
		agentNumber === undefined ? NO_AGENT : { number: agentNumber },
	),
	read("analytics.listMessages", (context) => {
		const toNumber = contactOf(context);
		return toNumber === undefined ? NO_CONTACT : { toNumber };
	}),
	// It may ask the network, so only for a contact whom the user named.
	read("messages.checkCapability", ({ to, probeNumber = to }) =>
		probeNumber === undefined ? "--probe-number names the contact to ask for" : { toNumber: probeNumber },
	),
	read("messages.get", ({ sentId, messageId = sentId }) =>
		messageId === undefined ? NO_MESSAGE : { messageId },
	),
];

/** What the contact gets, after the user agreed. */
export const SEND_STEPS: readonly TrialStep[] = [
	send("messages.sendText", ({ to, text }) => ({ to, text })),
	{ ...send("messages.sendText", ({ to, text }) => ({ to, text })), detail: "the same again" },
	send("messages.sendAttachments", ({ to, text }) => ({
		to,
		text: `${text}, with a picture`,
		attachments: [{ data: PICTURE, name: "dot.png", mimeType: "image/png" }],
	})),
	send("messages.sendVoiceNote", ({ to }) => ({
		to,
		attachment: { data: SILENCE, name: "silence.wav", mimeType: "audio/wav" },
	})),
	tapback("add"),
	tapback("remove"),
	{ ...send("messages.typing", ({ to }) => ({ to, state: "start" })), detail: "start" },
	{ ...send("messages.typing", ({ to }) => ({ to, state: "stop" })), detail: "stop" },
	send("messages.markRead", ({ to }) => ({ to })),
];

/** The messageGuid in the list of what would be sent. */
export const GUID_OF_TEXT = "<of the text>";

function read(operation: OperationId, input: TrialStep["input"]): TrialStep {
	return { operation, isSend: false, input };
}

function send(operation: OperationId, input: TrialStep["input"]): TrialStep {
	return { operation, isSend: true, input };
}

function tapback(action: "add" | "remove"): TrialStep {
	const step = send("messages.tapback", ({ sentGuid }) =>
		sentGuid === undefined
			? "no response named the messageGuid of the text"
			: { messageGuid: sentGuid, action, reaction: "like" },
	);
	return { ...step, detail: action };
}

function contactOf({ to, probeNumber, userNumber }: StepContext): string | undefined {
	return to ?? probeNumber ?? userNumber;
}

/** Notes what later steps need from the data of a call. */
export function learn(
	context: StepContext,
	{ id, pageItems }: { readonly id: OperationId; readonly pageItems?: string | undefined },
	data: unknown,
): void {
	const item = itemsOf(id, pageItems, data)[0] ?? {};
	const textAt = (name: string): string | undefined => {
		const value = item[name];
		return typeof value === "string" && value !== "" ? value : undefined;
	};
	if (id.startsWith("messages.") || id === "analytics.listMessages") {
		context.messageId ??= textAt("messageId");
		return;
	}
	context.agentNumber ??= textAt("agentNumber");
	context.userNumber ??= textAt("userNumber");
}

/** One transparent pixel, as PNG in base64. */
const PICTURE =
	"iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";

/** A tenth of a second of silence, as WAV in base64: 8-bit samples in mono, 8,000 a second, of which "gICA" are three. */
const SILENCE = `UklGRkYDAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YSIDAACA${"gICA".repeat(267)}`;
