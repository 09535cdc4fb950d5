import { globSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import type { Plugin } from "vitest/config";
import { createVitest, type TestModule, type TestSpecification, type Vitest } from "vitest/node";
import { hasMockedModules } from "../../support/tiers.ts";
import { zodSubset } from "../../support/zod-subset-plugin.ts";
import { type PlantedChange, plant } from "./plant.ts";
import { placeOf } from "./runner.ts";

const ROOT = join(import.meta.dirname, "../../..");

/** A test that waits for what never comes is red after this long: far longer than any test of these takes. */
const TEST_TIMEOUT_MS = 10_000;

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
	/** The changes that are reached outside of tests, as when a file is imported: only a new worker does that again. */
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
				// It would keep the sources of the change before.
				fsModuleCache: false,
				fileParallelism: false,
				testTimeout: TEST_TIMEOUT_MS,
				hookTimeout: TEST_TIMEOUT_MS,
				runner: join(import.meta.dirname, "runner.ts"),
				setupFiles: ["test/support/seed.ts", "test/support/unexpected-output.ts"],
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

	/** Runs every test once, and finds out what it reaches. @throws if a test is red without any change. */
	async survey(): Promise<Survey> {
		const modules = await this.#run(this.#tests.map((file) => this.#specify(file, "record", undefined)));
		const reach = new Map<number, Map<string, string[] | undefined>>();
		const loaded = new Set<number>();
		for (const module of modules) {
			assertGreen(module);
			const file = pathOf(module.moduleId);
			for (const test of module.children.allTests())
				for (const number of test.meta().reached ?? []) {
					const files = getOrMake(reach, number, () => new Map());
					files.set(file, [...(files.get(file) ?? []), placeOf(test)]);
				}
			for (const number of module.meta().reached ?? []) {
				loaded.add(number);
				getOrMake(reach, number, () => new Map()).set(file, undefined);
			}
		}
		return { reach: [...reach].map(([number, files]) => [number, sortFiles(files)]), loaded: [...loaded] };
	}

	/**
	 * Judges changes one after the other in one worker.
	 * @returns those that a test noticed, and whether the tests were green without a change afterwards: otherwise what one
	 * change has left behind may have turned the tests of others red.
	 */
	async judge(reach: Survey["reach"]): Promise<{ killed: number[]; isClean: boolean }> {
		const files = new Set(reach.flatMap(([, list]) => list.map(([file]) => file)));
		const modules = await this.#run([
			...reach.flatMap(([number, list]) => list.map(([file, tests]) => this.#specify(file, number, tests))),
			...[...files].map((file) => this.#specify(file, 0, undefined)),
		]);
		const killed = new Set(
			modules.filter((module) => !isGreen(module)).map(({ moduleId }) => numberOf(moduleId)),
		);
		for (const { VITEST_TEST_PATH: path } of this.#takeErrors())
			if (path !== undefined) killed.add(numberOf(path));
		const isClean = !killed.delete(0);
		return { killed: [...killed], isClean };
	}

	/** Judges one change in a worker of its own. @returns whether a test noticed it. */
	async judgeAlone(number: number, files: readonly string[]): Promise<boolean> {
		this.#planted.putInForce(number, this.#vitest);
		try {
			const modules = await this.#run(files.map((file) => this.#specify(file, number, undefined)));
			return !modules.every(isGreen) || this.#takeErrors().length > 0;
		} finally {
			this.#planted.putInForce(undefined, this.#vitest);
		}
	}

	async #run(specifications: TestSpecification[]): Promise<TestModule[]> {
		const ids = new Set(specifications.map(({ moduleId }) => moduleId));
		const { testModules } = await this.#vitest.runTestSpecifications(specifications, false);
		// Those of earlier runs are reported again.
		const modules = testModules.filter(({ moduleId }) => ids.has(moduleId));
		if (modules.length !== ids.size) throw new Error("not all test files ran");
		return modules;
	}

	/** Errors that no test awaited, each with the test file that was running. */
	#takeErrors(): readonly { readonly VITEST_TEST_PATH?: string }[] {
		const errors = this.#vitest.state.getUnhandledErrors();
		const taken = errors.map((error) => (typeof error === "object" && error !== null ? error : {}));
		this.#vitest.state.errorsSet.clear();
		return taken;
	}

	#specify(file: string, number: number | "record", tests: readonly string[] | undefined): TestSpecification {
		const id = this.#planted.beginsWith(file, number, tests);
		return this.#vitest.getRootProject().createSpecification(id);
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await this.#vitest.close();
	}
}

/** The sources with their changes, and what vitest loads in their place. */
class Planted {
	readonly changes: readonly NumberedChange[];
	readonly plugin: Plugin;
	readonly #sources = new Map<string, { first: number; source: ReturnType<typeof plant> }>();
	/** What test files do first, by their ids. */
	readonly #beginnings = new Map<string, string>();
	#inForce: NumberedChange | undefined;

	constructor(files: readonly string[]) {
		const changes: NumberedChange[] = [];
		for (const file of files) {
			const source = plant(file, readFileSync(join(ROOT, file), "utf8"));
			const first = changes.length + 1;
			this.#sources.set(join(ROOT, file), { first, source });
			for (const [index, change] of source.changes.entries())
				changes.push({ ...change, file, number: first + index });
		}
		this.changes = changes;
		this.plugin = {
			name: "planted-changes",
			enforce: "pre",
			load: (id) => this.#load(id),
			transform: (code, id) => {
				const beginning = this.#beginnings.get(id);
				return beginning === undefined ? undefined : `${beginning}${code}`;
			},
		};
	}

	/** @returns the id of a test file that begins with a change. */
	beginsWith(file: string, number: number | "record", tests: readonly string[] | undefined): string {
		const id = `${join(ROOT, file)}?mutant=${number === "record" ? 0 : number}`;
		const places = tests === undefined ? "" : `, ${JSON.stringify(tests.join(" "))}`;
		this.#beginnings.set(id, `globalThis.__beginMutant(${JSON.stringify(number)}${places});`);
		return id;
	}

	/** Loads the file of a change with it from now on. */
	putInForce(number: number | undefined, vitest: Vitest): void {
		const before = this.#inForce;
		this.#inForce = number === undefined ? undefined : this.changes[number - 1];
		for (const change of [before, this.#inForce])
			if (change !== undefined) vitest.invalidateFile(join(ROOT, change.file));
	}

	#load(id: string): string | undefined {
		const planted = this.#sources.get(id);
		if (planted === undefined) return undefined;
		const { first, source } = planted;
		const isChanged = this.#inForce !== undefined && join(ROOT, this.#inForce.file) === id;
		return isChanged && this.#inForce !== undefined
			? source.withChange(this.#inForce.number - first)
			: source.withSwitches(first);
	}
}

/** The test files whose paths begin with these, without those that need modules of their own. */
function findTests(filters: readonly string[]): string[] {
	const all = globSync("test/**/*.test.ts", { cwd: ROOT, exclude: (path) => /node_modules$/.test(path) });
	const found = all.filter((path) => filters.some((filter) => path.startsWith(filter)));
	return found
		.filter((path) => !/\.(full|release)\.test\.ts$/.test(path) && !hasMockedModules(join(ROOT, path)))
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
	return Number(/\?mutant=(\d+)$/.exec(moduleId)?.[1] ?? 0);
}
