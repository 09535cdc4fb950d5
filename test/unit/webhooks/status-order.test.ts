import fc from "fast-check";
import {
	ConfigurationError,
	compareStatus,
	createStatusTracker,
	type MessageStatus,
	type StatusChange,
} from "messaging-gateway/webhooks";
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

describe("createStatusTracker", () => {
	test("reports for each update what it changes, and keeps the furthest status", () => {
		const { update, get } = createStatusTracker();
		expect(get("m-1")).toBeUndefined();
		expect(update("m-1", "sent")).toEqual({ status: "sent", change: "forward" });
		expect(update("m-1", "read")).toEqual({ status: "read", change: "forward" });
		expect(update("m-1", "delivered")).toEqual({ status: "read", change: "backward" });
		expect(update("m-1", "read")).toEqual({ status: "read", change: "repeat" });
		expect(update("m-1", "failed")).toEqual({ status: "failed", change: "unordered" });
		expect([get("m-1"), get("m-2")]).toEqual(["failed", undefined]);
	});

	test("any shuffle of a message's statuses, with repeats, ends at the furthest", () => {
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
				const { update, get } = createStatusTracker();
				for (const status of updates) update("m-1", status);
				expect(get("m-1")).toBe(furthest);
			}),
		);
	});

	test("an unknown status is kept, and does not let the message fall back behind it", () => {
		const { update } = createStatusTracker();
		update("m-1", "delivered");
		expect(update("m-1", "seen_twice")).toEqual({ status: "seen_twice", change: "unordered" });
		expect(update("m-1", "sent")).toEqual({ status: "seen_twice", change: "backward" });
		expect(update("m-1", "delivered")).toEqual({ status: "seen_twice", change: "repeat" });
		expect(update("m-1", "seen_twice")).toEqual({ status: "seen_twice", change: "repeat" });
		expect(update("m-1", "other")).toEqual({ status: "other", change: "unordered" });
		expect(update("m-1", "queued")).toEqual({ status: "other", change: "backward" });
		expect(update("m-1", "read")).toEqual({ status: "read", change: "unordered" });
	});

	test.each(["first", "constructor", "__proto__"])("the unknown status %s may come first", (name) => {
		const { update, get } = createStatusTracker();
		expect(update("m-1", name)).toEqual({ status: name, change: "forward" });
		expect(update("m-1", "sent")).toEqual({ status: "sent", change: "unordered" });
		expect(get("__proto__")).toBeUndefined();
	});

	test("messages do not mix", () => {
		const { update, get } = createStatusTracker();
		update("m-1", "read");
		update("m-2", "sent");
		expect([get("m-1"), get("m-2")]).toEqual(["read", "sent"]);
	});

	test("is bounded: of too many messages the one updated longest ago is forgotten, by any kind of update", () => {
		const { update, get } = createStatusTracker({ maxMessages: 2 });
		update("m-1", "read");
		update("m-2", "sent");
		update("m-1", "sent");
		update("m-3", "sent");
		expect([get("m-1"), get("m-2"), get("m-3")]).toEqual(["read", undefined, "sent"]);
		expect(update("m-2", "queued")).toEqual({ status: "queued", change: "forward" });
		expect([get("m-1"), get("m-2"), get("m-3")]).toEqual([undefined, "queued", "sent"]);
	});

	test("keeps 10,000 messages by default", () => {
		const { update, get } = createStatusTracker();
		for (let number = 0; number <= 10_000; number++) update(`m-${number}`, "sent");
		expect([get("m-0"), get("m-1"), get("m-10000")]).toEqual([undefined, "sent", "sent"]);
	});

	test.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, "10", null])(
		"maxMessages %j is a configuration error",
		(maxMessages) => {
			expect(() => createStatusTracker({ maxMessages: maxMessages as number })).toThrow(ConfigurationError);
		},
	);
});
