/**
 * Shows the main features: signs, sends, unwraps responses, and receives verified events. It runs against a local gateway over real HTTP,
 * and exits with 1 if a step fails, so it is a smoke test as well.
 */
import { fileURLToPath } from "node:url";
import {
	AuthenticationError,
	DuplicateMessageError,
	isMessagingGatewayError,
	MessagingGateway,
} from "messaging-gateway";
import { attachmentFromFile } from "messaging-gateway/node";
import { createLocalGateway } from "messaging-gateway/testing";
import { listen } from "messaging-gateway/testing/node";
import type { WebhookEvent } from "messaging-gateway/webhooks";
import { startReceiver } from "./receiver.ts";
import { Timeline } from "./timeline.ts";

const ALICE = "+15551234567";
const BOB = "+15557654321";
const AGENTS = [
	{ agentNumber: "+15550000001", name: "Desk one" },
	{ agentNumber: "+15550000002", name: "Desk two" },
];

// A reader such as `head` closes the pipe early.
process.stdout.on("error", () => process.exit());
const timeline = new Timeline();
const calls = new Map<string, number>();

timeline.title("A gateway and an application, on this machine");
const local = createLocalGateway({ agents: [] });
const server = await listen(local);
timeline.line("note", "local gateway", server.url);
const receiver = await startReceiver(local.webhookSecret, showEvent);
timeline.line("note", "application", receiver.url);

const gateway = new MessagingGateway({
	...server.clientOptions,
	hooks: {
		onRequest: ({ operationId }) => calls.set(operationId, (calls.get(operationId) ?? 0) + 1),
		onRetry: ({ attempt, reason, delayMs }) =>
			timeline.line(
				"note",
				"retry",
				`attempt ${attempt} ended with ${reason}; again in ${Math.round(delayMs)} ms`,
			),
	},
});

try {
	await run();
} catch (error) {
	timeline.line(
		"bad",
		"stopped",
		isMessagingGatewayError(error) ? `${error.name}: ${error.message}` : String(error),
	);
} finally {
	await server.close();
	await local.close();
	await receiver.close();
}
summarize();
process.exitCode = timeline.failures === 0 ? 0 : 1;

async function run(): Promise<void> {
	await setUp();
	const messageId = await send();
	await settle();
	await actOnChat(messageId);
	await replyAsContact(messageId);
	await causeErrors();
	await retry();
	await settle();
	checkEvents(messageId);
}

async function setUp(): Promise<void> {
	timeline.title("Agents and webhooks");
	await gateway.settings.setWebhooks({ inboundWebhookUrl: receiver.url, statusWebhookUrl: receiver.url });
	timeline.line("call", "settings.setWebhooks", "inbound and status");
	for (const input of AGENTS) {
		const { agent } = await gateway.agents.register(input);
		timeline.line("call", "agents.register", `${agent.name} ${agent.agentNumber} is ${agent.status}`);
	}
}

async function send(): Promise<string> {
	timeline.title("Sends");
	const { message } = await gateway.messages.sendText({ to: ALICE, text: "Good morning!" });
	timeline.line("call", "messages.sendText", `to ${ALICE}: ${message.status}`);
	const group = await gateway.messages.sendText({
		participants: [ALICE, BOB],
		groupName: "Lunch",
		text: "At noon?",
	});
	timeline.line("call", "messages.sendText", `to a group of two: ${group.message.status}`);
	const picture = await attachmentFromFile(fileNamed("sunrise.png"));
	const attachment = await gateway.messages.sendAttachments({ to: ALICE, attachments: [picture] });
	timeline.line(
		"call",
		"messages.sendAttachments",
		`${picture.name}, ${picture.mimeType}: ${attachment.message.status}`,
	);
	const voice = await attachmentFromFile(fileNamed("hello.wav"));
	const note = await gateway.messages.sendVoiceNote({ to: BOB, attachment: voice });
	timeline.line("call", "messages.sendVoiceNote", `${voice.name}, ${voice.mimeType}: ${note.message.status}`);
	return message.messageId;
}

async function actOnChat(messageId: string): Promise<void> {
	timeline.title("In the chat");
	const { message } = await gateway.messages.get(messageId);
	timeline.check(message.status === "read", "messages.get", `the first text is ${message.status}`);
	const { action, reaction } = await gateway.messages.addTapback({
		messageGuid: message.messageGuid ?? "",
		reaction: "love",
	});
	timeline.line("call", "messages.addTapback", `${action} ${reaction}`);
	const typing = await gateway.messages.startTyping({ to: ALICE, durationMs: 5_000 });
	timeline.line("call", "messages.startTyping", `${typing.state} in ${typing.chatGuid}`);
	const read = await gateway.messages.markRead({ to: ALICE });
	timeline.line("call", "messages.markRead", new Date(read.markedAt).toISOString());
	const capability = await gateway.messages.checkCapability(ALICE);
	timeline.line("call", "messages.checkCapability", `${capability.number} uses ${capability.service}`);
}

async function replyAsContact(messageId: string): Promise<void> {
	timeline.title("The contact replies");
	await local.contact(ALICE).reply("Good morning to you!");
	const { message } = await gateway.messages.get(messageId);
	await local.contact(ALICE).react("laugh", { messageGuid: message.messageGuid ?? "" });
	await settle();
	const { mapping } = await gateway.mappings.get(ALICE);
	const { agentNumber, outbound, inbound, consecutiveCount, maxConsecutiveMessages } = mapping;
	timeline.check(
		outbound === 2 && inbound === 1 && consecutiveCount === 0,
		"mappings.get",
		`agent ${agentNumber}: ${outbound} out, ${inbound} in, ${consecutiveCount} of ${maxConsecutiveMessages} without a reply`,
	);
}

async function causeErrors(): Promise<void> {
	timeline.title("What is rejected");
	await gateway.messages.sendText({ to: BOB, text: "See you there" });
	const duplicate = await errorOf(gateway.messages.sendText({ to: BOB, text: "See you there" }));
	timeline.check(
		duplicate instanceof DuplicateMessageError && Number(duplicate.duplicate?.timeRemaining) > 0,
		"the same text again",
		duplicate instanceof DuplicateMessageError
			? `${duplicate.name}: ${Math.ceil(duplicate.duplicate?.timeRemaining ?? 0)} s left`
			: String(duplicate),
	);
	const stranger = gateway.withCredentials({ appId: local.appId, appSecret: "not-the-secret" });
	const rejection = await errorOf(stranger.mappings.get(ALICE));
	timeline.check(
		rejection instanceof AuthenticationError && rejection.attempts === 1,
		"a wrong secret",
		rejection instanceof AuthenticationError
			? `${rejection.name}: ${rejection.status} ${rejection.gatewayCode}`
			: String(rejection),
	);
}

async function retry(): Promise<void> {
	timeline.title("A gateway that fails once");
	local.faults.respond({ status: 503, times: 1 });
	const seen = local.requests.length;
	const { attempts } = await gateway.mappings.get(ALICE).withResponse();
	const nonces = local.requests.slice(seen).map(({ headers }) => headers["x-nonce"] ?? "");
	for (const [at, nonce] of nonces.entries()) timeline.line("call", `attempt ${at + 1}`, `nonce ${nonce}`);
	timeline.check(
		attempts === 2 && nonces.length === 2 && new Set(nonces).size === 2,
		"mappings.get",
		`succeeded after ${attempts} attempts, each with a new nonce`,
	);
}

function checkEvents(messageId: string): void {
	timeline.title("Every event, verified");
	const events = [...receiver.events.values()];
	const statuses = events.flatMap((event) =>
		event.kind === "status" && event.data.messageId === messageId ? [event.data.status] : [],
	);
	timeline.check(statuses.join() === "sent,delivered,read", "statuses of a text", statuses.join(" → "));
	const count = (kind: WebhookEvent["kind"]): number => events.filter((event) => event.kind === kind).length;
	timeline.check(count("inbound_message") === 1, "replies", `${count("inbound_message")} of 1`);
	timeline.check(count("inbound_reaction") === 1, "reactions", `${count("inbound_reaction")} of 1`);
	timeline.check(count("unknown") === 0, "unknown events", `${count("unknown")} of 0`);
	const lost = local.deliveries.filter(({ state }) => state !== "delivered").length;
	timeline.check(
		lost === 0,
		"deliveries",
		`${local.deliveries.length - lost} of ${local.deliveries.length} acknowledged`,
	);
}

function showEvent(event: WebhookEvent): void {
	switch (event.kind) {
		case "inbound_message":
			timeline.line("webhook", "inbound_message", `"${event.data.text}" from ${event.data.from}`);
			break;
		case "inbound_reaction":
			timeline.line("webhook", "inbound_reaction", `${event.data.reaction} to "${event.data.originalText}"`);
			break;
		case "status":
			timeline.line("webhook", `status ${event.data.status}`, describeMessage(event.data));
			break;
		default:
			timeline.line("bad", "unknown event", `${event.reason} ${event.type ?? ""}`);
	}
}

function describeMessage({
	text,
	to,
	groupId,
}: {
	text: string;
	to: string;
	groupId: string | null;
}): string {
	return `${text === "" ? "(a file)" : `"${text}"`} to ${groupId === null ? to : "the group"}`;
}

function summarize(): void {
	const sum = [...calls.values()].reduce((total, count) => total + count, 0);
	const kinds = Object.entries(Object.groupBy(receiver.events.values(), labelOf));
	timeline.title("Summary");
	timeline.line("note", "requests", `${sum} signed, to ${calls.size} operations`);
	for (const [label, events] of kinds) timeline.line("note", label, String(events?.length ?? 0));
	timeline.check(
		timeline.failures === 0,
		"result",
		timeline.failures === 0 ? "all checks passed" : `${timeline.failures} failed`,
	);
}

function labelOf(event: WebhookEvent): string {
	return event.kind === "status" ? `status ${event.data.status}` : event.kind;
}

/** Waits until the gateway has nothing left to send or deliver. */
function settle(): Promise<void> {
	return local.settled();
}

async function errorOf(call: PromiseLike<unknown>): Promise<unknown> {
	try {
		await call;
		return undefined;
	} catch (error) {
		return error;
	}
}

function fileNamed(name: string): string {
	return fileURLToPath(new URL(`files/${name}`, import.meta.url));
}
