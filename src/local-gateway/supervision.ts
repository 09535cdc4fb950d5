import type { Clock } from "../runtime.ts";

/** What a gateway does for those who look at it from outside. Tests of users need none of it. */
export interface Supervision {
	/** Whether the bytes of attachments are kept. */
	readonly keepsAttachments: boolean;
	/** Whether refused sends and the like are kept, and signatures of deliveries are checked. */
	readonly keepsHistory: boolean;
	/**
	 * The time of signatures, of requests and of webhooks. Programs on the other side know nothing of a clock that was
	 * moved forward, and would refuse a timestamp of the future. `undefined` where it is the gateway's own time.
	 */
	readonly signatureClock: Clock | undefined;
}

/** As in tests of users. */
export const UNSUPERVISED: Supervision = {
	keepsAttachments: false,
	keepsHistory: false,
	signatureClock: undefined,
};
