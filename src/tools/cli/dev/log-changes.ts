import type {
	AttemptView,
	Change,
	DeliveryView,
	FailureDiagnosis,
	MessageView,
	RequestView,
} from "../../control/contract.ts";
import { BoundedMap } from "../../local-gateway/bounded-map.ts";
import {
	attemptLine,
	deliveryLine,
	foreignPageLine,
	givenUpLine,
	requestLine,
	safeNameOf,
} from "../local/lines.ts";
import type { Terminal } from "../terminal.ts";

/** How many messages and webhooks are remembered, with what was logged of them. */
const MAX_REMEMBERED = 1_000;

/** Logs the changes in a gateway, one per line, without texts and contacts. */
export function createChangeLog(terminal: Terminal): (change: Change) => void {
	/** The number of attempts already logged, by event id. */
	const written = new BoundedMap<string, number>(MAX_REMEMBERED);
	/** The status already logged, by message id: a message also changes while its status stays the same. */
	const statuses = new BoundedMap<string, string>(MAX_REMEMBERED);

	function logRequest(request: RequestView): void {
		const { status, durationMs, error, diagnosis } = request;
		const shown = { request: safeNameOf(request), status, code: error?.code, durationMs };
		terminal.show({ ...shown, ...whyOf(diagnosis) }, () => requestLine(terminal, request));
	}

	function logAttempt(delivery: DeliveryView, attempt: AttemptView): void {
		const { eventId, kind } = delivery;
		const { status, error, durationMs, diagnosis } = attempt;
		const shown = { webhook: kind, eventId, status, error, durationMs };
		terminal.show({ ...shown, ...whyOf(diagnosis) }, () => attemptLine(terminal, delivery, attempt));
	}

	/** Without it the last attempt looks like any other, and nobody sees that the event is lost. */
	function logGivenUp(delivery: DeliveryView): void {
		const { eventId, kind, state, attempts } = delivery;
		terminal.show({ webhook: kind, eventId, state, attempts: attempts.length }, () =>
			givenUpLine(terminal, delivery),
		);
	}

	function logDelivery(delivery: DeliveryView): void {
		const { eventId, kind, attempts, state, diagnosis } = delivery;
		const isNew = written.get(eventId) === undefined;
		// A message has three statuses, and whoever wants them has set a URL.
		if (state === "kept" && isNew && kind !== "status")
			terminal.show({ webhook: kind, eventId, state, ...whyOf(diagnosis) }, () =>
				deliveryLine(terminal, delivery),
			);
		for (const attempt of attempts.slice(written.get(eventId) ?? 0)) logAttempt(delivery, attempt);
		if (state === "failed") logGivenUp(delivery);
		written.set(eventId, attempts.length);
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

/** How many origins are named: a stranger's page can have any number of them. */
const MAX_ORIGINS = 20;

/** Logs each origin whose pages are rejected, once: a browser hides the response from the page. */
export function createPageLog(terminal: Terminal): (origin: string) => void {
	const named = new Set<string>();
	return (origin) => {
		if (named.has(origin) || named.size >= MAX_ORIGINS) return;
		named.add(origin);
		terminal.show({ page: origin, status: 403 }, () => foreignPageLine(terminal, origin));
	};
}

/** Why something failed, as JSON has it. */
function whyOf(diagnosis: FailureDiagnosis | undefined) {
	return { cause: diagnosis?.cause, reason: diagnosis?.reason, fix: diagnosis?.fix };
}
