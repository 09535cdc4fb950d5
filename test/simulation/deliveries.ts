import type { WebhookDelivery, WebhookHandler } from "messaging-gateway/webhooks";
import { inboundMessage, statusUpdate } from "../support/webhook-payloads.ts";
import type { Subject } from "./subject.ts";
import { Process, type World } from "./world.ts";

export const SECRET = "whsec-simulation-0123456789";

/** How long the sender waits for a response. */
const RESPONSE_MS = 15_000;

/** How long the sender waits before it delivers again. */
const RETRY_MS = [200, 3_000, 12_000, 40_000];

/** How far a delivery's timestamp may be from the receiver's clock, on either side. */
const TOLERANCE_MS = 300_000;

/**
 * How long after a delivery its copy arrives: while the delivery is in its handler, when it is done, and when it is old.
 * A copy that overtakes needs no row: the two are equal, and either response may be the one that arrives.
 */
const COPY_MS = [0, 0, 500, 8_000, 60_000, 200_000, 290_000, 900_000];

/** How far the clocks of machines are off at most, in milliseconds, one history beside the other. */
const MOST_SKEW_MS = [0, 60_000, 120_000];

/** How long after an acknowledged delivery whoever captured it sends it under another id, in milliseconds. */
const CAPTURED_MS = [100_000, 200_000, 250_000, 290_000, 340_000, 420_000, 900_000];

/** The deliveries, and which of them the network repeated: how many copies came at once, later, and too late,
 * and how many came under another id, of which some were accepted.
 */
export const REPEATED_DELIVERIES = { of: 0, atOnce: 0, later: 0, tooLate: 0, captured: 0, accepted: 0 };

/** How long a process is gone that has died. */
const RESTART_MS = [100, 5_000, 30_000];

/** What the parts of a handler's work take. */
const WORK_MS = [0, 900, 4_000, 7_000, 11_000];

/** An event of the gateway: its id may differ from copy to copy, its message does not. */
interface SentEvent {
	readonly eventId: string;
	readonly message: string;
	readonly body: string;
}

/** A handler of events at its work. */
export interface Run {
	readonly process: Process;
	readonly signal: AbortSignal;
	readonly startedAt: number;
}

interface Receiver {
	readonly process: Process;
	readonly handler: WebhookHandler;
}

/** What receives the events, and what is promised of them. */
export interface Receiving {
	/** The payload of an event, without its message. @default a message or a status */
	choosePayload?(): Readonly<Record<string, unknown>>;
	/** The handler of a process that starts. */
	createHandler(process: Process): WebhookHandler;
	/** A handler responds with 2xx. */
	acknowledges(message: string): void;
}

/** A gateway that delivers each event, some of them twice, until it is acknowledged. */
export class Deliveries {
	readonly #messageOf = new Map<string, string>();
	readonly #world: World;
	readonly #subject: Subject;
	/** How often the network repeats a delivery, byte for byte. */
	readonly #repeatChance: number;
	/** How often somebody captures an acknowledged delivery. */
	readonly #captureChance: number;
	readonly #mostSkewMs: number;
	#captured = 0;

	constructor(world: World, subject: Subject) {
		this.#world = world;
		this.#subject = subject;
		this.#repeatChance = world.deliveryRandom.pick([0, 0, 0.3]);
		this.#captureChance = world.clockRandom.pick([0, 0, 0.5]);
		this.#mostSkewMs = world.clockRandom.pick(MOST_SKEW_MS);
	}

	/** Whether deliveries come again in this history, by the network or by whoever captured them. */
	get areRepeated(): boolean {
		return this.#repeatChance > 0 || this.#captureChance > 0;
	}

	/** The message of a key in the store, which ends with an event id. */
	messageIn(key: string): string | undefined {
		return this.#messageOf.get(key.slice(key.lastIndexOf(":") + 1));
	}

	messages(): ReadonlySet<string> {
		return new Set(this.#messageOf.values());
	}

	/** Goes on until each event is acknowledged; a receiver that has died starts again. */
	async play(receiving: Receiving): Promise<void> {
		const world = this.#world;
		const { random, deliveryRandom, clockRandom } = world;
		const mostSkewMs = this.#mostSkewMs;
		const network = new Process(world, "gateway", true);
		const receivers = new Map<number, Receiver>();
		let open = 0;

		function start(at: number, count: number): void {
			const process = new Process(world, `receiver ${at}${count === 0 ? "" : `, start ${count + 1}`}`);
			process.onEnd(() => {
				receivers.delete(at);
				network.clock.setTimer(() => start(at, count + 1), random.pick(RESTART_MS));
			});
			process.skewMs = clockRandom.pick([-1, 0, 1]) * mostSkewMs;
			receivers.set(at, { process, handler: receiving.createHandler(process) });
		}

		/** A gateway signs each attempt anew. */
		const deliver = async (event: SentEvent): Promise<void> => {
			open += 1;
			this.#messageOf.set(event.eventId, event.message);
			for (;;) {
				const status = await attempt(event);
				world.tell(network, `${event.eventId} of ${event.message} got ${status ?? "no response"}`);
				if (status !== undefined && isSuccess(status)) break;
				await network.sleep(random.pick(RETRY_MS));
			}
			open -= 1;
		};

		/** One attempt; `undefined` if there was no response. */
		const attempt = async (event: SentEvent): Promise<number | undefined> => {
			if (receivers.size === 0) return undefined;
			const receiver = random.pick([...receivers.values()]);
			const { eventId, body } = event;
			const timestamp = Math.floor(world.now / 1_000);
			const headers = this.#subject.signWebhook({ body, secret: SECRET, eventId, timestamp });
			const first = arrive(receiver, event, { headers, body });
			void first.then((status) => {
				const isKnown = status !== undefined && isSuccess(status);
				if (isKnown && clockRandom.chance(this.#captureChance)) void capture(event, { body, headers });
			});
			REPEATED_DELIVERIES.of += 1;
			if (!deliveryRandom.chance(this.#repeatChance)) return first;
			const copy = repeat(event, { headers, body });
			return Promise.race([
				deliveryRandom.pick([first, copy]),
				network.sleep(RESPONSE_MS).then(() => undefined),
			]);
		};

		/** A receiver gets a delivery. @returns its status, or `undefined` if there is no response in time. */
		const arrive = (
			{ process, handler }: Receiver,
			{ eventId, message }: SentEvent,
			delivery: WebhookDelivery,
		): Promise<number | undefined> => {
			const responding = (async () => {
				// A machine that sleeps accepts no connection: the sender tries to connect until it gives up.
				const givesUpAt = world.now + RESPONSE_MS;
				if (process.sleepsUntil >= givesUpAt) return undefined;
				while (world.now < process.sleepsUntil) await network.sleep(process.sleepsUntil - world.now);
				const { status } = await handler.handle(delivery);
				if (isSuccess(status)) receiving.acknowledges(message);
				return process.call(`response ${status} to ${eventId}`, () => status);
			})().catch(() => undefined);
			return Promise.race([responding, network.sleep(RESPONSE_MS).then(() => undefined)]);
		};

		/** The network delivers once more what it has delivered, to any receiver. */
		const repeat = async (event: SentEvent, delivery: WebhookDelivery): Promise<number | undefined> => {
			const delayMs = deliveryRandom.pick(COPY_MS);
			open += 1;
			if (delayMs > 0) await network.sleep(delayMs);
			const able = ableReceivers();
			world.tell(network, `${event.eventId} of ${event.message} is repeated after ${delayMs} ms`);
			const status = able.length === 0 ? undefined : await arrive(deliveryRandom.pick(able), event, delivery);
			REPEATED_DELIVERIES[delayMs === 0 ? "atOnce" : status === 401 ? "tooLate" : "later"] += 1;
			open -= 1;
			return status;
		};

		/** Nothing is promised of a machine whose clock is further off. */
		const ableReceivers = (): Receiver[] =>
			[...receivers.values()].filter(({ process }) => Math.abs(process.skewMs) <= TOLERANCE_MS);

		/** Somebody sends a delivery that was acknowledged under another id, which is not signed, to any receiver. */
		const capture = async (sent: SentEvent, { body, headers }: WebhookDelivery): Promise<void> => {
			const event = { ...sent, eventId: `${sent.eventId}c${this.#captured++}` };
			this.#messageOf.set(event.eventId, event.message);
			open += 1;
			await network.sleep(clockRandom.pick(CAPTURED_MS));
			const able = ableReceivers();
			world.tell(network, `${sent.eventId} of ${sent.message} is sent by somebody as ${event.eventId}`);
			const delivery = { body, headers: { ...headers, "X-SVC-Event-Id": event.eventId } };
			const status = able.length === 0 ? undefined : await arrive(clockRandom.pick(able), event, delivery);
			REPEATED_DELIVERIES.captured += 1;
			if (status !== undefined && isSuccess(status)) REPEATED_DELIVERIES.accepted += 1;
			open -= 1;
		};

		for (let at = random.between(1, 4); at > 0; at--) start(at, 0);
		const events = Array.from({ length: random.between(1, 4) }, (_, at): SentEvent => {
			const message = `message-${at}`;
			const chosen = receiving.choosePayload?.() ?? (random.chance(0.7) ? inboundMessage : statusUpdate);
			return { message, eventId: `evt_${at}`, body: JSON.stringify({ ...chosen, messageId: message }) };
		});
		for (const event of events) {
			void deliver(event);
			if (!world.misfortune(0.3)) continue;
			// A copy; its id is not signed. A status that is signed again under another id counts as another event.
			const isMessage = event.body.includes("inbound_message");
			void deliver({ ...event, eventId: isMessage ? `${event.eventId}x` : event.eventId });
		}
		await world.run(() => open === 0);
	}
}

/** What a handler does, apart from its effect. */
export interface Work {
	/** Whether it ends when its signal fires. */
	readonly isHeedful: boolean;
	readonly before: number[];
	readonly after: number[];
	/** How it ends. */
	readonly ending: "finished" | "failed" | "given up";
	/** Whether it has its effect. */
	readonly hasEffect: boolean;
}

/** Some of it takes longer than a lease, some of it fails. */
export function chooseWork(world: World): Work {
	const { random } = world;
	const fails = world.misfortune(0.25);
	return {
		isHeedful: random.chance(0.7),
		before: Array.from({ length: random.between(0, 5) }, () => random.pick(WORK_MS)),
		after: random.chance(0.3) ? [random.pick(WORK_MS)] : [],
		ending: !fails ? "finished" : random.chance(0.3) ? "given up" : "failed",
		hasEffect: !fails || random.chance(0.5),
	};
}

/** Whether its process has met no fault since shortly before it started. */
export function isUndisturbed({ process, startedAt }: Run, leadMs: number): boolean {
	return process.isAlive && process.disturbedUntil < startedAt - leadMs;
}

function isSuccess(status: number): boolean {
	return status >= 200 && status < 300;
}
