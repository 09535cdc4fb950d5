import type { Halt } from "./halts.ts";
import { LEASE_MS } from "./receiver-settings.ts";
import type { Receiver } from "./receivers.ts";
import { type Scene, search } from "./scene.ts";
import { until } from "./until.ts";

/** A pause of a receiver: until which later run of its event it lasts, and how its own run shows that it came too late. */
interface Pause extends Halt {
	readonly later: string;
	readonly isLate: string;
}

const isAtWork = "true";
const isDone = "acknowledged IS NOT NULL";

/** They come in turn. */
export const PAUSES = {
	/** Its write comes too late. */
	pause: [{ place: "handler", ending: "finish", later: "ended = 'written'", isLate: "ended = 'rejected'" }],
	/** Its completion, or its release, comes too late: another run is at work, or done. */
	latePause: [
		{ place: "end", ending: "finish", later: isAtWork, isLate: "was_rejected" },
		{ place: "end", ending: "fail", later: isAtWork, isLate: "was_rejected" },
		{ place: "end", ending: "finish", later: isDone, isLate: "was_rejected" },
		{ place: "end", ending: "fail", later: isDone, isLate: "was_rejected" },
	],
} as const satisfies Record<string, Pause[]>;

/** Pauses a receiver for longer than its lease. @returns whether what it did afterwards was rejected. */
export async function pauseReceiver(scene: Scene, { place, ending, later, isLate }: Pause): Promise<boolean> {
	const { journal, courier } = scene;
	const receiver = await haltReceiver(scene, { place, ending });
	if (receiver === undefined) return false;
	const runId = receiver.haltedIn;
	const [run] = await journal.query("SELECT event_id, token FROM runs WHERE id = $1", [runId]);
	const overtaking = `event_id = $1 AND token > $2 AND ${later}`;
	await until(async () => (await journal.count(overtaking, [run?.["event_id"], run?.["token"]])) > 0);
	receiver.continue();
	const count = (condition: string): Promise<number> => journal.count(`id = $1 AND ${condition}`, [runId]);
	await until(async () => receiver.isKilled || (await count("was_rejected IS NULL")) === 0);
	// A change to a record that was no longer its own would show in a repeat.
	courier.repeat(String(run?.["event_id"]));
	courier.repeat(String(run?.["event_id"]), LEASE_MS);
	return (await count(isLate)) > 0;
}

/** Makes a receiver stop itself in a run. @returns it, unless it was killed before. */
export async function haltReceiver(scene: Scene, order: Halt): Promise<Receiver | undefined> {
	const { random, receivers } = scene;
	const receiver = await search(scene, () => random.shuffle(receivers.running)[0]);
	receiver?.halt(order);
	await search(scene, () => (receiver?.haltedIn !== undefined || receiver?.isKilled ? true : undefined));
	if (receiver?.haltedIn !== undefined) return receiver;
	// Nobody would continue it any more.
	if (receiver?.isKilled === false) await Promise.all([receiver.kill(), receivers.start()]);
	return undefined;
}
