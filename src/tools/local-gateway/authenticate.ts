import { RequestVerificationError, type RequestVerificationErrorCode } from "../../library/errors.ts";
import type { Clock } from "../../library/runtime.ts";
import type { NonceStore } from "../../library/signing/nonce-store.ts";
import { type ReceivedRequest, verifyRequest } from "../../library/signing/verify-request.ts";
import { maxRequestBytes } from "./incoming.ts";
import { RequestRejection } from "./request-rejection.ts";
import type { Settings } from "./settings.ts";

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
	{ settings, nonceStore, clock }: { settings: Settings; nonceStore: NonceStore; clock: Clock },
): Promise<void> {
	try {
		await verifyRequest(request, {
			secretFor: (appId) => settings.secrets.get(appId),
			nonceStore,
			clock,
			maxBodyBytes: maxRequestBytes(settings.limits),
			basePath: settings.basePath,
			profile: settings.profile,
		});
	} catch (error) {
		throw error instanceof RequestVerificationError ? toRejection(error) : error;
	}
}

function toRejection(error: RequestVerificationError): RequestRejection {
	if (error.code === "nonce_store_unavailable") {
		const message = "The nonce could not be checked: its store is full (see maxEntries) or does not respond.";
		return new RequestRejection("SERVICE_UNAVAILABLE", message);
	}
	const details = { reason: REASONS[error.code] ?? "INVALID_SIGNATURE" };
	return new RequestRejection("UNAUTHORIZED", `The request was not accepted: ${error.message}.`, { details });
}
