import { monotonicNow } from "../runtime.ts";
import type { ResolvedHandlerOptions } from "./handler-options.ts";
import type { VerifiedDelivery } from "./process-event.ts";
import { isRepeat, type WebhookResponse } from "./webhook-response.ts";

/** Responds to a delivery, and passes on what it verified. */
type Respond<Delivery> = (
	delivery: Delivery,
	onVerified: (verified: VerifiedDelivery) => void,
) => Promise<WebhookResponse>;

/** Calls `hooks.onResponse`, if there is one, with each response. */
export function observeResponses<Delivery>(
	respond: Respond<Delivery>,
	options: ResolvedHandlerOptions,
): (delivery: Delivery) => Promise<WebhookResponse> {
	const onResponse = options.hooks?.onResponse;
	if (onResponse === undefined) return (delivery) => respond(delivery, () => undefined);
	return async (delivery) => {
		const startedAt = monotonicNow(options.clock);
		let verified: VerifiedDelivery | undefined;
		const response = await respond(delivery, (found) => {
			verified = found;
		});
		// Read after the response: by now the event has its bound id.
		const { eventId, kind } = verified?.event ?? {};
		const { status, body } = response;
		const durationMs = monotonicNow(options.clock) - startedAt;
		const code = body || "acknowledged";
		// An async hook that rejects must not go unhandled either.
		(async () =>
			onResponse({ eventId, kind, status, code, isRepeat: isRepeat(response), durationMs }))().catch(
			(error: unknown) =>
				options.reportProblem("hook_failed", error, {
					hint: "hooks.onResponse failed; the response is unchanged",
				}),
		);
		return response;
	};
}
