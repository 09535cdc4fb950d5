import { ConfigurationError } from "../errors.ts";

/** The usual methods whose requests have a body: section 6 shows no method, so an event may come with any of them. */
export const DELIVERY_METHODS = ["POST", "PUT", "PATCH", "DELETE"] as const;

/** Requests of these have no body that means anything (RFC 9110, section 9.3); browsers send OPTIONS before others. */
const BODILESS_METHODS = ["GET", "HEAD", "OPTIONS", "TRACE", "CONNECT"];

/** Whether a request with this method can be a delivery. */
export function isDeliveryMethod(method: string, accepted: readonly string[] | undefined): boolean {
	const name = method.toUpperCase();
	return accepted === undefined ? !BODILESS_METHODS.includes(name) : accepted.includes(name);
}

/** @throws ConfigurationError if it is no list of methods whose requests have a body; `undefined` passes. */
export function assertDeliveryMethods(accepted: readonly unknown[] | undefined): void {
	const isMethod = (method: unknown) =>
		typeof method === "string" && /^[A-Z]+$/.test(method) && !BODILESS_METHODS.includes(method);
	if (accepted === undefined) return;
	if (Array.isArray(accepted) && accepted.length > 0 && accepted.every(isMethod)) return;
	throw new ConfigurationError(
		`methods must be a list of methods in capitals whose requests have a body, such as ${JSON.stringify(DELIVERY_METHODS)}`,
	);
}
