import { getQueueStatus, type QueueStatus, type QueueStatusInput } from "../../catalogue/queue.ts";
import type { Caller } from "../caller.ts";
import type { GatewayCall } from "../gateway-call.ts";
import type { CallOptions } from "../options.ts";

/** Reports how many send jobs are pending. */
export class Queue {
	readonly #caller: Caller;

	/** @internal */
	constructor(caller: Caller) {
		this.#caller = caller;
	}

	/**
	 * Gets how many send jobs are pending, being sent or failed.
	 * @experimental the path and shapes are assumed: they are not shown in the specification.
	 */
	getStatus(input: QueueStatusInput = {}, options?: CallOptions): GatewayCall<QueueStatus> {
		return this.#caller.call(getQueueStatus, input, options);
	}
}
