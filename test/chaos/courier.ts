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

/** The response of a receiver. */
export interface ReceiverResponse {
	readonly status: number;
	/** The code; empty if the event is acknowledged. */
	readonly code: string;
	/** Whether a handler ran for it. */
	readonly hasRun: boolean;
}

/** Passes the gateway's deliveries to one receiver or another, as a load balancer would, and counts the responses. */
export class Courier {
	readonly #receivers: Receivers;
	readonly #random: Random;
	/** Events that were acknowledged to the gateway. */
	readonly acknowledged = new Set<string>();
	/** How many deliveries ended how: by status and code, `repeat` for a 200 without a run, or `none`. */
	readonly outcomes = new Map<string, number>();
	deliveries = 0;
	/** How many have no response yet, or have yet to arrive. */
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

	/** Delivers an event once more, as it was delivered last, and ignores the response. */
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

	async #send(request: Request): Promise<ReceiverResponse> {
		this.deliveries++;
		this.inFlight++;
		let outcome = "none";
		try {
			const response = await post(this.#choose(), request);
			outcome = `${response.status} ${response.code}`.trim();
			if (response.status === 200 && !response.hasRun) outcome = "repeat";
			return response;
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

/** Delivers to one receiver. It rejects if there is no response in time. */
export async function post(
	receiver: Receiver,
	request: Request,
	timeoutMs: number = REQUEST_TIMEOUT_MS,
): Promise<ReceiverResponse> {
	receiver.inFlight++;
	try {
		const response = await fetch(receiver.url, {
			method: "POST",
			headers: request.headers,
			body: await request.text(),
			signal: AbortSignal.timeout(timeoutMs),
		});
		const code = await response.text();
		return { status: response.status, code, hasRun: response.headers.has(RUN_HEADER) };
	} finally {
		receiver.inFlight--;
	}
}
