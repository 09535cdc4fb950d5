import type { NumberedChange, Reach, Survey } from "./session.ts";
import { TestProcess } from "./test-process.ts";

/** Changes that are judged in one worker: to load the tests costs more than to run them. */
const CHUNK = 25;

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

/** Changes to judge in one worker. */
interface Job {
	readonly numbers: readonly number[];
	/** Whether the modules are loaded again with each. */
	readonly isLoaded: boolean;
}

/** Plants every single change in the sources, one at a time, and runs the tests that reach it. */
export async function judgeChanges(options: JudgeOptions): Promise<JudgedChange[]> {
	const { files, tests, processes, onProgress } = options;
	const { changes, survey } = await surveyTests(files, tests);
	const judge = new Judge(changes, survey);

	async function work(): Promise<void> {
		const runner = new TestProcess(files, tests);
		try {
			for (let job = judge.next(); job !== undefined; job = judge.next()) {
				await judge.try(runner, job);
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
	/** The tests that reach any change of a file: they can notice how it is loaded. */
	readonly #testsOf: ReadonlyMap<string, Reach>;

	constructor(changes: readonly NumberedChange[], { reach, loaded }: Survey) {
		this.#reach = new Map(reach);
		this.#loaded = new Set(loaded);
		this.#fileOf = new Map(changes.map(({ number, file }) => [number, file]));
		const reachOfFile = Map.groupBy(reach, ([number]) => this.#fileOf.get(number) ?? "");
		this.#testsOf = new Map(Array.from(reachOfFile, ([file, all]) => [file, joinReach(all)]));
		const numbers = reach.map(([number]) => number).sort((one, other) => one - other);
		while (numbers.length > 0) this.#add({ numbers: numbers.splice(-CHUNK), isLoaded: false });
	}

	/** How many changes wait. */
	get left(): number {
		return this.#jobs.reduce((sum, { numbers }) => sum + numbers.length, 0);
	}

	next(): Job | undefined {
		return this.#jobs.shift();
	}

	/** Tries changes in one worker; what one leaves behind in a module may turn the tests of others red. */
	async try(runner: TestProcess, job: Job): Promise<void> {
		const { numbers, isLoaded } = job;
		const reach = numbers.map((number) => [number, this.#reachOf(number, isLoaded)] as const);
		const response = await runner.ask({ type: "judge", reach, isLoaded });
		if (response.type === "survey") throw new Error("a process reports what it was not asked");
		if (response.type === "hung") {
			const order = reach.flatMap(([number, files]) => files.map(() => number));
			const hung = order[response.files];
			// After the last of them only the tests without a change were left.
			if (hung === undefined) return this.#split(job);
			this.killed.add(hung);
			return this.#add({ numbers: numbers.filter((number) => number !== hung), isLoaded });
		}
		if (!response.isClean && numbers.length > 1) return this.#split(job);
		for (const number of response.killed) this.killed.add(number);
		if (isLoaded) return;
		const again = numbers.filter((number) => this.#loaded.has(number) && !this.killed.has(number));
		this.#add({ numbers: again, isLoaded: true });
	}

	#reachOf(number: number, isLoaded: boolean): Reach {
		const tests = isLoaded ? this.#testsOf.get(this.#fileOf.get(number) ?? "") : this.#reach.get(number);
		return tests ?? [];
	}

	#split({ numbers, isLoaded }: Job): void {
		const middle = Math.ceil(numbers.length / 2);
		this.#add({ numbers: numbers.slice(middle), isLoaded });
		this.#add({ numbers: numbers.slice(0, middle), isLoaded });
	}

	#add(job: Job): void {
		if (job.numbers.length > 0) this.#jobs.unshift(job);
	}
}

/** All tests of several changes. What a whole file reaches when it is imported, its tests reach, too. */
function joinReach(all: Survey["reach"]): Reach {
	const tests = new Map<string, Set<string>>();
	for (const [file, places = []] of all.flatMap(([, reach]) => reach)) {
		const own = tests.get(file) ?? new Set();
		tests.set(file, new Set([...own, ...places]));
	}
	return Array.from(tests, ([file, places]) => [file, places.size === 0 ? undefined : [...places]] as const);
}
