import { afterEach, expect, test, vi } from "vitest";
import { logChanges } from "../../../../src/tools/cli/dev/log-changes.ts";
import { Terminal, toText } from "../../../../src/tools/cli/terminal.ts";
import type { Change, DeliveryView } from "../../../../src/tools/control/contract.ts";
import { createControlledGateway } from "../../../../src/tools/control/create-controlled-gateway.ts";
import { deliveryView } from "../../../support/console-views.ts";

afterEach(() => vi.restoreAllMocks());

/** Returns what `write` writes to standard output. */
function written(write: () => void): string {
	const output = vi.spyOn(process.stdout, "write").mockReturnValue(true);
	write();
	return output.mock.calls.map(([piece]) => String(piece)).join("");
}

test("undefined is null to machines and none to people", () => {
	const show = (isJson: boolean) =>
		written(() => new Terminal({ isJson }).show(undefined, () => toText(undefined)));
	expect(show(true)).toBe("null\n");
	vi.restoreAllMocks();
	expect(show(false)).toBe("none\n");
});

test("a value is shown in lines, without control characters", () => {
	const value = {
		"\u009b": "31m\u202e",
		list: [{ id: 1, tags: ["a", "b"] }, 2],
		inner: { nothing: null, empty: {} },
	};
	expect(toText(value)).toBe(
		[
			"\\u009b: 31m\\u202e",
			"list:",
			"  - id: 1",
			"    tags:",
			"      - a",
			"      - b",
			"  - 2",
			"inner:",
			"  nothing: none",
			"  empty: none",
		].join("\n"),
	);
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
