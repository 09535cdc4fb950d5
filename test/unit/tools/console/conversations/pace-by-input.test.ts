import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { paceByInput } from "../../../../../src/tools/console/conversations/hooks/pace-by-input.ts";
import { PacedChanges } from "../../../../../src/tools/console/conversations/state/paced-changes.ts";

let page: EventTarget;
beforeEach(() => {
	vi.useFakeTimers({ toFake: ["performance", "setTimeout", "clearTimeout"] });
	page = new EventTarget();
	vi.stubGlobal("addEventListener", page.addEventListener.bind(page));
	vi.stubGlobal("requestAnimationFrame", (task: () => void) => setTimeout(task, 16));
});
afterEach(() => {
	vi.unstubAllGlobals();
	vi.useRealTimers();
});

const fire = (type: string, fields: object = {}): boolean =>
	page.dispatchEvent(Object.assign(new Event(type), fields));

/** Presses, and adds a change that waits for what ends the press. */
function press(type: string, fields: object) {
	const ran: string[] = [];
	const end = new AbortController();
	const changes = new PacedChanges(() => [() => ran.push("changed")]);
	paceByInput(changes, end.signal);
	fire(type, fields);
	changes.add({ type: "clock", now: 0, offsetMs: 0 });
	vi.advanceTimersByTime(1_000);
	return { ran, changes, end };
}

test.each(["click", "pointercancel", "keyup", "contextmenu", "dragstart", "blur", "visibilitychange"])(
	"a press ends with %s, once what handles that is done",
	(type) => {
		const { ran } = press("pointerdown", { button: 0 });
		expect(ran).toEqual([]);
		fire(type);
		expect(ran).toEqual([]);
		vi.advanceTimersByTime(1);
		expect(ran).toEqual(["changed"]);
	},
);

test("a release is followed by its click, even in a later event", () => {
	const { ran } = press("pointerdown", { button: 0 });
	fire("pointerup");
	vi.advanceTimersByTime(40);
	expect(ran).toEqual([]);
	vi.advanceTimersByTime(10);
	expect(ran).toEqual(["changed"]);
});

test("the release of one press does not end the next", () => {
	const { ran } = press("pointerdown", { button: 0 });
	fire("pointerup");
	fire("pointerdown", { button: 0 });
	vi.advanceTimersByTime(500);
	expect(ran).toEqual([]);
});

test.each([
	["the space bar", "keydown", { key: " " }, 0],
	["a space bar that repeats", "keydown", { key: " ", repeat: true }, 1],
	["another key", "keydown", { key: "Enter" }, 1],
	["another button", "pointerdown", { button: 2 }, 1],
])("changes wait for a release that clicks: %s", (_name, type, fields, count) => {
	expect(press(type, fields).ran).toHaveLength(count);
});

test("nothing waits for a page that is gone", () => {
	const { ran, changes, end } = press("keyup", {});
	end.abort();
	fire("pointerdown", { button: 0 });
	changes.add({ type: "clock", now: 1, offsetMs: 0 });
	vi.advanceTimersByTime(1_000);
	expect(ran).toEqual(["changed", "changed"]);
});
