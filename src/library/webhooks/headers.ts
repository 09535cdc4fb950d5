import type { WebhookHeaderNames } from "../catalogue/webhook-headers.ts";
import { WebhookVerificationError } from "../errors.ts";

/** Headers as `fetch`, Node or a plain object hold them. Names may have any case. */
export type HeadersInput = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

/** The headers of a delivery that its signature is checked with, as received. */
export interface DeliveryHeaders {
	readonly eventId: string;
	readonly timestamp: string;
	readonly signature: string;
}

export function requireDeliveryHeaders(headers: HeadersInput, names: WebhookHeaderNames): DeliveryHeaders {
	// Their names would be looked for in vain, or with capitals only.
	if (headers instanceof Map || Array.isArray(headers))
		throw new WebhookVerificationError(
			"missing_header",
			"headers is a list or a Map: pass the request's Headers, or a plain object such as Node's request.headers",
		);
	const found = findHeaders(headers, names.all, names.lowerCase);
	if (Object(headers) !== headers || (!isFetchHeaders(headers) && Object.keys(headers).length === 0))
		throw new WebhookVerificationError(
			"missing_header",
			"headers is missing or empty: pass all headers of the request, such as Node's request.headers",
		);
	return {
		eventId: requireValue(found[0], names.eventId),
		timestamp: requireValue(found[1], names.timestamp),
		signature: requireValue(found[2], names.signature),
	};
}

function requireValue(value: string | undefined, name: string): string {
	if (value?.trim()) return value;
	throw new WebhookVerificationError(
		"missing_header",
		`the request has no ${name}, so it isn't from your gateway, or a proxy removed the header. If your gateway names it otherwise, set profile.vendor.headerPrefix`,
	);
}

export function findHeader(headers: HeadersInput, name: string): string | undefined {
	return findHeaders(headers, [name], [name.toLowerCase()])[0];
}

/** The values of some headers, in one pass; several values of one are joined as proxies join them. */
function findHeaders(
	headers: HeadersInput,
	names: readonly string[],
	lowerCase: readonly string[],
): (string | undefined)[] {
	// Untyped code may pass nothing at all.
	if (typeof headers !== "object" || headers === null) return [];
	if (isFetchHeaders(headers)) return names.map((name) => readValue(headers.get(name), name));
	const found: (string | undefined)[] = names.map(() => undefined);
	for (const key of Object.keys(headers)) {
		const at = indexOfName(lowerCase, key);
		const name = names[at];
		if (name === undefined) continue;
		const value = readValue(headers[key], name);
		if (value === undefined) continue;
		if (found[at] !== undefined && found[at] !== value) {
			throw new WebhookVerificationError("malformed_header", `${name} is there twice, with different values`);
		}
		found[at] = value;
	}
	return found;
}

function indexOfName(lowerCase: readonly string[], key: string): number {
	// The length tells of most headers that they are others.
	return lowerCase.some(({ length }) => length === key.length) ? lowerCase.indexOf(key.toLowerCase()) : -1;
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
