import { WebhookVerificationError } from "../errors.ts";
import { readEnvironment } from "../runtime.ts";
import type { HmacKey } from "../signing/hash.ts";
import { describeSecretProblem, keyOf } from "../signing/secret.ts";

/** One webhook secret, or several of which any may have signed, so that a secret can be rotated. */
export type WebhookSecret = string | readonly string[];

/** Where the secret comes from when none is given. */
export const WEBHOOK_SECRET_VARIABLE = "MESSAGING_GATEWAY_WEBHOOK_SECRET";

/** The keys of the secrets; one unusable secret makes all of them unusable, so that nothing is accepted by luck. */
export function resolveWebhookKeys(secret: WebhookSecret | undefined): HmacKey[] {
	const given: unknown = secret === undefined ? readEnvironment(WEBHOOK_SECRET_VARIABLE) : secret;
	const secrets: readonly unknown[] = Array.isArray(given) ? given : [given];
	if (secrets.length === 0) throw unusable("is an empty list");
	return secrets.map((entry) => {
		const problem = describeSecretProblem(entry);
		if (problem !== undefined || typeof entry !== "string") throw unusable(problem ?? "must be a string");
		return keyOf(entry);
	});
}

function unusable(problem: string): WebhookVerificationError {
	return new WebhookVerificationError(
		"configuration",
		`the webhook secret ${problem}: pass \`secret\`, or set ${WEBHOOK_SECRET_VARIABLE}`,
	);
}
