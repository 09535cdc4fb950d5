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
const calls: string[] = [];

const local = createLocalGateway({ agents: [] });
const server = await listen(local);
const receiver = await startReceiver(local.webhookSecret);
const gateway = new MessagingGateway({
	...server.clientOptions,
	hooks: { onRequest: ({ operationId }) => void calls.push(operationId) },
});
timeline.title(`A gateway at ${server.url} and an application, on this machine`);

try {
	await setUp();
	const messageId = await send();
	await actOnChat(messageId);
	await replyAsContact(messageId);
	await causeErrors();
	await retry();
	await local.settled();
	checkEvents(messageId);
} catch (error) {
	const isOurs = isMessagingGatewayError(error);
	timeline.line("bad", "stopped", isOurs ? `${error.name}: ${error.message}` : String(error));
} finally {
	await server.close();
	await local.close();
	await receiver.close();
}
process.exitCode = timeline.failures === 0 ? 0 : 1;

async function setUp(): Promise<void> {
	await gateway.settings.setWebhooks({ inboundWebhookUrl: receiver.url, statusWebhookUrl: receiver.url });
	const registered = [];
	for (const input of AGENTS) registered.push((await gateway.agents.register(input)).agent);
	const online = registered.map(({ name, status }) => `${name} is ${status}`);
	timeline.line("request", "agents.register", online.join(", "));
}

async function send(): Promise<string> {
	const { messages } = gateway;
	const { message } = await messages.sendText({ to: ALICE, text: "Good morning!" });
	const group = await messages.sendText({ participants: [ALICE, BOB], groupName: "Lunch", text: "At noon?" });
	const picture = await attachmentFromFile(fileNamed("sunrise.png"));
	const attachment = await messages.sendAttachments({ to: ALICE, attachments: [picture] });
	const voice = await attachmentFromFile(fileNamed("hello.wav"));
	const note = await messages.sendVoiceNote({ to: BOB, attachment: voice });
	await local.settled();
	const shown = [
		["messages.sendText", `"Good morning!" to ${ALICE}`, message],
		["messages.sendText", '"At noon?" to a group of two', group.message],
		["messages.sendAttachments", `${picture.name} to ${ALICE}`, attachment.message],
		["messages.sendVoiceNote", `${voice.name} to ${BOB}`, note.message],
	] as const;
	for (const [operation, what, { messageId }] of shown)
		timeline.line("request", operation, `${what}: ${statusesOf(messageId)}`);
	return message.messageId;
}

async function actOnChat(messageId: string): Promise<void> {
	const { message } = await gateway.messages.get(messageId);
	const { action, reaction } = await gateway.messages.addTapback({
		messageGuid: message.messageGuid ?? "",
		reaction: "love",
	});
	timeline.line("request", "messages.addTapback", `${action} ${reaction}`);
	const typing = await gateway.messages.startTyping({ to: ALICE, durationMs: 5_000 });
	timeline.line("request", "messages.startTyping", `${typing.state} in ${typing.chatGuid}`);
	const read = await gateway.messages.markRead({ to: ALICE });
	timeline.line("request", "messages.markRead", new Date(read.markedAt).toISOString());
	const capability = await gateway.messages.checkCapability(ALICE);
	timeline.line("request", "messages.checkCapability", `${capability.number} uses ${capability.service}`);
}

async function replyAsContact(messageId: string): Promise<void> {
	await local.contact(ALICE).reply("Good morning to you!");
	const { message } = await gateway.messages.get(messageId);
	await local.contact(ALICE).react("laugh", { messageGuid: message.messageGuid ?? "" });
	await local.settled();
	for (const { kind, data } of receiver.events.values()) {
		if (kind === "inbound_message") timeline.line("webhook", kind, `"${data.text}" from ${data.from}`);
		if (kind === "inbound_reaction")
			timeline.line("webhook", kind, `${data.reaction} to "${data.originalText}"`);
	}
	const { mapping } = await gateway.mappings.get(ALICE);
	const { agentNumber, outbound, inbound, consecutiveCount, maxConsecutiveMessages } = mapping;
	timeline.check(
		outbound === 2 && inbound === 1 && consecutiveCount === 0,
		"mappings.get",
		`agent ${agentNumber}: ${outbound} out, ${inbound} in, ${consecutiveCount} of ${maxConsecutiveMessages} without a reply`,
	);
}

async function causeErrors(): Promise<void> {
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
	local.faults.respond({ status: 503, times: 1 });
	const seen = local.requests.length;
	const { attempts } = await gateway.mappings.get(ALICE).withResponse();
	const nonces = new Set(local.requests.slice(seen).map(({ headers }) => headers["x-nonce"]));
	timeline.check(
		attempts === 2 && nonces.size === 2,
		"a 503",
		`mappings.get succeeded after ${attempts} attempts, each with a new nonce`,
	);
}

function checkEvents(messageId: string): void {
	const events = [...receiver.events.values()];
	const isKnown = events.every(({ kind }) => kind !== "unknown");
	const isDelivered = local.deliveries.every(({ state }) => state === "delivered");
	timeline.check(
		isKnown && isDelivered && events.length === local.deliveries.length,
		"webhooks",
		`${events.length} of ${local.deliveries.length} events verified and acknowledged`,
	);
	const statuses = statusesOf(messageId);
	timeline.check(statuses === "sent → delivered → read", "statuses", `${statuses}, in this order`);
	const { failures } = timeline;
	timeline.check(
		failures === 0,
		failures === 0 ? "all checks passed" : `${failures} failed`,
		`${calls.length} signed requests to ${new Set(calls).size} operations`,
	);
}

/** The statuses of a message that webhooks have told. */
function statusesOf(messageId: string): string {
	const statuses = [...receiver.events.values()].flatMap((event) =>
		event.kind === "status" && event.data.messageId === messageId ? [event.data.status] : [],
	);
	return statuses.join(" → ");
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
