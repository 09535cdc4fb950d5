import type { Faults } from "../local-gateway/faults.ts";
import type { WebhookFaults } from "../local-gateway/webhook-faults.ts";
import type { FaultTimes, RequestFaultAction, WebhookFaultAction } from "./contract.ts";

export function addRequestFault(
	faults: Faults,
	{ fault, operationId, times }: Omit<RequestFaultAction, "type">,
): void {
	const filter = { operationId, times: toTimes(times) };
	switch (fault.kind) {
		case "delay":
			faults.delay(fault.ms, filter);
			break;
		case "respond": {
			const { status, retryAfterSeconds } = fault;
			faults.respond({ status, retryAfterSeconds, ...filter });
			break;
		}
		case "drop":
			faults.dropConnection({ when: fault.when, ...filter });
			break;
		case "corrupt":
			faults.corrupt({ as: fault.as, ...filter });
			break;
		case "skew":
			faults.skewClock(fault.ms);
			break;
	}
}

export function addWebhookFault(
	faults: WebhookFaults,
	{ fault, times }: Omit<WebhookFaultAction, "type">,
): void {
	const filter = { times: toTimes(times) };
	if (typeof fault !== "string") faults.delay(fault.ms, filter);
	else faults[WEBHOOK_FAULTS[fault]](filter);
}

const WEBHOOK_FAULTS = {
	repeat: "repeat",
	tamper: "tamper",
	stale: "stale",
	wrong_signature: "wrongSignature",
	out_of_order: "outOfOrder",
} as const;

function toTimes(times: FaultTimes | undefined): number | undefined {
	return times === "always" ? Number.POSITIVE_INFINITY : times;
}
