import { assertFault, FILTER, type Times } from "../../local-gateway/countdown.ts";
import type {
	CorruptResponse,
	DroppedConnection,
	FaultFilter,
	FaultResponse,
} from "../../local-gateway/faults.ts";
import type { WebhookFaults } from "../../local-gateway/webhook-faults.ts";
import type { Action, FaultTimes, RequestFaultChoice, WebhookFaultChoice } from "../contract.ts";

/** The faults of deliveries, in a gateway in another process. */
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
	/** Processes the next requests, and corrupts 2xx responses. */
	corrupt(corruption: CorruptResponse): Promise<void>;
	/** Sets the gateway's clock ahead (back, if negative) for the requests it verifies and the responses it dates. */
	skewClock(ms: number): Promise<void>;
	/** Faults of deliveries. */
	readonly webhooks: RemoteWebhookFaults;
	/** The active faults, in words. */
	active(): Promise<readonly string[]>;
	/** Ends all faults. */
	clear(): Promise<void>;
}

/** Turns faults into actions. */
export function createRemoteFaults(
	act: (action: Action) => Promise<unknown>,
	active: RemoteFaults["active"],
): RemoteFaults {
	const affect = async (
		fault: RequestFaultChoice,
		{ operationId, times }: FaultFilter = {},
	): Promise<void> => {
		await act({ type: "request_fault", fault, operationId, times: toFaultTimes(times) });
	};
	const deliver = async (fault: WebhookFaultChoice, given: readonly unknown[]): Promise<void> => {
		const [options = {}, ...others]: readonly unknown[] = given;
		assertFault("a fault of webhooks", options, ["times"], others);
		const { times }: Times = options;
		await act({ type: "webhook_fault", fault, times: toFaultTimes(times) });
	};
	return {
		delay: async (ms, filter = {}, ...others: unknown[]) => {
			assertFault("faults.delay", filter, FILTER, others);
			await affect({ kind: "delay", ms }, filter);
		},
		respond: async (response, ...others: unknown[]) => {
			assertFault("faults.respond", response, ["status", "retryAfterSeconds", ...FILTER], others);
			const { status, retryAfterSeconds, ...filter } = response;
			await affect({ kind: "respond", status, retryAfterSeconds }, filter);
		},
		dropConnection: async (drop, ...others: unknown[]) => {
			assertFault("faults.dropConnection", drop, ["when", ...FILTER], others);
			await affect({ kind: "drop", when: drop.when }, drop);
		},
		corrupt: async (corruption, ...others: unknown[]) => {
			assertFault("faults.corrupt", corruption, ["as", ...FILTER], others);
			await affect({ kind: "corrupt", as: corruption.as }, corruption);
		},
		skewClock: async (ms, ...others: unknown[]) => {
			assertFault("faults.skewClock", {}, [], others);
			await affect({ kind: "skew", ms });
		},
		webhooks: {
			repeat: (...given: unknown[]) => deliver("repeat", given),
			delay: (ms, ...given: unknown[]) => deliver({ kind: "delay", ms }, given),
			outOfOrder: (...given: unknown[]) => deliver("out_of_order", given),
			tamper: (...given: unknown[]) => deliver("tamper", given),
			stale: (...given: unknown[]) => deliver("stale", given),
			wrongSignature: (...given: unknown[]) => deliver("wrong_signature", given),
		},
		active,
		clear: async () => {
			await act({ type: "clear_faults" });
		},
	};
}

/** JSON has no `Infinity`. */
function toFaultTimes(times: number | undefined): FaultTimes | undefined {
	return times === Number.POSITIVE_INFINITY ? "always" : times;
}
