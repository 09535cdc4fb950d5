import type { StoreAddress } from "../receiver-settings.ts";

/** A store of sends that several processes share. */
export type SendStoreAddress = StoreAddress & { readonly kind: "postgres" | "sqlite" };

/** The settings of each process of a run, in its environment; a process has what it needs. */
export interface SendsSettings {
	/** When the fast clock was started, in Unix milliseconds. */
	readonly startMs: number;
	readonly store: SendStoreAddress;
	/** Where workers send to: the proxy in front of the gateway. */
	readonly gatewayUrl: string;
	/** Where status events go. */
	readonly receiverUrl: string;
}

/** The variable that holds the settings as JSON. */
export const SENDS_VARIABLE = "CHAOS_SENDS";

export const APP = { appId: "chaos-app", appSecret: "chaos-app-secret" } as const;
export const WEBHOOK_SECRET = "chaos-webhook-secret";
export const CONTROL_TOKEN = "chaos-token";
/** Where the gateway's process lists what it has accepted. */
export const ACCEPTED_PATH = "/_chaos/accepted";
/** The header with a {@link Struck} as JSON, for the proxy. */
export const STRUCK_HEADER = "x-chaos";

/** The steps of a send, in their order: what a strike comes before. `"done"` follows the last one. */
export const STEPS = ["read", "claim", "mark", "sign", "post", "end", "record", "done"] as const;
export type Step = (typeof STEPS)[number];

/** What happens to a worker's process. */
export interface Strike {
	readonly kind: "kill" | "stop";
	readonly before: Step;
}

/** What happens to a request, or its response, on its way; minutes are the gateway's. */
export const FAULTS = [
	"cut before",
	"cut after",
	"lost answer",
	"error page",
	"held 4 minutes",
	"held 6 minutes",
	"held 12 minutes",
] as const;
export type Fault = (typeof FAULTS)[number];

/** A request's job, and what the proxy does to it. */
export interface Struck {
	readonly job: number;
	readonly fault: Fault | undefined;
}

/** One call of `send` that a worker makes. */
export interface Job {
	readonly id: number;
	readonly key: string;
	readonly to: string;
	readonly text: string;
	readonly hasCallback: boolean;
	readonly strike: Strike | undefined;
	readonly fault: Fault | undefined;
}

/** What a call of `send` came to; a code is that of an error. */
export type JobResult =
	| { readonly status: "accepted" | "given_up" }
	| { readonly status: "unresolved"; readonly hasEvidence: boolean }
	| { readonly status: "error"; readonly code: string; readonly retryAfterMs: number };

/** A line that a worker prints: that it strikes itself now, or the result. */
export interface JobNote {
	readonly id: number;
	readonly result?: JobResult;
}
