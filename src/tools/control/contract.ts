import type { Agent } from "../../library/catalogue/agents.ts";
import type { OperationId } from "../../library/catalogue/index.ts";
import type { Limits } from "../../library/catalogue/limits.ts";
import type { Mapping } from "../../library/catalogue/mappings.ts";
import type { Message } from "../../library/catalogue/message.ts";
import type { SignatureCheck } from "../local-gateway/check-signature.ts";
import type { RecordedAttempt, RecordedDelivery } from "../local-gateway/delivery.ts";
import type { SignatureResult } from "../local-gateway/traffic.ts";
import type { DeliveryCause, RequestCause } from "./diagnosis/causes.ts";
import type { Remedy } from "./diagnosis/remedy.ts";

/**
 * The version of this contract, in the header of every response. It changes when a client of the old one could
 * misread the new one; what is added, such as a field, an action or a route, does not change it.
 */
export const CONTROL_VERSION = "1";
export const CONTROL_VERSION_HEADER = "Messaging-Gateway-Control";

/* The types that the console and the control routes share. All routes need `Authorization: Bearer <token>`. */

/** The credentials of a client of the gateway. */
export interface ClientCredentials {
	readonly appId: string;
	readonly appSecret: string;
}

/** The secrets that an application shares with the gateway. */
export interface SharedSecrets extends ClientCredentials {
	/** The secret that signs the webhooks. */
	readonly webhookSecret: string;
}

/** A tapback on a message. */
export interface TapbackView {
	/** The contact or agent that reacted. */
	readonly by: string;
	readonly reaction: string;
	/** The part of the message, if given. */
	readonly partIndex?: number;
}

/** A message, with the events of its chat. An item of `attachments` has a string `id` while its bytes are kept. */
export interface MessageView extends Message {
	/** The place of the message in the order of all events. */
	readonly sequence: number;
	/** The conversation's key: a contact's handle or a group's id. */
	readonly conversationKey: string;
	readonly kind: "text" | "attachments" | "voice";
	/** The tapbacks on the message, the agent's and the contacts'. */
	readonly tapbacks: readonly TapbackView[];
	/** The effect that the message arrives with. */
	readonly effect?: string;
	/** The `messageGuid` of the message that this one replies to. */
	readonly replyToGuid?: string;
}

/** A duplicate window that is open. */
export interface WindowView {
	/** The message that opened it. */
	readonly messageId: string;
	/** For whom the same message is blocked: the same contact, the agent's other contacts, or everybody. */
	readonly scope: "contact" | "agent" | "account";
	/** In Unix milliseconds of the gateway's time. */
	readonly endsAt: number;
}

/** A conversation, without its messages. */
export interface ConversationView {
	/** A contact's handle or a group's id. */
	readonly key: string;
	readonly groupId: string | null;
	/** The name that a send gave the group last. */
	readonly groupName?: string;
	readonly contacts: readonly string[];
	readonly agentNumber: string;
	readonly counters: Omit<Mapping, "agentNumber" | "userNumber" | "duplicate">;
	/** The windows that its messages opened. No change is reported when one expires: see `endsAt`. */
	readonly windows: readonly WindowView[];
	/** The behaviour of a magic number; absent for an ordinary contact. */
	readonly behaviour?: string;
	/**
	 * When the agent stops typing, in the gateway's time; `null` when it is not typing, and
	 * `Number.MAX_SAFE_INTEGER` when only a stop or a message ends it.
	 */
	readonly typingUntil: number | null;
	/** The agent's last read receipt: inbound messages up to this `sequence` are read. */
	readonly readUpTo: { readonly sequence: number; readonly at: number } | null;
	readonly lastMessageAt: number | null;
	/** How many of its messages are kept. */
	readonly messageCount: number;
	/** How many of its kept messages and requests failed, and of its webhooks are failing. */
	readonly failedCount: number;
	/** The last of its kept messages. */
	readonly lastMessage: MessagePreview | null;
}

/** What a list shows of a message: its text is cut after 200 characters. */
export type MessagePreview = Pick<
	MessageView,
	"sequence" | "text" | "attachments" | "kind" | "outbound" | "status" | "timestamp_ms"
>;

/**
 * Says why something failed, and how to fix it. It names no secret, no contact and no text. Only `remedies` may name
 * contacts.
 */
export interface FailureDiagnosis {
	/** A stable code for programs. */
	readonly cause: DeliveryCause | RequestCause;
	/** The problem, in a sentence. */
	readonly reason: string;
	/** How to fix it, in a sentence. */
	readonly fix: string;
	/** The commands or actions that fix it, if there are any. */
	readonly remedies: readonly Remedy[];
}

/** One attempt at a delivery, as it was sent. */
export interface AttemptView extends RecordedAttempt {
	/** Why the attempt failed, or which problem it has although it was acknowledged. */
	readonly diagnosis?: FailureDiagnosis;
	readonly headers: Readonly<Record<string, string>>;
	/** The body that was sent, if you edited it, or a fault changed it. */
	readonly sentBody?: string;
	/** Whether you edited the sent body. */
	readonly isEdited?: boolean;
	/** The result of this package's verification of the delivery. */
	readonly check?: SignatureCheck;
	/** The receiver's response, bounded and without secrets. It is absent if there was none. */
	readonly response?: ReceiverResponseView;
	/** The time until the end of the response, or until the attempt failed, in milliseconds. */
	readonly durationMs?: number;
}

/** A receiver's response, beside the status. */
export interface ReceiverResponseView {
	readonly headers: Readonly<Record<string, string>>;
	/** The start of the body. It is empty if the body isn't text. */
	readonly body: string;
	/** Why `body` isn't the whole body. */
	readonly bodyNote?: string;
}

/** A webhook and the state of its delivery. */
export interface DeliveryView extends Omit<RecordedDelivery, "attempts" | "state"> {
	/** The state of the delivery. It is `"kept"` while there is no URL to deliver it to; then `url` is empty. */
	readonly state: RecordedDelivery["state"] | "kept";
	/** The place of the webhook in the order of all events. */
	readonly sequence: number;
	readonly attempts: readonly AttemptView[];
	/** The id of its message. For a reaction, it is the id in the payload. */
	readonly messageId: string;
	readonly conversationKey: string;
	readonly createdAt: number;
	/** When the next attempt is due, in Unix milliseconds of the gateway's time. It is absent while none waits. */
	readonly nextAttemptAt?: number;
	/** Why it isn't delivered: the diagnosis of the last attempt, or of a webhook without a URL. */
	readonly diagnosis?: FailureDiagnosis;
}

/** A finished request of your application. */
export interface RequestView {
	/** The id of the request, unique to its response. */
	readonly requestId: string;
	/** The place of the request's end in the order of all events. */
	readonly sequence: number;
	/** When it arrived, in Unix milliseconds of the gateway's time. */
	readonly at: number;
	readonly method: string;
	/** The path, without the query. */
	readonly path: string;
	/** The operation. It is absent if none has this path and method. */
	readonly operationId?: OperationId;
	/** The HTTP status. It is absent if a fault broke the connection. */
	readonly status?: number;
	/** The time until the response was ready, in milliseconds. */
	readonly durationMs: number;
	/** Why it was rejected, if the response has the documented error envelope. */
	readonly error?: RequestErrorView;
	/** The conversation of the request: a contact's handle or a group's id. */
	readonly conversationKey?: string;
	/** Why the request failed. */
	readonly diagnosis?: FailureDiagnosis;
	/** Marks a request of the doctor, which may be wrong on purpose. */
	readonly probe?: true;
}

/** A request with its headers and bodies. */
export interface RequestDetails extends RequestView {
	/** The query with its question mark, or an empty string. */
	readonly query: string;
	/** The headers, with lower-case names. `authorization` is masked. */
	readonly headers: Readonly<Record<string, string>>;
	/** The body. It is empty if there was none. */
	readonly body: string;
	/** The body of the response. It is `null` if there was none. */
	readonly responseBody: string | null;
	/** The result of the signature check. It is absent if the signature wasn't checked. */
	readonly signature?: SignatureResult;
}

/** Selects items of a list. All filters apply together. */
export interface PageQuery {
	/** Selects only items before this `sequence`. */
	before?: number | undefined;
	/** Selects only items after this `sequence`, and the oldest of them instead of the newest. */
	after?: number | undefined;
	/** The most items to return, up to 500. @default 100 */
	limit?: number | undefined;
	/** Selects only items of this conversation. */
	conversation?: string | undefined;
	/** Selects only messages or deliveries of this kind. */
	kind?: string | undefined;
	/** Selects only failed messages, rejected requests, and deliveries with a failed attempt. */
	failed?: boolean | undefined;
	/** Selects only requests of the doctor, or with `false` only the others. */
	probe?: boolean | undefined;
	/** Selects only items with this in a text, a number, an id or a body, in upper or lower case. */
	search?: string | undefined;
}

/** Consecutive items of a query, the oldest first. */
export interface Page<Item> {
	readonly items: readonly Item[];
	/** How many older items match the query without its `before` and `after`. */
	readonly older: number;
	/** How many newer items match the query. */
	readonly newer: number;
}

/** The error of a rejected request. */
export interface RequestErrorView {
	readonly code: string;
	readonly message: string;
	/** The invalid fields. */
	readonly fields: readonly string[];
}

/** The gateway's time. */
export interface GatewayTime {
	/** In Unix milliseconds. */
	readonly now: number;
	/** How far it is ahead of the machine's. */
	readonly offsetMs: number;
}

/** The state at one moment; deliveries, requests and older messages come in pages. Lists begin with the oldest. */
export interface Snapshot extends GatewayTime {
	readonly baseUrl: string;
	readonly appId: string;
	readonly agents: readonly Agent[];
	readonly conversations: readonly ConversationView[];
	/** The newest 200. */
	readonly messages: readonly MessageView[];
	readonly destinations: {
		readonly inboundWebhookUrl: string | null;
		readonly statusWebhookUrl: string | null;
	};
	/** The active faults, in words. */
	readonly faults: readonly string[];
	/** The operations of its API. */
	readonly operationIds: readonly OperationId[];
	/** The most that the gateway accepts. */
	readonly limits: Limits;
	/** The mode of the consecutive-message rule. */
	readonly consecutive: "enforce" | "warn" | "off";
	/** Whether the rules on what may be sent apply. */
	readonly areRulesOn: boolean;
}

/** The new state of one thing. Dropped messages and deliveries are not reported. */
export type Change =
	| { readonly type: "message"; readonly message: MessageView }
	| { readonly type: "conversation"; readonly conversation: ConversationView }
	| { readonly type: "conversation_deleted"; readonly key: string }
	| { readonly type: "agent"; readonly agent: Agent }
	| { readonly type: "delivery"; readonly delivery: DeliveryView }
	| { readonly type: "request"; readonly request: RequestView }
	| { readonly type: "destinations"; readonly destinations: Snapshot["destinations"] }
	| { readonly type: "clock"; readonly now: number; readonly offsetMs: number }
	| { readonly type: "faults"; readonly faults: readonly string[] }
	| { readonly type: "rules"; readonly areOn: boolean }
	| { readonly type: "reset"; readonly snapshot: Snapshot };

/** The response to a successful action. */
export interface ActionDone {
	readonly ok: true;
	/** The message of a `reply`. */
	readonly result?: { readonly message: Message };
}

/** Why a control route rejected a request. */
export type ControlProblemCode =
	| "invalid_action"
	| "invalid_query"
	| "rejected"
	| "not_found"
	| "unauthorized"
	| "forbidden"
	| "method_not_allowed"
	| "too_large"
	| "too_many_streams"
	| "internal";

/** The error response of a control route. */
export interface ControlProblem {
	readonly ok: false;
	readonly error: {
		readonly code: ControlProblemCode;
		/** What is wrong, and what to do. */
		readonly message: string;
		/** Unique to this response. */
		readonly requestId: string;
	};
}
