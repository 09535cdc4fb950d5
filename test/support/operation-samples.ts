import { checkShape } from "../../src/library/catalogue/check.ts";
import { OPERATIONS, type OperationId } from "../../src/library/catalogue/index.ts";
import type { Operation } from "../../src/library/catalogue/operation.ts";

/** One valid input and one complete response for each operation, written by hand. */
export interface OperationSample {
	input: Record<string, unknown>;
	data: Record<string, unknown>;
}

const number = "+15551234567";
const agentNumber = "+15557654321";

const message = {
	messageId: "0f6c9d1e-3c55-4b8e-9a55-2f4f3d1c7a10",
	status: "queued",
	text: "Hello",
	from: agentNumber,
	to: number,
	groupId: null,
	attachments: [{ url: "https://files.example/a.png", any: [1] }],
	status_callback: null,
	outbound: true,
	nativeMessageNumber: agentNumber,
	participants: [agentNumber, number],
	chatGuid: null,
	messageGuid: null,
	timestamp_ms: 1767225600123,
	error: null,
};

const mapping = {
	agentNumber,
	userNumber: number,
	createdAt: 1767225600.5,
	respondedAt: null,
	lastRespondedAt: null,
	receivedAt: null,
	lastReceivedAt: 1767225600,
	outbound: 3,
	inbound: 1,
	consecutiveCount: 2,
	lastWarningSentAt: null,
	maxConsecutiveMessages: 5,
	duplicate: {
		isDuplicate: false,
		lastMessageSignature: "a",
		currentMessageSignature: "b",
		timeRemaining: 12.5,
		message: "wait",
	},
};

const agent = {
	agentNumber,
	name: null,
	status: "online",
	blockedReason: null,
	mappingCount: 4,
	lastSeenAt: null,
	createdAt: 1767225600123,
};

const webhooks = { inboundWebhookUrl: "https://hooks.example/in", statusWebhookUrl: null };

export const operationSamples: Record<OperationId, OperationSample> = {
	"messages.sendText": { input: { to: number, text: "Hello" }, data: { message } },
	"messages.sendAttachments": {
		input: { groupId: "group-1", attachments: [{ url: "https://files.example/a.png" }] },
		data: { message },
	},
	"messages.sendVoiceNote": {
		input: {
			participants: [number, agentNumber],
			attachment: { data: "AAAA", name: "a.m4a", mimeType: "audio/mp4" },
		},
		data: { message },
	},
	"messages.tapback": {
		input: { messageGuid: "guid-1", action: "add", reaction: "love" },
		data: { messageGuid: "guid-1", reaction: "love", action: "add" },
	},
	"messages.typing": {
		input: { to: number, state: "start", durationMs: 300_000 },
		data: { chatGuid: "chat-1", state: "start", expiresAt: null },
	},
	"messages.markRead": {
		input: { groupId: "group-1" },
		data: { chatGuid: "chat-1", markedAt: 1767225600123 },
	},
	"messages.checkCapability": {
		input: { toNumber: number },
		data: { number, native: true, service: "native", checkedAt: 1767225600123 },
	},
	"messages.get": { input: { messageId: message.messageId }, data: { message } },
	"agents.register": { input: { agentNumber }, data: { agent } },
	"agents.list": { input: {}, data: { agents: [agent], nextCursor: null } },
	"agents.get": { input: { agentNumber }, data: { agent } },
	"agents.assign": { input: { agentNumber, userNumber: number }, data: { mapping } },
	"agents.reassign": {
		input: { userNumber: number, toAgentNumber: agentNumber },
		data: { mapping, previousAgentNumber: "+15550000001" },
	},
	"agents.block": { input: { agentNumber }, data: { agent } },
	"agents.unblock": { input: { agentNumber }, data: { agent } },
	"mappings.get": { input: { toNumber: number }, data: { mapping } },
	"mappings.list": { input: {}, data: { mappings: [mapping], nextCursor: "next" } },
	"mappings.create": { input: { userNumber: number }, data: { mapping } },
	"mappings.update": { input: { toNumber: number, maxConsecutiveMessages: 1 }, data: { mapping } },
	"mappings.reset": { input: { toNumber: number }, data: { mapping } },
	"mappings.delete": { input: { toNumber: number }, data: { deleted: true } },
	"settings.setWebhooks": { input: { inboundWebhookUrl: "https://hooks.example/in" }, data: webhooks },
	"settings.getWebhooks": { input: {}, data: webhooks },
	"analytics.listMessages": { input: { toNumber: number }, data: { messages: [message], nextCursor: null } },
	"analytics.listContacts": {
		input: {},
		data: {
			contacts: [{ userNumber: number, agentNumber, outbound: 1, inbound: 0, lastMessageAt: null }],
			nextCursor: null,
		},
	},
	"analytics.getNumberStats": {
		input: { number: agentNumber },
		data: {
			number: agentNumber,
			outbound: 2,
			inbound: 1,
			contacts: 1,
			byStatus: { sent: 2 },
			responseRate: 0.5,
		},
	},
	"queue.getStatus": {
		input: {},
		data: {
			pending: 1,
			processing: 0,
			failed: 0,
			oldestPendingAgeMs: null,
			agents: [{ agentNumber, pending: 1, processing: 0, failed: 0 }],
		},
	},
	"health.check": { input: {}, data: { status: "ok" } },
};

/** The sample of an operation with changes; a field that is `undefined` in them is removed. */
export function changedInput(id: OperationId, changes: Record<string, unknown>): Record<string, unknown> {
	const entries = Object.entries({ ...operationSamples[id].input, ...changes });
	return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

/** Checks an input against its operation's schema, as the client and the local gateway do. */
export function checkInput(id: OperationId, input: unknown) {
	const operations: readonly Operation<unknown, unknown>[] = OPERATIONS;
	const operation = operations.find((candidate) => candidate.id === id);
	if (operation === undefined) throw new Error(`no operation ${id}`);
	return checkShape(operation.input, input);
}
