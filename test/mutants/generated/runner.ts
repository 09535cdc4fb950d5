import { type RunnerTask, TestRunner, vi } from "vitest";

/** Which change is in force in this worker, and what is reached. */
interface State {
	/** The number of the change in force; 0 for none. */
	active: number;
	/** The change that was in force when the modules were loaded. */
	loaded: number;
	/** The tests that may notice it, by their places in the file; `undefined` for all. */
	tests: ReadonlySet<string> | undefined;
	/** The changes whose tests have failed: nothing more runs for them. */
	readonly killed: Set<number>;
	/** The changes that were passed by since the last test began; `undefined` while nothing is recorded. */
	reached: Set<number> | undefined;
	/** How often a change was asked for since the last task began: an endless loop asks without end. */
	asked: number;
	/** When that was. */
	startedAt: number;
}

/** After so many questions the time is looked at. */
const QUESTIONS = 2 ** 20;

/** Longer than any test takes. */
const LIMIT_MS = 15_000;

/** Tests put a clock of their own in its place. */
const now = performance.now.bind(performance);

declare global {
	/** Whether a change is in force: what the sources with switches ask. */
	var __mutant: (number: number) => boolean;
	/** Says which tests of the file that begins are to run, or that what they reach is to be recorded. */
	var __beginTests: (tests: string | undefined, isRecorded: boolean) => void;
}

declare module "vitest" {
	interface TaskMeta {
		/** The changes that a test reaches; those of a file are reached outside of its tests, as when it is imported. */
		reached?: number[];
	}
}

// What the first file imports is recorded from the start.
const state: State = {
	active: 0,
	loaded: 0,
	tests: undefined,
	killed: new Set(),
	reached: new Set(),
	asked: 0,
	startedAt: now(),
};

globalThis.__mutant = (number) => {
	state.reached?.add(number);
	state.asked += 1;
	if (state.asked % QUESTIONS === 0 && now() - state.startedAt > LIMIT_MS)
		throw new Error("a loop does not end");
	return number === state.active;
};

globalThis.__beginTests = (tests, isRecorded) => {
	state.tests = tests === undefined ? undefined : new Set(tests.split(" "));
	state.reached = isRecorded ? (state.reached ?? new Set()) : undefined;
	beginTask();
};

function beginTask(): void {
	state.asked = 0;
	state.startedAt = now();
}

/** Puts the change in force that a test file's id names, and loads all modules with it if the id asks for that. */
function putInForce(id: string): void {
	const [, number = "0", isLoaded] = /\?mutant=(\d+)(&load)?$/.exec(id) ?? [];
	state.active = Number(number);
	const loaded = isLoaded === undefined ? 0 : state.active;
	// Without a change, modules are loaded for each file that asks for it.
	const isNew = isLoaded !== undefined && state.active === 0;
	if (loaded !== state.loaded || isNew) vi.resetModules();
	state.loaded = loaded;
}

/** The place of a test in its file: its position in each suite. The rest of an id is the file's. */
export function placeOf({ id }: Pick<RunnerTask, "id">): string {
	return id.slice(id.indexOf("_") + 1);
}

/** Runs only the tests that can notice the change in force, until one fails; or records what each test reaches. */
export default class MutantRunner extends TestRunner {
	override importFile(filepath: string, source: Parameters<TestRunner["importFile"]>[1]): unknown {
		if (source === "collect") putInForce(filepath);
		return super.importFile(filepath, source);
	}

	override async onBeforeRunTask(test: RunnerTask): Promise<void> {
		const isWanted = state.tests?.has(placeOf(test)) ?? true;
		if (!isWanted || state.killed.has(state.active)) test.mode = "skip";
		else this.#note(test.file);
		beginTask();
		await super.onBeforeRunTask(test);
	}

	override onAfterRunTask(test: RunnerTask): void {
		super.onAfterRunTask(test);
		this.#note(test);
		if (test.result?.state === "fail" && state.active !== 0) state.killed.add(state.active);
	}

	/** Gives a task what was reached since the last one. */
	#note({ meta }: RunnerTask): void {
		if (state.reached === undefined) return;
		meta.reached = [...new Set([...(meta.reached ?? []), ...state.reached])];
		state.reached.clear();
	}
}
