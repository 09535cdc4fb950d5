import * as z from "zod/mini";
import { messageSchema, receivedAttachment } from "../../../library/catalogue/message.ts";
import { openEnum, receivedMilliseconds, schemaOf } from "../../../library/catalogue/schema.ts";
import { MESSAGE_STATUSES } from "../../../library/catalogue/shared.ts";
import type { ConversationView, MessagePreview, MessageView, TapbackView, WindowView } from "../contract.ts";
import { list, sequence, view } from "./shapes.ts";

const kind = z.enum(["text", "attachments", "voice"]);

const tapback = schemaOf<TapbackView>("TapbackView")(
	view({ by: z.string(), reaction: z.string(), partIndex: z.exactOptional(z.number()) }),
);

export const messageView = schemaOf<MessageView>("MessageView")(
	z.intersection(
		messageSchema,
		view({
			sequence,
			conversationKey: z.string(),
			kind,
			tapbacks: list(tapback),
			effect: z.exactOptional(z.string()),
			replyToGuid: z.exactOptional(z.string()),
		}),
	),
);

const preview = schemaOf<MessagePreview>("MessagePreview")(
	z.intersection(
		z.looseObject({
			text: z.string(),
			attachments: z.array(receivedAttachment),
			outbound: z.boolean(),
			status: openEnum(MESSAGE_STATUSES),
			timestamp_ms: receivedMilliseconds,
		}),
		view({ sequence, kind }),
	),
);

const openWindow = schemaOf<WindowView>("WindowView")(
	view({ messageId: z.string(), scope: z.enum(["contact", "agent", "account"]), endsAt: z.number() }),
);

const timestamp = z.nullable(z.number());

const counters = z.looseObject({
	createdAt: timestamp,
	respondedAt: timestamp,
	lastRespondedAt: timestamp,
	receivedAt: timestamp,
	lastReceivedAt: timestamp,
	outbound: z.number(),
	inbound: z.number(),
	consecutiveCount: z.number(),
	lastWarningSentAt: timestamp,
	maxConsecutiveMessages: z.number(),
});

export const conversationView = schemaOf<ConversationView>("ConversationView")(
	view({
		key: z.string(),
		groupId: z.nullable(z.string()),
		groupName: z.exactOptional(z.string()),
		contacts: list(z.string()),
		agentNumber: z.string(),
		counters,
		windows: list(openWindow),
		behaviour: z.exactOptional(z.string()),
		typingUntil: timestamp,
		readUpTo: z.nullable(view({ sequence, at: z.number() })),
		lastMessageAt: timestamp,
		messageCount: z.number(),
		failedCount: z.number(),
		lastMessage: z.nullable(preview),
	}),
);
