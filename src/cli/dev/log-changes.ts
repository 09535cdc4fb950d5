import type { AttemptView, Change, DeliveryView, MessageView, RequestView } from "../../control/contract.ts";
import { printable } from "../printable.ts";
import type { Terminal } from "../terminal.ts";

/** A line of the log. */
interface Line {
	readonly at: number;
	readonly status: number | undefined;
	readonly what: string;
	readonly durationMs?: number | undefined;
	readonly reason?: string | undefined;
}

/** As long as the longest operation id and the arrow before it. */
const WHAT_LENGTH = 28;
const MAX_REASON_LENGTH = 240;

/** Logs the changes in a gateway, one per line, without texts and phone numbers. */
export function createChangeLog(terminal: Terminal): (change: Change) => void {
	/** The number of attempts already logged, by event id. */
	const written = new Map<string, number>();

	function format({ at, status, what, durationMs, reason }: Line): string {
		const isSuccess = status !== undefined && status >= 200 && status < 300;
		const time = new Date(at).toLocaleTimeString("en-GB");
		const span = durationMs === undefined ? "" : `${durationMs} ms`;
		const columns = [
			terminal.paint("dim", time),
			terminal.paint(isSuccess ? "green" : "red", String(status ?? "---")),
			bounded(what, 60).padEnd(WHAT_LENGTH),
			terminal.paint("dim", span.padStart(8)),
			...(reason === undefined ? [] : [bounded(reason, MAX_REASON_LENGTH)]),
		];
		return columns.join("  ");
	}

	function logRequest({ at, method, path, operationId, status, durationMs, error }: RequestView): void {
		const what = operationId ?? `${method} ${withoutNumbers(path)}`;
		const failure = error === undefined ? undefined : [error.code, ...reasonsOf(error)].join(": ");
		const reason = status === undefined ? "a fault broke the connection" : failure;
		terminal.show({ request: what, status, code: error?.code, reason, durationMs }, () =>
			format({ at, status, what: `← ${what}`, durationMs, reason }),
		);
	}

	function logAttempt({ eventId, kind }: DeliveryView, attempt: AttemptView): void {
		const { at, status, error, durationMs } = attempt;
		terminal.show({ webhook: kind, eventId, status, error, durationMs }, () =>
			format({ at, status, what: `→ ${kind}`, durationMs, reason: error ?? eventId }),
		);
	}

	function logDelivery(delivery: DeliveryView): void {
		const { eventId, attempts, state } = delivery;
		for (const attempt of attempts.slice(written.get(eventId) ?? 0)) logAttempt(delivery, attempt);
		if (state === "pending") written.set(eventId, attempts.length);
		// A redelivery starts with no attempts, so a finished delivery is forgotten.
		else written.delete(eventId);
	}

	function logMessage({ messageId, status, outbound }: MessageView): void {
		const blank = " ".repeat("00:00:00  000".length);
		terminal.show({ message: messageId, outbound, status }, () =>
			terminal.paint("dim", `${blank}    message ${messageId} ${status}`),
		);
	}

	return (change) => {
		if (change.type === "request") logRequest(change.request);
		if (change.type === "delivery") logDelivery(change.delivery);
		if (change.type === "message") logMessage(change.message);
	};
}

function reasonsOf({ message, fields }: NonNullable<RequestView["error"]>): readonly string[] {
	return fields.length === 0 ? [message] : [fields.join(", ")];
}

function withoutNumbers(path: string): string {
	return path.replace(/\d{7,}/g, "…");
}

/** Makes an untrusted string one safe line of a bounded length. */
function bounded(value: string, maxLength: number): string {
	const line = printable(value);
	return line.length > maxLength ? `${line.slice(0, maxLength)}…` : line;
}
