import type { Change, Snapshot } from "../local-gateway/control/contract.ts";
import { type ControlClient, ControlError } from "./control-client.ts";
import { EventStreamParser, type ServerSentEvent } from "./event-stream.ts";

/** How the page stands with the gateway. */
export type Connection = "connecting" | "live" | "reconnecting";

/** Who wants to know what comes. */
export interface LiveListener {
	onSnapshot(snapshot: Snapshot): void;
	onChange(change: Change): void;
	onConnection(connection: Connection): void;
	/** The gateway takes the token, or the page, for a stranger; nothing comes any more. */
	onRefused(reason: string): void;
}

/** What {@link followGateway} works with. */
export interface LiveOptions {
	readonly client: Pick<ControlClient, "openStream">;
	readonly listener: LiveListener;
	readonly signal: AbortSignal;
	readonly sleep?: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** How long to wait before each new try; the last one repeats. */
const RETRY_DELAYS_MS = [500, 1_000, 2_000, 4_000, 8_000];

/** A comment comes every 15 s, so a stream that is silent for three of them is dead. */
const SILENCE_MS = 45_000;

/** Follows the gateway until the signal ends it, or the gateway refuses the token. Never rejects. */
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
			if (error instanceof ControlError && (error.status === 401 || error.status === 403)) {
				listener.onRefused(error.message);
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

/** The page and the gateway are of one build, so what is on the stream is what the contract says. */
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

/** Resolves after a time, or at once when the signal ends it. */
function wait(ms: number, signal: AbortSignal): Promise<void> {
	return new Promise((resolve) => {
		const timer = setTimeout(resolve, ms);
		signal.addEventListener("abort", () => {
			clearTimeout(timer);
			resolve();
		});
	});
}
