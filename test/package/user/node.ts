import { MessagingGateway } from "messaging-gateway";
import { attachmentFromFile } from "messaging-gateway/node";

const attachments = [await attachmentFromFile("picture.png"), { url: "https://files.example/a.png" }];
const { message } = await new MessagingGateway().messages.sendAttachments({
	to: "+15551234567",
	attachments,
});

export const { attachments: received } = message;
