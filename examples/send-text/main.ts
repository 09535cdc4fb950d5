/** Sends a text, and shows the error when the same text is sent again. */
import { DuplicateMessageError, MessagingGateway } from "messaging-gateway";

const gateway = new MessagingGateway(); // Address and credentials come from the environment.

const text = { to: "+15551234567", text: "Your table is ready." };

const { data, meta, attempts } = await gateway.messages.sendText(text).withResponse();
console.log(`message   ${data.message.messageId}`);
console.log(`status    ${data.message.status}`); // Webhooks report the later ones.
console.log(`request   ${meta?.requestId}, attempt ${attempts}`);

try {
	await gateway.messages.sendText(text);
} catch (error) {
	if (!(error instanceof DuplicateMessageError)) throw error;
	console.log(`again     rejected for another ${Math.ceil(error.duplicate?.timeRemaining ?? 0)} s`);
}
