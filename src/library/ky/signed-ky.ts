import ky, { type InitHook, type KyInstance } from "ky";
import { defineProfile } from "../catalogue/profile.ts";
import { assertKnownKeys } from "../check-options.ts";
import { Credentials } from "../client/credentials.ts";
import {
	assertClientOptions,
	type ClientOptions,
	MAX_RESPONSE_BYTES,
	REPLACED_OPTIONS,
} from "../client/options.ts";
import { noCanonicalForm } from "../client/request.ts";
import { monotonicNow, platformFetch, systemClock } from "../runtime.ts";
import { serialize } from "../signing/canonical-json.ts";
import { CallRecord } from "./call-record.ts";
import { findBodyError, readForeign, toCallTarget, toGatewayError } from "./gateway-errors.ts";
import { SignedFetch } from "./signed-fetch.ts";

// A declaration that infers the type of an instance, or of its result, cannot name a package that its user lacks.
export type { KyInstance, KyResponse, ResponsePromise } from "ky";

/** The options of {@link signedKy}. Each works as in the client. */
export interface SignedKyOptions
	extends Pick<
		ClientOptions,
		| "baseUrl"
		| "appId"
		| "appSecret"
		| "signer"
		| "profile"
		| "fetch"
		| "clock"
		| "maxResponseBytes"
		| "dangerouslyAllowBrowser"
	> {}

/** Every option, to detect misspelt ones; the type ensures that none is missing here. */
const OPTIONS: Readonly<Record<keyof SignedKyOptions, true>> = {
	baseUrl: true,
	appId: true,
	appSecret: true,
	signer: true,
	profile: true,
	fetch: true,
	clock: true,
	maxResponseBytes: true,
	dangerouslyAllowBrowser: true,
};

/** ky's default also retries PUT and DELETE, but we do not know whether a custom path allows that. */
const RETRIED_METHODS = ["get", "head"];

/** ky's default for `timeout`, in milliseconds. */
const KY_TIMEOUT_MS = 10_000;

/**
 * Creates an instance of ky that signs every attempt, for paths that the client has no method for.
 *
 * `.json()` resolves to the gateway's whole envelope. By default ky retries only GET and HEAD. Failures are the errors
 * of the client, with an `outcome` over all attempts.
 *
 * @example
 * ```ts
 * const api = signedKy({ baseUrl, appId, appSecret });
 * const { data } = await api.post("chat/archive", { json: { chat: "c-1" } }).json<{ data: Chat }>();
 * ```
 * @param options - `baseUrl`, `appId` and `appSecret` default to environment variables, read at the first call.
 * @throws ConfigurationError (`configuration`) if an option is invalid.
 */
export function signedKy(options: SignedKyOptions = {}): KyInstance {
	assertKnownKeys("options", options, Object.keys(OPTIONS), REPLACED_OPTIONS);
	assertClientOptions(options);
	if (options.profile !== undefined) defineProfile(options.profile);
	const { clock = systemClock, fetch = platformFetch, profile } = options;
	const { maxResponseBytes = MAX_RESPONSE_BYTES } = options;
	const credentials = new Credentials(Object.freeze({ ...options }), () => clock.now());
	const signedFetch = new SignedFetch({ fetch, clock, maxResponseBytes }, credentials, profile);

	const startCall: InitHook = (call) => {
		const { timeout = KY_TIMEOUT_MS, totalTimeout = false } = call;
		new CallRecord({ timeout, totalTimeout }, monotonicNow(systemClock)).joinOptions(call);
		call.prefix ||= credentials.baseUrl().href;
		// A bare number would restore ky's own list of methods.
		const retry = typeof call.retry === "number" ? { limit: call.retry } : call.retry;
		call.retry = { methods: RETRIED_METHODS, ...retry };
	};
	const toError = (error: Error, request: Request, call: object): Error => {
		const record = CallRecord.find(call) ?? CallRecord.unlimited();
		return toGatewayError(error, toCallTarget(request, credentials.baseUrl(), profile), record);
	};

	return ky.create({
		fetch: (input, init) => signedFetch.fetch(input, init),
		hooks: {
			init: [startCall],
			beforeRetry: [
				({ error, request, options: call }) => {
					const record = CallRecord.find(call);
					if (record !== undefined) record.previousError = toError(error, request, call);
				},
			],
			beforeError: [({ error, request, options: call }) => toError(error, request, call)],
		},
		// ky's default sends NaN as null, and throws errors without an outcome.
		stringifyJson: (data) => {
			try {
				return serialize(data, "insertion");
			} catch (error) {
				throw noCanonicalForm(error);
			}
		},
		parseJson: (text, { request, response }) => {
			const read = readForeign(response, text);
			// `toError` checks the body of a failure; ky would lose the body if this threw.
			if (!response.ok) return read.json;
			const record = signedFetch.recordOf(response) ?? CallRecord.unlimited();
			const error = findBodyError(read, toCallTarget(request, credentials.baseUrl(), profile), record);
			if (error !== undefined) throw error;
			return read.json;
		},
	});
}
