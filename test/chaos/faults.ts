import { Outages } from "./outages.ts";
import { haltReceiver, PAUSES, pauseReceiver } from "./pauses.ts";
import type { Receiver } from "./receivers.ts";
import { TRIES } from "./report.ts";
import { type Scene, search } from "./scene.ts";

/** The faults of the receivers and their store; `latePause` is between the end of a handler and the store. */
export const FAULT_KINDS = ["kill", "pause", "latePause", "cut", "restart", "hang"] as const;
export type FaultKind = (typeof FAULT_KINDS)[number];

/** How often each fault comes. */
export type FaultCounts = Readonly<Record<FaultKind, number>>;

const OPEN = "worker = $1 AND ended IS NULL";
const NONE: FaultCounts = { kill: 0, pause: 0, latePause: 0, cut: 0, restart: 0, hang: 0 };

/** Brings faults about, and counts them. */
export class Faults {
	readonly #scene: Scene;
	readonly outages: Outages;
	/** How often each was tried. */
	readonly tried = { ...NONE };
	/** How often each interrupted something. */
	readonly struck = { ...NONE };
	/** One receiver is paused at a time, and the store's server takes one fault after the other. */
	readonly #sleepers = new Queue();
	readonly #servers = new Queue();

	constructor(scene: Scene) {
		this.#scene = scene;
		this.outages = new Outages(scene);
	}

	/** Resolves when the fault is over. */
	strike(kind: FaultKind): Promise<void> {
		const { server, random } = this.#scene;
		switch (kind) {
			case "kill":
				return this.#tryUntilStruck(kind, (tries) => this.#kill(tries));
			case "pause":
			case "latePause":
				return this.#sleepers.add(() => this.#tryUntilStruck(kind, () => this.#pause(kind)));
			case "cut":
				return this.#servers.add(() => this.#tryUntilStruck(kind, () => this.#cut()));
			case "restart":
			case "hang":
				return this.#servers.add(() => {
					const outages = kind === "hang" ? server.hangs : server.restarts;
					return this.#tryUntilStruck(kind, () => this.outages.run(random.pick(outages)));
				});
		}
	}

	async #tryUntilStruck(kind: FaultKind, strike: (tries: number) => Promise<boolean>): Promise<void> {
		for (let tries = 0; tries < TRIES; tries++) {
			const hasStruck = await strike(tries);
			this.tried[kind]++;
			if (!hasStruck) continue;
			this.struck[kind]++;
			return;
		}
	}

	/**
	 * Kills a receiver in the middle of a handler, and starts another. At first at any moment, within a statement as well;
	 * if that comes too late for the handler, then where it has stopped itself.
	 * @returns whether a run was cut off.
	 */
	async #kill(tries: number): Promise<boolean> {
		if (tries === 0) return this.#end(await search(this.#scene, () => this.#findBusy()));
		const order = { place: "handler", ending: "finish" } as const;
		return this.#sleepers.add(async () => this.#end(await haltReceiver(this.#scene, order)));
	}

	async #findBusy(): Promise<Receiver | undefined> {
		const { receivers, journal, random } = this.#scene;
		for (const receiver of random.shuffle(receivers.running)) {
			if ((await journal.count(OPEN, [receiver.worker])) > 0 && receiver.isRunning) return receiver;
		}
		return undefined;
	}

	async #end(victim: Receiver | undefined): Promise<boolean> {
		const { receivers, journal } = this.#scene;
		if (victim === undefined) return false;
		await victim.kill();
		await Promise.all([receivers.start(), journal.untilArrived(victim.worker)]);
		return (await journal.count(OPEN, [victim.worker])) > 0;
	}

	#pause(kind: "pause" | "latePause"): Promise<boolean> {
		const pauses = PAUSES[kind];
		return pauseReceiver(this.#scene, pauses[this.tried[kind] % pauses.length] ?? pauses[0]);
	}

	async #cut(): Promise<boolean> {
		const { server, journal, random } = this.#scene;
		let count = (await server.cut?.()) ?? 0;
		if (server.cut === undefined || random.chance(0.5)) count += await journal.cutReceivers();
		return count > 0;
	}
}

/** Does one thing after the other. */
class Queue {
	#last: Promise<unknown> = Promise.resolve();

	/** Does this when everything before it is done, or has failed. */
	add<Result>(task: () => Promise<Result>): Promise<Result> {
		const done = this.#last.then(task);
		this.#last = done.catch(() => undefined);
		return done;
	}
}
