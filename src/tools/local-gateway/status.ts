import type { Message } from "../../library/catalogue/message.ts";
import { NEXT_STATUSES } from "../../library/catalogue/shared.ts";
import { randomUuid } from "../../library/runtime.ts";
import { statusPayload, toWirePayload } from "./payloads.ts";
import type { MessageRecord } from "./records.ts";
import type { World } from "./world.ts";

/** Moves a message to a status and queues the webhook; does nothing if the status cannot follow the current one. */
export function moveTo(
	world: World,
	record: MessageRecord,
	status: Message["status"],
	error: Message["error"] = null,
): void {
	const { message, conversation } = record;
	if (!NEXT_STATUSES[message.status]?.includes(status)) return;
	if (message.status === "queued") leaveQueue(world, record, status);
	if (status === "sent") conversation.unread.set(message.messageId, record);
	// SMS has no read receipts, and a failed message is never read.
	if (status !== "sent" && status !== "delivered") conversation.unread.delete(message.messageId);
	message.status = status;
	message.error = error;
	world.messages.changed(record);
	world.conversations.changed(conversation);
	world.deliveries.add(
		{
			kind: "status",
			messageId: message.messageId,
			conversationKey: conversation.key,
			statusCallback: message.status_callback,
		},
		toWirePayload(statusPayload(message, world.clock.now()), world.settings.profile),
	);
}

/** A failed message gets its ids as well, since those of the payload are never null (section 6.4). */
function leaveQueue(world: World, record: MessageRecord, status: Message["status"]): void {
	const { message, conversation, windowId, signature } = record;
	message.chatGuid = conversation.chatGuid;
	message.messageGuid = randomUuid();
	world.messages.indexGuid(record);
	if (status !== "failed") conversation.lastSent = record;
	else if (signature !== undefined) {
		const attempt = { conversation, windowId, agentNumber: message.from, signature };
		world.duplicates.release(attempt, message.messageId);
	}
}
