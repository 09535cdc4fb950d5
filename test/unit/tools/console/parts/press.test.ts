import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { afterPress, endPress, startPress } from "../../../../../src/tools/console/parts/press.ts";

beforeEach(() => {
	vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
});
afterEach(() => {
	endPress();
	vi.useRealTimers();
});

test("work waits for the end of a press, once, and runs at once without one", () => {
	const task = vi.fn();
	afterPress(task);
	expect(task).toHaveBeenCalledTimes(1);
	startPress();
	afterPress(task);
	afterPress(task);
	vi.advanceTimersByTime(2_000);
	expect(task).toHaveBeenCalledTimes(1);
	endPress();
	endPress();
	expect(task).toHaveBeenCalledTimes(2);
});

test("a press that never ends lets work through after a while, and the next one begins anew", () => {
	const task = vi.fn();
	startPress();
	afterPress(task);
	vi.advanceTimersByTime(2_999);
	startPress();
	vi.advanceTimersByTime(2_999);
	expect(task).not.toHaveBeenCalled();
	vi.advanceTimersByTime(1);
	expect(task).toHaveBeenCalledTimes(1);
});
