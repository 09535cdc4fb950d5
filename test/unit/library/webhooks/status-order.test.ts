import fc from "fast-check";
import { compareStatus, type MessageStatus, type StatusChange } from "messaging-gateway/webhooks";
import { describe, expect, test } from "vitest";

const ARRIVING = ["queued", "sent", "SMS_FALLBACK", "delivered", "read", "failed", "new"] as const;

/** `>` forward, `<` backward, `=` repeat, `?` unordered; the columns are those of ARRIVING. */
const TABLE: Record<string, string> = {
	queued: "=>>>>>?",
	sent: "<=>>>>?",
	SMS_FALLBACK: "<<=>>>?",
	delivered: "<<<=>??",
	read: "<<<<=??",
	failed: "<<<??=?",
	new: "??????=",
};
const CHANGES: Record<string, StatusChange> = {
	">": "forward",
	"<": "backward",
	"=": "repeat",
	"?": "unordered",
};

describe("compareStatus", () => {
	const cells = Object.entries(TABLE).flatMap(([current, row]) =>
		ARRIVING.map((arriving, at) => [current, arriving, CHANGES[row[at] ?? ""]] as const),
	);

	test.each(cells)("%s, then %s, is %s", (current, arriving, change) => {
		expect(compareStatus(current, arriving)).toBe(change);
	});

	test.each(["constructor", "__proto__", "toString", ""])(
		"%j is a status like any other unknown one",
		(name) => {
			expect(compareStatus(name, "sent")).toBe("unordered");
			expect(compareStatus("sent", name)).toBe("unordered");
			expect(compareStatus(name, name)).toBe("repeat");
		},
	);

	test("what is forward one way is backward the other way", () => {
		const mirrored = { forward: "backward", backward: "forward", repeat: "repeat", unordered: "unordered" };
		for (const [current, arriving, change] of cells)
			expect(compareStatus(arriving, current)).toBe(mirrored[change ?? "repeat"]);
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

test("any shuffle of a message's statuses, with repeats, ends at the furthest if only forward ones are stored", () => {
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
			const stored = updates.reduce((current, arriving) =>
				compareStatus(current, arriving) === "forward" ? arriving : current,
			);
			expect(stored).toBe(furthest);
		}),
	);
});
