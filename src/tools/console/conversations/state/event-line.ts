import type { DeliveryView, FailureDiagnosis, RequestView } from "../../../control/contract.ts";
import { describeKind, describeNextAttempt, describeResponse, isAcknowledged } from "./delivery-facts.ts";
import type { Entry } from "./entries.ts";
import { isRejected, nameOf } from "./request-facts.ts";

/** What a row of the timeline shows of a webhook or a request. */
export interface EventLine {
	/** `→` to the application, `←` from it. */
	readonly arrow: "→" | "←";
	readonly name: string;
	/** The status, the cause in short words, and what happens next. */
	readonly outcome: string;
	/** `muted` for what went well. */
	readonly tone: "muted" | "warn" | "bad";
	readonly reason?: string;
}

export function describeDelivery(delivery: DeliveryView): EventLine {
	const { attempts, diagnosis, state } = delivery;
	const last = attempts.at(-1);
	const name = describeKind(delivery);
	if (state === "kept") return { arrow: "→", name, outcome: "kept: no webhook URL yet", tone: "warn" };
	const isBad = last !== undefined && !isAcknowledged(last);
	const times = attempts.length > 1 && !isBad ? `${attempts.length} attempts` : undefined;
	const response = last?.status === undefined && diagnosis !== undefined ? undefined : last;
	return {
		arrow: "→",
		name,
		outcome: join(
			response && describeResponse(response),
			causeOf(diagnosis),
			times,
			describeNextAttempt(delivery),
		),
		tone: isBad ? "bad" : diagnosis === undefined ? "muted" : "warn",
		...reasonOf(diagnosis),
	};
}

export function describeRequest(request: RequestView): EventLine {
	const { status, diagnosis } = request;
	return {
		arrow: "←",
		name: nameOf(request),
		outcome: join(status === undefined ? undefined : String(status), causeOf(diagnosis)),
		tone: isRejected(request) ? "bad" : diagnosis === undefined ? "muted" : "warn",
		...reasonOf(diagnosis),
	};
}

/** Why an entry failed, in a sentence; `undefined` if it did not. */
export function findFailure(entry: Entry): string | undefined {
	if (entry.kind === "message") return entry.message.status === "failed" ? "The message failed." : undefined;
	const line = entry.kind === "webhook" ? describeDelivery(entry.delivery) : describeRequest(entry.request);
	return line.tone === "bad" ? (line.reason ?? line.outcome) : undefined;
}

function causeOf(diagnosis: FailureDiagnosis | undefined): string | undefined {
	return diagnosis?.cause.replaceAll("_", " ");
}

function reasonOf(diagnosis: FailureDiagnosis | undefined): Pick<EventLine, "reason"> {
	return diagnosis === undefined ? {} : { reason: diagnosis.reason };
}

function join(...parts: readonly (string | undefined)[]): string {
	return parts.filter((part) => part !== undefined).join(" · ");
}
