/** Writes docs/vectors.json: signatures for implementations in other languages. */
import { writeFileSync } from "node:fs";
import { WebhookVerificationError } from "../src/library/errors.ts";
import { systemClock } from "../src/library/runtime.ts";
import { canonicalize } from "../src/library/signing/canonical-json.ts";
import { hashBody, signRequest } from "../src/library/signing/sign-request.ts";
import { signWebhook } from "../src/library/webhooks/sign-webhook.ts";
import { verifySignature } from "../src/library/webhooks/verify-signature.ts";

export const VECTORS_PATH = "docs/vectors.json";

/** JSON texts, by what is difficult about them. */
const JSON_TEXTS: readonly (readonly [name: string, json: string])[] = [
	["empty object", " { } "],
	["literals and nesting", '{"b":[true,false,null],"a":{"d":{},"c":[]}}'],
	["keys by UTF-16 code unit", '{"\\ufb33":1,"\\ud83d\\ude00":2,"z":3,"\\u00e9":4,"10":5,"9":6,"":7,"Z":8}'],
	["zeros", "[0,-0,0.0,-0e5]"],
	["integers", "[1.0,1e2,100000000000000000000,1e21,12345678901234567890,9007199254740993]"],
	[
		"fractions",
		"[0.1,1e-6,1e-7,0.30000000000000004,333333333.33333329,-1.5E+3,5e-324,1.7976931348623157e308]",
	],
	["escapes", '"\\u0000\\b\\t\\n\\u000b\\f\\r\\u001f\\"\\\\\\/\\u007f"'],
	["beyond ASCII", '"\\u00fc\\u20ac\\ud83d\\ude00\\u2028\\u2029<\\u00ad&"'],
	["two forms of one character", '["\\u00e9","e\\u0301"]'],
];

const CLIENT = {
	appId: "app-1",
	appSecret: "app-secret",
	timestamp: 1_767_225_600_000,
	nonce: "3f1c9a52-8d0e-4b7a-9c63-5e2d71f0a4b8",
};

const REQUESTS: readonly (readonly [name: string, method: string, target: string, json?: string])[] = [
	["no body", "GET", "/mapping/%2B15551234567"],
	["a body", "POST", "/message/text", '{"to":"+15551234567","text":"Hello"}'],
	[
		"a body beyond ASCII",
		"POST",
		"/message/text",
		'{"to":"+15551234567","text":"Gr\\u00fc\\u00dfe \\ud83d\\ude00 \\u2028"}',
	],
	["an empty object is a body", "POST", "/settings/webhooks", "{}"],
	["a query, which is not signed", "GET", "/queue?limit=10&cursor=a%20b"],
];

const WEBHOOK = { secret: "webhook-secret", eventId: "evt_1", timestamp: 1_767_225_600 };
const BODY = '{"text":"Hello"}';
const WRONG = `v1=${"0".repeat(64)}`;

interface WebhookCase {
	readonly name: string;
	/** The body that is signed. */
	readonly signed?: string;
	/** The body that arrives, if it is another one. */
	readonly body?: string;
	readonly sign?: { readonly secret?: string; readonly timestamp?: number };
	readonly change?: (signature: string) => string;
}

const WEBHOOKS: readonly WebhookCase[] = [
	{ name: "as documented" },
	{ name: "beyond ASCII", signed: '{"text":"Grüße 😀 \u2028"}' },
	{ name: "whitespace, escapes, numbers", signed: '{ "text" : "\\u00fc\\/" ,\r\n "n":[1.0,1E2,-0]}\r\n' },
	{ name: "written again", signed: '{"text":"\\u00fc"}', body: '{"text":"ü"}' },
	{ name: "one digit changed", signed: '{"n":1}', body: '{"n":2}' },
	{ name: "an empty body", signed: "" },
	{ name: "another secret", sign: { secret: "another" } },
	{ name: "another timestamp", sign: { timestamp: WEBHOOK.timestamp - 1 } },
	{ name: "a wrong and the right one", change: (signature) => `${WRONG}, ${signature}` },
	{ name: "another scheme and the right one", change: (signature) => `v0=00,${signature}` },
	{ name: "digits in upper case", change: (signature) => `v1=${signature.slice(3).toUpperCase()}` },
	{ name: "no scheme", change: (signature) => signature.slice(3) },
	{ name: "the first digits", change: (signature) => signature.slice(0, 11) },
	{ name: "an empty signature", change: () => "v1=" },
];

/** The file as the code has it now: a vector on each line. */
export function writeVectors(): string {
	const lists = {
		canonicalJson: JSON_TEXTS.map(toJsonVector),
		requests: REQUESTS.map(toRequestVector),
		webhooks: WEBHOOKS.map(toWebhookVector),
	};
	const parts = Object.entries(lists).map(
		([name, vectors]) => `"${name}":[\n${vectors.map((vector) => JSON.stringify(vector)).join(",\n")}\n]`,
	);
	const shared = JSON.stringify({ client: CLIENT, webhook: WEBHOOK }).slice(1, -1);
	return `{${[shared, ...parts].join(",\n")}}\n`;
}

function toJsonVector([name, json]: (typeof JSON_TEXTS)[number]) {
	const value: unknown = JSON.parse(json);
	return { name, json, canonical: canonicalize(value), sha256: hashBody(value) };
}

function toRequestVector([name, method, target, json]: (typeof REQUESTS)[number]) {
	const value: unknown = json === undefined ? undefined : JSON.parse(json);
	const url = `https://gateway.example${target}`;
	const { body, stringToSign, headers } = signRequest({ ...CLIENT, method, url, body: value });
	const sent = body === undefined ? null : new TextDecoder().decode(body);
	const { Authorization: authorization } = headers;
	return { name, method, target, json: json ?? null, body: sent, stringToSign, authorization };
}

function toWebhookVector({ name, signed = BODY, body = signed, sign, change = (same) => same }: WebhookCase) {
	const headers = signWebhook({ ...WEBHOOK, ...sign, body: signed });
	const signature = change(headers["X-SVC-Signature"] ?? "");
	return { name, body, signature, isValid: isValid(body, signature) };
}

/** Whether a signature is right, at the second of its timestamp. */
function isValid(body: string, signature: string): boolean {
	const { secret, timestamp, eventId } = WEBHOOK;
	const headers = {
		"X-SVC-Event-Id": eventId,
		"X-SVC-Timestamp": String(timestamp),
		"X-SVC-Signature": signature,
	};
	const clock = { ...systemClock, now: () => timestamp * 1_000 };
	try {
		verifySignature({ body, headers }, { secret, clock });
		return true;
	} catch (error) {
		if (error instanceof WebhookVerificationError && error.code === "signature_mismatch") return false;
		throw error;
	}
}

if (import.meta.main) writeFileSync(VECTORS_PATH, writeVectors());
