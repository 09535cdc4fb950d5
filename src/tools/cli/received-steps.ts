import { Buffer } from "node:buffer";
import type { Profile } from "../../library/catalogue/profile.ts";
import {
	bodyBytes,
	readRequestLine,
	readTimestamp,
	writeStringToSign,
} from "../../library/signing/dialect.ts";
import type { ReceivedRequest } from "../../library/signing/verify-request.ts";
import type { SigningSteps } from "./signing-steps.ts";

/** The expected signing steps of a received request; empty if they cannot be computed. */
export function receivedRequestSteps(request: ReceivedRequest, profile: Profile | undefined): SigningSteps {
	const { method, url, headers, body } = request;
	const signing = profile?.signing;
	try {
		const value =
			body === undefined || body.length === 0 ? undefined : JSON.parse(Buffer.from(body).toString());
		const canonical = bodyBytes(value, signing);
		const received = {
			method,
			line: readRequestLine(url),
			body: canonical,
			timestamp: readTimestamp(headers.get("X-Timestamp"), signing),
			nonce: headers.get("X-Nonce") ?? "",
		};
		const { bodyHash, stringToSign } = writeStringToSign(received, signing);
		return { canonicalBody: Buffer.from(canonical ?? []).toString(), bodyHash, stringToSign };
	} catch {
		return {};
	}
}
