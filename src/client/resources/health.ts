import { checkHealth } from "../../catalogue/health.ts";
import type { Caller } from "../caller.ts";
import type { GatewayCall } from "../gateway-call.ts";
import type { CallOptions } from "../options.ts";

/** Tells whether the gateway is up. */
export class Health {
	readonly #caller: Caller;

	/** @internal */
	constructor(caller: Caller) {
		this.#caller = caller;
	}

	/**
	 * Tells whether the gateway is up: an unsigned call that resolves to the answer's JSON, or to its text.
	 * @see specification, section 4.3
	 */
	check(options?: CallOptions): GatewayCall<unknown> {
		return this.#caller.call(checkHealth, {}, options);
	}
}
