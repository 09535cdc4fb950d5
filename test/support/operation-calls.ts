import { type ClientOptions, MessagingGateway, type OperationId } from "messaging-gateway";
import { createLocalGateway, type LocalGateway, type LocalGatewayOptions } from "messaging-gateway/testing";
import { OPERATIONS } from "../../src/library/catalogue/index.ts";
import type { Operation } from "../../src/library/catalogue/operation.ts";
import { docsOf } from "../../src/library/catalogue/operation-docs.ts";

const ALICE = "+15551234567";
const AGENT = "+15550000001";
const OTHER_AGENT = "+15550000002";
const GROUP = { participants: [ALICE, "+15557654321"] };

type Methods = Record<string, (...input: unknown[]) => Promise<unknown>>;

/** For each method of each operation: the arguments of a call that the local gateway accepts. */
const ARGUMENTS: Record<OperationId, Record<string, readonly unknown[]>> = {
	"messages.sendText": { sendText: [{ to: ALICE, text: "contract" }] },
	"messages.sendAttachments": {
		sendAttachments: [{ ...GROUP, attachments: [{ url: "https://files.example/picture.png" }] }],
	},
	"messages.sendVoiceNote": {
		sendVoiceNote: [{ to: ALICE, attachment: { data: new Uint8Array([1]), name: "note.mp3" } }],
	},
	"messages.tapback": {
		addTapback: [{ messageGuid: "known", reaction: "love", partIndex: 0 }],
		removeTapback: [{ messageGuid: "known", reaction: "love" }],
	},
	"messages.typing": {
		startTyping: [{ to: ALICE, durationMs: 5_000 }],
		stopTyping: [{ to: ALICE }],
	},
	"messages.markRead": { markRead: [{ to: ALICE }] },
	"messages.checkCapability": { checkCapability: [ALICE] },
	"messages.get": { get: ["known"] },
	"agents.register": { register: [{ agentNumber: "+15550000009", name: "Desk 9" }] },
	"agents.list": { list: [{ status: "online", limit: 10 }] },
	"agents.get": { get: [AGENT] },
	"agents.assign": { assign: [{ agentNumber: AGENT, userNumber: "+15551110000" }] },
	"agents.reassign": {
		reassign: [{ userNumber: ALICE, toAgentNumber: OTHER_AGENT, fromAgentNumber: AGENT }],
	},
	"agents.block": { block: [OTHER_AGENT, { reason: "maintenance" }] },
	"agents.unblock": { unblock: [OTHER_AGENT] },
	"mappings.get": { get: [ALICE] },
	"mappings.list": { list: [{ agentNumber: AGENT, limit: 10 }] },
	"mappings.create": { create: [{ userNumber: "+15551110001" }] },
	"mappings.update": { update: [ALICE, { maxConsecutiveMessages: 9 }] },
	"mappings.reset": { reset: [ALICE] },
	"mappings.delete": { delete: [ALICE] },
	"settings.setWebhooks": {
		setWebhooks: [{ inboundWebhookUrl: "https://app.example/hooks", statusWebhookUrl: null }],
	},
	"settings.getWebhooks": { getWebhooks: [] },
	"analytics.listMessages": { listMessages: [ALICE, { limit: 10 }] },
	"analytics.listContacts": { listContacts: [{ agentNumber: AGENT }] },
	"analytics.getNumberStats": { getNumberStats: [AGENT, { after: 1 }] },
	"queue.getStatus": { getStatus: [{ agentNumber: AGENT }] },
	"health.check": { check: [] },
};

/** Every method of the client, with its operation. */
export const METHODS = OPERATIONS.flatMap((operation: Operation<unknown, unknown, OperationId>) =>
	docsOf(operation.id).methods.map((method) => ({
		operation,
		method,
		name: `${operation.id} through ${method}`,
	})),
);

/**
 * A client of a local gateway that has a message, so that every operation finds what it needs.
 * @param reach - finds the `fetch` that reaches the gateway.
 */
export async function createCalledGateway(
	options: ClientOptions = {},
	localOptions: LocalGatewayOptions = {},
	reach: (local: LocalGateway) => LocalGateway["clientOptions"]["fetch"] = (local) =>
		local.clientOptions.fetch,
) {
	const local = createLocalGateway({ ...localOptions, agents: [AGENT, OTHER_AGENT] });
	const fetchThere = reach(local);
	const warnings: string[] = [];
	const responses: Response[] = [];
	const requests: { url: string; init: RequestInit }[] = [];
	const gateway = new MessagingGateway({
		...local.clientOptions,
		logger: { ...console, warn: (line: string) => warnings.push(line) },
		fetch: async (url, init) => {
			requests.push({ url, init });
			const response = await fetchThere(url, init);
			responses.push(response.clone());
			return response;
		},
		...options,
	});
	await gateway.messages.sendText({ to: ALICE, text: "Hello" });
	await local.settled();
	const [sent] = local.sent;
	const known = { messageId: sent?.messageId ?? "", messageGuid: sent?.messageGuid ?? "" };
	const callMethod = (id: string, method: string): Promise<unknown> => {
		const values = ARGUMENTS[id as OperationId][method] ?? [];
		return call(
			gateway,
			id,
			method,
			values.map((value) => (id === "messages.get" ? known.messageId : withGuid(value, known.messageGuid))),
		);
	};
	return { local, gateway, warnings, responses, requests, callMethod };
}

function call(gateway: MessagingGateway, id: string, method: string, values: unknown[]): Promise<unknown> {
	const resource = gateway[areaOf(id) as "messages"] as unknown as Methods;
	const bound = resource[method];
	if (bound === undefined) throw new Error(`the client has no ${id}`);
	return bound.apply(resource, values);
}

function withGuid(value: unknown, messageGuid: string): unknown {
	return typeof value === "object" && value !== null && "messageGuid" in value
		? { ...value, messageGuid }
		: value;
}

/** The area of an operation: `messages` of `messages.sendText`. */
export function areaOf(id: string): string {
	return id.slice(0, id.lastIndexOf("."));
}
