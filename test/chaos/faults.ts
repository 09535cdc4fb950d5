import { Outages } from "./outages.ts";
import { Pauses } from "./pauses.ts";
import { Queue } from "./queue.ts";
import type { Scene } from "./scene.ts";
import type { FaultKind } from "./schedule.ts";

/** How often a fault is tried until it has struck in the middle of something. */
const TRIES = 6;

const OPEN = "worker = $1 AND ended IS NULL";

/** Brings faults about, and counts them. */
export class Faults {
	readonly #scene: Scene;
	readonly #pauses: Pauses;
	readonly outages: Outages;
	readonly counts: Record<FaultKind, number> = {
		kill: 0,
		pause: 0,
		latePause: 0,
		cut: 0,
		restart: 0,
		hang: 0,
	};
	connectionsCut = 0;
	/** One receiver is paused at a time, and the store's server takes one fault after the other. */
	readonly #sleepers = new Queue();
	readonly #servers = new Queue();

	constructor(scene: Scene) {
		this.#scene = scene;
		this.#pauses = new Pauses(scene);
		this.outages = new Outages(scene);
	}

	/** Resolves when the fault is over. */
	strike(kind: FaultKind): Promise<void> {
		const { server, random } = this.#scene;
		switch (kind) {
			case "kill":
				return this.#tryUntil(kind, () => this.#kill());
			case "pause":
				return this.#sleepers.add(() => this.#tryUntil(kind, () => this.#pauses.withinRun()));
			case "latePause":
				return this.#sleepers.add(() => this.#tryUntil(kind, () => this.#pauses.afterRun()));
			case "cut":
				return this.#servers.add(() => this.#tryUntil(kind, () => this.#cut()));
			case "restart":
			case "hang":
				return this.#servers.add(() => {
					const outages = kind === "hang" ? server.hangs : server.restarts;
					return this.#tryUntil(kind, () => this.outages.run(random.pick(outages)));
				});
		}
	}

	/** Tries again if a fault has interrupted nothing. */
	async #tryUntil(kind: FaultKind, strike: () => Promise<boolean>): Promise<void> {
		for (let tries = 0; tries < TRIES; tries++) {
			const hasStruck = await strike();
			this.counts[kind]++;
			if (hasStruck) return;
		}
	}

	/** Kills a receiver in the middle of a handler, and starts another. @returns whether a run was cut off. */
	async #kill(): Promise<boolean> {
		const { receivers, journal, busy } = this.#scene;
		const victim = await busy.find(OPEN);
		await victim.kill();
		await Promise.all([receivers.start(), journal.untilArrived(victim.worker)]);
		return (await journal.count(OPEN, [victim.worker])) > 0;
	}

	async #cut(): Promise<boolean> {
		const { server, journal, random } = this.#scene;
		let count = (await server.cut?.()) ?? 0;
		if (server.cut === undefined || random.chance(0.5)) count += await journal.cutReceivers();
		this.connectionsCut += count;
		return count > 0;
	}
}
