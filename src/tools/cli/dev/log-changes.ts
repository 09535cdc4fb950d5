import { type Clock, systemClock } from "../../../library/runtime.ts";
import type {
	AttemptView,
	DeliveryView,
	FailureDiagnosis,
	MessageView,
	RequestView,
} from "../../control/contract.ts";
import type { GatewayControl } from "../../control/create-control.ts";
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
import { FoldedLines, type LogLine } from "./folded-lines.ts";
import { RunSummary } from "./run-summary.ts";
import { SendLines } from "./send-lines.ts";

/** How many messages and webhooks are remembered, with what was logged of them. */
const MAX_REMEMBERED = 1_000;

/** What the log reads of the gateway. */
type LoggedControl = Pick<GatewayControl, "messages" | "request" | "subscribe">;

/**
 * Logs the changes in a gateway, one per line, without texts and contacts: for people a send is one line.
 * @returns what ends the log with a summary.
 */
export function logChanges(
	terminal: Terminal,
	control: LoggedControl,
	clock: Clock = systemClock,
): () => void {
	/** The number of attempts already logged, by event id. */
	const written = new BoundedMap<string, number>(MAX_REMEMBERED);
	/** The status already logged, by message id: a message also changes while its status stays the same. */
	const statuses = new BoundedMap<string, string>(MAX_REMEMBERED);
	const lines = new FoldedLines(terminal, clock);
	const readResponse = (requestId: string): string | null => control.request(requestId).responseBody;
	const sends = new SendLines(terminal, lines, readResponse, clock);
	const summary = new RunSummary(control.messages({ limit: 1 }).items.at(-1)?.sequence ?? 0);
	const isFolded = !terminal.isJson;

	function log(value: object, line: LogLine): void {
		if (terminal.isJson) terminal.show(value, line.format);
		else lines.add(line);
	}

	function logRequest(request: RequestView): void {
		if (isFolded && sends.hasRequest(request)) return;
		const { status, durationMs, error, diagnosis } = request;
		const name = safeNameOf(request);
		const shown = { request: name, status, code: error?.code, durationMs };
		log(
			{ ...shown, ...whyOf(diagnosis) },
			{
				what: `← ${name}`,
				outcome: String(status ?? "---"),
				failure: diagnosis?.cause ?? error?.code,
				format: () => requestLine(terminal, request),
			},
		);
	}

	function logAttempt(delivery: DeliveryView, attempt: AttemptView): void {
		const { eventId, kind } = delivery;
		const { status, error, durationMs, diagnosis } = attempt;
		const shown = { webhook: kind, eventId, status, error, durationMs };
		log(
			{ ...shown, ...whyOf(diagnosis) },
			{
				what: `→ ${kind}`,
				outcome: String(status ?? "---"),
				failure: diagnosis?.cause,
				format: () => attemptLine(terminal, delivery, attempt),
			},
		);
	}

	/** Without it the last attempt looks like any other, and nobody sees that the event is lost. */
	function logGivenUp(delivery: DeliveryView): void {
		const { eventId, kind, state, attempts } = delivery;
		log(
			{ webhook: kind, eventId, state, attempts: attempts.length },
			{
				what: `→ ${kind}`,
				outcome: "given up",
				failure: "given up",
				format: () => givenUpLine(terminal, delivery),
			},
		);
	}

	function logDelivery(delivery: DeliveryView): void {
		const { eventId, kind, attempts, state, diagnosis } = delivery;
		const logged = written.get(eventId);
		written.set(eventId, attempts.length);
		if (isFolded && sends.hasDelivery(delivery)) return;
		// A message has three statuses, and whoever wants them has set a URL.
		if (state === "kept" && logged === undefined && kind !== "status")
			log(
				{ webhook: kind, eventId, state, ...whyOf(diagnosis) },
				{
					what: `→ ${kind}`,
					outcome: state,
					failure: diagnosis?.cause,
					format: () => deliveryLine(terminal, delivery),
				},
			);
		for (const attempt of attempts.slice(logged ?? 0))
			if (!isFolded || kind !== "status" || sends.isNews(attempt.diagnosis)) logAttempt(delivery, attempt);
		if (state === "failed") logGivenUp(delivery);
	}

	function logMessage(message: MessageView): void {
		const { messageId, status, outbound } = message;
		if (statuses.get(messageId) === status) return;
		statuses.set(messageId, status);
		if (isFolded) sends.noteMessage(message);
		else terminal.show({ message: messageId, outbound, status }, () => "");
	}

	const unsubscribe = control.subscribe((change) => {
		summary.note(change);
		if (change.type === "request" && !change.request.probe) logRequest(change.request);
		if (change.type === "delivery") logDelivery(change.delivery);
		if (change.type === "message") logMessage(change.message);
	});
	return () => {
		unsubscribe();
		sends.end();
		lines.end();
		const words = summary.describe(terminal);
		if (words !== "") terminal.show({ summary: summary.toJson() }, () => words);
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
