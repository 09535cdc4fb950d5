import { setTimeout as sleep } from "node:timers/promises";
import type { MessagingGateway } from "messaging-gateway";
import type { ConnectedGateway } from "messaging-gateway/testing";

/** Waits for some seconds of the people who watch. */
export type Pause = (seconds: number) => Promise<void>;

export const BUYER = "+15551234567";
const GROUP = ["+15557654321", "+15557650012"];

/** What the buyer writes and the application answers. */
export const LINES = {
	question: "Hi, is the red bicycle still for sale?",
	answer: "It is. This is how it looks:",
	offer: "I take it! Can I come by at five?",
	end: "Five is fine. See you then!",
} as const;

/** Fills the list of chats. */
export async function fillChats({ messages }: MessagingGateway, local: ConnectedGateway): Promise<void> {
	await messages.sendText({ to: "+15550001002", text: "Your code is 4711." });
	await messages.sendText({ to: "+15550001004", text: "Did the lamp arrive?" });
	const { message } = await messages.sendText({ participants: GROUP, text: "The tour starts at nine." });
	await local.settled();
	const { groupId } = message;
	if (groupId !== null) await local.contact("+15557654321").reply("We will be there", { groupId });
	await local.settled();
}

/**
 * A buyer asks about a bicycle, and the application answers. Before the last message the webhook route moves, so the
 * webhook of that message fails.
 */
export async function buyBicycle(
	local: ConnectedGateway,
	moveRoute: () => void,
	pause: Pause,
): Promise<void> {
	const buyer = local.contact(BUYER);
	await buyer.reply(LINES.question);
	await until(async () => (await isQuiet(local)) && (await countRead(local)) === 2);
	await pause(1.5);
	await buyer.react("love");
	await until(() => isQuiet(local));
	await pause(1.5);
	moveRoute();
	await buyer.reply(LINES.offer);
	await until(async () => (await local.deliveries({ failed: true })).items.length > 0);
}

/** Whether no webhook is under way. */
async function isQuiet(local: ConnectedGateway): Promise<boolean> {
	const { items } = await local.deliveries();
	return items.every(({ state }) => state === "delivered");
}

/** How many messages the buyer has read. */
async function countRead(local: ConnectedGateway): Promise<number> {
	const { items } = await local.messages();
	return items.filter(({ outbound, to, status }) => outbound && to === BUYER && status === "read").length;
}

async function until(isTrue: () => Promise<boolean>): Promise<void> {
	while (!(await isTrue())) await sleep(50);
}
