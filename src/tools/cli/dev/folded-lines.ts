import type { Clock } from "../../../library/runtime.ts";
import { foldedLine, type Outcomes } from "../local/lines.ts";
import type { Terminal } from "../terminal.ts";

/** How many lines are written within a period. */
const MAX_LINES = 50;
const PERIOD_MS = 5_000;

/** How many subjects are told apart, and how many outcomes of each. */
const MAX_KINDS = 8;

/** How often a terminal shows the counts. */
const DRAW_MS = 100;

/** A line of the log. */
export interface LogLine {
	/** What it is about, such as an operation. */
	readonly what: string;
	/** How that ended, in a word. */
	readonly outcome: string;
	/** Why it failed, in a word; `undefined` if it did not. */
	readonly failure: string | undefined;
	readonly format: () => string;
}

/**
 * Writes lines while people can read them. The more of them within a period are counted, and then so are all lines until
 * a period has few again. The first failure of each kind is always written.
 */
export class FoldedLines {
	readonly #terminal: Terminal;
	readonly #clock: Clock;
	readonly #counted = new Map<string, Outcomes>();
	/** The kinds of failures that were written. */
	readonly #told = new Set<string>();
	#below: () => readonly string[] = () => [];
	#lines = 0;
	#isFolding = false;
	#startedAt = 0;
	#stopPeriod: (() => void) | undefined;
	#stopDrawing: (() => void) | undefined;

	constructor(terminal: Terminal, clock: Clock) {
		this.#terminal = terminal;
		this.#clock = clock;
	}

	add({ what, outcome, failure, format }: LogLine): void {
		if (this.#stopPeriod === undefined) {
			this.#startedAt = this.#clock.now();
			this.#stopPeriod = this.#clock.setTimer(() => this.#endPeriod(), PERIOD_MS);
		}
		this.#lines++;
		this.#isFolding ||= this.#lines > MAX_LINES;
		const kind = `${what} ${failure}`;
		const isNew = failure !== undefined && !this.#told.has(kind) && this.#told.size < MAX_LINES;
		if (isNew) this.#told.add(kind);
		if (isNew || !this.#isFolding) this.#terminal.say(format());
		else this.#count(what, outcome, failure !== undefined);
	}

	/** Keeps lines below all others, or the counts while lines are counted. */
	keepBelow(lines: () => readonly string[]): void {
		this.#below = lines;
		this.#draw();
	}

	/** Writes what was counted. */
	end(): void {
		this.#stopPeriod?.();
		this.#endPeriod();
		this.#stopDrawing?.();
	}

	#count(what: string, outcome: string, isFailure: boolean): void {
		const outcomes = entryOf(this.#counted, what, () => new Map());
		entryOf(outcomes, outcome, () => ({ times: 0, isFailure })).times++;
		this.#draw();
	}

	#endPeriod(): void {
		this.#stopPeriod = undefined;
		this.#terminal.keepBelow([]);
		for (const line of this.#describeCounts()) this.#terminal.say(line);
		this.#counted.clear();
		this.#isFolding = this.#lines > MAX_LINES;
		if (!this.#isFolding) this.#told.clear();
		this.#lines = 0;
		this.#draw();
	}

	#draw(): void {
		if (!this.#isFolding) this.#terminal.keepBelow(this.#below());
		else
			this.#stopDrawing ??= this.#clock.setTimer(() => {
				this.#stopDrawing = undefined;
				this.#terminal.keepBelow(this.#isFolding ? this.#describeCounts() : this.#below());
			}, DRAW_MS);
	}

	#describeCounts(): string[] {
		const durationMs = this.#clock.now() - this.#startedAt;
		return Array.from(this.#counted, ([what, outcomes]) =>
			foldedLine(this.#terminal, what, outcomes, durationMs),
		);
	}
}

/** The entry of a key; of a few keys, all others share one. */
function entryOf<Value>(map: Map<string, Value>, key: string, create: () => Value): Value {
	const name = map.has(key) || map.size < MAX_KINDS ? key : "others";
	const entry = map.get(name) ?? create();
	map.set(name, entry);
	return entry;
}
