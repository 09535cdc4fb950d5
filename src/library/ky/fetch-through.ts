import type { CustomFetch, FetchInit, FetchResponse } from "../client/custom-fetch.ts";
import { ConfigurationError } from "../errors.ts";
import type { Bytes } from "../signing/bytes.ts";

/**
 * The second argument of your instance. It turns off ky's retries, time limits and errors, which the client handles,
 * and defaults of the instance that would change the signed request.
 */
export interface ForwardedInit extends Omit<FetchInit, "body" | "headers"> {
	/**
	 * All headers, including the signed ones. An object would be joined with defaults of the instance that differ in
	 * case.
	 */
	headers: Headers;
	/** The bytes that the signature covers. Without a body it is `null`, which replaces an instance's default. */
	body: Bytes | null;
	/** Replaces an instance's default, which would replace the signed body. */
	json: undefined;
	/** Replaces an instance's default, which would be requested but not signed. */
	searchParams: undefined;
	retry: 0;
	throwHttpErrors: false;
	timeout: false;
	totalTimeout: false;
}

/** An instance of ky, or any other function of a URL and an init. */
export type KyLike = (url: URL, init: ForwardedInit) => Promise<FetchResponse>;

/**
 * Sends the client's requests through your instance of ky, with its hooks, `fetch`, proxy and logging. The client keeps
 * its own retries, time limits and errors.
 *
 * @example
 * ```ts
 * const gateway = new MessagingGateway({ fetch: fetchThrough(ky.create({ hooks })) });
 * ```
 * @param instance - its own `json`, `searchParams` and `body` are not used. A hook that changes the address, the method,
 * the body or the signed headers makes the signature wrong.
 * @throws ConfigurationError (`configuration`) if the instance is not a function.
 */
export function fetchThrough(instance: KyLike): CustomFetch {
	if (typeof instance !== "function")
		throw new ConfigurationError("fetchThrough needs an instance of ky: fetchThrough(ky.create({ … }))");
	return (url, { body = null, headers, ...init }) =>
		// A URL object, since ky puts an instance's `prefix` before a string.
		instance(new URL(url), {
			...init,
			headers: new Headers(headers),
			body,
			json: undefined,
			searchParams: undefined,
			retry: 0,
			throwHttpErrors: false,
			timeout: false,
			totalTimeout: false,
		});
}
