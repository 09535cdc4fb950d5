/**
 * The usual HTTP methods with a request body, since an event may come with any of them.
 * @see Specification, section 6
 */
export const DELIVERY_METHODS = ["POST", "PUT", "PATCH", "DELETE"] as const;

/** Requests of these have no body that means anything (RFC 9110, section 9.3); browsers send OPTIONS before others. */
const BODILESS_METHODS = ["GET", "HEAD", "OPTIONS", "TRACE", "CONNECT"];

/** Whether a request with this method can be a delivery. */
export function isDeliveryMethod(method: string): boolean {
	return !BODILESS_METHODS.includes(method.toUpperCase());
}
