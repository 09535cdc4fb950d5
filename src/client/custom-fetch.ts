import type { Bytes } from "../signing/bytes.ts";

/** What a custom `fetch` is given for an attempt. It fits `RequestInit`, that of other libraries as well. */
export interface FetchInit {
	method: string;
	/** All headers, the signed ones among them. */
	headers: Record<string, string>;
	/** The very bytes that were hashed for the signature. */
	body?: Bytes;
	/** A redirect must not be followed: it would carry the signature to another address. */
	redirect: "manual";
	/** Aborts when the attempt or the call is over. */
	signal: AbortSignal;
	/** Keeps reads out of caches, on platforms that have any. */
	cache?: "no-store";
}

/** What a custom `fetch` resolves to. A `Response` fits, that of other libraries as well. */
export interface FetchResponse {
	/** The HTTP status. */
	readonly status: number;
	/** The words beside the status. */
	readonly statusText: string;
	readonly headers: {
		get(name: string): string | null;
		has(name: string): boolean;
		forEach(use: (value: string, name: string) => void): void;
	};
	/** Read piece by piece where it is a stream; otherwise `text()` is called. */
	readonly body: unknown;
	text(): Promise<string>;
}

/** Makes one HTTP request: the platform's `fetch`, or that of a library. */
export type CustomFetch = (url: string, init: FetchInit) => Promise<FetchResponse>;
