import { platformConsole, systemClock } from "../../../runtime.ts";
import type { ChangeListener, Thing } from "../../change-feed.ts";
import type { World } from "../../world.ts";
import type { StateChange, StateRow, StateStore } from "./state-store.ts";
import { contentOf, placeOf, thingsOf } from "./to-rows.ts";

/** How long a change waits for others to be written with it; what is older survives whatever happens. */
const DELAY_MS = 100;

/** How long to wait after a failure, such as a full disk. */
const RETRY_DELAY_MS = 1_000;

/** Where a row is, and what is to be written there; `undefined` where the thing is gone. */
interface PendingChange extends Pick<StateRow, "kind" | "id"> {
	readonly thing: Thing | undefined;
}

/** Writes what changes in a gateway to a store: a row for each thing that changed, and nothing else. */
export class StateKeeper implements ChangeListener {
	readonly #store: StateStore;
	readonly #getWorld: () => World;
	readonly #changes = new Map<string, PendingChange>();
	#isCleared = false;
	#isRestoring = false;
	#hasFailed = false;
	#cancelTimer: (() => void) | undefined;

	constructor(store: StateStore, getWorld: () => World) {
		this.#store = store;
		this.#getWorld = getWorld;
	}

	/** Runs what fills the world from this very store; only what does not fit in any more is news. */
	restore(fill: () => void): void {
		this.#isRestoring = true;
		fill();
		this.#isRestoring = false;
	}

	changed(thing: Thing): void {
		if (!this.#isRestoring) this.#note(thing, thing);
	}

	dropped(thing: Thing): void {
		this.#note(thing, undefined);
	}

	reset(): void {
		this.#changes.clear();
		this.#isCleared = true;
		this.noteAll();
	}

	/** Notes everything that there is. */
	noteAll(): void {
		for (const thing of thingsOf(this.#getWorld())) this.#note(thing, thing);
	}

	/** Writes what has changed since the last time. */
	flush(): void {
		this.#cancelTimer?.();
		this.#cancelTimer = undefined;
		if (this.#changes.size === 0 && !this.#isCleared) return;
		try {
			this.#store.save(this.#rows(), this.#isCleared);
			this.#changes.clear();
			this.#isCleared = false;
			this.#hasFailed = false;
		} catch (error) {
			this.#complain(error);
			this.#flushIn(RETRY_DELAY_MS);
		}
	}

	/** Writes what is left, and ends. */
	close(): void {
		this.flush();
		this.#cancelTimer?.();
		this.#store.close();
	}

	#note(thing: Thing, value: Thing | undefined): void {
		const place = placeOf(thing);
		if (place === undefined) return;
		this.#changes.set(`${place.kind} ${place.id}`, { ...place, thing: value });
		this.#flushIn(DELAY_MS);
	}

	#flushIn(delayMs: number): void {
		this.#cancelTimer ??= systemClock.setTimer(() => this.flush(), delayMs);
	}

	#rows(): StateChange[] {
		const world = this.#getWorld();
		return Array.from(this.#changes.values(), ({ kind, id, thing }) =>
			thing === undefined ? { kind, id, value: undefined } : { kind, id, value: contentOf(thing, world) },
		);
	}

	/** Nothing is lost as long as the process lives: what could not be written is tried again. */
	#complain(error: unknown): void {
		if (this.#hasFailed) return;
		this.#hasFailed = true;
		const reason = error instanceof Error ? error.message : String(error);
		platformConsole.error(`The state cannot be written, and is tried again: ${reason}`);
	}
}
