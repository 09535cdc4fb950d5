import type { NumberedChange, Reach, Survey } from "./session.ts";
import { TestProcess } from "./test-process.ts";

/** Changes that are judged in one worker: to load the tests costs more than to run them. */
const CHUNK = 60;

/** A change, and whether a test noticed it. */
export interface JudgedChange extends NumberedChange {
	readonly isKilled: boolean;
}

/** What to judge, and with which tests. */
export interface JudgeOptions {
	/** Sources, from the root. */
	readonly files: readonly string[];
	/** How the paths of test files begin. */
	readonly tests: readonly string[];
	/** How many processes run tests at the same time. */
	readonly processes: number;
	/** Called as changes are judged. */
	readonly onProgress?: (judged: number, all: number) => void;
}

/** Changes to judge together, or the number of one to judge in a worker of its own. */
type Job = readonly number[] | number;

/** Plants every single change in the sources, one at a time, and runs the tests that reach it. */
export async function judgeChanges(options: JudgeOptions): Promise<JudgedChange[]> {
	const { files, tests, processes, onProgress } = options;
	const { changes, survey } = await surveyTests(files, tests);
	const judge = new Judge(changes, survey);

	async function work(): Promise<void> {
		const runner = new TestProcess(files, tests);
		try {
			for (let job = judge.next(); job !== undefined; job = judge.next()) {
				await (typeof job === "number" ? judge.tryAlone(runner, job) : judge.tryTogether(runner, job));
				onProgress?.(changes.length - judge.left, changes.length);
			}
		} finally {
			runner.end();
		}
	}
	await Promise.all(Array.from({ length: processes }, work));
	return changes.map((change) => ({ ...change, isKilled: judge.killed.has(change.number) }));
}

async function surveyTests(files: readonly string[], tests: readonly string[]) {
	const runner = new TestProcess(files, tests);
	try {
		const response = await runner.ask({ type: "survey" });
		if (response.type !== "survey") throw new Error("the tests hang without any change");
		return response;
	} finally {
		runner.end();
	}
}

/** What is still to be tried, and what came of it. */
class Judge {
	readonly killed = new Set<number>();
	readonly #jobs: Job[] = [];
	readonly #reach: ReadonlyMap<number, Reach>;
	readonly #loaded: ReadonlySet<number>;
	readonly #fileOf: ReadonlyMap<number, string>;

	constructor(changes: readonly NumberedChange[], { reach, loaded }: Survey) {
		this.#reach = new Map(reach);
		this.#loaded = new Set(loaded);
		this.#fileOf = new Map(changes.map(({ number, file }) => [number, file]));
		const numbers = reach.map(([number]) => number).sort((one, other) => one - other);
		while (numbers.length > 0) this.#jobs.push(numbers.splice(0, CHUNK));
	}

	/** How many changes wait. */
	get left(): number {
		return this.#jobs.reduce((sum: number, job) => sum + (typeof job === "number" ? 1 : job.length), 0);
	}

	next(): Job | undefined {
		return this.#jobs.shift();
	}

	/** Tries changes in one worker; what one leaves behind in a module may turn the tests of others red. */
	async tryTogether(runner: TestProcess, numbers: readonly number[]): Promise<void> {
		const reach = numbers.map((number) => [number, this.#reach.get(number) ?? []] as const);
		const response = await runner.ask({ type: "judge", reach });
		if (response.type === "hung") {
			const order = reach.flatMap(([number, files]) => files.map(() => number));
			const hung = order[response.files];
			// After the last of them only the tests without a change were left.
			if (hung === undefined) return this.#split(numbers);
			this.killed.add(hung);
			this.#add(numbers.filter((number) => number !== hung));
			return;
		}
		if (response.type !== "judged") throw new Error(`a process reports ${response.type}`);
		if (!response.isClean && numbers.length > 1) return this.#split(numbers);
		for (const number of response.killed) this.killed.add(number);
		for (const number of numbers)
			if (this.#loaded.has(number) && !this.killed.has(number)) this.#jobs.push(number);
	}

	/** Tries a change that is in force once only, when its file is loaded. */
	async tryAlone(runner: TestProcess, number: number): Promise<void> {
		const file = this.#fileOf.get(number);
		const reaching = [...this.#reach].filter(([other]) => this.#fileOf.get(other) === file);
		const files = [...new Set(reaching.flatMap(([, reach]) => reach.map(([path]) => path)))];
		const response = await runner.ask({ type: "judge alone", number, files });
		if (response.type === "hung" || (response.type === "judged" && response.killed.length > 0))
			this.killed.add(number);
	}

	#split(numbers: readonly number[]): void {
		const middle = Math.ceil(numbers.length / 2);
		this.#add(numbers.slice(0, middle));
		this.#add(numbers.slice(middle));
	}

	#add(numbers: readonly number[]): void {
		if (numbers.length > 0) this.#jobs.unshift(numbers);
	}
}
