import type { Bytes } from "../signing/bytes.ts";

/** The second argument of a custom `fetch`. It is assignable to `RequestInit`, also that of other libraries. */
export interface FetchInit {
	method: string;
	/** All headers, the signed ones among them. */
	headers: Record<string, string>;
	/** The very bytes that were hashed for the signature. */
	body?: Bytes;
	/** Redirects must not be followed: they would forward the signature to another address. */
	redirect: "manual";
	/** Aborts when the attempt or the call is over. */
	signal: AbortSignal;
	/**
	 * Keeps responses out of caches, on platforms that have one: an HTTP cache, or the one that Next.js fills while it builds.
	 * Do not pass it on to whatwg-fetch or cross-fetch, which change the URL for it; given as they are, they do not get it.
	 */
	cache?: "no-store";
}

/** What a custom `fetch` resolves to: a `Response`, also that of other libraries. */
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
	/** Read in chunks if it is a stream; otherwise `text()` is called. */
	readonly body: unknown;
	text(): Promise<string>;
}

/** Makes one HTTP request: the platform's `fetch`, or that of a library. */
export type CustomFetch = (url: string, init: FetchInit) => Promise<FetchResponse>;
