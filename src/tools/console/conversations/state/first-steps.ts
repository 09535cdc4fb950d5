import { describeDelivery, isAcknowledged, isRejected } from "./describe-entries.ts";
import type { Entry } from "./entries.ts";

/** What has happened of the three first steps: the app is connected, acknowledged a webhook, and a contact wrote. */
export function firstSteps(entries: readonly Entry[]) {
	const steps = { hasCalled: false, hasAnswered: false, hasWritten: false };
	for (const entry of entries) {
		if (entry.kind === "request") {
			const { operationId } = entry.request;
			// The health check needs no signature.
			const isSigned = operationId !== undefined && operationId !== "health.check";
			steps.hasCalled ||= isSigned && !isRejected(entry.request);
		} else if (entry.kind === "webhook") {
			const { delivery } = entry;
			const last = delivery.attempts.at(-1);
			// One that is acknowledged wrongly has a note.
			steps.hasAnswered ||=
				last !== undefined && isAcknowledged(last) && describeDelivery(delivery).tone === "muted";
		} else steps.hasWritten ||= !entry.message.outbound;
	}
	// An app that only receives never calls; that it checks the signature shows its secret.
	return { ...steps, hasCalled: steps.hasCalled || steps.hasAnswered };
}
