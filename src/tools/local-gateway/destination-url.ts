import { isHttpUrl } from "../../library/catalogue/input-fields.ts";
import { isLoopback } from "../../library/signing/loopback.ts";
import { invalidField } from "./request-rejection.ts";

export const DESTINATION_RULE =
	"must be an https URL without credentials; http is for localhost, *.localhost and loopback addresses";

/** Whether `fetch` requests a URL: it rejects one with credentials, and its error shows them. */
export function isFetchable(url: string): boolean {
	if (!isHttpUrl(url)) return false;
	const { username, password } = new URL(url);
	return username + password === "";
}

/** Whether a URL does not send webhooks unencrypted to another machine. Assumed: section 4.2 only says "URL". */
export function isDestination(url: string): boolean {
	if (!isFetchable(url)) return false;
	const { protocol, hostname } = new URL(url);
	return protocol === "https:" || isLoopback(hostname);
}

/** @throws RequestRejection when a URL is no destination. */
export function assertDestination(field: string, url: string): void {
	if (!isDestination(url)) throw invalidField(field, DESTINATION_RULE);
}
