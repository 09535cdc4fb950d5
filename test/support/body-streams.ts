/** A stream of these chunks; an error among them breaks it there. */
export function streamOf(...chunks: (Uint8Array | Error)[]): ReadableStream<Uint8Array> {
	const left = [...chunks];
	return new ReadableStream<Uint8Array>({
		pull(controller) {
			const chunk = left.shift();
			if (chunk === undefined) controller.close();
			else if (chunk instanceof Error) controller.error(chunk);
			else controller.enqueue(chunk);
		},
	});
}

/** A stream of `count` chunks of zeros that tells how many were pulled. */
export function countedStream(count: number, chunkBytes: number) {
	let pulls = 0;
	let wasCancelled = false;
	const stream = new ReadableStream<Uint8Array>(
		{
			pull(controller) {
				if (pulls++ < count) controller.enqueue(new Uint8Array(chunkBytes));
				else controller.close();
			},
			cancel() {
				wasCancelled = true;
			},
		},
		{ highWaterMark: 0 },
	);
	return { stream, pulled: () => pulls, isCancelled: () => wasCancelled };
}
