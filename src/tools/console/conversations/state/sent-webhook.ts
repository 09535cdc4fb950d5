import type { DeliveryView } from "../../../control/contract.ts";
import type { DeliveryToExplain } from "../../hand-over.ts";

/** What was sent at the last attempt at a delivery; `undefined` before the first. */
export function readSent(delivery: DeliveryView) {
	const { kind, url, body, attempts } = delivery;
	const last = attempts.at(-1);
	return last && { kind, url, headers: last.headers, body: last.sentBody ?? body };
}

/**
 * The last attempt, for the page /explain. The page may be opened long after the delivery, so it judges a timestamp at
 * the time of signing, unless that was already out of tolerance then.
 */
export function toExplain(delivery: DeliveryView): DeliveryToExplain {
	const last = delivery.attempts.at(-1);
	const { headers = {}, body = delivery.body } = readSent(delivery) ?? {};
	const isStale = last?.check?.isValid === false && last.check.code === "timestamp_out_of_tolerance";
	const now = last === undefined || isStale ? "" : new Date(last.timestamp * 1000).toISOString();
	return { headers, body, now };
}
