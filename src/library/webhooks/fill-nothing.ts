import type { EventPayloads, Field, Payload } from "./event-fields.ts";

/** Less than this is no Unix time in milliseconds, but one in seconds. */
const MIN_MILLISECONDS = 1e11;

/**
 * The values of fields that certainly mean nothing: they are absent, or `null` where no `null` is due, as many JSON
 * libraries write "none". A field that may have been renamed, or whose value would change whom an answer reaches, is left
 * as it is. See the decision record `0086-what-is-certainly-nothing.md`.
 * @param unfit - the fields that are not as documented.
 */
export function fillNothing(kind: keyof EventPayloads, payload: Payload, unfit: readonly Field[]): Payload {
	// Anything may have a field `status`: a message that has one must not be taken for a status, and be gone.
	if (kind === "status" && payload["outbound"] !== true && payload["type"] !== "status") return {};
	const values: Record<string, unknown> = {};
	for (const [name, type] of unfit) {
		const value = payload[name];
		if (value == null && isCertain(kind, name, payload))
			values[name] =
				type === "string" ? "" : type === "boolean" ? false : type.startsWith("array") ? [] : null;
		else if (typeof value === "number" && type === "integer" && value > MIN_MILLISECONDS && value % 1 > 0)
			values[name] = Math.round(value);
	}
	return values;
}

/** Whether a field that holds nothing certainly means nothing. */
function isCertain(kind: keyof EventPayloads, name: string, payload: Payload): boolean {
	const isMessage = kind === "inbound_message";
	switch (name) {
		// A message with neither has a text, or attachments, under another name.
		case "text":
			return !isMessage || isFilled(payload["attachments"]);
		case "attachments":
			return !isMessage || isFilled(payload["text"]);
		case "outbound":
			return isMessage;
		case "groupId":
			return isBetweenTwo(payload);
		default:
			return ["participants", "originalText", "status_callback", "error"].includes(name);
	}
}

/** Whether a text or a list holds anything: U+FFFC alone only stands for a picture. */
export function isFilled(value: unknown): boolean {
	if (typeof value === "string") return /[^\s\uFFFC]/.test(value);
	return Array.isArray(value) && value.some((item) => item != null);
}

/** Whether nobody else is in the chat: a group's answer must not go to one contact, nor the reverse. */
function isBetweenTwo({ participants, from, to }: Payload): boolean {
	return (
		Array.isArray(participants) &&
		participants.length > 0 &&
		participants.every((handle) => typeof handle === "string" && (handle === from || handle === to))
	);
}
