import type { Change, DeliveryView } from "../../local-gateway/control/contract.ts";
import { printable } from "../printable.ts";
import type { Terminal } from "../terminal.ts";

/** Writes what happens in a gateway, a line for each step; no texts and no numbers. */
export function createChangeLog(terminal: Terminal): (change: Change) => void {
	/** How many attempts of a delivery were written already. */
	const written = new Map<string, number>();

	function logDelivery({ eventId, kind, attempts, state }: DeliveryView): void {
		for (const { status, error } of attempts.slice(written.get(eventId) ?? 0)) {
			const isGood = status !== undefined && status >= 200 && status < 300;
			const answer = terminal.paint(isGood ? "green" : "red", printable(String(status ?? error)));
			terminal.show(
				{ webhook: kind, eventId, status, error },
				() => `webhook ${kind} ${eventId} → ${answer}`,
			);
		}
		if (state === "pending") written.set(eventId, attempts.length);
		// A redelivery starts anew, so what is over need not be kept.
		else written.delete(eventId);
	}

	return (change) => {
		if (change.type === "delivery") logDelivery(change.delivery);
		if (change.type !== "message") return;
		const { messageId, status, outbound } = change.message;
		terminal.show({ message: messageId, outbound, status }, () => `message ${messageId} ${status}`);
	};
}
