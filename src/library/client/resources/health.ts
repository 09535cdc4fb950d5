import { checkHealth } from "../../catalogue/health.ts";
import { callerOf } from "../bound-caller.ts";
import type { GatewayCall } from "../gateway-call.ts";
import type { CallOptions } from "../options.ts";

/** Checks whether the gateway is up. */
export class Health {
	/**
	 * Checks whether the gateway is up. The call is unsigned, and resolves to the response's JSON, or to its body as a
	 * string. Every 2xx counts as healthy, except a web page.
	 * @throws ResponseShapeError (`unexpected_response`) for a web page: something other than the gateway responded.
	 * @see Specification, section 4.3
	 */
	check(options?: CallOptions): GatewayCall<unknown> {
		return callerOf(this).call(checkHealth, {}, options);
	}
}
