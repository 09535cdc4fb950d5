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
	 * Tells whether the gateway is up: an unsigned call that resolves to the response's JSON, or to its text. What a
	 * healthy response contains is not shown, so every 2xx counts as healthy, whatever it says, except a web page.
	 * @throws ResponseShapeError (`unexpected_response`) for a web page: something other than the gateway has responded.
	 * @see specification, section 4.3
	 */
	check(options?: CallOptions): GatewayCall<unknown> {
		return this.#caller.call(checkHealth, {}, options);
	}
}
