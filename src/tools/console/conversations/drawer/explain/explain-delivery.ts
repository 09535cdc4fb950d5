import { systemClock } from "../../../../../library/runtime.ts";
import type { AttemptView, DeliveryView, SharedSecrets } from "../../../../control/contract.ts";
import { explainWebhookFailure } from "../../../../doctor/webhooks/explain-webhook-failure.ts";
import type { Explanation } from "../../../../doctor/webhooks/explanation.ts";
import type { ReadHeaders } from "./read-headers.ts";

/** An attempt as it was sent. */
export type ExplainedAttempt = Pick<AttemptView, "headers" | "timestamp"> & { readonly body: string };

/** What a receiver verified, as far as it was pasted; the rest is what was sent. */
export interface Received {
	readonly headers?: ReadHeaders["headers"] | undefined;
	readonly body?: Uint8Array | undefined;
	readonly secret?: string | undefined;
}

/** The attempt whose timestamp is in the receiver's headers; the last one if none is. */
export function findSentAttempt(
	{ attempts, body }: Pick<DeliveryView, "attempts" | "body">,
	received: ReadHeaders["headers"],
): ExplainedAttempt | undefined {
	const values = Object.values(received).flat();
	const attempt = attempts.findLast(({ timestamp }) => values.includes(`${timestamp}`)) ?? attempts.at(-1);
	return attempt && { ...attempt, body: attempt.sentBody ?? body };
}

/** Explains why a receiver rejects an attempt. */
export function explainDelivery(
	sent: ExplainedAttempt,
	received: Received,
	{ appSecret, webhookSecret }: Pick<SharedSecrets, "appSecret" | "webhookSecret">,
): Explanation {
	// A profile may have given the headers another prefix.
	const names = Object.keys(sent.headers).map((name) => /^x-(.+)-signature$/i.exec(name)?.[1]);
	const headerPrefix = names.find((name) => name !== undefined);
	return explainWebhookFailure(
		{ headers: received.headers ?? sent.headers, body: received.body ?? sent.body },
		{
			secret: received.secret ?? webhookSecret,
			appSecret,
			otherSecrets: { "the webhook secret of the gateway": webhookSecret },
			...(headerPrefix === undefined ? {} : { profile: { vendor: { headerPrefix } } }),
			// The receiver got it then; the panel may be opened much later.
			clock: { ...systemClock, now: () => sent.timestamp * 1_000 },
		},
	);
}
