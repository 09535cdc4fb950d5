/**
 * Signs the requests of ky, and sends the client's requests through your own instance of it.
 *
 * See [ky](../../../docs/openapi.md#ky).
 * @module messaging-gateway/ky
 */
export type { Profile } from "../catalogue/profile.ts";
export type { CustomFetch, FetchInit, FetchResponse } from "../client/custom-fetch.ts";
export type { RequestToSign, Signer, SignerResult } from "../client/signer.ts";
export {
	ApiError,
	ConfigurationError,
	ConnectionError,
	InputError,
	isMessagingGatewayError,
	MessagingGatewayError,
	type Outcome,
	ResponseShapeError,
	SignerError,
	TimeoutError,
} from "../errors.ts";
export { type ForwardedInit, fetchThrough, type KyLike } from "../ky/fetch-through.ts";
export {
	type KyInstance,
	type KyResponse,
	type ResponsePromise,
	type SignedKyOptions,
	signedKy,
} from "../ky/signed-ky.ts";
export type { Clock } from "../runtime.ts";
