import type { Clock } from "../runtime.ts";
import { createEventId } from "../webhooks/sign-webhook.ts";
import { BoundedMap } from "./bounded-map.ts";
import type { ChangeSink } from "./change-feed.ts";
import type { SignatureCheck } from "./check-signature.ts";
import type { DeliveryAttempt } from "./delivery-attempt.ts";
import type { Scheduler } from "./scheduler.ts";
import type { WebhookFaultPlan } from "./webhook-faults.ts";

/** The three documented events (specification, section 6). */
export type WebhookKind = "inbound_message" | "inbound_reaction" | "status";

/** One try at a delivery. */
export interface RecordedAttempt {
	/** When it began, in Unix milliseconds. */
	readonly at: number;
	/** The signed timestamp, in Unix seconds. */
	readonly timestamp: number;
	/** The receiver's answer. */
	readonly status?: number;
	/** Why there was no answer. */
	readonly error?: string;
}

/** A webhook and what became of it. */
export interface RecordedDelivery {
	/** The same over all attempts. */
	readonly eventId: string;
	/** What it tells of. */
	readonly kind: WebhookKind;
	/** Where the last attempt went. */
	readonly url: string;
	/** The headers of the last attempt; empty before the first. */
	readonly headers: Readonly<Record<string, string>>;
	/** The raw body, as it was signed. */
	readonly body: string;
	/** The attempts, the oldest first. */
	readonly attempts: readonly RecordedAttempt[];
	/** Whether it arrived; `"pending"` while a further attempt is due or under way. */
	readonly state: "pending" | "delivered" | "failed";
}

/** An attempt with what went out. */
export interface Attempt {
	readonly recorded: RecordedAttempt;
	readonly headers: Readonly<Record<string, string>>;
	/** The body that was sent, where a fault had changed it. */
	readonly sentBody?: string | undefined;
	readonly check?: SignatureCheck | undefined;
}

/** What happened, for {@link Deliveries.add}. */
export interface WebhookEventDetails {
	readonly kind: WebhookKind;
	/** Deliveries of one message keep their order. */
	readonly messageId: string;
	readonly conversationKey: string;
	/** The message's own URL for its status updates. */
	readonly statusCallback: string | null;
}

/** A delivery as the gateway keeps it. */
export interface Delivery extends WebhookEventDetails {
	readonly sequence: number;
	readonly createdAt: number;
	readonly eventId: string;
	readonly body: string;
	readonly attempts: Attempt[];
	url: string;
	headers: Readonly<Record<string, string>>;
	state: RecordedDelivery["state"];
}

/** A delivery that waits for its turn, and how long it waits before each attempt. */
interface Turn {
	readonly delivery: Delivery;
	readonly delaysMs: readonly number[];
}

/** The deliveries of one message, the first of them under way. */
interface Queue {
	readonly turns: Turn[];
	onArrival: () => void;
}

/** Longer than any message takes to move on, so that there is something to change places with. */
const MAX_SWAP_WAIT_MS = 60_000;

/** What {@link Deliveries} works with. */
export interface DeliveryTools {
	readonly clock: Clock;
	readonly scheduler: Scheduler;
	readonly faults: WebhookFaultPlan;
	readonly attempt: DeliveryAttempt;
	/** Where an event goes now; read at each attempt, since the registered URLs may change meanwhile. */
	readonly destinationOf: (event: WebhookEventDetails) => string | undefined;
	readonly nextSequence: () => number;
	readonly retryDelaysMs: readonly number[];
	readonly maxEntries: number;
	readonly feed: ChangeSink;
}

/** Delivers webhooks: in order for each message, with retries, under one event id (ours; section 6 shows none of it). */
export class Deliveries {
	readonly #tools: DeliveryTools;
	readonly #deliveries: BoundedMap<string, Delivery>;
	readonly #queues = new Map<string, Queue>();
	/** How many are not delivered or given up yet. */
	pendingCount = 0;

	constructor(tools: DeliveryTools) {
		this.#tools = tools;
		this.#deliveries = new BoundedMap(tools.maxEntries, (delivery) =>
			tools.feed.dropped({ type: "delivery", delivery }),
		);
	}

	all(): Delivery[] {
		return [...this.#deliveries.values()];
	}

	find(eventId: string): Delivery | undefined {
		return this.#deliveries.get(eventId);
	}

	/** Queues an event of a message; without a destination there is nobody to tell. */
	add(event: WebhookEventDetails, payload: object): void {
		const url = this.#tools.destinationOf(event);
		if (url === undefined) return;
		const delivery: Delivery = {
			...event,
			sequence: this.#tools.nextSequence(),
			createdAt: this.#tools.clock.now(),
			eventId: createEventId(),
			body: JSON.stringify(payload),
			attempts: [],
			url,
			headers: {},
			state: "pending",
		};
		this.#deliveries.set(delivery.eventId, delivery);
		this.#changed(delivery);
		this.#enqueue({ delivery, delaysMs: [0, ...this.#tools.retryDelaysMs] });
	}

	/** Keeps a delivery of an earlier run; one that was still pending goes on, as soon as this run does. */
	keep(delivery: Delivery): void {
		this.#deliveries.set(delivery.eventId, delivery);
		if (delivery.state !== "pending") return;
		const delaysMs = [0, ...this.#tools.retryDelaysMs.slice(delivery.attempts.length)];
		this.#tools.scheduler.after(0, () => this.#enqueue({ delivery, delaysMs }));
	}

	/** Makes one more attempt at a delivery that is over. */
	repeat(delivery: Delivery): void {
		delivery.state = "pending";
		this.#changed(delivery);
		this.#enqueue({ delivery, delaysMs: [0] });
	}

	#enqueue(turn: Turn): void {
		this.pendingCount++;
		const { messageId } = turn.delivery;
		const queue = this.#queues.get(messageId);
		if (queue === undefined) void this.#work(messageId, { turns: [turn], onArrival: () => {} });
		else {
			queue.turns.push(turn);
			queue.onArrival();
		}
	}

	async #work(messageId: string, queue: Queue): Promise<void> {
		this.#queues.set(messageId, queue);
		if (this.#tools.faults.takeSwap()) await this.#swapFirst(queue);
		for (let next = queue.turns[0]; next !== undefined; next = queue.turns[0]) {
			await this.#deliver(next);
			if (this.#tools.scheduler.isStopped) return;
			queue.turns.shift();
			this.pendingCount--;
		}
		this.#queues.delete(messageId);
	}

	async #deliver({ delivery, delaysMs }: Turn): Promise<void> {
		const { scheduler, faults } = this.#tools;
		const [firstDelayMs = 0, ...retryDelaysMs] = delaysMs;
		const lateMs = faults.takeDelayMs();
		const repeats = faults.takeRepeats();
		for (const delayMs of [firstDelayMs + lateMs, ...retryDelaysMs]) {
			if (delayMs > 0) await scheduler.sleep(delayMs);
			if (scheduler.isStopped) return;
			if (await this.#attempt(delivery)) {
				this.#finish(delivery, "delivered");
				break;
			}
		}
		if (delivery.state === "pending") {
			this.#finish(delivery, "failed");
			return;
		}
		for (let repeat = 0; repeat < repeats && !scheduler.isStopped; repeat++) await this.#attempt(delivery);
	}

	/** @returns whether the receiver acknowledged it: with any 2xx. Ours. */
	async #attempt(delivery: Delivery): Promise<boolean> {
		const { clock, scheduler, faults, attempt } = this.#tools;
		const at = clock.now();
		const {
			timestamp,
			headers,
			sentBody,
			check,
			answer: whenAnswered,
		} = attempt(delivery, faults.takeAttemptFaults());
		delivery.headers = headers;
		this.#changed(delivery);
		const answer = await scheduler.track(whenAnswered);
		delivery.attempts.push({ recorded: { at, timestamp, ...answer }, headers, sentBody, check });
		this.#changed(delivery);
		return answer.status !== undefined && answer.status >= 200 && answer.status < 300;
	}

	#finish(delivery: Delivery, state: RecordedDelivery["state"]): void {
		delivery.state = state;
		this.#changed(delivery);
	}

	/** Tells that a delivery changed; one that was dropped concerns nobody any more. */
	#changed(delivery: Delivery): void {
		if (this.find(delivery.eventId) === delivery) this.#tools.feed.changed({ type: "delivery", delivery });
	}

	/** Waits for a second delivery of the message and lets it go first. */
	async #swapFirst(queue: Queue): Promise<void> {
		if (queue.turns.length < 2) {
			await new Promise<void>((resolve) => {
				const cancel = this.#tools.scheduler.after(MAX_SWAP_WAIT_MS, resolve);
				queue.onArrival = () => {
					cancel();
					resolve();
				};
			});
			queue.onArrival = () => {};
		}
		const [first, second] = queue.turns;
		if (first !== undefined && second !== undefined) queue.turns.splice(0, 2, second, first);
	}
}

/** The delivery as tests see it. */
export function toRecordedDelivery(delivery: Delivery): RecordedDelivery {
	const { eventId, kind, url, headers, body, attempts, state } = delivery;
	return { eventId, kind, url, headers, body, attempts: attempts.map(({ recorded }) => recorded), state };
}
