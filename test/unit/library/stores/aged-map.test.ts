import fc from "fast-check";
import { expect, test } from "vitest";
import { AgedMap } from "../../../../src/library/stores/aged-map.ts";

test("the oldest is what a plain map has first, after any sets, deletes and look-ups", () => {
	const step = fc.record({
		key: fc.constantFrom("a", "b", "c", "d", "e"),
		act: fc.constantFrom("set", "delete", "ask", "dropOldest"),
	});
	fc.assert(
		fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
			const aged = new AgedMap<number>();
			const plain = new Map<string, number>();
			for (const [at, { key, act }] of steps.entries()) {
				const [first] = plain;
				const oldest = first && { key: first[0], value: first[1] };
				if (act === "set") {
					aged.set(key, at);
					plain.set(key, at);
				} else if (act === "delete") {
					expect(aged.delete(key)).toBe(plain.delete(key));
				} else {
					expect(aged.oldest()).toEqual(oldest);
					if (act === "dropOldest" && oldest !== undefined) {
						aged.delete(oldest.key);
						plain.delete(oldest.key);
					}
				}
			}
			expect([...aged]).toEqual([...plain]);
		}),
	);
});
