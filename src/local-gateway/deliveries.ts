import type { Clock } from "../runtime.ts";
import { createEventId } from "../webhooks/sign-webhook.ts";
import { BoundedMap } from "./bounded-map.ts";
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
	readonly kind: WebhookKind;
	/** Where the last attempt went. */
	readonly url: string;
	/** The headers of the last attempt; empty before the first. */
	readonly headers: Readonly<Record<string, string>>;
	/** The raw body, as it was signed. */
	readonly body: string;
	readonly attempts: readonly RecordedAttempt[];
	readonly state: "pending" | "delivered" | "failed";
}

/** A delivery while it is under way. */
export interface PendingDelivery {
	readonly eventId: string;
	readonly kind: WebhookKind;
	readonly body: string;
	/** Read at each attempt, since the registered URLs may change meanwhile. */
	readonly destination: () => string | undefined;
	readonly attempts: RecordedAttempt[];
	url: string;
	headers: Record<string, string>;
	state: RecordedDelivery["state"];
}

/** The deliveries of one message, the first of them under way. */
interface Queue {
	readonly deliveries: PendingDelivery[];
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
	readonly retryDelaysMs: readonly number[];
	readonly maxEntries: number;
}

/** Delivers webhooks: in order for each message, with retries, under one event id (ours; section 6 shows none of it). */
export class Deliveries {
	readonly #tools: DeliveryTools;
	readonly #records: BoundedMap<string, PendingDelivery>;
	readonly #queues = new Map<string, Queue>();
	/** How many are not delivered or given up yet. */
	pendingCount = 0;

	constructor(tools: DeliveryTools) {
		this.#tools = tools;
		this.#records = new BoundedMap(tools.maxEntries);
	}

	/** Copies of all records, the oldest first. */
	records(): RecordedDelivery[] {
		return Array.from(this.#records.values(), ({ destination: _, ...record }) => ({
			...record,
			attempts: [...record.attempts],
		}));
	}

	/** Queues an event of a message; without a destination there is nobody to tell. */
	add(
		messageId: string,
		event: { kind: WebhookKind; payload: object; destination: () => string | undefined },
	): void {
		const url = event.destination();
		if (url === undefined) return;
		const delivery: PendingDelivery = {
			eventId: createEventId(),
			kind: event.kind,
			body: JSON.stringify(event.payload),
			destination: event.destination,
			attempts: [],
			url,
			headers: {},
			state: "pending",
		};
		this.#records.set(delivery.eventId, delivery);
		this.pendingCount++;
		const queue = this.#queues.get(messageId);
		if (queue === undefined) void this.#work(messageId, { deliveries: [delivery], onArrival: () => {} });
		else {
			queue.deliveries.push(delivery);
			queue.onArrival();
		}
	}

	async #work(messageId: string, queue: Queue): Promise<void> {
		this.#queues.set(messageId, queue);
		if (this.#tools.faults.takeSwap()) await this.#swapFirst(queue);
		for (let next = queue.deliveries[0]; next !== undefined; next = queue.deliveries[0]) {
			await this.#deliver(next);
			if (this.#tools.scheduler.isStopped) return;
			queue.deliveries.shift();
			this.pendingCount--;
		}
		this.#queues.delete(messageId);
	}

	async #deliver(delivery: PendingDelivery): Promise<void> {
		const { scheduler, faults, retryDelaysMs } = this.#tools;
		const lateMs = faults.takeDelayMs();
		const repeats = faults.takeRepeats();
		for (const delayMs of [lateMs, ...retryDelaysMs]) {
			if (delayMs > 0) await scheduler.sleep(delayMs);
			if (scheduler.isStopped) return;
			if (await this.#attempt(delivery)) {
				delivery.state = "delivered";
				break;
			}
		}
		if (delivery.state === "pending") {
			delivery.state = "failed";
			return;
		}
		for (let repeat = 0; repeat < repeats && !scheduler.isStopped; repeat++) await this.#attempt(delivery);
	}

	/** @returns whether the receiver acknowledged it: with any 2xx. Ours. */
	async #attempt(delivery: PendingDelivery): Promise<boolean> {
		const { clock, scheduler, faults, attempt } = this.#tools;
		const at = clock.now();
		const sent = attempt(delivery, faults.takeAttemptFaults());
		delivery.headers = sent.headers;
		const answer = await scheduler.track(sent.answer);
		delivery.attempts.push({ at, timestamp: sent.timestamp, ...answer });
		return answer.status !== undefined && answer.status >= 200 && answer.status < 300;
	}

	/** Waits for a second delivery of the message and lets it go first. */
	async #swapFirst(queue: Queue): Promise<void> {
		if (queue.deliveries.length < 2) {
			await new Promise<void>((resolve) => {
				const cancel = this.#tools.scheduler.after(MAX_SWAP_WAIT_MS, resolve);
				queue.onArrival = () => {
					cancel();
					resolve();
				};
			});
			queue.onArrival = () => {};
		}
		const [first, second] = queue.deliveries;
		if (first !== undefined && second !== undefined) queue.deliveries.splice(0, 2, second, first);
	}
}
