import { expect, test } from "vitest";
import { openWindows } from "../../../../../src/tools/console/conversations/state/open-windows.ts";

test("open windows are grouped by message, latest end first", () => {
	const windows = [
		{ messageId: "a", scope: "account", endsAt: 60 },
		{ messageId: "a", scope: "contact", endsAt: 300 },
		{ messageId: "b", scope: "agent", endsAt: 400 },
		{ messageId: "c", scope: "account", endsAt: 50 },
	] as const;
	expect(openWindows(windows, 50)).toEqual([
		{ messageId: "b", windows: [windows[2]] },
		{ messageId: "a", windows: [windows[1], windows[0]] },
	]);
	expect(openWindows(windows, 400)).toEqual([]);
});
