import type { Clock } from "../../../library/runtime.ts";
import { utf8 } from "../../../library/signing/bytes.ts";
import type { GatewayControl } from "../create-control.ts";

/** Proxies and pages close a stream that stays silent. */
const HEARTBEAT_MS = 15_000;

/** How many bytes a reader may lag behind, beside its snapshot. */
export const MAX_BEHIND_BYTES = 1024 * 1024;

const HEARTBEAT = Uint8Array.of(0x3a, 0x0a, 0x0a);

/**
 * Streams all changes as server-sent events: a `snapshot`, and then every `change`. It ends when its reader
 * disconnects. A reader that is too slow is dropped; it can start again with a snapshot.
 *
 * @param onEnd - called once, when the stream ends.
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html
 */
export function openEventStream(
	control: Pick<GatewayControl, "snapshot" | "subscribe">,
	clock: Clock,
	onEnd: () => void = () => {},
): ReadableStream<Uint8Array> {
	const first = encodeEvent("snapshot", control.snapshot());
	let end = (): void => {};
	return new ReadableStream<Uint8Array>(
		{
			start(controller) {
				const send = (chunk: Uint8Array): void => {
					if ((controller.desiredSize ?? 0) > 0) {
						controller.enqueue(chunk);
						return;
					}
					end();
					controller.error(new Error("The reader of the stream is too slow."));
				};
				controller.enqueue(first);
				const unsubscribe = control.subscribe((change) => send(encodeEvent("change", change)));
				const cancelHeartbeat = repeat(clock, HEARTBEAT_MS, () => send(HEARTBEAT));
				end = () => {
					unsubscribe();
					cancelHeartbeat();
					onEnd();
				};
			},
			cancel: () => end(),
		},
		new ByteLengthQueuingStrategy({ highWaterMark: first.byteLength + MAX_BEHIND_BYTES }),
	);
}

/** `JSON.stringify` writes no line breaks, so the data is one line. */
function encodeEvent(name: string, data: unknown): Uint8Array {
	return utf8(`event: ${name}\ndata: ${JSON.stringify(data)}\n\n`);
}

/** @returns a function that stops it. */
function repeat(clock: Clock, intervalMs: number, task: () => void): () => void {
	let cancel = (): void => {};
	const arm = (): void => {
		cancel = clock.setTimer(() => {
			arm();
			task();
		}, intervalMs);
	};
	arm();
	return () => cancel();
}
