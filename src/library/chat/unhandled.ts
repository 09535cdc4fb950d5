import { findTimer, processEvents } from "../host.ts";

const EVENT = "unhandledRejection";

/** The member of the listener with its hearers: all copies of this package share one, however many there are. */
const HEARERS = "~messaging-gateway";

/** Who hears of an error that nobody has handled. Those of others are none of ours. */
const hearers = new WeakMap<object, () => void>();

function hear(error: unknown): void {
	const hearer = hearers.get(Object(error));
	if (hearer === undefined) passOn(error);
	else hearer();
}

const listener = Object.assign(hear, { [HEARERS]: hearers });

function isOurs(other: object): other is typeof listener {
	return HEARERS in other;
}

/** Without a listener of the application's, the host does what it does without ours. */
function passOn(error: unknown): void {
	const events = processEvents();
	if (!events?.listeners(EVENT).every(isOurs)) return;
	events.off(EVENT, listener);
	void Promise.reject(error);
}

/**
 * Calls back if nobody handles a rejection with this error. Chat SDK's own promise of a post rejects with it as well: one
 * that the bot does not await would end the process, and with it all that runs there.
 */
export function onUnhandled(error: unknown, hearer: () => void): void {
	const events = processEvents();
	const listening = events?.listeners(EVENT).find(isOurs);
	if (listening === undefined) events?.on(EVENT, listener);
	(listening ?? listener)[HEARERS].set(Object(error), hearer);
}

/** As it is at import: a test that fakes it later must not stop a run. Where there is none, nothing is reported either. */
const setTask = findTimer("setImmediate") ?? queueMicrotask;

/** Resolves when the host has reported what nobody handles. */
export function afterReports(): Promise<void> {
	return new Promise((resolve) => void setTask(resolve));
}
