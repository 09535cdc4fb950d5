import type { AttemptView, DeliveryView } from "../../../local-gateway/control/contract.ts";
import type { GatewayState } from "./gateway-state.ts";

/** Which deliveries to show. */
export interface DeliveryFilter {
	readonly kind: DeliveryView["kind"] | "all";
	/** Only those of this conversation; `null` for all. */
	readonly conversationKey: string | null;
}

/** The deliveries that pass the filter, the youngest first. */
export function filterDeliveries(
	deliveries: GatewayState["deliveries"],
	{ kind, conversationKey }: DeliveryFilter,
): DeliveryView[] {
	return [...deliveries.values()]
		.filter((delivery) => kind === "all" || delivery.kind === kind)
		.filter((delivery) => conversationKey === null || delivery.conversationKey === conversationKey)
		.sort((left, right) => right.sequence - left.sequence);
}

/** How many deliveries are too old for the page; those of one conversation, or of all where it is `null`. */
export function countOlderDeliveries(
	older: GatewayState["older"]["deliveries"],
	conversationKey: string | null,
): number {
	if (conversationKey !== null) return older[conversationKey] ?? 0;
	return Object.values(older).reduce((sum, count) => sum + count, 0);
}

/** What the receiver said last, in words. */
export function describeLastResponse({ attempts }: DeliveryView): string {
	const last = attempts.at(-1);
	return last === undefined ? "not tried yet" : describeResponse(last);
}

/** What the receiver said to an attempt: its status, or why there is none. */
export function describeResponse({ status, error }: AttemptView): string {
	return status === undefined ? (error ?? "no answer") : String(status);
}

/** Whether the receiver acknowledged an attempt, with any 2xx. */
export function isAcknowledged({ status }: AttemptView): boolean {
	return status !== undefined && status >= 200 && status < 300;
}

/** What a status webhook says, which tells more than its kind. */
export function describeKind({ kind, body }: DeliveryView): string {
	const status = /"status":"(\w+)"/.exec(kind === "status" ? body : "")?.[1];
	return status === undefined ? kind : `status: ${status}`;
}

/** A body with line breaks and indents; one that is no JSON stays as it is. */
export function prettyBody(body: string): string {
	try {
		return JSON.stringify(JSON.parse(body), null, 2);
	} catch {
		return body;
	}
}
