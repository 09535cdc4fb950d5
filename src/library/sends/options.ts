import { assertAll, describeGiven, hasMethods } from "../assert-argument.ts";
import {
	assertBoolean,
	assertFunction,
	assertKnownKeys,
	assertObject,
	assertPositive,
} from "../check-options.ts";
import { callerOfClient } from "../client/bound-caller.ts";
import type { Caller } from "../client/caller.ts";
import type { CallOptions } from "../client/options.ts";
import type { Messages } from "../client/resources/messages.ts";
import { ConfigurationError } from "../errors.ts";
import { STORE_TIMEOUT_MS } from "../store-calls/with-timeout.ts";
import type { SendStore } from "../stores/send-store.ts";
import { assertDigestSecret } from "./prepare-send.ts";
import { StoredRecords } from "./stored-record.ts";
import type { SendEvidence } from "./verdict.ts";

/** The options of `createSender`. */
export interface SenderOptions {
	/** The client that sends: a `MessagingGateway`. */
	gateway: { readonly messages: Messages };
	/**
	 * Keeps the record of each send: `memorySendStore`, `sqliteSendStore`, `sqliteClientSendStore`,
	 * `postgresSendStore`, or your own.
	 */
	store: SendStore;
	/**
	 * Makes the URL for an attempt's status updates. Keep the token in it unchanged. A status event that comes by it
	 * proves that the attempt was accepted. **These updates then no longer go to `statusWebhookUrl`**: your receiver at
	 * this URL must hand them on.
	 * @default none: more sends stay unresolved
	 * @see Specification, section 4.2, rule 3
	 */
	statusCallback?: ((token: string) => string) | undefined;
	/**
	 * The secret that keys the digests of inputs, or several during a rotation: the first one writes, all are compared.
	 * Without it, anyone who reads the store could test guesses of numbers and texts. All processes need the same one.
	 * @default the environment variable MESSAGING_GATEWAY_DIGEST_SECRET, read at the first send
	 */
	digestSecret?: string | readonly string[] | undefined;
	/**
	 * Whether the store keeps the inputs, so `listSends` returns them. They hold numbers, texts and attachments.
	 * @default false
	 */
	keepInput?: boolean | undefined;
	/**
	 * How long a worker holds a send, in milliseconds, from writing it down to the end of its POST. After a crash no
	 * other worker can continue the send for this long.
	 * @default 60_000
	 */
	leaseMs?: number | undefined;
	/** The longest one call of the store may take, in milliseconds. @default 5_000 */
	storeTimeoutMs?: number | undefined;
	/**
	 * Called when an attempt ended and nothing proves whether it was accepted, for example to count such sends in an
	 * outage. It can't change the result of the send.
	 */
	onUnresolved?: ((send: UnresolvedSend) => void) | undefined;
	/** Called when the store could not record the end of a POST. It can't change the result of the send. */
	onError?: ((error: unknown) => void) | undefined;
}

/** A send that may have been accepted. */
export interface UnresolvedSend {
	readonly key: string;
	/** The hints about whether it was accepted. */
	readonly evidence: SendEvidence;
}

/** The options of one send. */
export interface SendKeyOptions extends Omit<CallOptions, "maxRetries"> {
	/**
	 * Decides what to do if the key was used for another input. A bot may say something else when it runs again.
	 * `"throw"` throws `key_reused`. With `"keep"` the existing send decides: you get its result. Only if it was
	 * certainly not accepted, or is to be sent again, the sender sends this input in its place.
	 * @default "throw"
	 */
	ifReused?: "throw" | "keep" | undefined;
}

export interface ResolvedSenderOptions
	extends Pick<SenderOptions, "statusCallback" | "digestSecret" | "onUnresolved" | "onError"> {
	readonly caller: Caller;
	readonly records: StoredRecords;
	readonly keepInput: boolean;
	readonly leaseMs: number;
	readonly storeTimeoutMs: number;
}

/** Every option; the type ensures that none is missing here. */
const SENDER_OPTIONS: Readonly<Record<keyof SenderOptions, true>> = {
	gateway: true,
	store: true,
	statusCallback: true,
	digestSecret: true,
	keepInput: true,
	leaseMs: true,
	storeTimeoutMs: true,
	onUnresolved: true,
	onError: true,
};

const FUNCTIONS = ["statusCallback", "onUnresolved", "onError"] as const;

/** Applies the defaults. @throws ConfigurationError if an option is invalid. */
export function resolveOptions(options: SenderOptions): ResolvedSenderOptions {
	assertObject("createSender options", options);
	const { gateway, store, keepInput = false, leaseMs = 60_000, ...rest } = options;
	const { storeTimeoutMs = STORE_TIMEOUT_MS, digestSecret } = options;
	assertAll([
		() => assertKnownKeys("createSender options", options, Object.keys(SENDER_OPTIONS)),
		() => callerOfClient(gateway),
		() => assertStore(store),
		...FUNCTIONS.map((name) => () => assertFunction(name, options[name])),
		() => assertBoolean("keepInput", keepInput),
		() => assertPositive("leaseMs", leaseMs),
		() => assertPositive("storeTimeoutMs", storeTimeoutMs),
		() => digestSecret !== undefined && assertDigestSecret(digestSecret),
	]);
	const caller = callerOfClient(gateway);
	const records = new StoredRecords(store, { storeTimeoutMs, clock: caller.clock });
	return { ...rest, caller, records, keepInput, leaseMs, storeTimeoutMs };
}

function assertStore(store: unknown): void {
	if (store === undefined)
		throw new ConfigurationError(
			"store is required. Use memorySendStore() in development, and sqliteSendStore or postgresSendStore in production",
		);
	if (!hasMethods(store, ["read", "insert", "replace", "find", "list"]))
		throw new ConfigurationError(
			`store must be what memorySendStore(), sqliteSendStore(…) or postgresSendStore(…) returns${describeGiven(store)}`,
		);
}
