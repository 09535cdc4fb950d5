import { findBuiltin } from "../runtime.ts";

interface DiagnosticsChannel {
	subscribe(name: string, listener: (message: unknown) => void): void;
}

/** How often each request under way was written to a connection, by its nonce. */
const written = new Map<string, number>();
let isListening = false;

/**
 * Counts how often undici, and so Node's `fetch`, writes a request to a connection: a transport that repeats requests by
 * itself reports only its last try, which may have failed before it was sent.
 * @returns a function that ends the count, and returns it. With another transport it is always 0.
 */
export function countWrites(nonce: string): () => number {
	listen();
	written.set(nonce, 0);
	return () => {
		const times = written.get(nonce) ?? 0;
		written.delete(nonce);
		return times;
	};
}

/** Once for all requests, at the first of them. */
function listen(): void {
	if (isListening) return;
	isListening = true;
	findBuiltin<DiagnosticsChannel>("node:diagnostics_channel")?.subscribe?.(
		"undici:client:sendHeaders",
		(message) => {
			if (written.size === 0) return;
			const { headers } = (message as { request?: { headers?: unknown } }).request ?? {};
			// Names and values in turn.
			const [, nonce = ""] = /"x-nonce","([^"]*)/i.exec(`${JSON.stringify(headers)}`) ?? [];
			const times = written.get(nonce);
			if (times !== undefined) written.set(nonce, times + 1);
		},
	);
}
