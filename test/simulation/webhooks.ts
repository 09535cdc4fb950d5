import type { WebhookHandler } from "messaging-gateway/webhooks";
import { inboundMessage, statusUpdate } from "../support/webhook-payloads.ts";
import type { Subject } from "./subject.ts";
import { type Plan, Process, Violation, World } from "./world.ts";

const SECRET = "whsec-simulation-0123456789";
const TIMES = { leaseMs: 10_000, maxHandlerMs: 25_000, storeTimeoutMs: 2_000 };

/** How long the sender waits for a response. */
const RESPONSE_MS = 15_000;

/** How long the sender waits before it delivers again. */
const RETRY_MS = [200, 3_000, 12_000, 40_000];

/** What the parts of a handler's work take. */
const WORK_MS = [0, 900, 4_000, 7_000, 11_000];

interface Receiver {
	readonly process: Process;
	readonly handler: WebhookHandler;
}

/** An event of the gateway: its id may differ from copy to copy, its message does not. */
interface SentEvent {
	readonly eventId: string;
	readonly message: string;
	readonly body: string;
}

interface Run {
	readonly process: Process;
	readonly token: number;
	readonly signal: AbortSignal;
	readonly startedAt: number;
}

/** Holds each history against what is promised of webhooks. */
class Judge {
	readonly #finished = new Set<string>();
	readonly #doneToken = new Map<string, number>();
	readonly #leaseEnds = new Map<string, number>();
	readonly #givenUp = new Set<string>();
	/** The token of the last effect. */
	readonly #effects = new Map<string, number>();
	readonly #running = new Map<string, Set<Run>>();
	/** The runs that settled the event for good, as far as their processes could know. */
	readonly #settled = new Map<string, Run>();
	readonly #world: World;

	constructor(world: World) {
		this.#world = world;
	}

	/** The store has given a lease. */
	claimed(message: string, token: number): void {
		this.#leaseEnds.set(`${message} ${token}`, this.#world.now + TIMES.leaseMs);
	}

	starts(message: string, run: Run): void {
		const leaseEndsAt = this.#leaseEnds.get(`${message} ${run.token}`) ?? 0;
		if (this.#world.now >= leaseEndsAt)
			throw new Violation(`a run of ${message} starts when its lease is over`);
		const done = this.#doneToken.get(message);
		if (done !== undefined && run.token >= done)
			throw new Violation(`${message} runs again after it was done`);
		const settled = this.#settled.get(message);
		if (settled !== undefined && isUndisturbed(settled))
			throw new Violation(`${message} runs again after a run that no fault disturbed`);
		const others = this.#running.get(message) ?? new Set();
		for (const other of others) {
			if (other.token === run.token) throw new Violation(`two runs of ${message} have the same token`);
			if (this.#isAwake(other) && !other.signal.aborted && other.token < run.token) {
				throw new Violation(`${message} runs twice at once, and the first run's signal has not fired`);
			}
		}
		this.#running.set(message, others.add(run));
	}

	/** What a handler writes: a resource that compares tokens rejects that of a stale run. */
	writes(message: string, { token }: Run): void {
		const last = this.#effects.get(message);
		if (last !== undefined && token === last)
			throw new Violation(`${message} has two effects with one token`);
		if (last === undefined || token > last) this.#effects.set(message, token);
	}

	ends(message: string, run: Run, ending: "finished" | "given up" | "failed"): void {
		if (ending === "given up") this.#givenUp.add(message);
		if (ending !== "failed") {
			this.#finished.add(message);
			if (!run.signal.aborted) this.#settled.set(message, run);
		}
		this.#running.get(message)?.delete(run);
	}

	/** The store has marked the event as done. */
	isDone(message: string, token: number): void {
		if (!this.#finished.has(message))
			throw new Violation(`${message} is marked as done before its handler finished`);
		if (!this.#effects.has(message) && !this.#givenUp.has(message))
			throw new Violation(`${message} is done without an effect`);
		this.#doneToken.set(message, Math.max(token, this.#doneToken.get(message) ?? 0));
	}

	acknowledges(message: string): void {
		if (!this.#finished.has(message)) throw new Violation(`${message} is acknowledged and was not processed`);
	}

	/** A run's signal fires only for a reason. */
	aborts(run: Run): void {
		const isOver = this.#world.now - run.startedAt >= TIMES.maxHandlerMs;
		if (!isOver && isUndisturbed(run))
			throw new Violation(`a run was interrupted without a reason: ${run.signal.reason}`);
	}

	/** Its process lives, and has had the time to notice what happened meanwhile. */
	#isAwake({ process }: Run): boolean {
		return process.isAlive && this.#world.now > process.standsUntil;
	}
}

/** Whether its process has met no fault since shortly before it started. */
function isUndisturbed({ process, startedAt }: Run): boolean {
	return process.isAlive && process.disturbedUntil < startedAt - TIMES.leaseMs;
}

/** Plays receivers that share a store, and a gateway that delivers until each event is acknowledged. */
export async function playWebhooks(subject: Subject, plan: Plan, story?: string[]): Promise<void> {
	const world = new World(plan, story);
	const { random } = world;
	const judge = new Judge(world);
	const server = new Process(world, "store", true);
	const network = new Process(world, "gateway", true);
	const store = subject.memoryStore({ clock: server.clock });
	const messageOf = new Map<string, string>();
	const receivers: (Receiver | undefined)[] = Array.from({ length: random.between(1, 4) }, () => undefined);
	let open = 0;
	let broken: unknown;

	/** The message of a key in the store, which ends with an event id. */
	function messageIn(key: string): string | undefined {
		return messageOf.get(key.slice(key.indexOf(":") + 1));
	}

	/** The store as a process reaches it: each call can fail, and the judge sees what it did. */
	function storeOf(process: Process): ReturnType<Subject["memoryStore"]> {
		const watched: ReturnType<Subject["memoryStore"]> = {
			...store,
			async claim(key, times) {
				const claim = await store.claim(key, times);
				const message = messageIn(key);
				if (claim.status === "acquired" && message !== undefined) judge.claimed(message, claim.token);
				return claim;
			},
			async complete(key, token, retentionMs) {
				const isDone = await store.complete(key, token, retentionMs);
				const message = messageIn(key);
				if (isDone && message !== undefined) check(() => judge.isDone(message, token));
				return isDone;
			},
		};
		return process.through("store", watched);
	}

	function start(at: number, count: number): Receiver {
		const process = new Process(world, `receiver ${at}${count === 0 ? "" : `, start ${count + 1}`}`);
		process.onEnd = () => {
			receivers[at] = undefined;
			server.clock.setTimer(() => start(at, count + 1), random.pick([100, 5_000, 30_000]));
		};
		const handler = subject.createWebhookHandler({
			...TIMES,
			secret: SECRET,
			clock: process.clock,
			store: storeOf(process),
			on: {
				inbound_message: ({ data }, context) => work(process, data.messageId, context),
				status: ({ data }, context) => work(process, data.messageId, context),
				unknown: () => {
					throw new Violation("an event is not as it was sent");
				},
			},
			onError: () => undefined,
		});
		const receiver = { process, handler };
		receivers[at] = receiver;
		return receiver;
	}

	/** What an application does with an event: some of it takes longer than the lease, some of it fails. */
	function work(process: Process, message: string, context: { token: number; signal: AbortSignal }): unknown {
		const run: Run = { process, ...context, startedAt: world.now };
		context.signal.addEventListener("abort", () => check(() => judge.aborts(run)));
		check(() => judge.starts(message, run));
		world.tell(process, `runs ${message} with token ${context.token}`);
		const write = () => process.call(`write of ${message}`, () => check(() => judge.writes(message, run)));
		if (random.chance(0.2)) {
			check(() => judge.writes(message, run));
			judge.ends(message, run, "finished");
			return undefined;
		}
		const heeds = random.chance(0.7);
		const fails = world.misfortune(0.25);
		const givesUp = fails && random.chance(0.3);
		return (async () => {
			try {
				for (let part = random.between(0, 5); part > 0; part--) {
					await process.sleep(random.pick(WORK_MS));
					if (heeds) context.signal.throwIfAborted();
				}
				if (!fails || random.chance(0.5)) await write();
				if (random.chance(0.3)) await process.sleep(random.pick(WORK_MS));
				if (givesUp) throw new subject.PermanentWebhookError("it can never succeed");
				if (fails) throw new Error("the handler failed");
				judge.ends(message, run, "finished");
			} catch (error) {
				judge.ends(message, run, error instanceof subject.PermanentWebhookError ? "given up" : "failed");
				throw error;
			}
		})();
	}

	/** Delivers an event until it is acknowledged. A gateway signs each attempt anew. */
	async function deliver(event: SentEvent): Promise<void> {
		open += 1;
		messageOf.set(event.eventId, event.message);
		for (;;) {
			const status = await attempt(event);
			world.tell(network, `${event.eventId} of ${event.message} got ${status ?? "no response"}`);
			if (status !== undefined && status >= 200 && status < 300) break;
			await network.sleep(random.pick(RETRY_MS));
		}
		open -= 1;
	}

	/** One attempt; `undefined` if there was no response. */
	async function attempt({ eventId, body, message }: SentEvent): Promise<number | undefined> {
		const alive = receivers.filter((receiver) => receiver !== undefined);
		if (alive.length === 0) return undefined;
		const { process, handler } = random.pick(alive);
		const timestamp = Math.floor(world.now / 1_000);
		const headers = subject.signWebhook({ body, secret: SECRET, eventId, timestamp });
		const responding = (async () => {
			const { status } = await handler.handle({ headers, body });
			if (status >= 200 && status < 300) check(() => judge.acknowledges(message));
			return process.call(`response ${status} to ${eventId}`, () => status);
		})().catch(() => undefined);
		return Promise.race([responding, network.sleep(RESPONSE_MS).then(() => undefined)]);
	}

	/** The first violation ends the history; the library under test would catch it. */
	function check(claim: () => void): void {
		try {
			claim();
		} catch (error) {
			broken ??= error;
		}
	}

	for (const at of receivers.keys()) start(at, 0);
	const events = Array.from({ length: random.between(1, 4) }, (_, at): SentEvent => {
		const message = `message-${at}`;
		const kind = random.chance(0.7) ? inboundMessage : statusUpdate;
		return { message, eventId: `evt_${at}`, body: JSON.stringify({ ...kind, messageId: message }) };
	});
	for (const event of events) {
		void deliver(event);
		if (!world.misfortune(0.3)) continue;
		// A copy; its id is not signed. A status that is signed again under another id counts as another event.
		const isMessage = event.body.includes("inbound_message");
		void deliver({ ...event, eventId: isMessage ? `${event.eventId}x` : event.eventId });
	}
	await world.run(() => broken !== undefined || open === 0);
	if (broken !== undefined) throw broken;
}
