import { isLoopback } from "../signing/loopback.ts";
import { refuseField } from "./refusal.ts";

/** Webhooks leave the machine encrypted or not at all. Ours; section 4.2 only says "URL". */
export function assertDestination(field: string, url: string): void {
	const { protocol, hostname } = new URL(url);
	if (protocol === "https:" || isLoopback(hostname)) return;
	throw refuseField(field, "must be an https URL; http is for localhost, *.localhost and loopback addresses");
}
