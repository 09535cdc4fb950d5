import { afterEach, describe, expect, test, vi } from "vitest";
import { platformFetch, randomFraction, randomHex, systemClock } from "../../../src/library/runtime.ts";

afterEach(() => {
	vi.unstubAllGlobals();
	vi.useRealTimers();
});

describe("randomness", () => {
	test("hex has two digits for each byte, and a fraction is below 1", () => {
		vi.stubGlobal("crypto", { getRandomValues: (bytes: Uint8Array) => bytes.set([5, 6, 7]) });
		expect(randomHex(3)).toBe("050607");
		expect(randomFraction()).toBeGreaterThanOrEqual(0);
		expect(randomFraction()).toBeLessThan(1);
	});
});

describe("systemClock", () => {
	test("returns the time and calls once after the delay, unless cancelled", () => {
		vi.useFakeTimers({ now: 1_000 });
		const fired: string[] = [];
		systemClock.setTimer(() => fired.push("first"), 10);
		const cancel = systemClock.setTimer(() => fired.push("cancelled"), 10);
		cancel();
		cancel();
		expect(systemClock.now()).toBe(1_000);
		vi.advanceTimersByTime(9);
		expect(fired).toEqual([]);
		vi.advanceTimersByTime(1_000);
		expect(fired).toEqual(["first"]);
	});

	test.each([
		["a negative delay", -5, 0],
		["a delay longer than timers hold", 2 ** 40, 2 ** 31 - 1],
	])("%s becomes one that timers hold", (_title, delay, expected) => {
		const setTimeout = vi.fn();
		vi.stubGlobal("setTimeout", setTimeout);
		systemClock.setTimer(() => {}, delay);
		expect(setTimeout).toHaveBeenCalledWith(expect.any(Function), expected);
	});
});

test("fetch is looked up when it is called, so that a mock installed later is seen", async () => {
	const response = new Response("mocked");
	vi.stubGlobal(
		"fetch",
		vi.fn(async () => response),
	);
	expect(await platformFetch("https://gateway.example", {})).toBe(response);
});

test.each([true, false])("bytes are a Blob for Deno's fetch, which repeats others: %s", async (isDeno) => {
	const fetch = vi.fn(async (_url: string, _init: RequestInit) => new Response());
	vi.stubGlobal("fetch", fetch);
	if (isDeno) vi.stubGlobal("Deno", {});
	const body = Uint8Array.of(1, 2);
	await platformFetch("https://gateway.example", { method: "POST", body });
	const [, init] = fetch.mock.calls[0] ?? [];
	expect(init?.method).toBe("POST");
	if (!isDeno) return expect(init?.body).toBe(body);
	expect(init?.body).toBeInstanceOf(Blob);
	expect(new Uint8Array(await new Response(init?.body).arrayBuffer())).toEqual(body);
});
