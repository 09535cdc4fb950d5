import type { Change } from "../../../control/contract.ts";

/** Changes within one frame are rendered together. */
const FRAME_MS = 16;

/** The shortest time between two batches, which leaves time for what the user does during a burst. */
const INTERVAL_MS = 100;

/** How long after a keystroke the next one is expected. */
const TYPING_MS = 500;

/** The longest that a batch waits for a keystroke to come, or to be rendered. */
const MAX_WAIT_MS = 250;

/** What is to be done for a batch of changes, in this order. */
export type TasksFor = (changes: readonly Change[], at: number) => readonly (() => void)[];

/**
 * Renders changes in batches of several short tasks: a keystroke waits for one task at most.
 * While the user types, a batch begins when a keystroke was rendered: then the next one is farthest away.
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

	constructor(tasksFor: TasksFor) {
		this.#tasksFor = tasksFor;
	}

	add(change: Change): void {
		this.#changes.push(change);
		if (this.#timer === undefined) this.#wakeForBatch();
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
