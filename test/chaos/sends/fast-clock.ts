import type { SendStore } from "messaging-gateway/sends";
import type { Clock } from "messaging-gateway/testing";

/** A second of the machine is a minute of the run: of the gateway, of every client and of the store alike. */
export const SPEED = 60;

/** The time that all processes of a run share. */
export class FastClock implements Clock {
	readonly #startMs: number;

	constructor(startMs: number) {
		this.#startMs = startMs;
	}

	now(): number {
		return this.convert(Date.now());
	}

	monotonicNow(): number {
		return performance.now() * SPEED;
	}

	setTimer(callback: () => void, delayMs: number): () => void {
		const timer = setTimeout(callback, Math.max(0, delayMs) / SPEED);
		return () => clearTimeout(timer);
	}

	/** A time of the machine as one of this clock. */
	convert(machineMs: number): number {
		return this.#startMs + (machineMs - this.#startMs) * SPEED;
	}

	/** Resolves after so many milliseconds of this clock. */
	pass(ms: number): Promise<void> {
		return new Promise((resolve) => this.setTimer(resolve, ms));
	}

	/** A store whose time, its server's, passes as fast. */
	quicken(store: SendStore): SendStore {
		return {
			...store,
			read: async (key) => {
				const { now, row } = await store.read(key);
				return { now: this.convert(now), row };
			},
			list: async (options) => {
				const { now, rows } = await store.list(options);
				return { now: this.convert(now), rows };
			},
		};
	}
}
