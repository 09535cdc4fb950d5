import type { Child, Children } from "../children.ts";
import type { Random } from "../random.ts";

/** The longest that the sender waits for a receiver: some handlers take longer. */
const REQUEST_TIMEOUT_MS = 2_000;

/** How often a delivery arrives twice, and how much later the second can be. */
const TWIN_SHARE = 0.05;
const TWIN_DELAY_MS = 2_000;

const REPEATS_AT_ONCE = 16;

/** Header of the event's id. */
const EVENT_ID_HEADER = "x-svc-event-id";

/** Passes the gateway's deliveries to one receiver or another, as a load balancer would, and counts the responses. */
export class Courier {
	readonly #receivers: Children;
	readonly #random: Random;
	/** Events that were acknowledged to the gateway. */
	readonly acknowledged = new Set<string>();
	/** How many deliveries had which response, by status and code; `none` if there was none. */
	readonly responses: Record<string, number> = {};
	/** How many have no response yet, or have yet to arrive. */
	inFlight = 0;
	/** Each event as it was delivered last. */
	readonly #kept = new Map<string, Request>();

	constructor(receivers: Children, random: Random) {
		this.#receivers = receivers;
		this.#random = random;
	}

	/** The gateway's `deliverTo`. */
	readonly deliver = async (request: Request): Promise<Response> => {
		// The gateway repeats an event only once it is acknowledged; networks are less orderly.
		if (this.#random.chance(TWIN_SHARE)) {
			const twin = request.clone();
			const delayMs = this.#random.chance(0.5) ? 0 : TWIN_DELAY_MS * this.#random.fraction();
			this.inFlight++;
			setTimeout(() => {
				this.inFlight--;
				this.#send(twin).catch(() => undefined);
			}, delayMs);
		}
		const eventId = request.headers.get(EVENT_ID_HEADER) ?? "";
		this.#kept.set(eventId, request.clone());
		const status = await this.#send(request);
		if (status === 200) this.acknowledged.add(eventId);
		return new Response(null, { status });
	};

	/** Delivers every event once more, whatever the responses: one that is done must not run again. */
	async repeatAll(): Promise<void> {
		const left = this.#kept.values();
		const repeatOthers = async (): Promise<void> => {
			for (const request of left) await this.#send(request).catch(() => undefined);
		};
		await Promise.all(Array.from({ length: REPEATS_AT_ONCE }, repeatOthers));
	}

	async #send(request: Request): Promise<number> {
		const receiver = this.#receivers.choose(this.#random);
		let outcome = "none";
		this.inFlight++;
		receiver.busy++;
		try {
			const { status, code } = await post(receiver, request);
			outcome = `${status} ${code}`.trim();
			if (status === 200) receiver.successes++;
			if (code === "store_unavailable") receiver.setbacks++;
			return status;
		} finally {
			receiver.busy--;
			this.inFlight--;
			this.responses[outcome] = (this.responses[outcome] ?? 0) + 1;
		}
	}
}

/** Delivers to one receiver. It rejects if there is no response in time. */
async function post(receiver: Child, request: Request): Promise<{ status: number; code: string }> {
	const response = await fetch(`http://127.0.0.1:${receiver.firstLine}/`, {
		method: "POST",
		headers: request.headers,
		body: await request.text(),
		signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
	});
	return { status: response.status, code: await response.text() };
}
