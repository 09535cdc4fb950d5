import { MessagingGateway, NotFoundError, type OperationId } from "messaging-gateway";
import { createLocalGateway } from "messaging-gateway/testing";
import { expect, test } from "vitest";
import { OPERATIONS } from "../../src/catalogue/index.ts";
import type { Operation } from "../../src/catalogue/operation.ts";

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
		addTapback: [{ messageGuid: "known", reaction: "love" }],
		removeTapback: [{ messageGuid: "known", reaction: "love" }],
	},
	"messages.typing": { startTyping: [{ to: ALICE }], stopTyping: [{ to: ALICE }] },
	"messages.markRead": { markRead: [{ to: ALICE }] },
	"messages.checkCapability": { checkCapability: [ALICE] },
	"messages.get": { get: ["known"] },
	"agents.register": { register: [{ agentNumber: "+15550000009" }] },
	"agents.list": { list: [] },
	"agents.get": { get: [AGENT] },
	"agents.assign": { assign: [{ agentNumber: AGENT, userNumber: "+15551110000" }] },
	"agents.reassign": { reassign: [{ userNumber: ALICE, toAgentNumber: OTHER_AGENT }] },
	"agents.block": { block: [OTHER_AGENT, { reason: "maintenance" }] },
	"agents.unblock": { unblock: [OTHER_AGENT] },
	"mappings.get": { get: [ALICE] },
	"mappings.list": { list: [{ limit: 10 }] },
	"mappings.create": { create: [{ userNumber: "+15551110001" }] },
	"mappings.update": { update: [ALICE, { maxConsecutiveMessages: 9 }] },
	"mappings.reset": { reset: [ALICE] },
	"mappings.delete": { delete: [ALICE] },
	"settings.setWebhooks": {
		setWebhooks: [{ inboundWebhookUrl: "https://app.example/hooks", statusWebhookUrl: null }],
	},
	"settings.getWebhooks": { getWebhooks: [] },
	"analytics.listMessages": { listMessages: [ALICE] },
	"analytics.listContacts": { listContacts: [] },
	"analytics.getNumberStats": { getNumberStats: [AGENT] },
	"queue.getStatus": { getStatus: [] },
	"health.check": { check: [] },
};

const CASES = OPERATIONS.flatMap((operation: Operation<unknown, unknown>) =>
	operation.methods.map((method) => ({ operation, method, name: `${operation.id} through ${method}` })),
);

/** A gateway that has a message, so that every operation finds what it needs. */
async function arrange() {
	const local = createLocalGateway({ agents: [AGENT, OTHER_AGENT] });
	const warnings: string[] = [];
	const logger = { ...console, warn: (line: string) => warnings.push(line) };
	const gateway = new MessagingGateway({ ...local.clientOptions, logger });
	const { message } = await gateway.messages.sendText({ to: ALICE, text: "Hello" });
	await local.settled();
	const sent = local.sent.find(({ messageId }) => messageId === message.messageId);
	return { local, gateway, warnings, messageId: message.messageId, messageGuid: sent?.messageGuid ?? "" };
}

test.each(CASES)("$name: sends that method and path, and its data has the declared shape", async (given) => {
	const { operation, method } = given;
	const { local, gateway, warnings, messageId, messageGuid } = await arrange();
	await using _ = local;
	const before = local.requests.length;

	const data = await call(gateway, operation.id, method, (value) =>
		operation.id === "messages.get" ? messageId : withGuid(value, messageGuid),
	);

	const [request] = local.requests.slice(before);
	expect(request?.method).toBe(operation.method);
	expect(decodeURIComponent(request?.path ?? "")).toMatch(patternOf(operation.path));
	expect(request?.operationId).toBe(operation.id);
	expect(request?.status).toBe(operation.successStatus);
	expect(request?.headers["authorization"] !== undefined).toBe(operation.isSigned);
	expect((await operation.data["~standard"].validate(data)).issues).toBeUndefined();
	expect(warnings).toEqual([]);
});

test("every operation has arguments here, and every method of the client belongs to an operation", () => {
	const gateway = new MessagingGateway();
	const declared = CASES.map(({ operation, method }) => `${areaOf(operation.id)}.${method}`).sort();
	const existing = [...new Set(OPERATIONS.map(({ id }) => areaOf(id)))]
		.flatMap((area) => {
			const resource: object = gateway[area as keyof MessagingGateway] as object;
			const names = Object.getOwnPropertyNames(Object.getPrototypeOf(resource));
			return names.filter((name) => name !== "constructor").map((name) => `${area}.${name}`);
		})
		.sort();
	expect(existing).toEqual(declared);
});

test("a path that the gateway does not have is told to be our assumption", async () => {
	await using local = createLocalGateway();
	const answer = async (): Promise<Response> => new Response("<h1>Not Found</h1>", { status: 404 });
	const gateway = new MessagingGateway({ ...local.clientOptions, fetch: answer });
	await expect(gateway.queue.getStatus()).rejects.toThrow(
		/our assumption.*operations\["queue\.getStatus"\]\.path/,
	);
	await expect(gateway.queue.getStatus()).rejects.toBeInstanceOf(NotFoundError);
	await expect(gateway.mappings.get(ALICE)).rejects.not.toThrow(/our assumption/);
});

function call(
	gateway: MessagingGateway,
	id: string,
	method: string,
	fill: (value: unknown) => unknown,
): Promise<unknown> {
	const resource = gateway[areaOf(id) as "messages"] as unknown as Methods;
	const values = ARGUMENTS[id as OperationId][method] ?? [];
	const bound = resource[method];
	if (bound === undefined) throw new Error(`the client has no ${id}`);
	return bound.apply(resource, values.map(fill));
}

function withGuid(value: unknown, messageGuid: string): unknown {
	return typeof value === "object" && value !== null && "messageGuid" in value
		? { ...value, messageGuid }
		: value;
}

function areaOf(id: string): string {
	return id.slice(0, id.lastIndexOf("."));
}

function patternOf(path: string): RegExp {
	return new RegExp(`^${path.replace(/\{\w+\}/g, "[^/]+")}$`);
}
