import {
	type CorruptResponse,
	createRequestFaults,
	type DroppedConnection,
	type FaultFilter,
	type FaultResponse,
	type Faults,
} from "../../local-gateway/faults.ts";
import { createWebhookFaults, type WebhookFaults } from "../../local-gateway/webhook-faults.ts";
import type { Action, FaultTimes } from "../action.ts";

/** Injects faults into the deliveries of a gateway in another process. */
export type RemoteWebhookFaults = {
	[Name in keyof WebhookFaults]: (...given: Parameters<WebhookFaults[Name]>) => Promise<void>;
};

/** Injects faults as `Faults` does, in a gateway in another process. */
export interface RemoteFaults {
	/** Delays the next requests by `ms` milliseconds of the gateway's time. */
	delay(ms: number, filter?: FaultFilter): Promise<void>;
	/** Responds to the next requests before the gateway sees them, with an error envelope. */
	respond(response: Omit<FaultResponse, "body" | "headers">): Promise<void>;
	/** Breaks the connection of the next requests. */
	dropConnection(drop: DroppedConnection): Promise<void>;
	/** Processes the next requests, and corrupts their 2xx responses. */
	corrupt(corruption: CorruptResponse): Promise<void>;
	/** Lets the network repeat the next requests, with the same nonce. */
	repeatRequest(repeat?: Parameters<Faults["repeatRequest"]>[0]): Promise<void>;
	/** Sets the gateway's clock ahead (back, if negative) for the requests it verifies and the responses it dates. */
	skewClock(ms: number): Promise<void>;
	/** Injects faults into deliveries. */
	readonly webhooks: RemoteWebhookFaults;
	/** The active faults, in words. */
	active(): Promise<readonly string[]>;
	/** Ends all faults. */
	clear(): Promise<void>;
}

/** Turns faults into actions. */
export function createRemoteFaults(
	perform: (action: Action) => Promise<void>,
	active: RemoteFaults["active"],
): RemoteFaults {
	return {
		...createRequestFaults(
			async (choose) => {
				const [fault, { operationId, times }] = choose();
				await perform({ type: "request_fault", fault, operationId, times: toFaultTimes(times) });
			},
			["status", "retryAfterSeconds"],
		),
		webhooks: createWebhookFaults(async (choose) => {
			const [fault, { times }] = choose();
			await perform({ type: "webhook_fault", fault, times: toFaultTimes(times) });
		}),
		active,
		clear: () => perform({ type: "clear_faults" }),
	};
}

/** JSON has no `Infinity`. */
function toFaultTimes(times: number | undefined): FaultTimes | undefined {
	return times === Number.POSITIVE_INFINITY ? "always" : times;
}
