import { getQueueStatus, type QueueStatus, type QueueStatusInput } from "../../catalogue/queue.ts";
import { callerOf } from "../bound-caller.ts";
import type { GatewayCall } from "../gateway-call.ts";
import type { CallOptions } from "../options.ts";

/** Reports how many sends are pending. */
export class Queue {
	/**
	 * Gets how many sends are pending, under way or failed.
	 * @experimental
	 */
	getStatus(input: QueueStatusInput = {}, options?: CallOptions): GatewayCall<QueueStatus> {
		return callerOf(this).call(getQueueStatus, input, options);
	}
}
