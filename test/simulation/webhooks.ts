import { chooseWork, Deliveries, isUndisturbed, type Run, SECRET, type Work } from "./deliveries.ts";
import type { OpenStore, StoreWatcher } from "./stores.ts";
import type { Subject } from "./subject.ts";
import { type Plan, type Process, Violation, World } from "./world.ts";

const TIMES = { leaseMs: 10_000, maxHandlerMs: 25_000, storeTimeoutMs: 2_000 };

/**
 * How long a process may take to notice that its machine slept: an answer of before the sleep, then a second until it
 * compares its clocks, then the store's answer.
 */
const NOTICE_MS = 1_000 + 2 * TIMES.storeTimeoutMs;

/** The shortest that is accepted: as long as any copy of a delivery is. */
const RETENTION_MS = 901_000;

/** How far the clock of the store is ahead of the right time, in milliseconds: it counts for nothing. */
const STORE_AHEAD_MS = [0, -60_000, 60_000];

interface LeasedRun extends Run {
	readonly token: number;
}

/** Holds each history against what is promised of webhooks. */
class Judge implements StoreWatcher {
	readonly #finished = new Set<string>();
	/** The largest token that the store has given. */
	readonly #lastTokens = new Map<string, number>();
	readonly #doneToken = new Map<string, number>();
	readonly #leaseEnds = new Map<string, number>();
	readonly #givenUp = new Set<string>();
	/** The token of the last effect. */
	readonly #effects = new Map<string, number>();
	readonly #running = new Map<string, Set<LeasedRun>>();
	/** The runs that settled the event for good, as far as their processes could know. */
	readonly #settled = new Map<string, LeasedRun>();
	readonly #world: World;

	constructor(world: World) {
		this.#world = world;
	}

	claimed(message: string, token: number): void {
		this.#leaseEnds.set(`${message} ${token}`, this.#world.now + TIMES.leaseMs);
		this.#lastTokens.set(message, token);
	}

	starts(message: string, run: LeasedRun): void {
		const leaseEndsAt = this.#leaseEnds.get(`${message} ${run.token}`) ?? 0;
		if (this.#world.now >= leaseEndsAt && !hidesSleep(run))
			throw new Violation(`a run of ${message} starts when its lease is over`);
		const done = this.#doneToken.get(message);
		if (done !== undefined && run.token >= done)
			throw new Violation(`${message} runs again after it was done`);
		const settled = this.#settled.get(message);
		if (settled !== undefined && isUndisturbed(settled, TIMES.leaseMs) && !hidesSleep(run))
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
	writes(message: string, { token }: LeasedRun): void {
		const last = this.#effects.get(message);
		if (last !== undefined && token === last)
			throw new Violation(`${message} has two effects with one token`);
		if (last === undefined || token > last) this.#effects.set(message, token);
	}

	ends(message: string, run: LeasedRun, ending: Work["ending"]): void {
		if (ending === "given up") this.#givenUp.add(message);
		if (ending !== "failed") {
			this.#finished.add(message);
			if (!run.signal.aborted) this.#settled.set(message, run);
		}
		this.#running.get(message)?.delete(run);
	}

	completed(message: string, token: number): void {
		const runs = [...(this.#running.get(message) ?? [])];
		if (!this.#finished.has(message) || runs.some((run) => run.token === token))
			throw new Violation(`${message} is marked as done before its handler finished`);
		if (token !== this.#lastTokens.get(message))
			throw new Violation(`${message} is marked as done by a run that has lost it`);
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
		if (!isOver && isUndisturbed(run, TIMES.leaseMs))
			throw new Violation(`a run was interrupted without a reason: ${run.signal.reason}`);
	}

	/** Its process lives, and has had the time to notice what happened meanwhile. */
	#isAwake(run: Run): boolean {
		const { isAlive, standsUntil, sleepsUntil } = run.process;
		const isAwake = this.#world.now > Math.max(standsUntil, sleepsUntil + NOTICE_MS);
		return isAlive && isAwake && !run.process.blursSleep(TIMES.leaseMs + NOTICE_MS);
	}
}

function hidesSleep({ process }: Run): boolean {
	return process.hidesSleep(TIMES.leaseMs + NOTICE_MS);
}

/** Plays receivers that share a store, and a gateway that delivers until each event is acknowledged. */
export async function playWebhooks(
	openStore: OpenStore,
	subject: Subject,
	plan: Plan,
	story?: string[],
): Promise<void> {
	const world = new World(plan, story);
	const { random } = world;
	const judge = new Judge(world);
	world.storeAheadMs = world.clockRandom.pick(STORE_AHEAD_MS);
	const deliveries = new Deliveries(world, subject);
	const storeOf = await openStore(subject, world, {
		claimed(key, token) {
			const message = deliveries.messageIn(key);
			if (message !== undefined) judge.claimed(message, token);
		},
		completed(key, token) {
			const message = deliveries.messageIn(key);
			if (message !== undefined) world.check(() => judge.completed(message, token));
		},
	});

	function work(
		process: Process,
		message: string,
		{ token, signal }: { token: number; signal: AbortSignal },
	): unknown {
		const run: LeasedRun = { process, token, signal, startedAt: world.now };
		signal.addEventListener("abort", () => world.check(() => judge.aborts(run)));
		world.check(() => judge.starts(message, run));
		world.tell(process, `runs ${message} with token ${token}`);
		const write = () => world.check(() => judge.writes(message, run));
		if (random.chance(0.2)) {
			write();
			judge.ends(message, run, "finished");
			return undefined;
		}
		const { isHeedful, before, after, ending, hasEffect } = chooseWork(world);
		return (async () => {
			try {
				for (const part of before) {
					await process.sleep(part);
					if (isHeedful) signal.throwIfAborted();
				}
				if (hasEffect) await process.call(`write of ${message}`, write);
				for (const part of after) await process.sleep(part);
				if (ending === "given up") throw new subject.PermanentWebhookError("it can never succeed");
				if (ending === "failed") throw new Error("the handler failed");
				judge.ends(message, run, ending);
			} catch (error) {
				judge.ends(message, run, error instanceof subject.PermanentWebhookError ? "given up" : "failed");
				throw error;
			}
		})();
	}

	/** In every second history all processes bind and claim in two steps, and in the others some do. */
	const isApart = (): boolean => plan.seed % 2 === 1 || random.chance(0.3);

	await deliveries.play({
		createHandler: (process) =>
			subject.createWebhookHandler({
				...TIMES,
				...(deliveries.areRepeated && { retentionMs: RETENTION_MS }),
				secret: SECRET,
				clock: process.clock,
				store: storeOf(process, isApart()),
				on: {
					inbound_message: ({ data }, context) => work(process, data.messageId, context),
					status: ({ data }, context) => work(process, data.messageId, context),
					unknown: () => world.fail("an event is not as it was sent"),
				},
				onError: () => undefined,
			}),
		acknowledges: (message) => world.check(() => judge.acknowledges(message)),
	});
}
