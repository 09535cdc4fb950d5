import type { MessagingGateway } from "messaging-gateway";
import type { Action } from "../../src/tools/control/action.ts";
import type { RunningDevServer } from "../../test/support/dev-server.ts";

/** The contact whose conversation the pictures show. */
export const CONTACT = "+15551234567";

/** The message whose webhook fails once at the receiver. */
export const FAILED_TEXT = "I take it! Can I come by at five?";

const GROUP = ["+15557654321", "+15557650012"];
const MINUTE_MS = 60_000;

/** Fills a gateway with realistic conversations, minute by minute. */
export async function fillConversations(dev: RunningDevServer, picture: Uint8Array): Promise<void> {
	const say = createSteps(dev);
	await say(({ messages }) => messages.sendText({ to: "+15550001001", text: "Your order is on its way." }));
	await say(({ messages }) => messages.sendText({ to: "+15550001002", text: "Your code is 4711." }));
	await say(({ messages }) => messages.sendText({ to: "+15550001004", text: "Did the lamp arrive?" }));
	await say(({ messages }) => messages.sendText({ participants: GROUP, text: "The tour starts at nine." }));
	const groupId = (await dev.snapshot()).conversations.find((chat) => chat.groupId !== null)?.groupId;
	await say({ type: "reply", from: "+15557654321", text: "We will be there", groupId: groupId ?? undefined });

	await say({ type: "reply", from: CONTACT, text: "Hi, is the red bicycle still for sale?" });
	await say(({ messages }) => messages.markRead({ to: CONTACT }), 0);
	await say(({ messages }) => messages.sendText({ to: CONTACT, text: "It is. This is how it looks:" }), 0);
	const attachments = [{ data: picture, name: "bicycle.png", mimeType: "image/png" }];
	await say(({ messages }) => messages.sendAttachments({ to: CONTACT, attachments }));
	await say({ type: "react", from: CONTACT, reaction: "love" });
	await say({ type: "reply", from: CONTACT, text: FAILED_TEXT });
	await say(({ messages }) => messages.sendText({ to: CONTACT, text: "Five is fine. See you then!" }), 0);
}

/** Runs one step after the other, each when the effects of the previous one are complete. */
function createSteps(dev: RunningDevServer) {
	return async (step: Action | ((client: MessagingGateway) => Promise<unknown>), thenMs = MINUTE_MS) => {
		if (typeof step === "function") await step(dev.client);
		else await dev.act(step);
		await untilQuiet(dev);
		if (thenMs > 0) await dev.act({ type: "advance_clock", ms: thenMs });
	};
}

async function untilQuiet(dev: RunningDevServer): Promise<void> {
	const [{ messages }, deliveries] = await Promise.all([dev.snapshot(), dev.deliveries()]);
	const isUnderWay = messages.some(({ status }) => status === "queued" || status === "sent");
	if (isUnderWay || deliveries.some(({ state }) => state === "pending")) await untilQuiet(dev);
}
