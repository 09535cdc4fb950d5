import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { drain } from "../../../../../src/library/webhooks/adapters/drain.ts";
import { throwing } from "../../../../support/throwing.ts";

const MIB = 1024 * 1024;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A request whose sender still writes these pieces. */
function writing(pieces: () => AsyncIterable<unknown>) {
	return { iterator: vi.fn((_: { destroyOnReturn: boolean }) => pieces()) };
}

test("what a sender still writes is read to its end, and no timer is left", async () => {
	const read: string[] = [];
	const request = writing(async function* () {
		for (const piece of ["a", "b"]) {
			read.push(piece);
			yield piece;
		}
	});
	await drain(request);
	expect(read).toEqual(["a", "b"]);
	expect(request.iterator.mock.calls).toEqual([[{ destroyOnReturn: false }]]);
	expect(vi.getTimerCount()).toBe(0);
});

test("a sender that never ends is read no further than 64 MiB", async () => {
	let pieces = 0;
	const request = writing(async function* () {
		for (;;) {
			pieces++;
			yield new Uint8Array(MIB);
		}
	});
	await drain(request);
	expect(pieces).toBe(65);
});

test("a sender that falls silent is waited for no longer than 30 seconds", async () => {
	const isOver = vi.fn();
	const silent = new Promise<never>(() => undefined);
	const drained = drain(
		writing(async function* () {
			yield await silent;
		}),
	).then(isOver);
	await vi.advanceTimersByTimeAsync(29_999);
	expect(isOver).not.toHaveBeenCalled();
	await vi.advanceTimersByTimeAsync(1);
	await drained;
});

test.each([
	["a sender that breaks off", writing(throwing(new Error("aborted")))],
	["a request without a stream", {} as Parameters<typeof drain>[0]],
])("%s is over at once", async (_, request) => {
	await expect(drain(request)).resolves.toBeUndefined();
	expect(vi.getTimerCount()).toBe(0);
});
