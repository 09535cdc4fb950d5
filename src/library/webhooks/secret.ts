import type { Profile } from "../catalogue/profile.ts";
import { WebhookVerificationError } from "../errors.ts";
import { howToSet, readEnvironment } from "../host.ts";
import type { Clock } from "../runtime.ts";
import { copySecret } from "../signing/decode-secret.ts";
import { hmacKeyOf } from "../signing/hash.ts";
import type { HmacKey } from "../signing/hashing.ts";
import { secretSentence } from "../signing/pasted-secret.ts";
import { withTimeout } from "../store-calls/with-timeout.ts";
import type { HeadersInput } from "./headers.ts";
import { hideHandles } from "./hide-handles.ts";

/**
 * One webhook secret, or several during a rotation, any of which may have signed. Bytes are the key. A string is its
 * text, or what `profile.events.secret` says.
 */
export type WebhookSecret = string | Uint8Array | readonly (string | Uint8Array)[];

/** The part of a profile that says what a secret encodes. */
type EventsProfile = Pick<Profile, "events">;

/** The secret of a tenant. */
export interface TenantSecret {
	/**
	 * A stable name of the secret's owner, of 1 to 256 characters. It is part of the store's keys, so a tenant can't
	 * use up another tenant's event ids. Tenants must not share a secret.
	 */
	readonly tenant: string;
	/** The tenant's secret, or several during a rotation. */
	readonly secret: WebhookSecret;
}

/**
 * Finds the secret of a delivery, and its tenant. Nothing of the delivery is verified yet.
 * @returns `undefined` for an unknown tenant: the delivery is rejected with 401, like a wrong signature. If the lookup
 * fails, throw: the response is then 500, after which a gateway may deliver again.
 */
export type WebhookSecretFunction = (delivery: {
	/** The delivery's headers. */
	readonly headers: HeadersInput;
	/**
	 * The path of the request with its query, as it arrived, e.g. `"/webhooks/acme"`. It is the whole path, also in a
	 * router that is mounted below one, or `undefined` if `handle` got no `url`.
	 */
	readonly url: string | undefined;
	/** The values that the platform gave `fetch` besides the request, such as the bindings of Workers. */
	readonly platform: readonly unknown[];
}) => TenantSecret | undefined | Promise<TenantSecret | undefined>;

/** What the secret function gets. */
type UnverifiedDelivery = Parameters<WebhookSecretFunction>[0];

/** A secret that the platform passes with each request. It doesn't depend on the delivery, so there are no tenants. */
export interface PlatformSecret {
	/**
	 * Reads the secret.
	 * @param platform - the values that the platform gave `fetch` besides the request, such as the bindings of Workers.
	 */
	readonly fromPlatform: (platform: readonly unknown[]) => WebhookSecret | Promise<WebhookSecret>;
}

/** The environment variable that is read if no secret is given. */
export const WEBHOOK_SECRET_VARIABLE = "MESSAGING_GATEWAY_WEBHOOK_SECRET";

/** The keys of the secrets; one unusable secret makes all of them unusable: nothing is accepted by luck. */
export function resolveWebhookKeys(
	secret: WebhookSecret | undefined,
	profile: EventsProfile | undefined,
): HmacKey[] {
	const given: unknown = secret === undefined ? readEnvironment(WEBHOOK_SECRET_VARIABLE) : secret;
	const secrets: readonly unknown[] = Array.isArray(given) ? given : [given];
	if (secrets.length === 0) throw unusable("is an empty list");
	return secrets.map((entry) => hmacKeyOf(entry, unusable, profile?.events?.secret));
}

function unusable(problem: string): WebhookVerificationError {
	return new WebhookVerificationError(
		"configuration",
		secretSentence("The webhook secret", problem, `Pass \`secret\`, or ${howToSet(WEBHOOK_SECRET_VARIABLE)}`),
	);
}

/** @throws WebhookVerificationError `configuration` for a secret that is unusable, unless it is found for each delivery. */
export function assertWebhookSecret({
	secret,
	profile,
}: Pick<SecretLookup, "secret"> & { readonly profile?: EventsProfile | undefined }): void {
	if (typeof secret === "function") return;
	if (typeof secret !== "object" || secret === null || !("fromPlatform" in secret))
		resolveWebhookKeys(secret, profile);
}

/** A secret, or several, whose bytes are copies. */
export function copyWebhookSecret<Secret>(secret: Secret): Secret | WebhookSecret {
	return Array.isArray(secret) ? secret.map(copySecret) : copySecret(secret);
}

/** The secret of a delivery, and its tenant. */
export interface FoundSecret {
	/** `undefined` stands for the environment variable. */
	readonly secret: WebhookSecret | undefined;
	/** The tenant that the secret function named, if there is one. */
	readonly tenant: string | undefined;
}

/** How the secret is found. */
interface SecretLookup {
	readonly secret?: WebhookSecret | WebhookSecretFunction | PlatformSecret | undefined;
	/** The longest that a function may take, in milliseconds. */
	readonly storeTimeoutMs: number;
	readonly clock: Clock;
}

/** Finds the secret of a delivery; returns a promise only if a function has to be called. */
export function findSecret(
	delivery: UnverifiedDelivery,
	options: SecretLookup,
): FoundSecret | Promise<FoundSecret> {
	const { secret } = options;
	if (typeof secret === "function") return callSecretFunction(secret, delivery, options);
	if (typeof secret === "object" && secret !== null && "fromPlatform" in secret) {
		const finding = callBounded(async () => secret.fromPlatform(delivery.platform), options);
		return finding.then((found) => ({ secret: requireSecret(found), tenant: undefined }));
	}
	return { secret, tenant: undefined };
}

async function callSecretFunction(
	find: WebhookSecretFunction,
	{ headers, url, platform }: UnverifiedDelivery,
	options: SecretLookup,
): Promise<FoundSecret> {
	const found: Partial<TenantSecret> | null | undefined = await callBounded(
		async () => find({ headers, url: withoutOrigin(url), platform }),
		options,
	);
	if (isNone(found)) throw unknownTenant(url);
	if (!isTenant(found.tenant)) {
		throw misconfigured(
			"the secret function must return { tenant, secret }, with a tenant of 1 to 256 characters; to read only the platform's bindings, use secret: { fromPlatform }",
		);
	}
	if (isNone(found.secret)) throw unknownTenant(url);
	return { secret: found.secret, tenant: found.tenant };
}

/** A request of `fetch` has its whole URL, and so has one that came through a forward proxy. */
function withoutOrigin(url: string | undefined): string | undefined {
	return url?.replace(/^\w+:\/\/[^/]+/, "");
}

/** Nothing was found: databases often return `null` or an empty list. */
function isNone(found: unknown): found is null | undefined | readonly [] {
	return found == null || (Array.isArray(found) && found.length === 0);
}

/** Anybody can name a tenant. The code is that of a wrong signature, so that nobody learns which tenants there are. */
function unknownTenant(url: string | undefined): WebhookVerificationError {
	const [path = ""] = withoutOrigin(url)?.split(/[?#]/) ?? [];
	// A stranger wrote it: no numbers, addresses or tokens, and nothing but what a path is made of.
	const shown = hideHandles(path.slice(0, 100).replace(/\w{20,}/g, "…")).replace(
		/[^\w./~…-]+|\d[\d-]{4,}/g,
		"…",
	);
	return new WebhookVerificationError(
		"signature_mismatch",
		`your secret function returned no secret${shown && ` for ${shown}`}. If the tenant is yours, add its secret; otherwise ignore this`,
	);
}

/** The function's own error is left out: it may hold a secret. */
async function callBounded<Found>(find: () => Promise<Found>, options: SecretLookup): Promise<Found> {
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
	throw misconfigured("fromPlatform found no secret: the secret is missing");
}

function isTenant(tenant: unknown): tenant is string {
	return typeof tenant === "string" && tenant !== "" && tenant.length <= 256 && tenant.isWellFormed();
}

function misconfigured(message: string): WebhookVerificationError {
	return new WebhookVerificationError("configuration", message);
}
