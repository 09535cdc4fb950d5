import type { ReceivedAttachment } from "../../../library/catalogue/shared.ts";
import type { SentContent } from "../../local-gateway/history.ts";
import type { Conversation } from "../../local-gateway/records.ts";
import { literal, objectLiteral } from "./literals.ts";

/** A send as a test makes it. */
export interface SendToWrite extends Omit<SentContent, "agentNumber"> {
	readonly conversation: Conversation;
	/** The agent's number, if the send must name it. */
	readonly from: string | undefined;
	readonly effect?: string | undefined;
	/** An expression for the `messageGuid` that this message replies to. */
	readonly replyToGuid?: string | undefined;
	readonly statusCallback?: string | undefined;
}

const METHODS = { text: "sendText", attachments: "sendAttachments", voice: "sendVoiceNote" } as const;

/** Writes sends. Bytes are replaced in a test: equal attachments stay equal, different ones stay different. */
export class SendWriter {
	readonly #fillings = new Map<string, number>();

	/** Writes a call without its `await`. */
	write(send: SendToWrite): string {
		const { conversation, from, kind, text, effect, replyToGuid, statusCallback } = send;
		const { groupId, contacts, key } = conversation;
		const attachments = send.attachments.map((item, at) => this.#attachment(item, `${send.signature} ${at}`));
		const input = objectLiteral([
			groupId === null ? ["to", literal(key)] : ["participants", literal(contacts)],
			["from", from && literal(from)],
			["text", kind === "text" || text !== "" ? literal(text) : undefined],
			["attachments", kind === "attachments" ? `[${attachments.join(", ")}]` : undefined],
			["attachment", kind === "voice" ? attachments[0] : undefined],
			["effect", effect && literal(effect)],
			["replyToGuid", replyToGuid],
			["statusCallback", statusCallback && literal(statusCallback)],
		]);
		return `gateway.messages.${METHODS[kind]}(${input})`;
	}

	#attachment({ url, name, mimeType }: ReceivedAttachment, content: string): string {
		if (typeof url === "string") return literal({ url, name, mimeType });
		const filling = this.#fillings.get(content) ?? this.#fillings.size + 1;
		this.#fillings.set(content, filling);
		return objectLiteral([
			["data", `new Uint8Array(${Math.ceil(filling / 255) * 16}).fill(${filling % 256})`],
			["name", literal(name)],
			["mimeType", literal(mimeType)],
		]);
	}
}
