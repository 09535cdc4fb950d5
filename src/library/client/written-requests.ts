import { findBuiltin } from "../host.ts";
import { WRITTEN } from "./written.ts";

interface DiagnosticsChannels {
	subscribe(name: string, listener: (message: unknown) => void): void;
	unsubscribe(name: string, listener: (message: unknown) => void): unknown;
}

/** How often the requests with one nonce were written. */
interface Count {
	heads: number;
	bodies: number;
	/** How many attempts ask for it: more than one only if a signer repeats a nonce. */
	attempts: number;
}

/** Of the requests under way, by their nonces. */
const counts = new Map<string, Count>();

/** Older versions of undici report no head that they write over HTTP/2, and none reports a body that is missing. */
const LISTENERS: readonly (readonly [channel: string, listener: (message: unknown) => void])[] = [
	["undici:client:sendHeaders", (message) => count(message, "heads")],
	["undici:request:bodySent", (message) => count(message, "bodies")],
	[WRITTEN, (message) => count(message, "heads")],
];

/**
 * Counts how often undici, and so Node's `fetch`, or our own transport writes a request to a connection: a transport that
 * repeats requests by itself reports only its last try, which may have failed before it was sent. With another transport
 * it is always 0.
 * @returns what was counted so far, and a function that ends the count.
 */
export function countWrites(nonce: string): { readonly times: () => number; readonly end: () => void } {
	if (counts.size === 0) listen("subscribe");
	const own = counts.get(nonce) ?? { heads: 0, bodies: 0, attempts: 0 };
	own.attempts += 1;
	counts.set(nonce, own);
	return {
		times: () => Math.max(own.heads, own.bodies),
		end: () => {
			own.attempts -= 1;
			if (own.attempts === 0) counts.delete(nonce);
			if (counts.size === 0) listen("unsubscribe");
		},
	};
}

/** Only during requests: a listener keeps what it belongs to, such as a test runner's copy of this module. */
function listen(how: keyof DiagnosticsChannels): void {
	const channels = findBuiltin<DiagnosticsChannels>("node:diagnostics_channel");
	for (const [name, listener] of LISTENERS) channels?.[how]?.(name, listener);
}

function count(message: unknown, part: "heads" | "bodies"): void {
	const { headers } = (message as { request?: { headers?: unknown } }).request ?? {};
	// Names and values in turn; in older versions the lines as they are written.
	const words: readonly unknown[] = Array.isArray(headers)
		? headers
		: typeof headers === "string"
			? headers.split(/: |\r\n/)
			: [];
	words.forEach((word, at) => {
		if (typeof word !== "string" || !/^x-nonce$/i.test(word)) return;
		const nonce = words[at + 1];
		const own = typeof nonce === "string" ? counts.get(nonce) : undefined;
		if (own !== undefined) own[part] += 1;
	});
}
