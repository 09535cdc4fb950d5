import { webhookHeaderNames } from "../../../../library/catalogue/webhook-headers.ts";
import type { ExplainInput } from "./explain-input.ts";
import { readHeaders } from "./read-headers.ts";
import { readTime } from "./read-time.ts";

/** The time of the delivery's timestamp header, in ISO 8601; `undefined` if it is missing or invalid. */
export function findTimestamp({ headers: pasted, vendor }: ExplainInput): string | undefined {
	const { headers } = readHeaders(pasted);
	const wanted = webhookHeaderNames({ headerPrefix: vendor.trim() || "SVC" }).timestamp.toLowerCase();
	const [, value] = Object.entries(headers).find(([name]) => name.toLowerCase() === wanted) ?? [];
	const ms = typeof value === "string" ? readTime(value) : undefined;
	return ms === undefined ? undefined : new Date(ms).toISOString();
}
