import type { Change } from "../../../control/contract.ts";

/** Changes within one frame are rendered together. */
const FRAME_MS = 16;

/** The shortest time between two batches, which leaves time for what the user does during a burst. */
const INTERVAL_MS = 100;

/** How long after a keystroke the next one is expected. */
const TYPING_MS = 500;

/** The longest that a batch waits for a keystroke to come, or to be rendered. */
const MAX_WAIT_MS = 250;

/** The longest that changes wait for a press to end, and the most of them that do. */
const MAX_HOLD_MS = 3_000;
const MAX_HELD = 1_000;

/** What is to be done for a batch of changes, in this order. */
export type TasksFor = (changes: readonly Change[], at: number) => readonly (() => void)[];

/**
 * Renders changes in batches of several short tasks: a keystroke waits for one task at most.
 * While the user types, a batch begins when a keystroke was rendered: then the next one is farthest away. While a pointer is
 * down, nothing is rendered: if a row moved between press and release, the browser would give the click to the list.
 */
export class PacedChanges {
	readonly #tasksFor: TasksFor;
	#changes: Change[] = [];
	#tasks: (() => void)[] = [];
	// A timer, because `requestAnimationFrame` pauses in hidden tabs.
	#timer: ReturnType<typeof setTimeout> | undefined;
	#dueAt = 0;
	#earliest = 0;
	#typedAt = Number.NEGATIVE_INFINITY;
	#isKeyPending = false;
	#heldUntil = 0;
	#isHeldBack = false;

	constructor(tasksFor: TasksFor) {
		this.#tasksFor = tasksFor;
	}

	add(change: Change): void {
		this.#changes.push(change);
		if (this.#timer === undefined) this.#wakeForBatch();
		if (this.#changes.length >= MAX_HELD) this.release();
	}

	/** Drops what waits, and runs a task that shows the state after it. */
	restart(task: () => void): void {
		this.drop();
		this.#tasks = [task];
		this.#run();
	}

	drop(): void {
		clearTimeout(this.#timer);
		this.#timer = undefined;
		this.#changes = [];
		this.#tasks = [];
	}

	typed(): void {
		this.#typedAt = performance.now();
		this.#isKeyPending = true;
	}

	hold(): void {
		this.#heldUntil = performance.now() + MAX_HOLD_MS;
	}

	release(): void {
		this.#heldUntil = 0;
		if (this.#timer === undefined || !this.#isHeldBack) return;
		clearTimeout(this.#timer);
		this.#run();
	}

	rendered(): void {
		this.#isKeyPending = false;
		if (this.#timer === undefined || performance.now() < this.#dueAt) return;
		clearTimeout(this.#timer);
		this.#run();
	}

	#wakeForBatch(): void {
		this.#wake(Math.max(performance.now() + FRAME_MS, this.#earliest));
	}

	#wake(at: number): void {
		this.#dueAt = at;
		this.#timer = setTimeout(() => this.#runUnlessTyping(), at - performance.now());
	}

	#runUnlessTyping(): void {
		const now = performance.now();
		const isKeyExpected = this.#tasks.length === 0 && now - this.#typedAt < TYPING_MS;
		if (this.#isKeyPending || isKeyExpected) this.#timer = setTimeout(() => this.#run(), MAX_WAIT_MS);
		else this.#run();
	}

	/** Runs one task, the first of the next batch if none is left. */
	#run(): void {
		this.#timer = undefined;
		const now = performance.now();
		this.#isHeldBack = now < this.#heldUntil;
		if (this.#isHeldBack) {
			this.#wake(this.#heldUntil);
			return;
		}
		if (this.#tasks.length === 0) {
			this.#tasks = [...this.#tasksFor(this.#changes, now)];
			this.#changes = [];
			this.#earliest = now + INTERVAL_MS;
		}
		this.#tasks.shift()?.();
		if (this.#tasks.length > 0) this.#wake(performance.now());
		else if (this.#changes.length > 0) this.#wakeForBatch();
	}
}
