import fc from "fast-check";
import {
	compareStatus,
	isOutdatedStatus,
	MESSAGE_STATUSES,
	type MessageStatus,
} from "messaging-gateway/webhooks";
import { describe, expect, test } from "vitest";

const ARRIVING = ["queued", "sent", "SMS_FALLBACK", "delivered", "read", "failed", "new"] as const;

/** `>` comes later, `<` is outdated, `=` repeats, `?` has no order; the columns are those of ARRIVING. */
const TABLE: Record<string, string> = {
	queued: "=>>>>>?",
	sent: "<=>>>>?",
	SMS_FALLBACK: "<<=>>>?",
	delivered: "<<<=>??",
	read: "<<<<=??",
	failed: "<<<??=?",
	new: "??????=",
};

const cells = Object.entries(TABLE).flatMap(([known, row]) =>
	ARRIVING.map((arriving, at) => [known, arriving, row[at] ?? ""] as const),
);

/** Names that every object has, and an empty one: statuses like any other unknown one. */
const STRANGE = ["constructor", "__proto__", "toString", ""];

describe("isOutdatedStatus", () => {
	test.each(cells)("after %s, %s: %s", (known, arriving, sign) => {
		expect(isOutdatedStatus(known, arriving)).toBe(sign === "<");
	});

	test.each(STRANGE)("of %j is false", (name) => {
		expect([isOutdatedStatus(name, "sent"), isOutdatedStatus("sent", name)]).toEqual([false, false]);
		expect(isOutdatedStatus(name, name)).toBe(false);
	});
});

describe("compareStatus", () => {
	test("sorts statuses, each before those that may follow it, and unknown ones last, as they were", () => {
		const sorted = [...MESSAGE_STATUSES, "new", ...STRANGE];
		const shuffled = fc.shuffledSubarray([...MESSAGE_STATUSES], { minLength: MESSAGE_STATUSES.length });
		fc.assert(
			fc.property(shuffled, (statuses) => {
				expect(["new", ...STRANGE, ...statuses].sort(compareStatus)).toEqual(sorted);
			}),
		);
	});

	test("never contradicts isOutdatedStatus", () => {
		for (const [known, arriving, sign] of cells) {
			if (sign === "<") expect(compareStatus(arriving, known)).toBeLessThan(0);
			expect(compareStatus(known, arriving)).toBe(0 - compareStatus(arriving, known));
		}
		expect(ARRIVING.slice(0, -1)).toEqual(MESSAGE_STATUSES);
	});
});

/** The ways of a message that the order allows, from its first status to its last. */
const WAYS: readonly (readonly MessageStatus[])[] = [
	["queued", "sent", "delivered", "read"],
	["queued", "sent", "SMS_FALLBACK", "delivered", "read"],
	["queued", "SMS_FALLBACK", "delivered"],
	["queued", "sent", "SMS_FALLBACK", "failed"],
	["queued", "sent", "failed"],
	["queued", "failed"],
	["sent", "read"],
];

test("any shuffle of a message's statuses, with repeats, ends at the furthest if no outdated one is stored", () => {
	const shuffled = fc.constantFrom(...WAYS).chain((way) =>
		fc.record({
			furthest: fc.constant(way.at(-1)),
			updates: fc
				.array(fc.constantFrom(...way), { maxLength: 8 })
				.chain((repeats) =>
					fc.shuffledSubarray([...way, ...repeats], { minLength: way.length + repeats.length }),
				),
		}),
	);
	fc.assert(
		fc.property(shuffled, ({ furthest, updates }) => {
			const stored = updates.reduce((known, arriving) =>
				isOutdatedStatus(known, arriving) ? known : arriving,
			);
			expect(stored).toBe(furthest);
		}),
	);
});
