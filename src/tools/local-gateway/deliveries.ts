import type { Clock } from "../../library/runtime.ts";
import { createEventId } from "../../library/webhooks/sign-webhook.ts";
import { writeDeliveredJson } from "../delivered-json.ts";
import { BoundedMap } from "./bounded-map.ts";
import type { ChangeSink } from "./change-sink.ts";
import type { Delivery, RecordedDelivery, WebhookEventDetails } from "./delivery.ts";
import type { DeliveryAttempt } from "./delivery-attempt.ts";
import type { Scheduler } from "./scheduler.ts";
import type { GatewaySettings } from "./settings.ts";
import type { WebhookFaultPlan } from "./webhook-faults.ts";

/** A delivery that changed. */
export interface DeliveryItem {
	readonly type: "delivery";
	readonly delivery: Delivery;
}

/** A delivery that waits for its turn, and how long it waits before each attempt. */
interface Turn {
	readonly delivery: Delivery;
	readonly delaysMs: readonly number[];
	/** What is sent instead of the delivery's body. */
	readonly editedBody?: string | undefined;
}

/** Deliveries that wait for each other, the first of them under way. */
interface DeliveryQueue {
	readonly turns: Turn[];
	onArrival: () => void;
}

/** How long a delivery waits for the next one of its message to swap with; far longer than the default delays. */
const MAX_SWAP_WAIT_MS = 60_000;

/** How late every other delivery is with `order: "none"`, so that the next one overtakes it. */
const OVERTAKEN_MS = 1_000;

/** The dependencies of {@link Deliveries}. */
export interface DeliveryTools {
	readonly clock: Clock;
	readonly scheduler: Scheduler;
	readonly faults: WebhookFaultPlan;
	readonly attempt: DeliveryAttempt;
	/** The current destination of an event; read at each attempt, since the registered URLs may change. */
	readonly destinationOf: (event: WebhookEventDetails) => string | undefined;
	readonly nextSequence: () => number;
	readonly webhooks: GatewaySettings["webhooks"];
	/** Whether events without a destination are kept. */
	readonly keepsUndelivered: boolean;
	readonly maxEntries: number;
	readonly feed: ChangeSink<DeliveryItem>;
}

/** Delivers webhooks, with retries. Order, retries and ids are options, since section 6 does not show them. */
export class Deliveries {
	readonly #tools: DeliveryTools;
	readonly #deliveries: BoundedMap<string, Delivery>;
	readonly #queues = new Map<string, DeliveryQueue>();
	/** What makes the next attempt at once, for deliveries that wait for it. */
	readonly #wakes = new Map<Delivery, (editedBody?: string) => void>();
	#isNextOvertaken = false;
	/** How many deliveries are pending. */
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

	/** Queues an event. Without a destination it is kept as it is, or dropped if such events are not kept. */
	add(event: WebhookEventDetails, payload: Readonly<Record<string, unknown>>): void {
		const { destinationOf, keepsUndelivered, webhooks } = this.#tools;
		const url = destinationOf(event);
		if (url === undefined && !keepsUndelivered) return;
		for (const encoded of webhooks.encode(payload, event.kind))
			this.#add(event, writeDeliveredJson(encoded), url);
		if (webhooks.statusCallback === "instead" || event.statusCallback === null) return;
		const registered = { ...event, statusCallback: null };
		const registeredUrl = destinationOf(registered);
		if (registeredUrl === undefined) return;
		for (const encoded of webhooks.encode(payload, event.kind))
			this.#add(registered, writeDeliveredJson(encoded), registeredUrl);
	}

	/** Queues an event of elsewhere, whose id and body are given. */
	bring(event: WebhookEventDetails, eventId: string, body: string): void {
		this.#add(event, body, this.#tools.destinationOf(event), eventId);
	}

	#add(
		event: WebhookEventDetails,
		body: string,
		url: string | undefined,
		eventId: string = createEventId(),
	): void {
		const delivery: Delivery = {
			...event,
			sequence: this.#tools.nextSequence(),
			createdAt: this.#tools.clock.now(),
			eventId,
			body,
			attempts: [],
			url: url ?? "",
			headers: {},
			state: url === undefined ? "kept" : "pending",
		};
		this.#deliveries.set(delivery.eventId, delivery);
		this.#changed(delivery);
		if (url === undefined) return;
		const { retryDelaysMs } = this.#tools.webhooks;
		this.#enqueue({ delivery, delaysMs: [this.#takeLateness(), ...retryDelaysMs] });
	}

	#takeLateness(): number {
		if (this.#tools.webhooks.order === "by_message") return 0;
		this.#isNextOvertaken = !this.#isNextOvertaken;
		return this.#isNextOvertaken ? OVERTAKEN_MS : 0;
	}

	/** Keeps a delivery of an earlier run; a pending one continues once this run has started. */
	keep(delivery: Delivery): void {
		this.#deliveries.set(delivery.eventId, delivery);
		if (delivery.state !== "pending") return;
		const { retryDelaysMs, copies } = this.#tools.webhooks;
		const delaysMs = [0, ...retryDelaysMs.slice(delivery.attempts.length / copies)];
		this.#tools.scheduler.after(0, () => this.#enqueue({ delivery, delaysMs }));
	}

	/**
	 * Makes one more attempt at once, perhaps with another body, which is signed again: the next one of a delivery that
	 * waits for it, which keeps its retries, or a single one of a finished delivery.
	 * @returns whether it could: not while an attempt is under way, or an earlier webhook of the message is delivered.
	 */
	tryNow(delivery: Delivery, editedBody?: string): boolean {
		if (delivery.state === "pending") {
			const wake = this.#wakes.get(delivery);
			wake?.(editedBody);
			return wake !== undefined;
		}
		delivery.state = "pending";
		this.#changed(delivery);
		this.#enqueue({ delivery, delaysMs: [0], editedBody });
		return true;
	}

	#enqueue(turn: Turn): void {
		this.pendingCount++;
		const { messageId, eventId } = turn.delivery;
		const key = this.#tools.webhooks.order === "by_message" ? messageId : eventId;
		const queue = this.#queues.get(key);
		if (queue === undefined) void this.#work(key, { turns: [turn], onArrival: () => {} });
		else {
			queue.turns.push(turn);
			queue.onArrival();
		}
	}

	async #work(key: string, queue: DeliveryQueue): Promise<void> {
		this.#queues.set(key, queue);
		if (this.#tools.faults.take("out_of_order")) await this.#swapFirst(queue);
		for (let next = queue.turns[0]; next !== undefined; next = queue.turns[0]) {
			await this.#deliver(next);
			if (this.#tools.scheduler.isStopped) return;
			queue.turns.shift();
			this.pendingCount--;
		}
		this.#queues.delete(key);
	}

	async #deliver({ delivery, delaysMs, editedBody }: Turn): Promise<void> {
		const { scheduler, faults, webhooks } = this.#tools;
		const [firstDelayMs = 0, ...retryDelaysMs] = delaysMs;
		const lateMs = faults.take("delay")?.fault.ms ?? 0;
		const repeats = faults.take("repeat")?.times ?? 0;
		let retryAfterMs = 0;
		for (const plannedMs of [firstDelayMs + lateMs, ...retryDelaysMs]) {
			const delayMs = webhooks.retryAfter === "honoured" ? Math.max(plannedMs, retryAfterMs) : plannedMs;
			const newBody = delayMs > 0 ? await this.#wait(delivery, delayMs) : undefined;
			if (scheduler.isStopped) return;
			const result = await this.#attempt(delivery, newBody ?? editedBody);
			if (result.isAcknowledged) {
				this.#finish(delivery, "delivered");
				break;
			}
			if (result.isRejected && webhooks.rejections === "final") break;
			retryAfterMs = result.retryAfterMs;
		}
		if (delivery.state === "pending") {
			this.#finish(delivery, "failed");
			return;
		}
		for (let repeat = 0; repeat < repeats && !scheduler.isStopped; repeat++) {
			await this.#attempt(delivery, editedBody);
		}
	}

	/** @returns another body, if the next attempt is made at once with one. */
	async #wait(delivery: Delivery, delayMs: number): Promise<string | undefined> {
		const { clock, scheduler } = this.#tools;
		delivery.nextAttemptAt = clock.now() + delayMs;
		this.#changed(delivery);
		const newBody = await new Promise<string | undefined>((resolve) => {
			const cancel = scheduler.after(delayMs, () => resolve(undefined));
			this.#wakes.set(delivery, (body) => {
				cancel();
				resolve(body);
			});
		});
		this.#wakes.delete(delivery);
		delivery.nextAttemptAt = undefined;
		return newBody;
	}

	/** @returns whether the receiver acknowledged every copy, with any 2xx (assumed), and the longest wait that it asks for. */
	async #attempt(
		delivery: Delivery,
		editedBody: string | undefined,
	): Promise<{ isAcknowledged: boolean; isRejected: boolean; retryAfterMs: number }> {
		const { clock, faults, attempt, webhooks } = this.#tools;
		const at = clock.now();
		const hasNewId = webhooks.retryEventId === "new" && delivery.attempts.length > 0;
		const ownId = webhooks.eventId === "of_message" ? `evt_${delivery.messageId}` : delivery.eventId;
		const eventId = hasNewId ? createEventId() : ownId;
		const started = Array.from({ length: webhooks.copies }, () =>
			attempt(delivery, faults, eventId, editedBody),
		);
		delivery.headers = started[0]?.headers ?? {};
		this.#changed(delivery);
		const results = await Promise.all(started.map(({ result }) => result));
		for (const [index, { timestamp, headers, sentBody, check }] of started.entries()) {
			const { outcome, retryAfterMs: _notKept, ...rest } = results[index] ?? {};
			delivery.attempts.push({
				recorded: { at, timestamp, ...outcome },
				headers,
				sentBody,
				isEdited: editedBody === undefined ? undefined : true,
				check,
				...rest,
			});
		}
		this.#changed(delivery);
		return {
			isAcknowledged: results.every(
				({ outcome: { status } }) => status !== undefined && status >= 200 && status < 300,
			),
			isRejected: results.some(({ outcome: { status = 0 } }) => isRejection(status)),
			retryAfterMs: Math.max(...results.map(({ retryAfterMs = 0 }) => retryAfterMs)),
		};
	}

	#finish(delivery: Delivery, state: RecordedDelivery["state"]): void {
		delivery.state = state;
		this.#changed(delivery);
	}

	/** Reports that a delivery changed, unless it was dropped. */
	#changed(delivery: Delivery): void {
		if (this.find(delivery.eventId) === delivery) this.#tools.feed.changed({ type: "delivery", delivery });
	}

	/** Waits for a second delivery of the message, and puts it first. */
	async #swapFirst(queue: DeliveryQueue): Promise<void> {
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

/** Whether a receiver will respond the same to the same delivery (RFC 9110, section 15.5). */
function isRejection(status: number): boolean {
	return status >= 400 && status < 500 && status !== 408 && status !== 429;
}
