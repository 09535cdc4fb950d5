import { WebhookVerificationError } from "../errors.ts";
import { readEnvironment } from "../runtime.ts";
import { keyOf } from "../signing/hash.ts";
import type { HmacKey } from "../signing/hashing.ts";
import type { HeadersInput } from "./headers.ts";

/** One webhook secret, or several during a rotation, any of which may have signed. */
export type WebhookSecret = string | readonly string[];

/** The secret of a tenant. */
export interface TenantSecret {
	/**
	 * A stable name of the secret's owner, of 1 to 256 characters. It is part of the store's keys: a tenant cannot
	 * use up another tenant's event ids. Tenants must not share a secret.
	 */
	readonly tenant: string;
	/** The tenant's secret, or several during a rotation. */
	readonly secret: WebhookSecret;
}

/**
 * Finds the secret of a delivery, and its tenant. Nothing in the headers is verified yet.
 * @param headers - the delivery's headers.
 * @param platform - what the platform gave `fetch` besides the request, such as the bindings of Workers.
 * @returns `undefined` for an unknown tenant: the delivery is rejected.
 */
export type WebhookSecretFunction = (
	headers: HeadersInput,
	platform: readonly unknown[],
) => TenantSecret | undefined | Promise<TenantSecret | undefined>;

/** A secret that the platform passes with each request. It does not depend on the delivery, so there are no tenants. */
export interface PlatformSecret {
	/**
	 * Reads the secret.
	 * @param platform - what the platform gave `fetch` besides the request, such as the bindings of Workers.
	 */
	readonly fromPlatform: (platform: readonly unknown[]) => WebhookSecret | Promise<WebhookSecret>;
}

/** The environment variable that is read if no secret is given. */
export const WEBHOOK_SECRET_VARIABLE = "MESSAGING_GATEWAY_WEBHOOK_SECRET";

/** The keys of the secrets; one unusable secret makes all of them unusable: nothing is accepted by luck. */
export function resolveWebhookKeys(secret: WebhookSecret | undefined): HmacKey[] {
	const given: unknown = secret === undefined ? readEnvironment(WEBHOOK_SECRET_VARIABLE) : secret;
	const secrets: readonly unknown[] = Array.isArray(given) ? given : [given];
	if (secrets.length === 0) throw unusable("is an empty list");
	return secrets.map((entry) => keyOf(entry, unusable));
}

function unusable(problem: string): WebhookVerificationError {
	return new WebhookVerificationError(
		"configuration",
		`the webhook secret ${problem}: pass \`secret\`, or set ${WEBHOOK_SECRET_VARIABLE}`,
	);
}
