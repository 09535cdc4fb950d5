import type { Clock } from "../../library/runtime.ts";
import type { ReceiverResponse } from "./delivery.ts";

/** What a gateway does only for its console; users' tests need none of it. */
export interface Supervision {
	/** Whether the bytes of attachments are kept. */
	readonly keepsAttachments: boolean;
	/** Whether the signatures of deliveries are checked. */
	readonly checksDeliveries: boolean;
	/** Whether events without a webhook URL are kept, to be delivered by hand. */
	readonly keepsUndelivered: boolean;
	/**
	 * The clock of signatures, of requests and of webhooks; `undefined` for the gateway's own. Other programs do not
	 * see that the gateway's clock was moved forward, and would reject a timestamp of the future.
	 */
	readonly signatureClock: Clock | undefined;
	/** Reads a receiver's response to its end, since a server treats an aborted one as a failure. Never rejects. */
	readonly readResponse: (response: Response, signal: AbortSignal) => Promise<ReceiverResponse | undefined>;
}

/** The default, as in users' tests. */
export const UNSUPERVISED: Supervision = {
	keepsAttachments: false,
	checksDeliveries: false,
	keepsUndelivered: false,
	signatureClock: undefined,
	async readResponse({ body }, signal) {
		await body?.pipeTo(new WritableStream(), { signal }).catch(() => undefined);
		return undefined;
	},
};
