import { MessagingGateway } from "messaging-gateway";
import type { LocalGateway } from "messaging-gateway/testing";

const CONTACTS = ["+15550100101", "+15550100102", "+15550100103"] as const;

/** Fills a local gateway with contacts, some of whom have replied, and a failed message. */
export async function fillHistory(local: LocalGateway): Promise<void> {
	const { messages } = new MessagingGateway(local.clientOptions);
	for (const [at, to] of CONTACTS.entries()) {
		await messages.sendText({ to, text: `Order ${at + 1} is on its way.` });
		await local.settled();
	}
	for (const number of CONTACTS.slice(1)) await local.contact(number).reply("Thank you!");
	await messages.sendText({ to: CONTACTS[1], text: "You are welcome." });
	await messages.sendText({ to: "+15550001001", text: "Order 4 is on its way." });
	await local.settled();
}
