import { ConfigurationError } from "../errors.ts";
import { describeVersions, VERSION } from "../identity.ts";
import type { Caller } from "./caller.ts";

/**
 * Where a client and its parts have their caller: in a closure. No inspection shows it, a proxy around them does not hide it
 * as it hides private fields, and another copy of this package finds it.
 */
const BOUND: unique symbol = Symbol.for("messaging-gateway.client");

/** What the closure returns. Its form is for every version. */
interface BoundCaller {
	readonly version: string;
	/** For copies of this version alone: what senders and the doctor use of it stays as it is in all of them. */
	readonly caller: Caller;
}

/** Gives a client, or a part of it, what it calls with. */
export function bindCaller<Part extends object>(part: Part, caller: Caller): Part {
	const bound: BoundCaller = { version: VERSION, caller };
	// Configurable, so that a proxy may return another function.
	return Object.defineProperty(part, BOUND, { value: () => bound, configurable: true });
}

/**
 * What a client of this copy, or a part of it, calls with.
 * @throws ConfigurationError (`configuration`) if a method was taken from its object, which is then `undefined`.
 */
export function callerOf(part: object): Caller {
	const bound = boundOf(part);
	if (bound !== undefined) return bound.caller;
	throw new ConfigurationError(
		"You called a method without its object. Call it on the client, as in gateway.messages.sendText(…)",
	);
}

function boundOf(part: unknown): BoundCaller | undefined {
	const { [BOUND]: read }: { readonly [BOUND]?: () => BoundCaller } = Object(part);
	return read?.();
}

/**
 * What a client calls with, for senders and the doctor: the one door into it.
 * @throws ConfigurationError (`configuration`) if it is no client, or of another version.
 */
export function callerOfClient(gateway: { readonly messages: object }): Caller {
	const caller = findCaller(gateway);
	if (caller !== undefined) return caller;
	throw new ConfigurationError("gateway must be a MessagingGateway: pass new MessagingGateway()");
}

/**
 * As {@link callerOfClient}, but `undefined` for what is no client, such as the fake of a test.
 * @throws ConfigurationError (`configuration`) if it is of another version.
 */
export function findCaller(gateway: { readonly messages: object }): Caller | undefined {
	const bound = boundOf(gateway?.messages);
	if (bound === undefined || bound.version === VERSION) return bound?.caller;
	throw new ConfigurationError(describeVersions("gateway", bound.version));
}
