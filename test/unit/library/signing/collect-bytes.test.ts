import { describe, expect, test } from "vitest";
import { collectBytes } from "../../../../src/library/signing/bytes.ts";
import { countedStream } from "../../../support/body-streams.ts";

async function collect(pieces: Iterable<Uint8Array>, maxBytes = 1_000_000): Promise<Uint8Array> {
	async function* source() {
		yield* pieces;
	}
	const collected = await collectBytes(source(), maxBytes);
	if (!("bytes" in collected)) throw new Error(collected.problem);
	return collected.bytes;
}

/** The first piece, and further ones that all lie in the same byte: who keeps them has the last one many times. */
function* oneByteAtATime(count: number): Generator<Uint8Array> {
	yield Uint8Array.of(0);
	const reused = new Uint8Array(1);
	for (let at = 1; at < count; at++) {
		reused[0] = at;
		yield reused;
	}
}

describe("a body that arrives", () => {
	test("in one piece is that piece, whatever empty ones are around it", async () => {
		const piece = Uint8Array.of(1, 2, 3);
		expect(await collect([piece])).toBe(piece);
		expect(await collect([new Uint8Array(), piece, new Uint8Array()])).toBe(piece);
	});

	test("without a piece is empty", async () => {
		expect(await collect([])).toEqual(new Uint8Array());
		expect(await collect([new Uint8Array()])).toEqual(new Uint8Array());
	});

	test("in pieces of one byte is copied piece by piece, into a buffer that doubles", async () => {
		const bytes = await collect(oneByteAtATime(5_000));
		expect(
			Buffer.compare(
				bytes,
				Uint8Array.from({ length: 5_000 }, (_, at) => at),
			),
		).toBe(0);
		expect(bytes.buffer.byteLength).toBeLessThanOrEqual(2 * bytes.length);
	});

	test.each([1_000, 1_500.5])("never has a buffer above the limit of %d bytes", async (maxBytes) => {
		const bytes = await collect(oneByteAtATime(1_000), maxBytes);
		expect([bytes.length, bytes.buffer.byteLength <= maxBytes]).toEqual([1_000, true]);
	});

	test("leaves the memory around its first piece alone", async () => {
		const pool = Uint8Array.of(7, 7, 7, 7);
		expect([...(await collect([pool.subarray(1, 2), Uint8Array.of(1), Uint8Array.of(2)]))]).toEqual([
			7, 1, 2,
		]);
		expect([...pool]).toEqual([7, 7, 7, 7]);
	});

	test("has the limit at most, and is read no further", async () => {
		for (const [count, problem] of [
			[3, undefined],
			[4, "too_large"],
		] as const) {
			const { stream, pulled } = countedStream(count + 5 * Number(count > 3), 10);
			const collected = await collectBytes(stream, 30);
			expect("problem" in collected ? collected.problem : undefined).toBe(problem);
			expect(pulled()).toBe(4);
		}
	});
});
