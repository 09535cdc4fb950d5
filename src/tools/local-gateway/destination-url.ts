import { isLoopback } from "../../library/signing/loopback.ts";
import { invalidField } from "./request-rejection.ts";

/** Rejects a URL that would send webhooks unencrypted to another machine. Assumed: section 4.2 only says "URL". */
export function assertDestination(field: string, url: string): void {
	const { protocol, hostname } = new URL(url);
	if (protocol === "https:" || isLoopback(hostname)) return;
	throw invalidField(
		field,
		"must be an https URL; http is for localhost, *.localhost and loopback addresses",
	);
}
