import type { Clock } from "messaging-gateway";
import { Random } from "../chaos/random.ts";

/** What can happen to a call through a seam, and to the process that makes it. */
export type Fault =
	/** The call fails before it has an effect. */
	| "refused"
	/** It has its effect, and the caller gets an error. */
	| "lost"
	/** There is never an answer, and no effect. */
	| "hangs"
	/** It has its effect, and there is never an answer. */
	| "hangs_done"
	/** It has its effect much later, and only then is there an answer. */
	| "late"
	/** The process dies before the call has an effect. */
	| "dies"
	/** The process dies after the call had its effect, before it gets the answer. */
	| "dies_done"
	/** The process stands still for a while, before it gets the answer. */
	| "stands"
	/** For a while no call of the process has an effect. */
	| "cut_off"
	/** The wall clock of the process is set forwards or back. */
	| "clock_set";

export const FAULTS: readonly Fault[] = [
	"refused",
	"lost",
	"hangs",
	"hangs_done",
	"late",
	"dies",
	"dies_done",
	"stands",
	"cut_off",
	"clock_set",
];

/** What decides a history: the same one comes of the same plan. */
export interface Plan {
	readonly seed: number;
	/** The faults that are left out, by their number in the history: how a failing history is shortened. */
	readonly omitted?: ReadonlySet<number>;
}

/** A promise of the package that a history breaks. */
export class Violation extends Error {
	override readonly name = "Violation";
}

interface Call {
	readonly process: Process;
	readonly label: string;
	readonly effect: () => unknown;
	/** When it leaves its machine, which fell asleep before. */
	leavesAt: number;
	/** When it goes on at the latest: without a fault a call is quick. */
	dueBy: number;
	/** Set once it had its effect, or has failed: what the caller gets. */
	answer?: () => void;
	readonly resolve: (value: unknown) => void;
	readonly reject: (error: unknown) => void;
}

interface Timer {
	readonly process: Process;
	/** Later if the machine sleeps meanwhile. */
	at: number;
	readonly fire: () => void;
}

/** 1 June 2026: some time in Unix milliseconds. */
const START_MS = 1_780_272_000_000;

/** More than any history without a defect needs. */
const MOST_STEPS = 20_000;

/** The longest that a request or an answer travels without a fault, in milliseconds. */
const LATENCY_MS = 400;

/** How far a wall clock is set, in milliseconds: within the tolerance of signatures. */
const CLOCK_STEPS_MS = [-90_000, -5_000, 1_500, 60_000, 90_000];

/** How far off a wall clock stays, in milliseconds. */
const MOST_SKEW_MS = 270_000;

/** How long a process stands still, or is cut off, in milliseconds: within a lease, and past it. */
const ABSENCES_MS = [500, 4_000, 9_500, 15_000, 25_000, 70_000];

/**
 * How long a machine sleeps, in milliseconds: within a lease, and past it. A history is no longer than a delivery is bound:
 * the gateway may sign it again under another id.
 */
const SLEEPS_MS = [1_500, 7_000, 12_000, 19_000, 42_000, 60_000];

const DAY_MS = 86_400_000;

/**
 * How far the wall clock of a machine jumps that is awake, and for how long: somebody sets it, and it is set right again. No
 * sleep is as long: the clock would not show it.
 */
const JUMPS_MS = [-DAY_MS, -35_000, 35_000, 3_600_000, DAY_MS];
const JUMPS_LAST_MS = [500, 3_000, 12_000, 60_000];

/** The numbers of what happens to the clocks of machines begin here: those of faults stay as they were. */
export const FIRST_CLOCK_EVENT = 100;
const MOST_CLOCK_EVENTS = 3;

/** A difference of the clocks that no process need notice. */
const HIDDEN_MS = 3_000;

/** What happened to the clocks of machines, in all histories. */
export const CLOCK_EVENTS = { slept: 0, jumped: 0 };

/**
 * Processes in virtual time, on one event loop. Whatever they do through a seam (a store's method, `fetch`, a timer, the
 * clock) waits here until the seed says that it goes on, and how.
 */
export class World {
	readonly random: Random;
	/** What the network does with requests, apart from the faults of calls. */
	readonly networkRandom: Random;
	/** What it does with deliveries. */
	readonly deliveryRandom: Random;
	/** What clocks show, and who captures deliveries. */
	readonly clockRandom: Random;
	/** By which way bots post. */
	readonly postRandom: Random;
	/** In Unix milliseconds: the time that passes. */
	now = START_MS;
	/** How far the clock of a store's server is ahead. */
	storeAheadMs = 0;
	/** What happened, in words; only kept if it is to be told. */
	readonly story: string[] | undefined;
	/** How many faults the history had, those left out among them. */
	faults = 0;
	readonly #faultRandom: Random;
	readonly #chance: Random;
	/** What happens to the clocks of machines. */
	readonly #disturbanceRandom: Random;
	readonly #clockEventChance: number;
	#clockEvents = 0;
	readonly #omitted: ReadonlySet<number>;
	readonly #mostFaults: number;
	readonly #faultChance: number;
	readonly #calls: Call[] = [];
	readonly #timers = new Set<Timer>();
	readonly #waker = new Process(this, "waker", true);
	#broken: { readonly error: unknown } | undefined;

	constructor({ seed, omitted = new Set() }: Plan, story?: string[]) {
		this.random = new Random(seed);
		this.#faultRandom = new Random(seed ^ 0x9e3779b9);
		this.networkRandom = new Random(seed ^ 0x85ebca6b);
		this.deliveryRandom = new Random(seed ^ 0x27d4eb2f);
		this.clockRandom = new Random(seed ^ 0x165667b1);
		this.postRandom = new Random(seed ^ 0x3c6ef372);
		this.#chance = new Random(seed ^ 0x0c2f6e5d);
		this.#disturbanceRandom = new Random(seed ^ 0xc2b2ae35);
		this.#clockEventChance = this.#disturbanceRandom.pick([0, 0, 0.02, 0.1]);
		this.#omitted = omitted;
		this.#mostFaults = this.#faultRandom.between(0, 10);
		this.#faultChance = this.#faultRandom.pick([0.03, 0.1, 0.3]);
		this.story = story;
	}

	/** What the clock of a store's server shows. */
	get storeNow(): number {
		return this.now + this.storeAheadMs;
	}

	tell(process: Process, what: string): void {
		if (this.story === undefined) return;
		const seconds = ((this.now - START_MS) / 1_000).toFixed(3);
		this.story.push(`${seconds.padStart(9)} s  ${process.name}: ${what}`);
	}

	/** Whether something that is no fault of a call, such as a repeat, happens: as long as faults may happen. */
	misfortune(chance: number): boolean {
		return this.#faultRandom.chance(chance) && this.#countFault();
	}

	/** Holds a history against a promise: the first one that is broken ends it. The library under test would catch it. */
	check(claim: () => void): void {
		try {
			claim();
		} catch (error) {
			this.#broken ??= { error };
		}
	}

	/** A promise is broken. */
	fail(what: string): void {
		this.#broken ??= { error: new Violation(what) };
	}

	/** Goes on until a goal is reached. @throws Violation if it never is, or if a promise is broken on the way. */
	async run(isReached: () => boolean): Promise<void> {
		const { random } = Math;
		// The package leaves to chance when it sweeps.
		Math.random = () => this.#chance.fraction();
		try {
			await this.#goOnUntil(isReached);
		} finally {
			Math.random = random;
		}
	}

	async #goOnUntil(isReached: () => boolean): Promise<void> {
		for (let step = 0; ; step++) {
			await settleAll();
			if (this.#broken !== undefined) throw this.#broken.error;
			if (isReached()) return;
			if (step === MOST_STEPS) throw new Violation("it never ends");
			const ready = this.#calls.filter(({ process, leavesAt, answer }) =>
				answer === undefined ? this.now >= leavesAt : this.now >= process.goesOnAt,
			);
			const timer = this.#nextTimer();
			const isUrgent = timer === undefined || ready.some(({ dueBy }) => dueBy < dueAt(timer));
			if (ready.length > 0 && (isUrgent || !this.random.chance(0.2))) {
				await this.#goOn(this.random.pick(ready));
			} else if (timer !== undefined) this.#fire(timer);
			else throw new Violation("something waits for ever");
		}
	}

	/** Adds a call, which the world carries out when it is its turn. */
	call<Value>(process: Process, label: string, effect: () => Value | Promise<Value>): Promise<Value> {
		return new Promise<Value>((resolve, reject) => {
			if (!process.isAlive) return;
			// Each call is settled with the value of its own effect.
			const settle = { resolve: resolve as (value: unknown) => void, reject };
			const dueBy = this.now + LATENCY_MS;
			this.#calls.push({ process, label, effect, leavesAt: this.now, dueBy, ...settle });
		});
	}

	setTimer(process: Process, callback: () => void, delayMs: number): () => void {
		const at = Math.max(this.now, process.sleepsUntil) + Math.max(0, delayMs);
		const timer: Timer = { process, at, fire: callback };
		if (process.isAlive) this.#timers.add(timer);
		return () => this.#timers.delete(timer);
	}

	/** Ends a process: nothing of it goes on, but requests that have left may still arrive. */
	end(process: Process): void {
		process.isAlive = false;
		for (const timer of this.#timers) if (timer.process === process) this.#timers.delete(timer);
		for (const call of this.#calls.filter((each) => each.process === process)) {
			if (call.answer !== undefined || this.random.chance(0.5)) this.#remove(call);
		}
		for (const listener of process.endListeners) listener();
	}

	async #goOn(call: Call): Promise<void> {
		const { process, label } = call;
		if (call.answer !== undefined || !process.isAlive) {
			this.#remove(call);
			if (process.isAlive) call.answer?.();
			else await outcomeOf(call.effect);
			return;
		}
		if (this.now < process.cutOffUntil) {
			this.tell(process, `${label}: no connection`);
			if (this.random.chance(0.5)) return this.#remove(call);
			return this.#answer(call, { error: new Error("connection refused") });
		}
		const fault = process.isReliable ? undefined : this.#chooseFault();
		if (fault !== undefined) {
			process.disturbedUntil = Math.max(process.disturbedUntil, this.now);
			this.tell(process, `${label}: ${fault.replace("_", " ")}`);
		}
		switch (fault) {
			case "cut_off":
				process.cutOffUntil = this.now + this.#faultRandom.pick(ABSENCES_MS);
				process.disturbedUntil = Math.max(process.disturbedUntil, process.cutOffUntil);
				return;
			case "refused":
				return this.#answer(call, { error: new Error("connection refused") });
			case "hangs":
				return this.#remove(call);
			case "late":
				this.#remove(call);
				this.setTimer(
					this.#waker,
					() =>
						this.call(this.#waker, label, call.effect).then(
							(value) => this.#whenAwake(process, () => call.resolve(value)),
							(error) => this.#whenAwake(process, () => call.reject(error)),
						),
					this.#faultRandom.pick(ABSENCES_MS),
				);
				return;
			case "dies":
				this.#remove(call);
				return this.end(process);
			case "clock_set":
				process.stepClock(this.#faultRandom.pick(CLOCK_STEPS_MS));
				return;
		}
		if (fault === undefined) this.#disturbClock(process);
		if (call.leavesAt > this.now) return;
		const outcome = await outcomeOf(call.effect);
		if (fault === undefined) this.tell(process, `${label} ${describe(outcome)}`);
		if (fault === "stands") {
			const standsMs = this.#faultRandom.pick(ABSENCES_MS);
			process.standsUntil = this.now + standsMs;
			// The wall clock of a machine that is suspended may stand still as well.
			if (this.#faultRandom.chance(0.3)) process.stepClock(-standsMs);
			process.disturbedUntil = Math.max(process.disturbedUntil, process.standsUntil);
			// When it goes on, an answer may come before the timers that were due meanwhile.
			this.setTimer(this.#waker, () => undefined, process.standsUntil - this.now);
		}
		if (fault === "hangs_done") return this.#remove(call);
		if (fault === "dies_done") {
			this.#remove(call);
			return this.end(process);
		}
		this.#answer(call, fault === "lost" ? { error: new Error("connection reset") } : outcome);
	}

	/** The answer comes at once, or in a later step. */
	#answer(call: Call, outcome: Outcome): void {
		call.answer = () => ("error" in outcome ? call.reject(outcome.error) : call.resolve(outcome.value));
		const { standsUntil, sleepsUntil, goesOnAt } = call.process;
		const isSlow = this.now < standsUntil || this.random.chance(0.3) || this.now < sleepsUntil;
		call.dueBy = Math.max(this.now, goesOnAt) + LATENCY_MS;
		if (isSlow) return;
		this.#remove(call);
		call.answer();
	}

	#chooseFault(): Fault | undefined {
		if (!this.#faultRandom.chance(this.#faultChance)) return undefined;
		const fault = this.#faultRandom.pick(FAULTS);
		return this.#countFault() ? fault : undefined;
	}

	/** Sometimes a machine falls asleep, or its wall clock is set while it is awake. */
	#disturbClock(process: Process): void {
		const random = this.#disturbanceRandom;
		if (process.isReliable || this.#clockEventChance === 0 || this.now < process.sleepsUntil) return;
		if (this.#clockEvents >= MOST_CLOCK_EVENTS || !random.chance(this.#clockEventChance)) return;
		const isOmitted = this.#omitted.has(FIRST_CLOCK_EVENT + this.#clockEvents++);
		const sleepMs = random.pick(SLEEPS_MS);
		const [jumpMs, lastsMs] = [random.pick(JUMPS_MS), random.pick(JUMPS_LAST_MS)];
		const isJump = random.chance(0.3);
		if (isOmitted) return;
		if (isJump) this.#jump(process, jumpMs, lastsMs);
		else this.#sleep(process, sleepMs);
	}

	/** Of a machine that sleeps only the wall clock goes on: its timers are late. What has left it arrives. */
	#sleep(process: Process, ms: number): void {
		this.tell(process, `sleeps for ${ms} ms`);
		CLOCK_EVENTS.slept += 1;
		process.stopClock(ms);
		if (process.standsUntil > this.now) process.standsUntil += ms;
		process.disturbedUntil = Math.max(process.disturbedUntil, process.goesOnAt);
		for (const timer of this.#timers) if (timer.process === process) timer.at += ms;
		for (const call of this.#calls) {
			if (call.process !== process || call.answer !== undefined || this.#disturbanceRandom.chance(0.5))
				continue;
			call.leavesAt = process.sleepsUntil;
			call.dueBy = process.sleepsUntil + LATENCY_MS;
		}
		this.setTimer(this.#waker, () => undefined, ms);
	}

	/** Nothing promised depends on the wall clock of a machine that is awake: this is no disturbance. */
	#jump(process: Process, ms: number, lastsMs: number): void {
		this.tell(process, `its wall clock jumps by ${ms} ms, for ${lastsMs} ms`);
		CLOCK_EVENTS.jumped += 1;
		process.setClock(ms);
		this.setTimer(this.#waker, () => process.setClock(-ms), lastsMs);
	}

	#countFault(): boolean {
		if (this.faults >= this.#mostFaults) return false;
		return !this.#omitted.has(this.faults++);
	}

	/** The timer that is due first; of those that are due at the same time, any process may be the first. */
	#nextTimer(): Timer | undefined {
		const due = Math.min(...Array.from(this.#timers, dueAt));
		const first = new Map<Process, Timer>();
		for (const timer of this.#timers) {
			if (dueAt(timer) !== due) continue;
			const other = first.get(timer.process);
			if (other === undefined || timer.at < other.at) first.set(timer.process, timer);
		}
		return first.size === 0 ? undefined : this.random.pick([...first.values()]);
	}

	#fire(timer: Timer): void {
		this.now = Math.max(this.now, dueAt(timer));
		this.#disturbClock(timer.process);
		if (dueAt(timer) > this.now) return;
		this.#timers.delete(timer);
		timer.fire();
	}

	#whenAwake({ sleepsUntil }: Process, goOn: () => void): void {
		if (this.now >= sleepsUntil) goOn();
		else this.setTimer(this.#waker, goOn, sleepsUntil - this.now);
	}

	#remove(call: Call): void {
		const at = this.#calls.indexOf(call);
		if (at !== -1) this.#calls.splice(at, 1);
	}
}

/** A process with its own wall clock. What it does through a seam can fail, and it can die, unless it is reliable. */
export class Process {
	readonly name: string;
	readonly isReliable: boolean;
	readonly clock: Clock;
	readonly #world: World;
	isAlive = true;
	standsUntil = 0;
	/** When its machine slept last, and how long it has slept in all. */
	sleepsFrom = 0;
	sleepsUntil = 0;
	sleptMs = 0;
	cutOffUntil = 0;
	/** When its last fault was over. */
	disturbedUntil = 0;
	skewMs = 0;
	/** When its wall clock was set back last, and how far its clocks were apart before that, and before it slept. */
	#setBackAt = Number.NEGATIVE_INFINITY;
	#apartBeforeSetBack = 0;
	#apartBeforeSleep = 0;
	readonly endListeners: (() => void)[] = [];

	constructor(world: World, name: string, isReliable = false) {
		this.#world = world;
		this.name = name;
		this.isReliable = isReliable;
		this.clock = {
			now: () => world.now + this.skewMs,
			// As on Linux, it stands still while the machine sleeps.
			monotonicNow: () => Math.max(world.now, this.sleepsUntil) - this.sleptMs - START_MS,
			setTimer: (callback, delayMs) => world.setTimer(this, callback, delayMs),
		};
	}

	/** When it goes on that stands still, or sleeps. */
	get goesOnAt(): number {
		return Math.max(this.standsUntil, this.sleepsUntil);
	}

	/** How far its wall clock is ahead of its monotonic clock. */
	get #apartMs(): number {
		return this.skewMs + this.sleptMs;
	}

	setClock(byMs: number): void {
		if (byMs < 0) {
			this.#setBackAt = this.#world.now;
			this.#apartBeforeSetBack = this.#apartMs;
		}
		this.skewMs += byMs;
	}

	/** Sets it for good, and not so far that nothing is accepted any more: then the other way. */
	stepClock(byMs: number): void {
		this.setClock(Math.abs(this.skewMs + byMs) > MOST_SKEW_MS ? -byMs : byMs);
	}

	/** Only its wall clock goes on. */
	stopClock(ms: number): void {
		this.#apartBeforeSleep = this.#apartMs;
		this.sleepsFrom = this.#world.now;
		this.sleepsUntil = this.#world.now + ms;
		this.sleptMs += ms;
	}

	/** Whether its wall clock was set back so shortly before or after a sleep that no clock of its shows how long that was. */
	blursSleep(withinMs: number): boolean {
		const at = this.#setBackAt;
		return at >= this.sleepsFrom - withinMs && at <= this.sleepsUntil + withinMs;
	}

	/** Whether it was set back by so much that no clock of its shows that it slept. */
	hidesSleep(withinMs: number): boolean {
		const before = [this.#apartBeforeSetBack, this.#apartBeforeSleep];
		const isHidden = before.some((ms) => Math.abs(this.#apartMs - ms) < HIDDEN_MS);
		return isHidden && this.blursSleep(withinMs);
	}

	/** Calls a listener when it dies. */
	onEnd(listener: () => void): void {
		this.endListeners.push(listener);
	}

	/** Does something through a seam. */
	call<Value>(label: string, effect: () => Value | Promise<Value>): Promise<Value> {
		return this.#world.call(this, label, effect);
	}

	sleep(ms: number): Promise<void> {
		return new Promise((resolve) => {
			this.clock.setTimer(resolve, ms);
		});
	}

	/** The methods of an object through this seam. */
	through<Target extends object>(name: string, target: Target): Target {
		return new Proxy(target, {
			get: (_, property) => {
				const method: unknown = Reflect.get(target, property);
				if (typeof method !== "function") return method;
				return (...given: unknown[]) =>
					this.call(`${name}.${String(property)}`, () => Reflect.apply(method, target, given));
			},
		});
	}
}

type Outcome = { readonly value: unknown } | { readonly error: unknown };

async function outcomeOf(effect: () => unknown): Promise<Outcome> {
	try {
		return { value: await effect() };
	} catch (error) {
		return { error };
	}
}

function describe(outcome: Outcome): string {
	if ("error" in outcome) return `→ ${String(outcome.error)}`;
	// A result of `pg` has more than its rows.
	const value: unknown = Object(outcome.value)["rows"] ?? outcome.value;
	return `→ ${JSON.stringify(value) ?? "done"}`;
}

/** When a timer fires: not while its process stands still, or sleeps. */
function dueAt({ process, at }: Timer): number {
	return Math.max(at, process.goesOnAt);
}

/** Resolves when no promise callback is left. */
function settleAll(): Promise<void> {
	return new Promise((resolve) => {
		setImmediate(resolve);
	});
}
