import { utf8 } from "../../../library/signing/bytes.ts";
import { asGiven, before, type Candidate } from "./candidate.ts";

/** What is signed before and after the body. */
export interface SignedFrame {
	readonly prefix: Uint8Array;
	readonly suffix: Uint8Array;
}

const FIX = "Let the sender sign the timestamp, a full stop and the raw body, in this order.";

/** The ways to put timestamp and body together, the documented one first. */
export function signedFrames(timestamp: string, eventId: string): Candidate<SignedFrame>[] {
	const other = (form: string, prefix: string, suffix = "") =>
		before(
			frame(prefix, suffix),
			"other_signed_content",
			`The signature covers ${form}; it must cover the timestamp, a full stop and the body.`,
			FIX,
		);
	return [
		asGiven(frame(`${timestamp}.`)),
		before(
			frame(""),
			"timestamp_not_signed",
			"The signature covers the body alone, without the timestamp and the full stop before it.",
			FIX,
		),
		other("the timestamp and the body with nothing between them", timestamp),
		...[
			["a colon", ":"],
			["a line feed", "\n"],
			["a comma", ","],
			["a hyphen", "-"],
			["a vertical bar", "|"],
			["a space", " "],
		].map(([name, separator]) =>
			other(`the timestamp and the body with ${name} between them`, `${timestamp}${separator}`),
		),
		other("a version, the timestamp and the body with colons", `v0:${timestamp}:`),
		other("a version, the timestamp and the body with colons", `v1:${timestamp}:`),
		other("a version, the timestamp and the body with full stops", `v1.${timestamp}.`),
		other("the event id, the timestamp and the body", `${eventId}.${timestamp}.`),
		other("the body before the timestamp", "", `.${timestamp}`),
		other("the body before the timestamp", "", timestamp),
	];
}

function frame(prefix: string, suffix = ""): SignedFrame {
	return { prefix: utf8(prefix), suffix: utf8(suffix) };
}
