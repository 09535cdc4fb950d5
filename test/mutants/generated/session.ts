import { globSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import type { Plugin } from "vitest/config";
import {
	BaseSequencer,
	createVitest,
	type TestModule,
	type TestSpecification,
	type Vitest,
} from "vitest/node";
import { hasMockedModules, writesDocuments } from "../../support/tiers.ts";
import { zodSubset } from "../../support/zod-subset-plugin.ts";
import { type PlantedChange, plant } from "./plant.ts";
import { placeOf } from "./runner.ts";

const ROOT = join(import.meta.dirname, "../../..");

/** A test that waits for what never comes is red after this long: far longer than any test of these takes. */
const TEST_TIMEOUT_MS = 5_000;

/** A change, by a number of its own, and its file from the root. */
export interface NumberedChange extends PlantedChange {
	readonly number: number;
	readonly file: string;
}

/** What may notice a change: tests by their places, `undefined` for all of a file; in the order in which they run. */
export type Reach = readonly (readonly [file: string, tests: readonly string[] | undefined])[];

/** What the tests reach. */
export interface Survey {
	/** Of each change that is reached, by its number. */
	readonly reach: readonly (readonly [number: number, reach: Reach])[];
	/** The changes that are reached only while modules are new: when a file is imported, or what it keeps is made. */
	readonly loaded: readonly number[];
}

/** Runs tests over sources with all their changes in one process of vitest: a few milliseconds for each change. */
export class Session implements AsyncDisposable {
	readonly changes: readonly NumberedChange[];
	readonly #tests: readonly string[];
	readonly #vitest: Vitest;
	readonly #planted: Planted;

	private constructor(vitest: Vitest, planted: Planted, tests: readonly string[]) {
		this.#vitest = vitest;
		this.#planted = planted;
		this.#tests = tests;
		this.changes = planted.changes;
	}

	/** @param onFile - called for each test file that has ended, with the number of its change. */
	static async open(
		files: readonly string[],
		tests: readonly string[],
		onFile: (number: number) => void,
	): Promise<Session> {
		const planted = new Planted(files);
		const found = findTests(tests);
		if (found.length === 0) throw new Error(`there is no test file of the first tier at ${tests.join(", ")}`);
		const vitest = await createVitest(
			"test",
			{
				config: false,
				root: ROOT,
				watch: false,
				include: found,
				isolate: false,
				// It would keep the changes of another session.
				fsModuleCache: false,
				fileParallelism: false,
				// Vitest would put first what failed in an earlier run, when the numbers were of other changes.
				sequence: { sequencer: InOrder },
				testTimeout: TEST_TIMEOUT_MS,
				hookTimeout: TEST_TIMEOUT_MS,
				runner: join(import.meta.dirname, "runner.ts"),
				setupFiles: ["test/support/chance.ts", "test/support/seed.ts", "test/support/unexpected-output.ts"],
				globalSetup: ["test/support/shared/serve-resources.ts"],
				reporters: [{ onTestModuleEnd: ({ moduleId }: TestModule) => onFile(numberOf(moduleId)) }],
			},
			{
				plugins: [zodSubset, planted.plugin],
				resolve: { conditions: ["@messaging-gateway/source"] },
				ssr: { resolve: { conditions: ["@messaging-gateway/source"] } },
			},
		);
		return new Session(vitest, planted, found);
	}

	/**
	 * Runs every test file twice, first with modules that are loaded for it, and finds out what its tests reach.
	 * @throws if a test is red without any change.
	 */
	async survey(): Promise<Survey> {
		const modules = await this.#run(
			this.#tests.flatMap((file) => [
				this.#specify(file, { number: 0, isRecorded: true, isLoaded: true }),
				this.#specify(file, { number: 0, isRecorded: true }),
			]),
		);
		modules.forEach(assertGreen);
		const [first, again] = [modules.filter(isLoadedWith), modules.filter((module) => !isLoadedWith(module))];
		const repeated = new Set(again.flatMap(listReached).map(({ key }) => key));
		const reach = new Map<number, Map<string, string[] | undefined>>();
		const loaded = new Set<number>();
		for (const { key, number, file, test } of first.flatMap(listReached)) {
			const files = getOrMake(reach, number, () => new Map());
			const tests = files.has(file) ? files.get(file) : [];
			files.set(file, test === undefined ? undefined : tests && [...tests, test]);
			if (test === undefined || !repeated.has(key)) loaded.add(number);
		}
		return { reach: [...reach].map(([number, files]) => [number, sortFiles(files)]), loaded: [...loaded] };
	}

	/**
	 * Judges changes one after the other in one worker.
	 * @param isLoaded - whether the modules are loaded again with each change.
	 * @returns those that a test noticed, and whether the tests were green without a change afterwards: otherwise what one
	 * change has left behind may have turned the tests of others red.
	 */
	async judge(reach: Survey["reach"], isLoaded: boolean): Promise<{ killed: number[]; isClean: boolean }> {
		const files = new Set(reach.flatMap(([, list]) => list.map(([file]) => file)));
		const modules = await this.#run([
			...reach.flatMap(([number, list]) =>
				list.map(([file, tests]) => this.#specify(file, { number, tests, isLoaded })),
			),
			...[...files].map((file) => this.#specify(file, { number: 0 })),
		]);
		const red = modules.filter((module) => !isGreen(module)).map(({ moduleId }) => numberOf(moduleId));
		const killed = new Set([...red, ...this.#takeErrors()]);
		const isClean = !killed.delete(0);
		return { killed: [...killed], isClean };
	}

	async #run(specifications: TestSpecification[]): Promise<TestModule[]> {
		const ids = new Set(specifications.map(({ moduleId }) => moduleId));
		const { testModules } = await this.#vitest.runTestSpecifications(specifications, false);
		// Those of earlier runs are reported again.
		const modules = testModules.filter(({ moduleId }) => ids.has(moduleId));
		if (modules.length !== ids.size) throw new Error("not all test files ran");
		return modules;
	}

	/** The changes that were in force when an error came that no test awaited. */
	#takeErrors(): number[] {
		const errors: unknown[] = this.#vitest.state.getUnhandledErrors();
		this.#vitest.state.errorsSet.clear();
		return errors.flatMap((error) => {
			const path = typeof error === "object" && error !== null && Reflect.get(error, "VITEST_TEST_PATH");
			return typeof path === "string" ? numberOf(path) : [];
		});
	}

	#specify(file: string, beginning: Beginning): TestSpecification {
		return this.#vitest.getRootProject().createSpecification(this.#planted.beginWith(file, beginning));
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await this.#vitest.close();
	}
}

/** Runs files in the order in which they are given. */
class InOrder extends BaseSequencer {
	override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
		return files;
	}
}

/** A change that a test reaches, or that is reached outside of tests. */
interface Reached {
	readonly number: number;
	readonly file: string;
	readonly test: string | undefined;
	/** The three in one. */
	readonly key: string;
}

function listReached(module: TestModule): Reached[] {
	const file = pathOf(module.moduleId);
	const note = (numbers: readonly number[] = [], test?: string): Reached[] =>
		numbers.map((number) => ({ number, file, test, key: `${number} ${file} ${test}` }));
	const tests = Array.from(module.children.allTests(), (test) => note(test.meta().reached, placeOf(test)));
	return [...note(module.meta().reached), ...tests.flat()];
}

function isLoadedWith({ moduleId }: TestModule): boolean {
	return moduleId.endsWith("&load");
}

/** How a test file begins. */
interface Beginning {
	/** The change in force; 0 for none. */
	readonly number: number;
	/** The tests to run; all of them by default. */
	readonly tests?: readonly string[] | undefined;
	/** Whether all modules are loaded with the change. */
	readonly isLoaded?: boolean;
	/** Whether what the tests reach is recorded. */
	readonly isRecorded?: boolean;
}

/** The sources with their changes, and what vitest loads in their place. */
class Planted {
	readonly changes: readonly NumberedChange[];
	readonly plugin: Plugin;
	readonly #sources = new Map<string, string>();
	/** What test files do first, by their ids. */
	readonly #beginnings = new Map<string, string>();

	constructor(files: readonly string[]) {
		const changes: NumberedChange[] = [];
		for (const file of files) {
			const source = plant(file, readFileSync(join(ROOT, file), "utf8"));
			const first = changes.length + 1;
			this.#sources.set(join(ROOT, file), source.withSwitches(first));
			for (const [index, change] of source.changes.entries())
				changes.push({ ...change, file, number: first + index });
		}
		this.changes = changes;
		this.plugin = {
			name: "planted-changes",
			enforce: "pre",
			load: (id) => this.#sources.get(id),
			transform: (code, id) => {
				const beginning = this.#beginnings.get(id);
				return beginning === undefined ? undefined : `${beginning}${code}`;
			},
		};
	}

	/** @returns the id of a test file that begins so; the runner reads the change from it. */
	beginWith(file: string, { number, tests, isLoaded = false, isRecorded = false }: Beginning): string {
		const id = `${join(ROOT, file)}?mutant=${number}${isLoaded ? "&load" : ""}`;
		const places = tests === undefined ? "undefined" : JSON.stringify(tests.join(" "));
		this.#beginnings.set(id, `globalThis.__beginTests(${places}, ${isRecorded});`);
		return id;
	}
}

/** The test files whose paths begin with these, without those that need modules of their own, or zod itself. */
function findTests(filters: readonly string[]): string[] {
	const all = globSync("test/**/*.test.ts", { cwd: ROOT, exclude: (path) => /node_modules$/.test(path) });
	const found = all.filter((path) => filters.some((filter) => path.startsWith(filter)));
	return found
		.filter(
			(path) =>
				!/\.(full|release)\.test\.ts$/.test(path) &&
				!hasMockedModules(join(ROOT, path)) &&
				!writesDocuments(join(ROOT, path)),
		)
		.sort();
}

/** The file with the most tests first: one of them notices most likely. */
function sortFiles(files: ReadonlyMap<string, string[] | undefined>): Reach {
	return [...files].sort(([, one], [, other]) => (other?.length ?? 0) - (one?.length ?? 0));
}

function getOrMake<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
	const value = map.get(key) ?? make();
	map.set(key, value);
	return value;
}

function assertGreen(module: TestModule): void {
	if (isGreen(module)) return;
	const [failed] = module.children.allTests("failed");
	const [error] = failed?.result().errors ?? module.errors();
	const where = [pathOf(module.moduleId), failed?.fullName].join(" › ");
	throw new Error(`${where} is red without any change: ${error?.message}`);
}

function isGreen(module: TestModule): boolean {
	return module.state() !== "failed" && module.errors().length === 0;
}

function pathOf(moduleId: string): string {
	return relative(ROOT, moduleId.replace(/\?.*$/, ""));
}

function numberOf(moduleId: string): number {
	return Number(/\?mutant=(\d+)/.exec(moduleId)?.[1] ?? 0);
}
