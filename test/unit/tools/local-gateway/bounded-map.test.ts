import { expect, test } from "vitest";
import { BoundedMap } from "../../../../src/tools/local-gateway/bounded-map.ts";

test("the oldest goes first, over many more entries than fit", () => {
	const dropped: number[] = [];
	const map = new BoundedMap<number, number>(3, (value) => dropped.push(value));
	for (let at = 0; at < 1_000; at++) map.set(at, at);
	expect(dropped).toEqual(Array.from({ length: 997 }, (_, at) => at));
	expect([...map.keys()]).toEqual([997, 998, 999]);
});

test("an entry that is set again after it was deleted is the youngest", () => {
	const map = new BoundedMap<string, number>(2);
	map.set("a", 1).set("b", 2);
	map.delete("a");
	map.set("a", 3).set("c", 4);
	expect([...map]).toEqual([
		["a", 3],
		["c", 4],
	]);
});

test("a map of one entry, and one that was emptied, drop the oldest as well", () => {
	const dropped: number[] = [];
	const map = new BoundedMap<number, number>(1, (value) => dropped.push(value));
	map.set(1, 1).set(2, 2).set(3, 3);
	map.clear();
	map.set(4, 4).set(5, 5);
	map.delete(5);
	map.set(6, 6).set(7, 7);
	expect(dropped).toEqual([1, 2, 4, 6]);
	expect([...map.keys()]).toEqual([7]);
});
