import type { Change, DeliveryView } from "../../control/contract.ts";
import { printable } from "../printable.ts";
import type { Terminal } from "../terminal.ts";

/** Logs the changes in a gateway, one per line, without texts and phone numbers. */
export function createChangeLog(terminal: Terminal): (change: Change) => void {
	/** The number of attempts already logged, by event id. */
	const written = new Map<string, number>();

	function logDelivery({ eventId, kind, attempts, state }: DeliveryView): void {
		for (const { status, error } of attempts.slice(written.get(eventId) ?? 0)) {
			const isSuccess = status !== undefined && status >= 200 && status < 300;
			const outcome = terminal.paint(isSuccess ? "green" : "red", printable(String(status ?? error)));
			terminal.show(
				{ webhook: kind, eventId, status, error },
				() => `webhook ${kind} ${eventId} → ${outcome}`,
			);
		}
		if (state === "pending") written.set(eventId, attempts.length);
		// A redelivery starts with no attempts, so a finished delivery is forgotten.
		else written.delete(eventId);
	}

	return (change) => {
		if (change.type === "delivery") logDelivery(change.delivery);
		if (change.type !== "message") return;
		const { messageId, status, outbound } = change.message;
		terminal.show({ message: messageId, outbound, status }, () => `message ${messageId} ${status}`);
	};
}
