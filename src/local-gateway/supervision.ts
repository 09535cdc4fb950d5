import type { Clock } from "../runtime.ts";

/** What a gateway does only for its console; users' tests need none of it. */
export interface Supervision {
	/** Whether the bytes of attachments are kept. */
	readonly keepsAttachments: boolean;
	/** Whether rejected sends and other happenings are kept, and signatures of deliveries checked. */
	readonly keepsHistory: boolean;
	/**
	 * The clock of signatures, of requests and of webhooks; `undefined` for the gateway's own. Other programs do not
	 * see that the gateway's clock was moved forward, and would reject a timestamp of the future.
	 */
	readonly signatureClock: Clock | undefined;
}

/** The default, as in users' tests. */
export const UNSUPERVISED: Supervision = {
	keepsAttachments: false,
	keepsHistory: false,
	signatureClock: undefined,
};
