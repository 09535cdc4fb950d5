/**
 * Signs and verifies requests, and writes canonical JSON, without a client.
 *
 * The [threat model](../../../SECURITY.md) describes what a signature protects.
 * @module messaging-gateway/signing
 */
export {
	type DuplicatesProfile,
	defineProfile,
	type OperationProfile,
	type Profile,
	type VendorProfile,
} from "../catalogue/profile.ts";
export {
	CanonicalJsonError,
	type CanonicalJsonErrorCode,
	ConfigurationError,
	isMessagingGatewayError,
	MessagingGatewayError,
	RequestVerificationError,
	type RequestVerificationErrorCode,
} from "../errors.ts";
export type { Clock } from "../runtime.ts";
export type { Bytes } from "../signing/bytes.ts";
export { canonicalize } from "../signing/canonical-json.ts";
export type { SignatureHeaders, SigningProfile, WithSigningProfile } from "../signing/dialect.ts";
export { type MemoryNonceStoreOptions, memoryNonceStore, type NonceStore } from "../signing/nonce-store.ts";
export {
	hashBody,
	type SignedRequest,
	type SignRequestInput,
	signRequest,
} from "../signing/sign-request.ts";
export {
	type ReceivedRequest,
	type VerifiedRequest,
	type VerifyRequestOptions,
	verifyRequest,
} from "../signing/verify-request.ts";
