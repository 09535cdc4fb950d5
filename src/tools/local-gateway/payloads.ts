import type { InboundMessage, InboundReaction, StatusUpdate } from "../../library/catalogue/events.ts";
import type { Message } from "../../library/catalogue/message.ts";
import type { Profile } from "../../library/catalogue/profile.ts";
import { ConfigurationError } from "../../library/errors.ts";
import { isJsonObject } from "../../library/is-object.ts";
import { randomUuid } from "../../library/runtime.ts";
import { writeMappedEvent } from "./maps/write-mapped-event.ts";

/** The account that everything in a local gateway belongs to. */
const ACCOUNT_ID = "local-account";

/** Builds the payload of section 6.2. */
export function inboundMessagePayload(message: Message): InboundMessage {
	const { messageId, text, from, to, nativeMessageNumber, participants, groupId, attachments } = message;
	return {
		type: "inbound_message",
		messageId,
		text,
		from,
		to,
		outbound: false,
		nativeMessageNumber,
		participants,
		chatGuid: message.chatGuid ?? "",
		groupId,
		messageGuid: message.messageGuid ?? "",
		attachments,
		timestamp_ms: message.timestamp_ms,
		accountId: ACCOUNT_ID,
	};
}

/** Builds the payload of section 6.3, which does not show how a reaction is taken back: `removed` is assumed. */
export function inboundReactionPayload(
	original: Message,
	reaction: Pick<InboundReaction, "from" | "to" | "outbound" | "reaction"> & {
		at: number;
		removed?: boolean | undefined;
	},
): InboundReaction & { removed?: true } {
	return {
		type: "inbound_reaction",
		messageId: randomUuid(),
		from: reaction.from,
		to: reaction.to,
		outbound: reaction.outbound,
		nativeMessageNumber: original.nativeMessageNumber,
		participants: original.participants,
		chatGuid: original.chatGuid ?? "",
		groupId: original.groupId,
		messageGuid: randomUuid(),
		originalMessageGuid: original.messageGuid ?? "",
		originalText: original.text,
		reaction: reaction.reaction,
		timestamp_ms: reaction.at,
		accountId: ACCOUNT_ID,
		...(reaction.removed && { removed: true }),
	};
}

/** Builds the payload of section 6.4, which has no `type`. */
export function statusPayload(message: Message, at: number): StatusUpdate {
	const { chatGuid, messageGuid, ...fields } = message;
	return { ...fields, chatGuid: chatGuid ?? "", messageGuid: messageGuid ?? "", timestamp_ms: at };
}

/**
 * A payload as the profile's service writes it.
 * @throws ConfigurationError if the profile's encoder returns no object: JavaScript forgets a `return`.
 */
export function encodePayload(payload: object, profile: Profile | undefined): object {
	const { encode, map } = profile?.events ?? {};
	if (map !== undefined) return writeMappedEvent(map, { ...payload });
	if (encode === undefined) return payload;
	const encoded: unknown = encode({ ...payload });
	if (isJsonObject(encoded) && !("then" in encoded)) return encoded;
	Promise.resolve(encoded).catch(() => undefined);
	throw new ConfigurationError("profile.events.encode must return an object, and no promise");
}

/** Renames the field that has the vendor's word in its name. */
export function toWirePayload(
	payload: { nativeMessageNumber: unknown },
	profile: Profile,
): Record<string, unknown> {
	const { nativeMessageNumber, ...fields } = payload;
	return { ...fields, [profile.vendor?.messageNumberField ?? "nativeMessageNumber"]: nativeMessageNumber };
}
