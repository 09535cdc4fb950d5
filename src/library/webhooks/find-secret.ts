import { WebhookVerificationError } from "../errors.ts";
import { withTimeout } from "../stores/with-timeout.ts";
import type { ResolvedHandlerOptions } from "./handler-options.ts";
import type { HeadersInput } from "./headers.ts";
import type { PlatformSecret, TenantSecret, WebhookSecret, WebhookSecretFunction } from "./secret.ts";

/** The secret of a delivery, and its tenant. */
export interface FoundSecret {
	/** `undefined` stands for the environment variable. */
	readonly secret: WebhookSecret | undefined;
	/** The tenant that the secret function named, if there is one. */
	readonly tenant: string | undefined;
}

/** Finds the secret of a delivery; returns a promise only if a function has to be called. */
export function findSecret(
	headers: HeadersInput,
	platform: readonly unknown[],
	options: ResolvedHandlerOptions,
): FoundSecret | Promise<FoundSecret> {
	const { secret } = options;
	if (typeof secret === "function") return callSecretFunction(secret, headers, platform, options);
	if (isPlatformSecret(secret)) {
		const finding = callBounded(async () => secret.fromPlatform(platform), options);
		return finding.then((found) => ({ secret: requireSecret(found), tenant: undefined }));
	}
	return { secret, tenant: undefined };
}

function isPlatformSecret(secret: ResolvedHandlerOptions["secret"]): secret is PlatformSecret {
	return typeof secret === "object" && secret !== null && "fromPlatform" in secret;
}

async function callSecretFunction(
	find: WebhookSecretFunction,
	headers: HeadersInput,
	platform: readonly unknown[],
	options: ResolvedHandlerOptions,
): Promise<FoundSecret> {
	const found: Partial<TenantSecret> | null | undefined = await callBounded(
		async () => find(headers, platform),
		options,
	);
	if (found == null) throw misconfigured("the secret function found no secret");
	if (!isTenant(found.tenant)) {
		throw misconfigured(
			"the secret function must return { tenant, secret }, with a tenant of 1 to 256 characters; to read only the platform's bindings, use secret: { fromPlatform }",
		);
	}
	return { secret: requireSecret(found.secret), tenant: found.tenant };
}

/** The function's own error is left out: it may hold a secret. */
async function callBounded<Found>(
	find: () => Promise<Found>,
	options: ResolvedHandlerOptions,
): Promise<Found> {
	const { storeTimeoutMs, clock } = options;
	return withTimeout(find(), storeTimeoutMs, clock).catch(() => {
		throw misconfigured(
			`the secret function failed, or took longer than ${storeTimeoutMs} ms; its error is left out, since it may hold a secret: log it where it is thrown`,
		);
	});
}

/** A function that finds nothing must not fall back to the environment's secret. */
function requireSecret(secret: WebhookSecret | null | undefined): WebhookSecret {
	if (secret != null) return secret;
	throw misconfigured("the secret function found no secret: the secret is missing");
}

function isTenant(tenant: unknown): tenant is string {
	return typeof tenant === "string" && tenant !== "" && tenant.length <= 256 && tenant.isWellFormed();
}

function misconfigured(message: string): WebhookVerificationError {
	return new WebhookVerificationError("configuration", message);
}
