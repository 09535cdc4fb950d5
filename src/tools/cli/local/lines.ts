import type { AttemptView, DeliveryView, MessageView, RequestView } from "../../control/contract.ts";
import { printable } from "../printable.ts";
import type { Terminal } from "../terminal.ts";

/** A line about one event. */
interface Line {
	readonly at: number;
	readonly status: number | undefined;
	readonly what: string;
	readonly durationMs?: number | undefined;
	readonly reason?: string | undefined;
}

/** As long as the longest operation id and the arrow before it. */
const WHAT_LENGTH = 28;
const MAX_REASON_LENGTH = 480;

/** How much of a request's id is shown; `log` needs no more to find it. */
const SHOWN_OF_ID = 8;

/** A request, with the reason if it was rejected. */
export function requestLine(terminal: Terminal, request: RequestView): string {
	const { requestId, at, status, durationMs } = request;
	const reason = [requestId.slice(0, SHOWN_OF_ID), ...reasonOf(request)].join("  ");
	return write(terminal, { at, status, what: `← ${nameOf(request)}`, durationMs, reason });
}

/** One attempt at a webhook. */
export function attemptLine(
	terminal: Terminal,
	{ eventId, kind }: DeliveryView,
	{ at, status, error, durationMs }: AttemptView,
): string {
	return write(terminal, { at, status, what: `→ ${kind}`, durationMs, reason: error ?? eventId });
}

/** A webhook that is not tried again. */
export function givenUpLine(terminal: Terminal, delivery: DeliveryView): string {
	const { eventId, kind, attempts, createdAt } = delivery;
	const { at = createdAt } = attempts.at(-1) ?? {};
	const reason = `given up after ${countAttempts(delivery)}  ${eventId}`;
	return write(terminal, { at, status: undefined, what: `→ ${kind}`, reason });
}

function countAttempts({ attempts }: DeliveryView): string {
	return `${attempts.length} ${attempts.length === 1 ? "attempt" : "attempts"}`;
}

/** A webhook with its last attempt. */
export function deliveryLine(terminal: Terminal, delivery: DeliveryView): string {
	const { eventId, kind, createdAt, attempts, state } = delivery;
	const { status, durationMs } = attempts.at(-1) ?? {};
	const count = countAttempts(delivery);
	const tried = state === "failed" ? `given up after ${count}` : `${state}, ${count}`;
	const reason = [eventId, tried, ...reasonOf(delivery)].join("  ");
	return write(terminal, { at: createdAt, status, what: `→ ${kind}`, durationMs, reason });
}

/** A message, with its direction and status. */
export function messageLine(terminal: Terminal, message: MessageView): string {
	const { timestamp_ms: at, from, to, text, status, outbound, messageId } = message;
	const time = terminal.paint("dim", timeOf(at));
	const route = outbound ? `${from} → ${to}` : `${to} ← ${from}`;
	return `${time}  ${printable(messageId)}  ${bounded(route, 60)}  ${terminal.paint("bold", printable(status))}  ${bounded(text, 120)}`;
}

/** The operation, or the method and path without numbers. */
export function nameOf({ operationId, method, path }: RequestView): string {
	return operationId ?? `${method} ${path.replace(/\d{7,}/g, "…")}`;
}

/** Why a request was rejected, or the last attempt at a webhook failed; empty if neither is so. */
export function reasonOf(item: RequestView | DeliveryView): string[] {
	if ("attempts" in item) return [item.attempts.at(-1)?.error ?? []].flat();
	const { status, error } = item;
	if (status === undefined) return ["a fault broke the connection"];
	if (error === undefined) return [];
	return [`${error.code}: ${error.fields.length === 0 ? error.message : error.fields.join(", ")}`];
}

function write(terminal: Terminal, { at, status, what, durationMs, reason }: Line): string {
	const isSuccess = status !== undefined && status >= 200 && status < 300;
	const span = durationMs === undefined ? "" : `${durationMs} ms`;
	const columns = [
		terminal.paint("dim", timeOf(at)),
		terminal.paint(isSuccess ? "green" : "red", String(status ?? "---")),
		bounded(what, 60).padEnd(WHAT_LENGTH),
		terminal.paint("dim", span.padStart(8)),
		...(reason === undefined ? [] : [bounded(reason, MAX_REASON_LENGTH)]),
	];
	return columns.join("  ");
}

function timeOf(at: number): string {
	return new Date(at).toLocaleTimeString("en-GB");
}

/** Makes an untrusted string one safe line of a bounded length. */
function bounded(value: string, maxLength: number): string {
	const line = printable(value);
	return line.length > maxLength ? `${line.slice(0, maxLength)}…` : line;
}
