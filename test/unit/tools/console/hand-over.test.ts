import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { handOver, takeHandOver } from "../../../../src/tools/console/hand-over.ts";

beforeEach(() => {
	const kept = new Map<string, string>();
	vi.stubGlobal("sessionStorage", {
		getItem: (name: string) => kept.get(name) ?? null,
		setItem: (name: string, value: string) => void kept.set(name, value),
		removeItem: (name: string) => void kept.delete(name),
	});
});

afterEach(() => {
	vi.unstubAllGlobals();
});

test("a page takes what was handed to it, once", () => {
	const delivery = { headers: { "X-A": "b" }, body: "{}", now: "" };
	handOver("/explain", delivery);
	expect(takeHandOver("/docs")).toBeUndefined();
	expect(takeHandOver("/explain")).toEqual(delivery);
	expect(takeHandOver("/explain")).toBeUndefined();
});
