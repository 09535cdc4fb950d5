import { afterEach, describe, expect, test, vi } from "vitest";
import { logChanges } from "../../../../src/tools/cli/dev/log-changes.ts";
import { Terminal, toText } from "../../../../src/tools/cli/terminal.ts";
import type { Change, DeliveryView } from "../../../../src/tools/control/contract.ts";
import { createControlledGateway } from "../../../../src/tools/control/create-controlled-gateway.ts";
import { deliveryView } from "../../../support/console-views.ts";
import { type Outcomes, testOutcomes } from "../../../support/outcomes.ts";

afterEach(() => vi.restoreAllMocks());

/** Returns what `write` writes to standard output. */
function written(write: () => void): string {
	const output = vi.spyOn(process.stdout, "write").mockReturnValue(true);
	write();
	return output.mock.calls.map(([piece]) => String(piece)).join("");
}

const lines = (...rows: readonly string[]) => rows.join("\n");

const TEXTS: Outcomes<unknown> = {
	none: { undefined, null: null, "an empty string": "", "an empty object": {}, "an empty list": [] },
	"0": { "a number": 0 },
	false: { "a boolean": false },
	"\\u009b31m\\u000a\\u202e": { "a string without its control characters": "\u009b31m\n\u202e" },
	[lines("\\u009b: 31m\\u202e", "b: c")]: {
		"names and values without their control characters": { "\u009b": "31m\u202e", b: "c" },
	},
	[lines("list:", "  - id: 1", "    tags:", "      - a", "      - b", "  - 2")]: {
		"a list of objects, with lists in them": { list: [{ id: 1, tags: ["a", "b"] }, 2] },
	},
	[lines("- - 1", "  - 2", "- none")]: { "lists in a list": [[1, 2], []] },
	[lines("inner:", "  nothing: none", "  empty: none", "  deeper:", "    a: 1")]: {
		"objects in an object": { inner: { nothing: null, empty: {}, deeper: { a: 1 } } },
	},
};

describe("a value in lines for people", () => testOutcomes(TEXTS, (value) => toText(value)));

const SHOWN: Outcomes<readonly [value: unknown, isJson: boolean]> = {
	"null\n": { "nothing, for machines": [undefined, true] },
	"none\n": { "nothing, for people": [undefined, false] },
	'{"a":["\\u009b","\\n"]}\n': {
		"one line without control characters, for machines": [{ a: ["\u009b", "\n"] }, true],
	},
	"a: b\n": { "a value for people": [{ a: "b" }, false] },
};

describe("a result", () =>
	testOutcomes(SHOWN, ([value, isJson]) =>
		written(() => new Terminal({ isJson }).show(value, () => toText(value))),
	));

/** What a terminal of a few rows shows: the cursor's moves, its remembered place and the scrolling. */
function screenOf(output: string, height: number): string[] {
	let rows: string[] = [""];
	let [row, column, saved] = [0, 0, 0];
	let scrolled = 0;
	for (const [token] of output.replaceAll("\u001b", "␛").matchAll(/␛(?:7|8|\[\d*[AJ])|[^␛]/g)) {
		if (token === "\n") {
			column = 0;
			row++;
			rows[row] ??= "";
			// The remembered place is one of the screen, not of its text.
			if (row - scrolled >= height) {
				scrolled++;
				saved++;
			}
		} else if (token === "\r") column = 0;
		else if (token === "␛7") saved = row;
		else if (token === "␛8") [row, column] = [saved, 0];
		else if (token.endsWith("A")) row -= Number.parseInt(token.slice(2), 10);
		else if (token.endsWith("J")) rows = [...rows.slice(0, row), (rows[row] ?? "").slice(0, column)];
		else {
			rows[row] =
				(rows[row] ?? "").slice(0, column).padEnd(column) + token + (rows[row] ?? "").slice(column + 1);
			column++;
		}
	}
	return rows.filter((text) => text !== "");
}

describe.each([4, 40])("lines below all others, in a terminal of %i rows", (height) => {
	/** Keeps three lines, lets a person type, and then writes what has become of them. */
	function screenAfter(typed: string): string[] {
		const terminal = new Terminal({ isJson: false, columns: () => 20 });
		const output = written(() => {
			for (let at = 0; at < 5; at++) terminal.say(`line ${at}`);
			terminal.keepBelow(["one queued", "two queued", "three queued"]);
			process.stdout.write(typed);
			terminal.keepBelow(["one sent", "two sent", "three queued and more than fits"]);
			process.stdout.write(typed);
			for (const name of ["one", "two", "three"]) terminal.say(`${name} read`);
			terminal.keepBelow([]);
		});
		return screenOf(output, height);
	}

	test.each(["", "\n", "\n\n\n", "a word", "^C"])("leave no row when a person types %j", (typed) => {
		const before = [0, 1, 2, 3, 4].map((at) => `line ${at}`);
		expect(screenAfter(typed)).toEqual([...before, "one read", "two read", "three read"]);
	});

	test("are cut to one row each", () => {
		const terminal = new Terminal({ isJson: false, columns: () => 10 });
		const output = written(() => terminal.keepBelow(["a line that is long", "a line\nof two rows"]));
		expect(screenOf(output, height)).toEqual(["a line th…", "a line", "of two ro…"]);
	});
});

test.each([true, false])("the reason of a delivery is escaped, with isJson %s", (isJson) => {
	const error = "\u001b[2J\u009b\nno";
	const diagnosis = { cause: "unreachable", reason: error, fix: "Check it.", remedies: [] } as const;
	const attempts: DeliveryView["attempts"] = [{ at: 0, timestamp: 0, headers: {}, error, diagnosis }];
	const delivery = deliveryView({ state: "pending", attempts });
	const control = createControlledGateway().control;
	const listeners: ((change: Change) => void)[] = [];
	const subscribe = (listener: (change: Change) => void) => {
		listeners.push(listener);
		return () => undefined;
	};
	logChanges(new Terminal({ isJson }), { ...control, subscribe });
	const line = written(() => {
		for (const listen of listeners) listen({ type: "delivery", delivery });
	});
	expect(line).toContain("\\u001b[2J\\u009b");
	expect(line.replaceAll("\n", "")).not.toMatch(/\p{Cc}/u);
});
