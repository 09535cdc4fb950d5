import type { SentRequest } from "../call/recorder.ts";
import { isSignatureOf } from "../call/signing-steps.ts";

/** Computes the signature again from the sent request, to prove the steps above. */
export function SignatureCheck({ sent, appSecret }: { sent: SentRequest; appSecret: string }) {
	return isSignatureOf(sent, appSecret) ? (
		<p class="good check">✓ The HMAC of this string with your secret is the signature that was sent.</p>
	) : (
		<p class="bad check">✗ The signature that was sent is different: this page and the client disagree.</p>
	);
}
