/**
 * Forms a group, and sends to it by its id. The specification shows a group as `groupId` and `participants` of an event (section 6.2);
 * how a send addresses one is assumed.
 */
import { MessagingGateway } from "messaging-gateway";

const gateway = new MessagingGateway();

// The same set of numbers is the same group, so no lookup is needed.
const { message: first } = await gateway.messages.sendText({
	participants: ["+15551234567", "+15557654321"],
	groupName: "Lunch",
	text: "Who is hungry?",
});
const { groupId, participants } = first;
if (groupId === null) throw new Error("the gateway formed no group");
console.log(`group     ${groupId}`);
console.log(`in it     ${participants.join(", ")}`);

const { message: second } = await gateway.messages.sendText({ groupId, text: "At noon, at the corner?" });
for (const { text, status } of [first, second]) console.log(`${status}    ${text}`);
