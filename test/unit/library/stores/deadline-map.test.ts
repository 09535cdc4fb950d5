import fc from "fast-check";
import { expect, test } from "vitest";
import { DeadlineMap } from "../../../../src/library/stores/deadline-map.ts";

const step = fc.record({
	key: fc.integer({ min: 0, max: 30 }).map(String),
	/** `undefined` deletes the key. */
	endsAt: fc.option(fc.integer({ min: 0, max: 20 }), { nil: undefined }),
});

test("over any changes, what is over first is what a search finds", () => {
	fc.assert(
		fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
			const map = new DeadlineMap<number>();
			const model = new Map<string, number>();
			for (const [at, { key, endsAt }] of steps.entries()) {
				if (endsAt === undefined) expect(map.delete(key)).toBe(model.delete(key));
				else {
					map.set(key, at, endsAt);
					model.set(key, endsAt);
					expect(map.get(key)).toMatchObject({ value: at, endsAt });
				}
				expect(map.size).toBe(model.size);
				const first = Math.min(...model.values());
				const found = map.firstOver(first);
				expect(found === undefined ? Number.POSITIVE_INFINITY : model.get(found)).toBe(first);
				expect(map.firstOver(first - 1)).toBeUndefined();
			}
		}),
	);
});
