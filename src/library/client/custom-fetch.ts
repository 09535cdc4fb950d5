import type { Bytes } from "../signing/bytes.ts";

/** The second argument of a custom `fetch`. You can pass it on as a `RequestInit`, also to other libraries. */
export interface FetchInit {
	method: string;
	/** All headers, including the signed ones. */
	headers: Record<string, string>;
	/** The exact bytes that the signature covers. */
	body?: Bytes;
	/** Never follow redirects: they would forward the signature to another address. */
	redirect: "manual";
	/** Aborts when the attempt or the call is over. */
	signal: AbortSignal;
	/**
	 * Keeps responses out of caches, such as an HTTP cache or the one that Next.js fills while it builds. Don't pass it
	 * on to whatwg-fetch or cross-fetch, which change the URL for it. If you pass them as they are, they don't get it.
	 */
	cache?: "no-store";
}

/** The response that a custom `fetch` resolves to: a `Response`, also from another library. */
export interface FetchResponse {
	/** The HTTP status. */
	readonly status: number;
	/** The status message. */
	readonly statusText: string;
	readonly headers: {
		get(name: string): string | null;
		has(name: string): boolean;
		forEach(use: (value: string, name: string) => void): void;
	};
	/** The body. The client reads a stream in chunks, and calls `text()` for anything else. */
	readonly body: unknown;
	text(): Promise<string>;
}

/** Makes one HTTP request: the platform's `fetch`, or one from a library. */
export type CustomFetch = (url: string, init: FetchInit) => Promise<FetchResponse>;
