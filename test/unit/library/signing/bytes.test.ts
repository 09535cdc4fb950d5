import { describe, expect, test, vi } from "vitest";
import { collectBytes } from "../../../../src/library/signing/bytes.ts";

const bytes = (...values: number[]) => Uint8Array.from(values);

/** The same chunks as a stream and as an iterable, and a function that is called when reading stops early. */
function sources(chunks: readonly unknown[]) {
	const stopped = vi.fn();
	const stream = () =>
		new ReadableStream<unknown>(
			{
				pull(controller) {
					const next = left.shift();
					if (next === undefined) controller.close();
					else controller.enqueue(next);
				},
				cancel: stopped,
			},
			{ highWaterMark: 0 },
		);
	const left = [...chunks];
	async function* iterable() {
		try {
			yield* chunks;
			left.length = 0;
		} finally {
			if (left.length > 0) stopped();
		}
	}
	return { stopped, stream, iterable };
}

describe.each(["stream", "iterable"] as const)("of a %s", (kind) => {
	test("joins the chunks, up to exactly the limit", async () => {
		const given = sources([bytes(1, 2), bytes(3)]);
		expect(await collectBytes(given[kind](), 3)).toEqual({ bytes: bytes(1, 2, 3) });
		expect(given.stopped).not.toHaveBeenCalled();
	});

	test("stops above the limit", async () => {
		const given = sources([bytes(1, 2), bytes(3, 4), bytes(5)]);
		expect(await collectBytes(given[kind](), 3)).toEqual({ problem: "too_large" });
		expect(given.stopped).toHaveBeenCalledOnce();
	});

	test("stops at what is not bytes", async () => {
		const given = sources(["text", bytes(1)]);
		expect(await collectBytes(given[kind](), 3)).toEqual({ problem: "not_bytes" });
		expect(given.stopped).toHaveBeenCalledOnce();
	});

	test("reads nothing if the announced length is above the limit", async () => {
		const next = vi.fn(async () => ({ done: true, value: undefined }));
		const cancel = vi.fn();
		const source =
			kind === "stream"
				? { getReader: () => ({ read: next, cancel }) }
				: { [Symbol.asyncIterator]: () => ({ next, return: cancel }) };
		expect(await collectBytes(source as never, 3, { announcedBytes: 4 })).toEqual({ problem: "too_large" });
		expect([next.mock.calls.length, cancel.mock.calls.length]).toEqual([0, 1]);
		expect(await collectBytes(source as never, 3, { announcedBytes: Number.NaN })).toEqual({
			bytes: bytes(),
		});
	});
});

describe("a stream that fails or is cancelled", () => {
	test("is broken, with its error", async () => {
		const error = new Error("reset");
		const stream = new ReadableStream({ start: (controller) => controller.error(error) });
		expect(await collectBytes(stream, 3)).toEqual({ problem: "broken", error });
	});

	test("is broken if it cannot be read at all", async () => {
		const stream = new ReadableStream();
		stream.getReader();
		expect(await collectBytes(stream, 3)).toMatchObject({ problem: "broken", error: expect.any(TypeError) });
	});

	test.each(["before", "while"])("is cancelled by a signal that aborts %s it is read", async (moment) => {
		const cancel = vi.fn();
		const controller = new AbortController();
		const reason = new Error("over");
		if (moment === "before") controller.abort(reason);
		const stream = new ReadableStream({ start: (source) => source.enqueue(bytes(1)), cancel });
		const collecting = collectBytes(stream, 3, { signal: controller.signal });
		if (moment === "while") setTimeout(() => controller.abort(reason), 1);
		expect(await collecting).toEqual({ problem: "broken", error: reason });
		expect(cancel).toHaveBeenCalledOnce();
	});

	test("is not cancelled once it was read", async () => {
		const controller = new AbortController();
		const cancel = vi.fn(async () => undefined);
		const reader = { read: async () => ({ done: true, value: undefined }), cancel };
		const stream = { getReader: () => reader } as unknown as ReadableStream;
		expect(await collectBytes(stream, 3, { signal: controller.signal })).toEqual({ bytes: bytes() });
		controller.abort();
		expect(cancel).not.toHaveBeenCalled();
	});
});
