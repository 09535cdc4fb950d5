import type { AttemptView, DeliveryView } from "../../../control/contract.ts";
import type { GatewayState } from "./gateway-state.ts";

/** Selects the deliveries to show. */
export interface DeliveryFilter {
	readonly kind: DeliveryView["kind"] | "all";
	/** Only those of this conversation; `null` for all. */
	readonly conversationKey: string | null;
}

/** The deliveries that match the filter, newest first. */
export function filterDeliveries(
	deliveries: GatewayState["deliveries"],
	{ kind, conversationKey }: DeliveryFilter,
): DeliveryView[] {
	return [...deliveries.values()]
		.filter((delivery) => kind === "all" || delivery.kind === kind)
		.filter((delivery) => conversationKey === null || delivery.conversationKey === conversationKey)
		.sort((left, right) => right.sequence - left.sequence);
}

/** Counts the deliveries that are too old for the page, of one conversation or, for `null`, of all. */
export function countOlderDeliveries(
	older: GatewayState["older"]["deliveries"],
	conversationKey: string | null,
): number {
	if (conversationKey !== null) return older[conversationKey] ?? 0;
	return Object.values(older).reduce((sum, count) => sum + count, 0);
}

/** Describes the receiver's last response. */
export function describeLastResponse({ attempts }: DeliveryView): string {
	const last = attempts.at(-1);
	return last === undefined ? "not tried yet" : describeResponse(last);
}

/** The status of the receiver's response to an attempt, or why there is none. */
export function describeResponse({ status, error }: AttemptView): string {
	return status === undefined ? (error ?? "no response") : String(status);
}

/** Whether the receiver acknowledged an attempt, with any 2xx. */
export function isAcknowledged({ status }: AttemptView): boolean {
	return status !== undefined && status >= 200 && status < 300;
}

/** Describes a webhook by its kind; a status webhook also by its status. */
export function describeKind({ kind, body }: DeliveryView): string {
	const status = /"status":"(\w+)"/.exec(kind === "status" ? body : "")?.[1];
	return status === undefined ? kind : `status: ${status}`;
}

/** Indents a JSON body; other bodies stay unchanged. */
export function prettyBody(body: string): string {
	try {
		return JSON.stringify(JSON.parse(body), null, 2);
	} catch {
		return body;
	}
}
