import { RequestVerificationError, type RequestVerificationErrorCode } from "../../library/errors.ts";
import type { Clock } from "../../library/runtime.ts";
import type { NonceStore } from "../../library/signing/nonce-store.ts";
import {
	type ReceivedRequest,
	type VerifyRequestOptions,
	verifyRequest,
} from "../../library/signing/verify-request.ts";
import { findSigner } from "./find-signer.ts";
import { maxRequestBytes } from "./incoming.ts";
import { RequestRejection, type SignatureProblem } from "./request-rejection.ts";
import type { GatewaySettings } from "./settings.ts";

/** The reasons that programs can tell apart; the message names the others too, for developers. Assumed. */
const REASONS: Partial<Record<RequestVerificationErrorCode, string>> = {
	timestamp_out_of_range: "TIMESTAMP_OUT_OF_RANGE",
	nonce_replayed: "NONCE_REPLAYED",
};

/**
 * Verifies the signature of a request (specification, section 5.1).
 * @throws RequestRejection when the signature is not accepted.
 */
export async function authenticate(
	request: ReceivedRequest,
	{ settings, nonceStore, clock }: { settings: GatewaySettings; nonceStore: NonceStore; clock: Clock },
): Promise<void> {
	const options: VerifyRequestOptions = {
		secretFor: (appId) => settings.secrets.get(appId),
		nonceStore,
		clock,
		maxBodyBytes: maxRequestBytes(settings.limits),
		basePath: settings.basePath,
		profile: settings.profile,
	};
	try {
		await verifyRequest(request, options);
	} catch (error) {
		if (!(error instanceof RequestVerificationError)) throw error;
		const signer = error.code === "signature_mismatch" && (await findSigner(request, options, settings));
		throw toRejection(error.code, signer || { code: error.code, words: error.message });
	}
}

function toRejection(
	code: RequestVerificationErrorCode,
	signatureProblem: SignatureProblem,
): RequestRejection {
	if (code === "nonce_store_unavailable") {
		const message = "The nonce couldn't be checked: its store is full (see maxEntries) or doesn't respond.";
		return new RequestRejection("SERVICE_UNAVAILABLE", message, { signatureProblem });
	}
	const details = { reason: REASONS[code] ?? "INVALID_SIGNATURE" };
	const message = `The request wasn't accepted: ${signatureProblem.words}.`;
	return new RequestRejection("UNAUTHORIZED", message, { details, signatureProblem });
}
