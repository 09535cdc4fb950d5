import { systemClock } from "../../runtime.ts";
import type { NodeStream } from "./node-request.ts";

/** As long as nginx lingers by default. */
const MAX_DRAIN_MS = 30_000;
const MAX_DRAINED_BYTES = 67_108_864;

/**
 * Reads and discards what a sender still writes after its response was written: up to 64 MiB, for up to 30 seconds.
 * A connection that is closed with unread bytes is reset, and the sender may lose the response to the reset (RFC 9112
 * section 9.6). Never rejects.
 */
export async function drain(request: Pick<NodeStream, "iterator">): Promise<void> {
	let cancelTimer = (): void => undefined;
	const timeIsOver = new Promise<void>((resolve) => {
		cancelTimer = systemClock.setTimer(resolve, MAX_DRAIN_MS);
	});
	await Promise.race([discard(request), timeIsOver]);
	cancelTimer();
}

async function discard(request: Pick<NodeStream, "iterator">): Promise<void> {
	let leftBytes = MAX_DRAINED_BYTES;
	try {
		for await (const piece of request.iterator({ destroyOnReturn: false })) {
			leftBytes -= ArrayBuffer.isView(piece) ? piece.byteLength : String(piece).length;
			if (leftBytes < 0) return;
		}
	} catch {
		// A sender that breaks off wants no response.
	}
}

/** The Content-Length that lets a sender see the end of a response whose connection stays open meanwhile. */
export function countBytes(body: string): string {
	return String(new TextEncoder().encode(body).length);
}
