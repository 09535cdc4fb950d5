import { webhookHeaderNames } from "../../../library/catalogue/webhook-headers.ts";
import { systemClock } from "../../../library/runtime.ts";
import { decodeBase64 } from "../../decode-base64.ts";
import { explainWebhookFailure } from "../../doctor/webhooks/explain-webhook-failure.ts";
import type { Explanation } from "../../doctor/webhooks/explanation.ts";
import { readHeaders } from "../conversations/drawer/explain/read-headers.ts";

/** A delivery, and what its receiver has, as typed: here nothing but what is usual. */
export const EMPTY_INPUT = {
	headers: "",
	body: { text: "", isBase64: false },
	secret: "",
	secondSecret: "",
	/** Signs requests; the sender may have used it by mistake. */
	appSecret: "",
	/** Of another environment. */
	otherSecret: "",
	/** The vendor's prefix of the header names. */
	vendor: "SVC",
	toleranceSeconds: "300",
	/** The receiver's time; empty for this machine's time. */
	now: "",
};

export type ExplainInput = Readonly<typeof EMPTY_INPUT>;

/** A body: its text, or its bytes in base64. */
export type BodyInput = Readonly<ExplainInput["body"]>;

/** Explains a delivery, or returns why the input cannot be read. Nothing leaves this machine. */
export function explainInput(input: ExplainInput): Explanation | { readonly problem: string } {
	const { secret, secondSecret, appSecret, otherSecret, toleranceSeconds, now } = input;
	const body = readBody(input.body);
	if (body === undefined) return { problem: "The body is not base64." };
	const time = readTime(now);
	if (now.trim() !== "" && time === undefined)
		return { problem: "The receiver’s time must be Unix time or a date." };
	return explainWebhookFailure(
		{ body, headers: readHeaders(input.headers).headers },
		{
			// An empty list, not `undefined`, which would mean the environment variable.
			secret: [secret, secondSecret].filter((given) => given !== ""),
			appSecret: appSecret || undefined,
			otherSecrets: otherSecret === "" ? undefined : { "another environment": otherSecret },
			profile: { vendor: { headerPrefix: prefixOf(input) } },
			// What is no number is reported by the explanation.
			toleranceSeconds: toleranceSeconds.trim() === "" ? undefined : Number(toleranceSeconds),
			clock: time === undefined ? undefined : { ...systemClock, now: () => time },
		},
	);
}

/** The bytes of a body, or its text; `undefined` if it is not base64. */
export function readBody({ text, isBase64 }: BodyInput): string | Uint8Array | undefined {
	return isBase64 ? decodeBase64(text) : text;
}

/** What was parsed of the pasted headers, in a sentence or two. */
export function describeHeaders(input: ExplainInput): string {
	const { headers, unreadable } = readHeaders(input.headers);
	const names = Object.keys(headers).map((name) => name.toLowerCase());
	const missing = namesOf(input).all.filter((name) => !names.includes(name.toLowerCase()));
	const [first] = unreadable;
	return [
		`${names.length} ${names.length === 1 ? "header" : "headers"} read.`,
		missing.length === 0 ? "All three webhook headers found." : `Missing: ${missing.join(", ")}.`,
		...(first === undefined ? [] : [`Line ${first.number} is not a header: ${first.text}`]),
	].join(" ");
}

/** The time of the delivery's timestamp header, in ISO 8601; `undefined` if it is missing or invalid. */
export function findTimestamp(input: ExplainInput): string | undefined {
	const wanted = namesOf(input).timestamp.toLowerCase();
	const { headers } = readHeaders(input.headers);
	const [, value] = Object.entries(headers).find(([name]) => name.toLowerCase() === wanted) ?? [];
	const ms = typeof value === "string" ? readTime(value) : undefined;
	return ms === undefined ? undefined : new Date(ms).toISOString();
}

function namesOf(input: ExplainInput) {
	return webhookHeaderNames({ headerPrefix: prefixOf(input) });
}

export function prefixOf({ vendor }: ExplainInput): string {
	return vendor.trim() || EMPTY_INPUT.vendor;
}

/** The latest time of a `Date`, in milliseconds. */
const LATEST = 8.64e15;

/** Parses Unix seconds, Unix milliseconds or a date into Unix milliseconds; `undefined` if it is invalid. */
export function readTime(input: string): number | undefined {
	const plain = input.trim();
	if (/^\d{1,11}$/.test(plain)) return Number(plain) * 1000;
	const ms = /^\d{12,}$/.test(plain) ? Number(plain) : Date.parse(plain);
	return Number.isNaN(ms) || ms > LATEST ? undefined : ms;
}
