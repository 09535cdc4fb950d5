import type { Ending } from "./receiver-orders.ts";
import type { Scene } from "./scene.ts";
import { until } from "./until.ts";

/** A receiver's runs that have not ended; the stubborn ones write even after their signal fired. */
const OPEN = "worker = $1 AND ended IS NULL";
const STUBBORN = `${OPEN} AND ignores_signal`;

/** Runs by which another one has been overtaken. */
const LATER = "event_id = $1 AND token > (SELECT max(token) FROM runs WHERE event_id = $1 AND worker = $2)";

/** If the store fails so many deliveries meanwhile, the paused receiver blocks it: it holds the lock of a file. */
const MAX_UNAVAILABLE = 50;

/** What a paused receiver does when it goes on, and whether another one has then finished the event or still runs. */
interface LatePause {
	readonly ending: Ending;
	readonly waitsForEnd: boolean;
}

/** They come in turn. */
const LATE_ONES = [
	{ ending: "finish", waitsForEnd: false },
	{ ending: "fail", waitsForEnd: false },
	{ ending: "finish", waitsForEnd: true },
	{ ending: "fail", waitsForEnd: true },
] as const satisfies LatePause[];

/** Pauses receivers for longer than their leases. Each method returns whether a late write was rejected. */
export class Pauses {
	readonly #scene: Scene;
	#lateCount = 0;

	constructor(scene: Scene) {
		this.#scene = scene;
	}

	/** Pauses one in the middle of a handler, until another one has written: its write comes too late. */
	async withinRun(): Promise<boolean> {
		const { journal, courier, busy } = this.#scene;
		const sleeper = await busy.find(STUBBORN);
		sleeper.pause();
		await journal.untilArrived(sleeper.worker);
		const open = await journal.query(`SELECT id, event_id FROM runs WHERE ${STUBBORN}`, [sleeper.worker]);
		const ids = open.map(({ id }) => id);
		if (ids.length > 0) {
			const overtaken = "id = ANY($1) AND token < (SELECT token FROM effects WHERE event_id = runs.event_id)";
			const unavailable = (): number => courier.count("503 store_unavailable");
			const tooMany = unavailable() + MAX_UNAVAILABLE;
			await until(async () => unavailable() >= tooMany || (await journal.count(overtaken, [ids])) > 0);
		}
		sleeper.continue();
		const isQuiet = async () =>
			sleeper.isKilled || (await journal.count("id = ANY($1) AND ended IS NULL", [ids])) === 0;
		await until(isQuiet);
		for (const { event_id: eventId } of open) courier.repeat(String(eventId));
		return (await journal.count("id = ANY($1) AND ended = 'rejected'", [ids])) > 0;
	}

	/**
	 * Pauses one between the end of a handler and the store, until another one is at work or done: its completion or
	 * release comes too late.
	 */
	async afterRun(): Promise<boolean> {
		const { leaseMs, journal, courier, busy } = this.#scene;
		const sleeper = await busy.find(OPEN);
		const { ending, waitsForEnd } = LATE_ONES[this.#lateCount++ % LATE_ONES.length] ?? LATE_ONES[0];
		const eventId = await busy.requestMoreUntil(`the end of a run of worker ${sleeper.worker}`, (signal) =>
			sleeper.pauseAfterRun(ending, signal),
		);
		if (eventId === undefined) return false;
		const later = waitsForEnd ? `${LATER} AND acknowledged IS NOT NULL` : LATER;
		const isOvertaken = async () => (await journal.count(later, [eventId, sleeper.worker])) > 0;
		await until(isOvertaken, { everyMs: 5 });
		sleeper.continue();
		const own = "event_id = $1 AND worker = $2";
		const count = (condition: string) => journal.count(`${own} AND ${condition}`, [eventId, sleeper.worker]);
		await until(async () => sleeper.isKilled || (await count("was_rejected IS NULL")) === 0);
		// A change to a record that was no longer its own would show in a repeat.
		courier.repeat(eventId);
		courier.repeat(eventId, leaseMs);
		return (await count("was_rejected")) > 0;
	}
}
