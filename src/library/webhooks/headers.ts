import type { WebhookHeaderNames } from "../catalogue/webhook-headers.ts";
import { WebhookVerificationError } from "../errors.ts";

/** Headers as `fetch`, Node or a plain object hold them; names in any case. */
export type HeadersInput = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

/** The headers of a delivery that its signature is checked with, as received. */
export interface DeliveryHeaders {
	readonly eventId: string;
	readonly timestamp: string;
	readonly signature: string;
}

export function requireDeliveryHeaders(headers: HeadersInput, names: WebhookHeaderNames): DeliveryHeaders {
	return {
		eventId: requireHeader(headers, names.eventId),
		timestamp: requireHeader(headers, names.timestamp),
		signature: requireHeader(headers, names.signature),
	};
}

/** The value of a header that must be there; several of one name are joined as proxies join them. */
function requireHeader(headers: HeadersInput, name: string): string {
	const value = findHeader(headers, name);
	if (!value?.trim()) {
		throw new WebhookVerificationError(
			"missing_header",
			`${name} is missing: check that the gateway sent this, and profile.vendor.headerPrefix`,
		);
	}
	return value;
}

export function findHeader(headers: HeadersInput, name: string): string | undefined {
	// Untyped code may pass nothing at all.
	if (typeof headers !== "object" || headers === null) return undefined;
	if (isFetchHeaders(headers)) return readValue(headers.get(name), name);
	const wanted = name.toLowerCase();
	let found: string | undefined;
	for (const key of Object.keys(headers)) {
		if (key.length !== wanted.length || key.toLowerCase() !== wanted) continue;
		const value = readValue(headers[key], name);
		if (value === undefined) continue;
		if (found !== undefined && found !== value) {
			throw new WebhookVerificationError("malformed_header", `${name} is there twice, with different values`);
		}
		found = value;
	}
	return found;
}

/** The string of a value; untyped code may have put anything there, e.g. the `null` of an absent header. */
function readValue(value: unknown, name: string): string | undefined {
	if (typeof value === "string") return value;
	if (value === undefined || value === null) return undefined;
	if (typeof value === "number") return String(value);
	if (!Array.isArray(value))
		throw new WebhookVerificationError("malformed_header", `${name} must be a string`);
	const values = value.map((entry) => readValue(entry, name)).filter((entry) => entry !== undefined);
	return values.length === 0 ? undefined : values.join(", ");
}

/** Checks the method rather than the class: frameworks bring other classes of `Headers`. */
function isFetchHeaders(headers: HeadersInput): headers is Headers {
	return typeof headers.get === "function";
}
