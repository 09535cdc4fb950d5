import type { Agent } from "../../src/library/catalogue/agents.ts";
import { ASSUMED_LIMITS } from "../../src/library/catalogue/limits.ts";
import type {
	AttemptView,
	ConversationView,
	DeliveryView,
	MessageView,
	RequestDetails,
	RequestView,
	Snapshot,
} from "../../src/tools/control/contract.ts";

export const AGENT = "+15550000001";
export const CONTACT = "+15551234567";

export function agentView(fields: Partial<Agent> = {}): Agent {
	return {
		agentNumber: AGENT,
		name: null,
		status: "online",
		blockedReason: null,
		mappingCount: 0,
		lastSeenAt: null,
		createdAt: 0,
		...fields,
	};
}

export function messageView(fields: Partial<MessageView> = {}): MessageView {
	const sequence = fields.sequence ?? 1;
	return {
		messageId: `message-${sequence}`,
		status: "sent",
		text: "Hello",
		from: fields.outbound === false ? CONTACT : AGENT,
		to: fields.outbound === false ? AGENT : CONTACT,
		groupId: null,
		attachments: [],
		status_callback: null,
		outbound: true,
		nativeMessageNumber: AGENT,
		participants: [AGENT, CONTACT],
		chatGuid: `native;-;${CONTACT}`,
		messageGuid: `guid-${sequence}`,
		timestamp_ms: 1_000 * sequence,
		error: null,
		sequence,
		conversationKey: CONTACT,
		kind: "text",
		tapbacks: [],
		...fields,
	};
}

export function conversationView(fields: Partial<ConversationView> = {}): ConversationView {
	return {
		key: CONTACT,
		groupId: null,
		contacts: [CONTACT],
		agentNumber: AGENT,
		counters: {
			createdAt: 0,
			respondedAt: null,
			lastRespondedAt: null,
			receivedAt: null,
			lastReceivedAt: null,
			outbound: 0,
			inbound: 0,
			consecutiveCount: 0,
			lastWarningSentAt: null,
			maxConsecutiveMessages: 5,
		},
		windows: [],
		typingUntil: null,
		readUpTo: null,
		lastMessageAt: null,
		messageCount: 0,
		failedCount: 0,
		lastMessage: null,
		...fields,
	};
}

export function deliveryView(fields: Partial<DeliveryView> = {}): DeliveryView {
	const sequence = fields.sequence ?? 1;
	return {
		eventId: `evt_${sequence}`,
		kind: "status",
		url: "http://localhost:3000/webhooks",
		headers: {},
		body: '{"status":"delivered"}',
		attempts: [],
		state: "pending",
		sequence,
		messageId: "message-1",
		conversationKey: CONTACT,
		createdAt: 0,
		...fields,
	};
}

export function attemptView(fields: Partial<AttemptView> = {}): AttemptView {
	return { at: 0, timestamp: 0, headers: {}, ...fields };
}

/** A request that no operation serves, unless the fields say otherwise. */
export function requestView(fields: Partial<RequestView> = {}): RequestView {
	const sequence = fields.sequence ?? 1;
	return {
		requestId: `r${sequence}`,
		sequence,
		at: 0,
		method: "GET",
		path: "/nothing",
		durationMs: 1,
		...fields,
	};
}

/** An accepted text. */
export function requestDetails(fields: Partial<RequestDetails> = {}): RequestDetails {
	return {
		...requestView({ method: "POST", path: "/message/text", operationId: "messages.sendText", status: 202 }),
		query: "",
		headers: { authorization: "HMAC ***" },
		body: "{}",
		responseBody: null,
		...fields,
	};
}

export function snapshotOf(fields: Partial<Snapshot> = {}): Snapshot {
	return {
		baseUrl: "http://localhost:4010",
		appId: "local-app",
		now: 1_000_000,
		offsetMs: 0,
		agents: [],
		conversations: [],
		messages: [],
		destinations: { inboundWebhookUrl: null, statusWebhookUrl: null },
		faults: [],
		areRulesOn: true,
		limits: ASSUMED_LIMITS,
		consecutive: "enforce",
		operationIds: [],
		...fields,
	};
}
