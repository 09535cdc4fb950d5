import { AsyncLocalStorage } from "node:async_hooks";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { type Around, runAround } from "../../../src/library/around.ts";
import { catchRejection } from "../../support/catch-error.ts";
import { eventually } from "../../support/eventually.ts";

let rejections: unknown[];
const onRejection = (reason: unknown) => rejections.push(reason);
beforeEach(() => {
	rejections = [];
	process.on("unhandledRejection", onRejection);
});
afterEach(async () => {
	await new Promise((resolve) => setImmediate(resolve));
	process.off("unhandledRejection", onRejection);
	expect(rejections).toEqual([]);
});

const FAILURE = new Error("the run failed");

/** Runs something inside a hook, and records what is reported. */
function play(around: Around<string, string> | undefined, end: () => Promise<string> = async () => "result") {
	const run = vi.fn(end);
	const failures: unknown[] = [];
	const result = runAround(around, {
		info: "info",
		run,
		describe: (settled) => (settled.status === "fulfilled" ? settled.value : String(settled.reason)),
		onFailure: (error) => failures.push(error),
	});
	return { run, failures, result };
}

test("without a hook it simply runs", async () => {
	expect(await play(undefined).result).toBe("result");
	expect(await catchRejection(play(undefined, () => Promise.reject(FAILURE)).result)).toBe(FAILURE);
});

describe("a hook", () => {
	test("gets the info, runs the operation inside itself, and learns how it ended", async () => {
		const storage = new AsyncLocalStorage<string>();
		const heard: unknown[] = [];
		const around: Around<string, string> = async (info, run) => {
			heard.push(info, await storage.run("inside", run));
		};
		const { result, failures } = play(around, async () => {
			await Promise.resolve();
			return `${storage.getStore()}`;
		});
		expect(await result).toBe("inside");
		expect(heard).toEqual(["info", "inside"]);
		expect(failures).toEqual([]);
	});

	test("learns of a failure without having to catch it, and its caller gets the same error", async () => {
		const heard: unknown[] = [];
		const { result, failures } = play(
			async (_info, run) => heard.push(await run()),
			() => Promise.reject(FAILURE),
		);
		expect(await catchRejection(result)).toBe(FAILURE);
		expect(heard).toEqual(["Error: the run failed"]);
		expect(failures).toEqual([]);
	});

	test("learns of the end before the caller does", async () => {
		const order: string[] = [];
		const { result } = play(async (_info, run) => {
			await run();
			order.push("hook");
		});
		await result.then(() => order.push("caller"));
		expect(order).toEqual(["hook", "caller"]);
	});

	test("that runs it twice runs it once", async () => {
		const heard: unknown[] = [];
		const { result, run } = play(async (_info, start) =>
			heard.push(...(await Promise.all([start(), start()]))),
		);
		expect(await result).toBe("result");
		expect(heard).toEqual(["result", "result"]);
		expect(run).toHaveBeenCalledOnce();
	});

	test("that ignores what it started changes nothing", async () => {
		const { result, failures } = play(
			(_info, run) => void run(),
			() => Promise.reject(FAILURE),
		);
		expect(await catchRejection(result)).toBe(FAILURE);
		expect(failures).toEqual([]);
	});

	test("that never ends does not keep anybody waiting", async () => {
		const { result } = play(async (_info, run) => {
			await run();
			await new Promise(() => undefined);
		});
		expect(await result).toBe("result");
	});
});

describe("a hook that fails", () => {
	const broken = new Error("the hook failed");

	test.each<[title: string, around: Around<string, string>]>([
		[
			"before it runs anything",
			() => {
				throw broken;
			},
		],
		[
			"after it has begun",
			(_info, run) => {
				void run();
				throw broken;
			},
		],
		[
			"when it learns of the end",
			async (_info, run) => {
				await run();
				throw broken;
			},
		],
		["by a rejection at once", () => Promise.reject(broken)],
		[
			"by what it returns",
			(_info, run) => {
				void run();
				// biome-ignore lint/suspicious/noThenProperty: a thenable that fails is what is tested
				return { then: (_resolve: unknown, reject: (error: unknown) => void) => reject(broken) };
			},
		],
	])("%s is reported once and changes nothing", async (_title, around) => {
		for (const end of [async () => "result", () => Promise.reject(FAILURE)]) {
			const { result, run, failures } = play(around, end);
			await expect(result.catch((error: unknown) => error)).resolves.toBe(
				await end().catch((error: unknown) => error),
			);
			expect(run).toHaveBeenCalledOnce();
			await eventually(() => expect(failures).toEqual([broken]));
		}
	});
});

describe("a hook that does not call run", () => {
	test.each<[title: string, around: Around<string, string>]>([
		["ever", () => undefined],
		[
			"at once",
			async (_info, run) => {
				await Promise.resolve();
				await run();
			},
		],
	])("%s is reported so, and the operation runs without it", async (_title, around) => {
		const { result, run, failures } = play(around);
		expect(run).toHaveBeenCalledOnce();
		expect(await result).toBe("result");
		await eventually(() => expect(failures).toHaveLength(1));
		expect(String(failures[0])).toContain("did not call run");
		expect(run).toHaveBeenCalledOnce();
	});
});
