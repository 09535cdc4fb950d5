import type { OperationId } from "../../library/catalogue/index.ts";
import type { WebhookKind } from "../local-gateway/delivery.ts";
import type { RequestFaultChoice, WebhookFaultChoice } from "../local-gateway/fault-kinds.ts";

/** A file that a contact attaches. */
export interface AttachedFile {
	name: string;
	mimeType: string;
	/** The bytes in base64, up to 10 MB before encoding, unless the gateway has other `limits`. */
	data: string;
}

/** A contact writes a message. */
export interface ReplyAction {
	type: "reply";
	/** The contact: a number in E.164, an e-mail address, or a short code. */
	from: string;
	/**
	 * The text, up to 18,996 UTF-16 code units unless the gateway has other `limits`. It may be empty if there are
	 * attachments.
	 */
	text: string;
	/** The agent that the contact writes to. @default the agent of the chat */
	to?: string | undefined;
	/** The group that the contact writes in. */
	groupId?: string | undefined;
	attachments?: readonly AttachedFile[] | undefined;
}

/** A contact reacts to a message. */
export interface ReactAction {
	type: "react";
	/** The contact: a number in E.164, an e-mail address, or a short code. */
	from: string;
	/** The tapback, such as `love`, or an emoji. */
	reaction: string;
	/** The message to react to. @default that of the last message that was sent to it */
	messageGuid?: string | undefined;
	/** Whether the contact reacts, or takes its reaction back. @default "add" */
	action?: "add" | "remove" | undefined;
}

/** A contact reads its chat. */
export interface ReadAction {
	type: "read";
	/** The contact: a number in E.164, an e-mail address, or a short code. */
	from: string;
}

/** Time moves forward. The action resolves when all due tasks have run. */
export interface AdvanceClockAction {
	type: "advance_clock";
	/** How far to move, in milliseconds, up to a year. */
	ms: number;
}

/**
 * A webhook is delivered at once, with the same event id. It is the next attempt of a pending webhook, or one more of a
 * finished one.
 */
export interface RedeliverAction {
	type: "redeliver";
	eventId: string;
	/** A body to send instead of the event's. It is signed again, and the event keeps its own. */
	body?: string | undefined;
}

/**
 * An event from elsewhere, such as one that failed in production, or a sample is delivered. A webhook with its id is
 * delivered again.
 */
export interface DeliverAction {
	type: "deliver";
	eventId: string;
	/** The kind of event, which decides the destination. */
	kind: WebhookKind;
	/** The raw body, which this gateway signs with its secret. @default that of a sample event, to try a receiver */
	body?: string | undefined;
}

/** An agent leaves the network or comes back. */
export interface AgentOnlineAction {
	type: "agent_online";
	agentNumber: string;
	isOnline: boolean;
}

/** Registers webhook URLs. An absent field stays as it is, `null` or an empty string unsets it. */
export interface DestinationsAction {
	type: "destinations";
	inboundWebhookUrl?: string | null | undefined;
	statusWebhookUrl?: string | null | undefined;
}

/** How many times a fault occurs. `"always"` means until it is cleared. @default 1 */
export type FaultTimes = number | "always";

/** Injects a fault into the next requests. */
export interface RequestFaultAction {
	type: "request_fault";
	fault: RequestFaultChoice;
	/** Affects only requests of this operation. */
	operationId?: OperationId | undefined;
	times?: FaultTimes | undefined;
}

/** Injects a fault into the next deliveries. `repeat` needs a number of repeats instead of `"always"`. */
export interface WebhookFaultAction {
	type: "webhook_fault";
	fault: WebhookFaultChoice;
	times?: FaultTimes | undefined;
}

/** Ends all faults. */
export interface ClearFaultsAction {
	type: "clear_faults";
}

/** The rules on sends are turned off, or on again as the options have them. */
export interface RulesAction {
	type: "rules";
	areOn: boolean;
}

/** Does all work that is or will be due. Time moves forward to each next task until nothing is left. */
export interface SettleAction {
	type: "settle";
}

/** Resets everything. The clock returns to the machine's time, unless the gateway was created with a clock. */
export interface ResetAction {
	type: "reset";
}

/** An action on the gateway, beside its API. */
export type Action =
	| ReplyAction
	| ReactAction
	| ReadAction
	| AdvanceClockAction
	| RedeliverAction
	| DeliverAction
	| AgentOnlineAction
	| DestinationsAction
	| RequestFaultAction
	| WebhookFaultAction
	| ClearFaultsAction
	| RulesAction
	| SettleAction
	| ResetAction;
