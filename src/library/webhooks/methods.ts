/** The usual methods whose requests have a body: section 6 shows no method, so an event may come with any of them. */
export const DELIVERY_METHODS = ["POST", "PUT", "PATCH", "DELETE"] as const;

/** Requests of these have no body that means anything (RFC 9110, section 9.3); browsers send OPTIONS before others. */
const BODILESS_METHODS = ["GET", "HEAD", "OPTIONS", "TRACE", "CONNECT"];

/** Whether a request with this method can be a delivery. */
export function isDeliveryMethod(method: string): boolean {
	return !BODILESS_METHODS.includes(method.toUpperCase());
}
