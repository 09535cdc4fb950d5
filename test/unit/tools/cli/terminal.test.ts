import { afterEach, expect, test, vi } from "vitest";
import { createChangeLog } from "../../../../src/tools/cli/dev/log-changes.ts";
import { pretty, Terminal } from "../../../../src/tools/cli/terminal.ts";
import type { DeliveryView } from "../../../../src/tools/control/contract.ts";
import { deliveryView } from "../console/conversations/views.ts";

afterEach(() => vi.restoreAllMocks());

/** Returns what `write` writes to standard output. */
function written(write: () => void): string {
	const output = vi.spyOn(process.stdout, "write").mockReturnValue(true);
	write();
	return output.mock.calls.map(([piece]) => String(piece)).join("");
}

test("undefined is shown as null, to people and to machines", () => {
	for (const isJson of [true, false]) {
		expect(written(() => new Terminal({ isJson }).show(undefined, () => pretty(undefined)))).toBe("null\n");
		vi.restoreAllMocks();
	}
});

test("a value for people keeps its lines, but no other control characters", () => {
	expect(pretty({ text: "\u009b31m\u202e" })).toBe('{\n  "text": "\\u009b31m\\u202e"\n}');
});

test.each([true, false])("the error of a delivery is escaped, with isJson %s", (isJson) => {
	const attempts: DeliveryView["attempts"] = [
		{ at: 0, timestamp: 0, headers: {}, error: "\u001b[2J\u009b\nno" },
	];
	const delivery = deliveryView({ state: "pending", attempts });
	const log = createChangeLog(new Terminal({ isJson }));
	const line = written(() => log({ type: "delivery", delivery }));
	expect(line).toContain("\\u001b[2J\\u009b");
	expect(line.replace(/\n$/, "")).not.toMatch(/\p{Cc}/u);
});
