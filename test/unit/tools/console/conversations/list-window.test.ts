import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
	append,
	ListHistory,
	type ListWindow,
	MAX_WINDOW,
	prepend,
	type Sequenced,
	update,
} from "../../../../../src/tools/console/conversations/state/list-history.ts";
import type { Page, PageQuery } from "../../../../../src/tools/control/contract.ts";
import { readPage } from "../../../../../src/tools/control/read-page.ts";
import { nextTask } from "../../../../../src/tools/local-gateway/next-task.ts";
import { cases } from "../../../../support/cases.ts";

interface Item extends Sequenced {
	readonly state: number;
}

const itemsFrom = (first: number, end: number): Item[] =>
	Array.from({ length: end - first }, (_, at) => ({ sequence: first + at, state: 0 }));

const pageOf = (items: readonly Item[], query: PageQuery): Page<Item> =>
	readPage(items, query, { isFailed: () => false, textsOf: () => [] });

const sequencesOf = ({ items }: ListWindow<Item>): number[] => items.map(({ sequence }) => sequence);

describe("a window", () => {
	test("drops what is far away when there is too much", () => {
		const list = itemsFrom(1, 3 * MAX_WINDOW);
		const newest = pageOf(list, { limit: MAX_WINDOW });
		const [first] = newest.items;
		const scrolledUp = prepend(newest, pageOf(list, { limit: 10, before: first?.sequence }));
		expect(scrolledUp.items).toHaveLength(MAX_WINDOW);
		expect(scrolledUp).toMatchObject({ older: newest.older - 10, newer: 10 });
		const last = scrolledUp.items.at(-1);
		expect(append(scrolledUp, pageOf(list, { limit: 10, after: last?.sequence }))).toEqual(newest);
	});

	test("takes a new item only where the list ends", () => {
		const list = itemsFrom(1, 20);
		const change = { sequence: 20, state: 1 };
		expect(sequencesOf(update(pageOf(list, { limit: 2 }), [change]))).toEqual([18, 19, 20]);
		const earlier = pageOf(list, { limit: 2, before: 10 });
		expect(update(earlier, [change])).toEqual(earlier);
		expect(update(earlier, [{ sequence: 3, state: 1 }])).toEqual(earlier);
		expect(update(earlier, [{ sequence: 9, state: 1 }]).items.at(-1)).toEqual({ sequence: 9, state: 1 });
	});
});

/** A list that grows and changes while a user scrolls; answers come when the walk says so. */
const walk = fc.array(
	fc.oneof(
		fc.constantFrom("older", "newer", "newest", "reload", "answer", "add"),
		fc.record({ around: fc.nat(200) }),
		fc.record({ change: fc.nat(200) }),
	),
	{ maxLength: 60 },
);

test("whatever is loaded while the list changes, the window is a part of the list without gaps", async () => {
	await fc.assert(
		fc.asyncProperty(walk, async (steps) => {
			let list = itemsFrom(1, 200);
			const answers: (() => void)[] = [];
			let window: ListWindow<Item> = { items: [], older: 0, newer: 0 };
			let loading: unknown;
			const history = new ListHistory<Item>(
				(query) => {
					const page = pageOf(list, query);
					return new Promise((resolve) => answers.push(() => resolve(page)));
				},
				(state) => ({ window, loading } = state),
			);
			history.showNewest();
			const answer = async (): Promise<void> => {
				for (const resolve of answers.splice(0)) resolve();
				for (let turn = 0; turn < 5; turn++) await Promise.resolve();
			};
			await answer();
			for (const step of steps) {
				if (step === "older") history.loadMore("older");
				else if (step === "newer") history.loadMore("newer");
				else if (step === "newest") history.showNewest();
				else if (step === "reload") history.reload();
				else if (step === "answer") await answer();
				else if (step === "add") {
					const item = { sequence: list.length + 1, state: 0 };
					list = [...list, item];
					history.update([item]);
				} else if ("around" in step) history.showAround(step.around + 1);
				else {
					const item = { sequence: (step.change % list.length) + 1, state: step.change };
					list = list.with(item.sequence - 1, item);
					history.update([item]);
				}
			}
			while (loading !== null) await answer();
			const first = window.items[0]?.sequence ?? 0;
			expect(window.items).toEqual(list.slice(first - 1, first - 1 + window.items.length));
			expect(window.older).toBe(first - 1);
			// Beyond a window that does not reach the end, new items are counted when it is scrolled there.
			if (window.newer === 0) expect(window.items.at(-1)).toEqual(list.at(-1));
		}),
		{ numRuns: cases(300) },
	);
});

test("a failure is reported, and repeated on demand", async () => {
	const list = itemsFrom(1, 100);
	const states: { problem: string | null; loading: string | null; window: ListWindow<Item> }[] = [];
	let isBroken = false;
	const history = new ListHistory<Item>(
		async (query) => {
			if (isBroken) throw new Error("The gateway can't be reached.");
			return pageOf(list, query);
		},
		(state) => states.push(state),
	);
	history.showNewest();
	await expect.poll(() => states.at(-1)?.loading).toBeNull();
	isBroken = true;
	history.loadMore("older");
	await expect.poll(() => states.at(-1)?.problem).toBe("The gateway can't be reached.");
	expect(states.at(-1)?.window.older).toBe(39);
	isBroken = false;
	history.retry();
	expect(states.at(-1)).toMatchObject({ problem: null, loading: "older" });
	await expect.poll(() => states.at(-1)?.window.older).toBe(0);
});

/** A history of a list, to which items can be added without telling it. */
function follow(list: Item[]) {
	const queries: PageQuery[] = [];
	let window: ListWindow<Item> | undefined;
	const history = new ListHistory<Item>(
		async (query) => {
			queries.push(query);
			return pageOf(list, query);
		},
		(state) => {
			window = state.window;
		},
	);
	return { history, queries, sequences: () => (window === undefined ? [] : sequencesOf(window)) };
}

describe("after changes may have been missed", () => {
	const sequencesFrom = (first: number, end: number) => itemsFrom(first, end).map(({ sequence }) => sequence);

	test("the part that was scrolled to is loaded again, and no more", async () => {
		const list = itemsFrom(1, 2_001);
		const { history, queries, sequences } = follow(list);
		history.showAround(1_000);
		await nextTask();
		list.push(...itemsFrom(2_001, 2_010));
		queries.length = 0;
		history.reload();
		await nextTask();
		expect(sequences()).toEqual(sequencesFrom(941, 1_061));
		expect(queries).toEqual([{ limit: 120, after: 940 }]);
	});

	test("one that reached the newest item reaches it again, however many were missed", async () => {
		const list = itemsFrom(1, 101);
		const { history, sequences } = follow(list);
		history.showNewest();
		await nextTask();
		history.loadMore("older");
		await nextTask();
		list.push(...itemsFrom(101, 701));
		history.reload();
		await nextTask();
		expect(sequences()).toEqual(sequencesFrom(1, 701));
	});

	test("the newest items come instead of a part that is gone", async () => {
		const list = itemsFrom(1, 201);
		const { history, sequences } = follow(list);
		history.showNewest();
		await nextTask();
		list.splice(0, list.length, ...itemsFrom(1, 4));
		history.reload();
		await nextTask();
		expect(sequences()).toEqual([1, 2, 3]);
	});

	test("what was being loaded is begun again", async () => {
		const { history, sequences } = follow(itemsFrom(1, 1_001));
		history.showAround(300);
		history.reload();
		await nextTask();
		expect(sequences()).toEqual(sequencesFrom(241, 361));
	});
});
