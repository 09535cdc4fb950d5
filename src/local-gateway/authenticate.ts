import { RequestVerificationError, type RequestVerificationErrorCode } from "../errors.ts";
import type { Clock } from "../runtime.ts";
import type { NonceStore } from "../signing/nonce-store.ts";
import { type ReceivedRequest, verifyRequest } from "../signing/verify-request.ts";
import { MAX_BODY_BYTES } from "./incoming.ts";
import { Refusal } from "./refusal.ts";
import type { Settings } from "./settings.ts";

/** What a client may learn: the rest is one reason, so that app ids cannot be guessed. Ours. */
const REASONS: Partial<Record<RequestVerificationErrorCode, string>> = {
	timestamp_out_of_range: "TIMESTAMP_OUT_OF_RANGE",
	nonce_replayed: "NONCE_REPLAYED",
};

/**
 * Verifies the signature of a request (specification, section 5.1).
 * @throws Refusal when it is not accepted.
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
			maxBodyBytes: MAX_BODY_BYTES,
			basePath: settings.basePath,
			profile: settings.profile,
		});
	} catch (error) {
		throw error instanceof RequestVerificationError ? toRefusal(error) : error;
	}
}

function toRefusal(error: RequestVerificationError): Refusal {
	if (error.code === "nonce_store_unavailable") {
		const message = "The nonce could not be checked: its store is full (see maxEntries) or does not answer.";
		return new Refusal("SERVICE_UNAVAILABLE", message);
	}
	const details = { reason: REASONS[error.code] ?? "INVALID_SIGNATURE" };
	return new Refusal("UNAUTHORIZED", `The request was not accepted: ${error.message}.`, { details });
}
