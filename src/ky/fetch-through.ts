import { assertFunction } from "../check-options.ts";
import type { CustomFetch, FetchInit, FetchResponse } from "../client/custom-fetch.ts";
import { ConfigurationError } from "../errors.ts";
import type { Bytes } from "../signing/bytes.ts";

/**
 * What an instance is given beside the request: retries, time limits and errors are the client's, and nothing may replace
 * what was signed.
 */
export interface ForwardedInit extends Omit<FetchInit, "body"> {
	/** The very bytes that were hashed for the signature; `null` where there are none, since an instance may have a default. */
	body: Bytes | null;
	/** An instance's default would replace the signed body. */
	json: undefined;
	/** An instance's default would be requested, but not signed. */
	searchParams: undefined;
	retry: 0;
	throwHttpErrors: false;
	timeout: false;
	totalTimeout: false;
}

/** An instance of ky, or any other function of a URL and an init. */
export type KyLike = (url: URL, init: ForwardedInit) => Promise<FetchResponse>;

/**
 * Sends the client's requests through an instance of ky, with its hooks, `fetch`, proxy and logging. Retries, time
 * limits and errors stay those of the client.
 *
 * @example
 * ```ts
 * const gateway = new MessagingGateway({ fetch: fetchThrough(ky.create({ hooks })) });
 * ```
 * @param instance - its own `json`, `searchParams` and `body` are not used. A hook that changes the address, the method,
 * the body or the signed headers makes the signature wrong.
 * @throws ConfigurationError (`configuration`) when the instance is no function.
 */
export function fetchThrough(instance: KyLike): CustomFetch {
	if (instance === undefined) throw new ConfigurationError("instance is missing");
	assertFunction("instance", instance);
	return (url, { body = null, ...init }) =>
		// ky puts an instance's `prefix` before a string, and leaves a URL as it is.
		instance(new URL(url), {
			...init,
			body,
			json: undefined,
			searchParams: undefined,
			retry: 0,
			throwHttpErrors: false,
			timeout: false,
			totalTimeout: false,
		});
}
