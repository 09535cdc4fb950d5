import type { ControlClient } from "../control/client/control-client.ts";
import type { Change, Snapshot } from "../control/contract.ts";
import { PageError } from "./control-client.ts";
import { EventStreamParser, type ServerSentEvent } from "./event-stream.ts";

export type ConnectionState = "connecting" | "live" | "reconnecting";

export interface LiveListener {
	onSnapshot(snapshot: Snapshot): void;
	onChange(change: Change): void;
	onConnection(connection: ConnectionState): void;
	/** The gateway rejected the token or the page; the stream has ended. */
	onRejected(reason: string): void;
}

export interface LiveOptions {
	readonly client: Pick<ControlClient, "openStream">;
	readonly listener: LiveListener;
	readonly signal: AbortSignal;
	readonly sleep?: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** The delays before reconnecting; the last one repeats. */
const RETRY_DELAYS_MS = [500, 1_000, 2_000, 4_000, 8_000];

/** The gateway sends a comment every 15 s; after three missing ones the stream counts as dead. */
const SILENCE_MS = 45_000;

/** Reads the stream and reconnects until the signal is aborted or the gateway rejects the token. Never throws. */
export async function followGateway({ client, listener, signal, sleep = wait }: LiveOptions): Promise<void> {
	let failures = 0;
	listener.onConnection("connecting");
	while (!signal.aborted) {
		try {
			await readStream(client, signal, (message) => {
				failures = 0;
				dispatch(message, listener);
			});
		} catch (error) {
			if (error instanceof PageError && (error.reason === "unauthorized" || error.reason === "forbidden")) {
				listener.onRejected(error.message);
				return;
			}
		}
		if (signal.aborted) return;
		listener.onConnection("reconnecting");
		await sleep(RETRY_DELAYS_MS[Math.min(failures++, RETRY_DELAYS_MS.length - 1)] ?? 0, signal);
	}
}

async function readStream(
	client: LiveOptions["client"],
	signal: AbortSignal,
	onMessage: (message: ServerSentEvent) => void,
): Promise<void> {
	const attempt = new AbortController();
	const decoder = new TextDecoder();
	const parser = new EventStreamParser();
	const watch = (): ReturnType<typeof setTimeout> => setTimeout(() => attempt.abort(), SILENCE_MS);
	let watchdog = watch();
	try {
		const reader = (await client.openStream(AbortSignal.any([signal, attempt.signal]))).getReader();
		for (let part = await reader.read(); !part.done; part = await reader.read()) {
			clearTimeout(watchdog);
			watchdog = watch();
			for (const message of parser.push(decoder.decode(part.value, { stream: true }))) onMessage(message);
		}
	} finally {
		clearTimeout(watchdog);
		attempt.abort();
	}
}

/** Parses without checks: the page and the gateway come from the same build. */
function dispatch({ event, data }: ServerSentEvent, listener: LiveListener): void {
	if (event === "snapshot") {
		const snapshot: Snapshot = JSON.parse(data);
		listener.onConnection("live");
		listener.onSnapshot(snapshot);
	} else if (event === "change") {
		const change: Change = JSON.parse(data);
		listener.onChange(change);
	}
}

function wait(ms: number, signal: AbortSignal): Promise<void> {
	return new Promise((resolve) => {
		const timer = setTimeout(resolve, ms);
		signal.addEventListener("abort", () => {
			clearTimeout(timer);
			resolve();
		});
	});
}
