import { createHash } from "node:crypto";
import fc from "fast-check";
import type { ReadingName } from "messaging-gateway/testing";
import {
	conversationOf,
	type EventPayload,
	signWebhook,
	verifyWebhook,
	type WebhookEvent,
} from "messaging-gateway/webhooks";
import { describe, expect, test } from "vitest";
import { nextTask } from "../../../../src/tools/local-gateway/next-task.ts";
import { cases } from "../../../support/cases.ts";
import { createWatchedGateway } from "../../../support/controlled-gateway.ts";
import { walk } from "../../../support/gateway-walk.ts";
import { type Outcomes, testOutcomes } from "../../../support/outcomes.ts";
import { webhookSecret as secret } from "../../../support/webhook-delivery.ts";
import { inboundMessage, inboundReaction, statusUpdate } from "../../../support/webhook-payloads.ts";

/** The event of a payload, as a receiver gets it. */
function eventOf(payload: object | string): WebhookEvent {
	const body = typeof payload === "string" ? payload : JSON.stringify(payload);
	return verifyWebhook({ body, headers: signWebhook({ body, secret }) }, { secret });
}

function keyOf(payload: object): string | undefined {
	return conversationOf(eventOf(payload));
}

const CONTACT = "+15551234567";
const AGENT = "+15557654321";
const status = { ...statusUpdate, from: AGENT, to: CONTACT };
const group = { groupId: "group-1" };

const { from, to, outbound, groupId } = inboundMessage;
const other = "+15550000002";
const moved = { to: other, nativeMessageNumber: other, participants: [other, CONTACT], chatGuid: "SMS;-;x" };

const changed = (fields: object) => ({ ...inboundMessage, ...fields });
const withoutGroup = { groupId: undefined };

const KEYS: Outcomes<object> = {
	"the key of a message": {
		"a reaction": inboundReaction,
		"a status": status,
		"a fallback": { ...status, status: "SMS_FALLBACK", chatGuid: `SMS;-;${CONTACT}` },
		"a failure, which names no chat": { ...status, status: "failed", chatGuid: "", messageGuid: "" },
		"a message to another of your numbers, and under the network's new name": changed(moved),
		"an event that is not as documented in other fields": changed({ attachments: "none" }),
		"an event of a type that is not known, which shows its chat": {
			type: "inbound_typing",
			from,
			to,
			outbound,
			groupId,
		},
		"a message with an empty group's id, which is none": changed({ groupId: "" }),
		"a message whose nothing is left out": changed({ ...withoutGroup, outbound: undefined }),
		"a message that is not as documented, too": changed({ ...withoutGroup, chatGuid: 5 }),
	},
	"another key": {
		"another contact": changed({ from: "+15551234568" }),
		"a group": changed(group),
		"a group whose id is the contact's number": changed({ groupId: CONTACT }),
	},
	"no key": {
		"nothing of a chat": changed({ from: undefined, to: undefined, outbound: undefined, groupId: undefined }),
		"no group field beside a third person, so that it may be a group's": changed({
			...withoutGroup,
			participants: [from, to, other],
		}),
		"no group field and no participants": changed({ ...withoutGroup, participants: undefined }),
		"a group's id that is a number": changed({ groupId: 5 }),
		"no direction, and another type": changed({ outbound: undefined, type: "inbound_typing" }),
		"a direction that is a word": changed({ outbound: "false" }),
		"no contact": changed({ from: undefined }),
		"an empty contact": changed({ from: "" }),
		"a contact that is a number": changed({ from: 15551234567 }),
	},
};

testOutcomes(KEYS, (payload) => {
	const key = keyOf(payload);
	if (key === undefined) return "no key";
	return key === keyOf(inboundMessage) ? "the key of a message" : "another key";
});

test("every kind of event of a group has the same key, whoever wrote and whichever number is first", () => {
	const key = keyOf({ ...inboundMessage, ...group });
	expect(keyOf({ ...inboundMessage, ...group, from: "+15550009999" })).toBe(key);
	expect(keyOf({ ...inboundReaction, ...group, from: "+15550009999", to: CONTACT })).toBe(key);
	expect(keyOf({ ...status, ...group, participants: [] })).toBe(key);
	expect(keyOf({ ...inboundMessage, groupId: "group-2" })).not.toBe(key);
});

describe("the key", () => {
	const digest = (name: string) => createHash("sha256").update(name).digest("hex").slice(0, 32);

	test("never changes between releases: queues and tables hold it", () => {
		expect(keyOf(inboundMessage)).toBe(`chat_${digest(`contact:${CONTACT}`)}`);
		expect(keyOf(inboundMessage)).toBe("chat_b705dad7b18b950ce6ebac4ec39a7701");
		expect(keyOf({ ...inboundMessage, ...group })).toBe(`chat_${digest("group:group-1")}`);
	});

	test("is short and of letters and digits for any queue, whatever the payload holds", () => {
		fc.assert(
			fc.property(fc.string({ minLength: 1, unit: "binary" }), fc.boolean(), (name, isGroup) => {
				const chat = isGroup ? { groupId: name } : { from: name };
				expect(keyOf({ ...inboundMessage, ...chat })).toMatch(/^chat_[0-9a-f]{32}$/);
			}),
		);
	});

	test("is the same for an event that went through a queue as JSON", () => {
		const event = eventOf(inboundMessage);
		expect(conversationOf(JSON.parse(JSON.stringify(event)))).toBe(conversationOf(event));
	});
});

test.each<[title: string, readings: readonly ReadingName[], runs: number]>([
	["as documented", [], 50],
	["with nulls left out", ["nulls in events are left out"], 20],
])(
	"all events of a chat of the local gateway have one key, and two chats have two: %s",
	async (_, readings, runs) => {
		await fc.assert(
			fc.asyncProperty(walk, async (steps) => {
				const world = createWatchedGateway({ rules: "off", readings });
				for (const step of steps) {
					await step.run(world);
					await nextTask();
				}
				await world.local.settled();
				const chatOf = new Map<string, string>();
				const keyOfChat = new Map<string, string>();
				for (const { body, conversationKey } of world.control.deliveries({}).items) {
					const { from, participants }: EventPayload = JSON.parse(body);
					// The walk lets contacts react in chats that they are not in.
					if (!participants.includes(from)) continue;
					const key = conversationOf(eventOf(body)) ?? "none";
					expect(chatOf.get(key) ?? conversationKey).toBe(conversationKey);
					expect(keyOfChat.get(conversationKey) ?? key).toBe(key);
					chatOf.set(key, conversationKey);
					keyOfChat.set(conversationKey, key);
				}
			}),
			{ numRuns: cases(runs) },
		);
	},
);
