/** Sends a picture and a file from disk in one message, and then a voice note. */
import { join } from "node:path";
import { MessagingGateway } from "messaging-gateway";
import { attachmentFromFile } from "messaging-gateway/node";

const to = "+15551234567";
const gateway = new MessagingGateway();

const files = await Promise.all([readFile("sunrise.png"), readFile("opening-hours.txt")]);
const { message } = await gateway.messages.sendAttachments({
	to,
	attachments: files,
	text: "Our new opening hours",
});
console.log(`files        ${message.messageId} is ${message.status}`);
for (const { name, mimeType } of files) console.log(`             ${name}, ${mimeType}`);

const recording = await readFile("hello.wav");
const note = await gateway.messages.sendVoiceNote({ to, attachment: recording });
console.log(`voice note   ${note.message.messageId} is ${note.message.status}`);
console.log(`             ${recording.name}, ${recording.mimeType}`);

function readFile(name: string) {
	return attachmentFromFile(join(import.meta.dirname, "files", name));
}
