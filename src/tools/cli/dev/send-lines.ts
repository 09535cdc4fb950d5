import type { Clock } from "../../../library/runtime.ts";
import type {
	AttemptView,
	DeliveryView,
	FailureDiagnosis,
	MessageView,
	RequestView,
} from "../../control/contract.ts";
import { failedMessageLine, progressOf, safeNameOf, sendLine } from "../local/lines.ts";
import type { Terminal } from "../terminal.ts";
import type { FoldedLines } from "./folded-lines.ts";

/** How many sends are followed, and how many of them a terminal shows before they are over. */
const MAX_FOLLOWED = 10_000;
const MAX_SHOWN = 8;

/** How long a line waits for the statuses of its message, and for how long they are gathered before it is shown. */
const HOLD_MS = 5_000;
const GATHER_MS = 50;

/** A send whose line is not yet written. */
interface Followed {
	readonly messageId: string;
	request: RequestView | undefined;
	status: string;
	/** Its status webhooks by event id, with the last attempt of each. */
	readonly webhooks: Map<string, AttemptView | "pending" | "kept">;
	readonly stopTimer: () => void;
}

/**
 * One line for each send, with the statuses of its message and how their webhooks ended. A line is written when all
 * that is over; until then a terminal shows it below the others.
 */
export class SendLines {
	readonly #terminal: Terminal;
	readonly #lines: FoldedLines;
	readonly #readResponse: (requestId: string) => string | null;
	readonly #clock: Clock;
	readonly #followed = new Map<string, Followed>();
	/** Those whose request is not over. */
	readonly #open = new Set<Followed>();
	#stopGathering: (() => void) | undefined;
	/** Why the last status webhook failed. */
	#told: string | undefined;

	/** @param readResponse - the body of the response to a request. */
	constructor(
		terminal: Terminal,
		lines: FoldedLines,
		readResponse: (requestId: string) => string | null,
		clock: Clock,
	) {
		this.#terminal = terminal;
		this.#lines = lines;
		this.#readResponse = readResponse;
		this.#clock = clock;
	}

	/** @returns whether the request is part of the line of a send. */
	hasRequest(request: RequestView): boolean {
		const { requestId, operationId, status = 0 } = request;
		if (!operationId?.startsWith("messages.send") || status < 200 || status >= 300) return false;
		const response = this.#readResponse(requestId) ?? "";
		const send = [...this.#open].find(({ messageId }) => response.includes(messageId));
		if (send === undefined) return false;
		send.request = request;
		this.#open.delete(send);
		this.#changed(send);
		return true;
	}

	/** Notes a status of a message. */
	noteMessage(message: MessageView): void {
		const { messageId, status, outbound } = message;
		const send = this.#followed.get(messageId);
		if (send !== undefined) {
			send.status = status;
			this.#changed(send);
		} else if (outbound && status === "queued") this.#follow(messageId, status);
		else if (status === "failed")
			this.#lines.add({
				what: "a message",
				outcome: status,
				failure: status,
				format: () => failedMessageLine(this.#terminal, message),
			});
	}

	/** @returns whether the delivery is part of the line of a send. */
	hasDelivery({ kind, messageId, eventId, state, attempts }: DeliveryView): boolean {
		const send = kind === "status" ? this.#followed.get(messageId) : undefined;
		if (send === undefined) return false;
		send.webhooks.set(eventId, attempts.at(-1) ?? (state === "kept" ? state : "pending"));
		this.#changed(send);
		return true;
	}

	/** Whether the result of a status webhook differs from the one that was told last. */
	isNews(diagnosis: FailureDiagnosis | undefined): boolean {
		const told = this.#told;
		this.#told = diagnosis?.reason;
		return diagnosis === undefined || diagnosis.reason !== told;
	}

	/** Writes the lines of all sends as they are. */
	end(): void {
		for (const send of this.#followed.values()) this.#write(send);
	}

	#follow(messageId: string, status: string): void {
		const [oldest] = this.#followed.size >= MAX_FOLLOWED ? this.#followed.values() : [];
		if (oldest !== undefined) this.#write(oldest);
		const stopTimer = this.#clock.setTimer(() => this.#write(send), HOLD_MS);
		const send: Followed = { messageId, request: undefined, status, webhooks: new Map(), stopTimer };
		this.#followed.set(messageId, send);
		this.#open.add(send);
	}

	#changed(send: Followed): void {
		// The webhook of a status is reported right after it.
		queueMicrotask(() => {
			if (isOver(send) && this.#followed.has(send.messageId)) this.#write(send);
		});
		this.#stopGathering ??= this.#clock.setTimer(() => this.#showBelow(), GATHER_MS);
	}

	#write(send: Followed): void {
		send.stopTimer();
		this.#followed.delete(send.messageId);
		this.#open.delete(send);
		const { request, status } = send;
		const attempts = attemptsOf(send);
		const { diagnosis } = attempts.find((attempt) => attempt.diagnosis !== undefined) ?? {};
		const isNews = this.isNews(diagnosis);
		this.#showBelow();
		this.#lines.add({
			what: request === undefined ? "a message" : `← ${safeNameOf(request)}`,
			outcome: diagnosis === undefined ? status : progressOf(status, attempts),
			failure: diagnosis?.cause ?? (status === "failed" ? status : undefined),
			format: () => this.#lineOf(send, isNews ? diagnosis : undefined),
		});
	}

	#showBelow(): void {
		this.#stopGathering?.();
		this.#stopGathering = undefined;
		this.#lines.keepBelow(() => {
			const shown = [...this.#followed.values()].slice(-MAX_SHOWN);
			return shown.map((send) => this.#lineOf(send));
		});
	}

	#lineOf(send: Followed, diagnosis?: FailureDiagnosis): string {
		return sendLine(this.#terminal, { ...send, attempts: attemptsOf(send) }, diagnosis);
	}
}

function attemptsOf({ webhooks }: Followed): AttemptView[] {
	return [...webhooks.values()].filter((attempt) => typeof attempt !== "string");
}

/** Statuses that another one follows. */
const PASSING = ["queued", "sent", "delivered"];

function isOver({ request, status, webhooks }: Followed): boolean {
	return request !== undefined && !PASSING.includes(status) && ![...webhooks.values()].includes("pending");
}
