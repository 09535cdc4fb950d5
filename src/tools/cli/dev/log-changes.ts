import type { AttemptView, Change, DeliveryView, MessageView, RequestView } from "../../control/contract.ts";
import { BoundedMap } from "../../local-gateway/bounded-map.ts";
import { attemptLine, givenUpLine, nameOf, reasonOf, requestLine } from "../local/lines.ts";
import type { Terminal } from "../terminal.ts";

/** How many messages' last statuses are remembered. */
const MAX_STATUSES = 1_000;

/** Logs the changes in a gateway, one per line, without texts and phone numbers. */
export function createChangeLog(terminal: Terminal): (change: Change) => void {
	/** The number of attempts already logged, by event id. */
	const written = new Map<string, number>();
	/** The status already logged, by message id: a message also changes while its status stays the same. */
	const statuses = new BoundedMap<string, string>(MAX_STATUSES);

	function logRequest(request: RequestView): void {
		const { status, durationMs, error } = request;
		const [reason] = reasonOf(request);
		terminal.show({ request: nameOf(request), status, code: error?.code, reason, durationMs }, () =>
			requestLine(terminal, request),
		);
	}

	function logAttempt(delivery: DeliveryView, attempt: AttemptView): void {
		const { eventId, kind } = delivery;
		const { status, error, durationMs } = attempt;
		terminal.show({ webhook: kind, eventId, status, error, durationMs }, () =>
			attemptLine(terminal, delivery, attempt),
		);
	}

	/** Without it the last attempt looks like any other, and nobody sees that the event is lost. */
	function logGivenUp(delivery: DeliveryView): void {
		const { eventId, kind, state, attempts } = delivery;
		terminal.show({ webhook: kind, eventId, state, attempts: attempts.length }, () =>
			givenUpLine(terminal, delivery),
		);
	}

	function logDelivery(delivery: DeliveryView): void {
		const { eventId, attempts, state } = delivery;
		for (const attempt of attempts.slice(written.get(eventId) ?? 0)) logAttempt(delivery, attempt);
		if (state === "failed") logGivenUp(delivery);
		if (state === "pending") written.set(eventId, attempts.length);
		// A redelivery starts with no attempts, so a finished delivery is forgotten.
		else written.delete(eventId);
	}

	function logMessage({ messageId, status, outbound }: MessageView): void {
		if (statuses.get(messageId) === status) return;
		statuses.set(messageId, status);
		const blank = " ".repeat("00:00:00  000".length);
		terminal.show({ message: messageId, outbound, status }, () =>
			terminal.paint("dim", `${blank}    message ${messageId} ${status}`),
		);
	}

	return (change) => {
		if (change.type === "request" && !change.request.probe) logRequest(change.request);
		if (change.type === "delivery") logDelivery(change.delivery);
		if (change.type === "message") logMessage(change.message);
	};
}
