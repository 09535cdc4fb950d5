import fc from "fast-check";
import { MAGIC_NUMBERS } from "messaging-gateway/testing";
import type { WatchedGateway } from "./controlled-gateway.ts";

/** A step that a test takes with a gateway. */
export interface Step {
	readonly name: string;
	readonly run: (world: WatchedGateway) => Promise<unknown>;
}

const CONTACTS = ["+15551234567", "+15557654321", ...MAGIC_NUMBERS.map(({ number }) => number)];
const AGENTS = ["+15550000001", "+15550000002"];
const PARTICIPANTS = CONTACTS.slice(0, 2);

// One of them often, so that there is a longer conversation.
const contact = fc.oneof(
	{ weight: 2, arbitrary: fc.constant(CONTACTS[0] ?? "") },
	fc.constantFrom(...CONTACTS),
);
const agent = fc.constantFrom(...AGENTS);
const text = fc.constantFrom("Hello", "Are you there?");
const data = fc.constantFrom(new Uint8Array([1, 2, 3]), new Uint8Array([4, 5]));

function step<Values extends unknown[]>(
	name: string,
	arbitraries: { [At in keyof Values]: fc.Arbitrary<Values[At]> },
	run: (world: WatchedGateway, ...values: Values) => Promise<unknown>,
): fc.Arbitrary<Step> {
	return fc.tuple<Values>(...arbitraries).map((values) => ({
		name: `${name}(${values.map(String).join(", ")})`,
		// Rejected steps are part of the walk.
		run: (world) => run(world, ...values).catch(() => undefined),
	}));
}

/** The guid of one of the messages that have one. */
function guidOf({ control }: WatchedGateway, at: number): string {
	const guids = control.snapshot().messages.flatMap(({ messageGuid }) => messageGuid ?? []);
	return guids[at % Math.max(1, guids.length)] ?? "none";
}

const walkStep: fc.Arbitrary<Step> = fc.oneof(
	step("send", [contact, text], ({ gateway }, to, text) => gateway.messages.sendText({ to, text })),
	step("sendFrom", [contact, text, agent], ({ gateway }, to, text, from) =>
		gateway.messages.sendText({ to, text, from, effect: "confetti", replyToGuid: "guid" }),
	),
	step("sendGroup", [text, fc.constantFrom(undefined, "Team")], ({ gateway }, text, groupName) =>
		gateway.messages.sendText({ participants: PARTICIPANTS, groupName, text }),
	),
	step("sendFile", [contact, data], ({ gateway }, to, data) =>
		gateway.messages.sendAttachments({
			to,
			attachments: [{ data, name: "a.png" }, { url: "https://a.example/b" }],
		}),
	),
	step("sendVoice", [contact, data], ({ gateway }, to, data) =>
		gateway.messages.sendVoiceNote({ to, attachment: { data, name: "a.mp3" } }),
	),
	step("reply", [contact, text], ({ control }, from, text) =>
		control.act({
			type: "reply",
			from,
			text,
			attachments: [{ name: "a.txt", mimeType: "text/plain", data: "AAAA" }],
		}),
	),
	step("replyInGroup", [text], async ({ control }, text) => {
		const group = control.snapshot().conversations.find(({ groupId }) => groupId !== null);
		await control.act({ type: "reply", from: PARTICIPANTS[0], text, groupId: group?.key ?? "none" });
	}),
	step("react", [contact], ({ control }, from) => control.act({ type: "react", from, reaction: "like" })),
	step("reactTo", [contact, fc.nat(20)], (world, from, at) =>
		world.control.act({ type: "react", from, reaction: "laugh", messageGuid: guidOf(world, at) }),
	),
	step("read", [contact], ({ control }, from) => control.act({ type: "read", from })),
	step("addTapback", [fc.nat(20), fc.nat(1)], (world, at, partIndex) =>
		world.gateway.messages.addTapback({ messageGuid: guidOf(world, at), reaction: "love", partIndex }),
	),
	step("removeTapback", [fc.nat(20), fc.nat(1)], (world, at, partIndex) =>
		world.gateway.messages.removeTapback({ messageGuid: guidOf(world, at), reaction: "love", partIndex }),
	),
	step("type", [contact, fc.constantFrom(undefined, 5_000)], ({ gateway }, to, durationMs) =>
		gateway.messages.startTyping({ to, durationMs }),
	),
	step("stopTyping", [contact], ({ gateway }, to) => gateway.messages.stopTyping({ to })),
	step("markRead", [contact], ({ gateway }, to) => gateway.messages.markRead({ to })),
	step("markReadUpTo", [contact, fc.nat(20)], (world, to, at) =>
		world.gateway.messages.markRead({ to, messageGuid: guidOf(world, at) }),
	),
	step("createMapping", [contact, agent], ({ gateway }, userNumber, agentNumber) =>
		gateway.mappings.create({ userNumber, agentNumber, maxConsecutiveMessages: 2 }),
	),
	step("updateMapping", [contact], ({ gateway }, to) =>
		gateway.mappings.update(to, { maxConsecutiveMessages: 7 }),
	),
	step("resetMapping", [contact], ({ gateway }, to) => gateway.mappings.reset(to)),
	step("deleteMapping", [contact], ({ gateway }, to) => gateway.mappings.delete(to)),
	step("register", [], ({ gateway }) =>
		gateway.agents.register({ agentNumber: AGENTS[1] ?? "", name: "Second", maxConsecutiveMessages: 3 }),
	),
	step("reassign", [contact, agent], ({ gateway }, userNumber, toAgentNumber) =>
		gateway.agents.reassign({ userNumber, toAgentNumber }),
	),
	step("block", [agent], ({ gateway }, number) => gateway.agents.block(number, { reason: "paused" })),
	step("unblock", [agent], ({ gateway }, number) => gateway.agents.unblock(number)),
	step("online", [agent, fc.boolean()], ({ control }, agentNumber, isOnline) =>
		control.act({ type: "agent_online", agentNumber, isOnline }),
	),
	step("setWebhooks", [fc.constantFrom("", "https://a.example/hooks")], ({ gateway }, statusWebhookUrl) =>
		gateway.settings.setWebhooks({ statusWebhookUrl }),
	),
	step("fault", [fc.constantFrom(500, 503)], ({ control }, status) =>
		control.act({ type: "request_fault", fault: { kind: "respond", status } }),
	),
	step("loseResponse", [], ({ control }) =>
		control.act({ type: "request_fault", fault: { kind: "drop", when: "after" } }),
	),
	step(
		"webhookFault",
		[fc.constantFrom("repeat", "tamper", "stale", "wrong_signature", "out_of_order")],
		(world, fault) => world.control.act({ type: "webhook_fault", fault: { kind: fault } }),
	),
	step("skew", [fc.constantFrom(-1_000, 0, 1_000)], ({ control }, ms) =>
		control.act({ type: "request_fault", fault: { kind: "skew", ms } }),
	),
	step("clearFaults", [], ({ control }) => control.act({ type: "clear_faults" })),
	step("redeliver", [fc.nat(20)], async ({ control }, at) => {
		const { items: deliveries } = control.deliveries({});
		await control.act({ type: "redeliver", eventId: deliveries[at % deliveries.length]?.eventId });
	}),
	step("advance", [fc.constantFrom(5, 20, 40, 5_000, 61_000, 301_000)], ({ control }, ms) =>
		control.act({ type: "advance_clock", ms }),
	),
);

/** Random steps through a gateway's API and its control; a reset is left to the test. */
export const walk: fc.Arbitrary<Step[]> = fc.array(walkStep, { maxLength: 40, size: "max" });
