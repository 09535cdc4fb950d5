import type { Random } from "./random.ts";
import { RUN_HEADER } from "./receiver-settings.ts";
import type { Receiver, Receivers } from "./receivers.ts";

/** The longest that the sender waits for a receiver: some handlers take longer. */
const REQUEST_TIMEOUT_MS = 2_000;

/** How often a delivery arrives twice, and how much later the second can be. */
const TWIN_SHARE = 0.05;
const TWIN_DELAY_MS = 2_000;

/** Header of the event's id. */
const EVENT_ID_HEADER = "x-svc-event-id";

/** What a receiver answered. */
export interface Answer {
	readonly status: number;
	/** The code, or nothing where all went well. */
	readonly code: string;
	/** Whether a handler ran for it. */
	readonly hasRun: boolean;
	readonly tookMs: number;
}

/** Takes the gateway's deliveries to one receiver or another, as a load balancer would, and counts the answers. */
export class Courier {
	readonly #receivers: Receivers;
	readonly #random: Random;
	/** Events that the gateway was told are done. */
	readonly acknowledged = new Set<string>();
	/** How many deliveries ended how: by status and code, `repeat` for a 200 without a run, or `none`. */
	readonly outcomes = new Map<string, number>();
	deliveries = 0;
	/** How many are not answered yet, or have yet to arrive. */
	inFlight = 0;
	/** The last delivery of each event. */
	readonly #kept = new Map<string, Request>();

	constructor(receivers: Receivers, random: Random) {
		this.#receivers = receivers;
		this.#random = random;
	}

	/** The gateway's `deliverTo`. */
	readonly deliver = async (request: Request): Promise<Response> => {
		const eventId = request.headers.get(EVENT_ID_HEADER) ?? "";
		this.#kept.set(eventId, request);
		// The gateway repeats an event only once it is acknowledged; networks are less orderly.
		if (this.#random.chance(TWIN_SHARE)) {
			const isAtOnce = this.#random.chance(0.5);
			this.repeat(eventId, isAtOnce ? 0 : TWIN_DELAY_MS * this.#random.fraction());
		}
		const { status } = await this.#send(request.clone());
		if (status === 200) this.acknowledged.add(eventId);
		return new Response(null, { status });
	};

	/** Delivers an event once more, as it was delivered last, whatever is answered. */
	repeat(eventId: string, delayMs = 0): void {
		const kept = this.#kept.get(eventId);
		if (kept === undefined) return;
		this.inFlight++;
		setTimeout(() => {
			this.inFlight--;
			this.#send(kept.clone()).catch(() => undefined);
		}, delayMs);
	}

	count(outcome: string): number {
		return this.outcomes.get(outcome) ?? 0;
	}

	async #send(request: Request): Promise<Answer> {
		this.deliveries++;
		this.inFlight++;
		let outcome = "none";
		try {
			const answer = await post(this.#choose(), request);
			outcome = `${answer.status} ${answer.code}`.trim();
			if (answer.status === 200 && !answer.hasRun) outcome = "repeat";
			return answer;
		} finally {
			this.inFlight--;
			this.outcomes.set(outcome, this.count(outcome) + 1);
		}
	}

	/** The less busy of two, so that a paused one gets requests, but not all of them. */
	#choose(): Receiver {
		const { alive } = this.#receivers;
		const [one, other] = [this.#random.pick(alive), this.#random.pick(alive)];
		return one.inFlight <= other.inFlight ? one : other;
	}
}

/** Delivers to one receiver. It rejects where there is no answer in time. */
export async function post(
	receiver: Receiver,
	request: Request,
	timeoutMs: number = REQUEST_TIMEOUT_MS,
): Promise<Answer> {
	const startedAt = performance.now();
	receiver.inFlight++;
	try {
		const response = await fetch(receiver.url, {
			method: "POST",
			headers: request.headers,
			body: await request.text(),
			signal: AbortSignal.timeout(timeoutMs),
		});
		const code = await response.text();
		const hasRun = response.headers.has(RUN_HEADER);
		return { status: response.status, code, hasRun, tookMs: performance.now() - startedAt };
	} finally {
		receiver.inFlight--;
	}
}
