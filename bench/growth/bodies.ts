import { randomUUID } from "node:crypto";
import {
	canonicalize,
	RequestVerificationError,
	signRequest,
	verifyRequest,
} from "messaging-gateway/signing";
import { signWebhook, verifyWebhook } from "messaging-gateway/webhooks";
import { SECRET, TEXT_BODY } from "../inputs.ts";

/** Creates something of a size. @returns does the work once, and keeps the size. */
export type Prepare = (size: number) => (() => unknown) | Promise<() => unknown>;

/** JSON of about so many bytes, in the shapes that cost most to write canonically. */
const STRANGE_BODIES: Readonly<Record<string, (bytes: number) => string>> = {
	"wide object": (bytes) => `{${repeat(bytes, (at) => `"${scatter(at).toString(36)}":0`)}}`,
	"wide object of very short keys": (bytes) => {
		const keys = Math.ceil(bytes / 8);
		return `{${repeat(bytes, (at) => `"${(((at * 7_919) % keys) + 36).toString(36)}":0`)}}`;
	},
	"wide object of keys that begin alike": (bytes) =>
		`{${repeat(bytes, (at) => `"${"é".repeat(60)}${scatter(at).toString(36)}":0`)}}`,
	"objects of ever new shapes": (bytes) => `[${repeat(bytes, (at) => `{"z${scatter(at)}":1,"a":2}`)}]`,
	"deep arrays": (bytes) => {
		const levels = Math.min(998, bytes / 4);
		return `[${repeat(bytes, () => "[".repeat(levels) + "]".repeat(levels))}]`;
	},
	"empty objects": (bytes) => `[${repeat(bytes, () => "{}")}]`,
	"numbers that get longer": (bytes) => `[${repeat(bytes, () => "1e20")}]`,
	"escaped string": (bytes) => `"${"\\n\\u0001".repeat(bytes / 8)}"`,
};

const REQUEST = { method: "POST", url: "/message/text" } as const;

/** An empty store, since each run verifies the same request; one timestamp serves the whole run. */
const VERIFY = {
	secretFor: () => SECRET,
	nonceStore: { remember: async () => true },
	toleranceSeconds: 3_600,
};

/** What grows with the body. */
export const BODIES: Readonly<Record<string, Prepare>> = {
	canonicalize(bytes) {
		const value = createValue(bytes);
		return () => Buffer.byteLength(canonicalize(value));
	},
	signRequest(bytes) {
		const body = createValue(bytes);
		return () => sign(body);
	},
	verifyRequest(bytes) {
		const { headers, body } = sign(createValue(bytes));
		const request = { ...REQUEST, headers: new Headers({ ...headers }), body };
		return () => verifyRequest(request, VERIFY);
	},
	...Object.fromEntries(
		Object.entries(STRANGE_BODIES).map(([title, write]): [string, Prepare] => [
			`verifyRequest of a stranger's ${title}`,
			(bytes) => verifyStrange(write(bytes)),
		]),
	),
	verifyWebhook(bytes) {
		const body = JSON.stringify({ values: createValue(bytes) });
		const headers = signWebhook({ body, secret: SECRET });
		return () => verifyWebhook({ body, headers }, { secret: SECRET });
	},
};

function sign(body: unknown) {
	return signRequest({ ...REQUEST, body, appId: "app-1", appSecret: SECRET });
}

function verifyStrange(text: string): () => Promise<void> {
	const headers = new Headers({
		"X-App-Id": "app-1",
		"X-Timestamp": String(Date.now()),
		"X-Nonce": randomUUID(),
		Authorization: `HMAC ${"0".repeat(64)}`,
	});
	const request = { ...REQUEST, headers, body: new TextEncoder().encode(text) };
	return async () => {
		const error: unknown = await verifyRequest(request, VERIFY).catch((thrown: unknown) => thrown);
		if (!(error instanceof RequestVerificationError)) throw new Error("a stranger was accepted");
	};
}

/** So many items that their JSON has about `bytes` bytes. */
function repeat(bytes: number, writeItem: (at: number) => string): string {
	const items: string[] = [];
	for (let length = 0; length < bytes; length += (items.at(-1)?.length ?? 0) + 1)
		items.push(writeItem(items.length));
	return items.join(",");
}

/** A different number for each, in no order. */
function scatter(at: number): number {
	return Math.imul(at + 1, 2_654_435_761) >>> 0;
}

/** Texts to send whose JSON has about so many bytes. */
function createValue(bytes: number): unknown {
	const { length } = JSON.stringify(TEXT_BODY);
	return Array.from({ length: Math.max(1, Math.round(bytes / length)) }, () => ({ ...TEXT_BODY }));
}
