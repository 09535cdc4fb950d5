import { platformConsole, systemClock } from "../../../library/runtime.ts";
import type { ChangeListener, Thing } from "../../local-gateway/change-feed.ts";
import type { World } from "../../local-gateway/world.ts";
import type { StateChange, StateRow, StateStore } from "./state-store.ts";
import { contentOf, placeOf, thingsOf } from "./to-rows.ts";

/** How long a change waits for others to be written with it; older changes survive a crash. */
const DELAY_MS = 100;

/** How long to wait after a failure, such as a full disk. */
const RETRY_DELAY_MS = 1_000;

/** The place of a row, and the thing to write there; `undefined` if the thing is gone. */
interface PendingChange extends Pick<StateRow, "kind" | "id"> {
	readonly thing: Thing | undefined;
}

/** Writes the changes of a gateway to a store: one row for each changed thing. */
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

	/** Fills the world from this store; only the things that are dropped meanwhile are noted. */
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

	noteAll(): void {
		for (const thing of thingsOf(this.#getWorld())) this.#note(thing, thing);
	}

	/** Writes the changes since the last flush. */
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
			this.#reportFailure(error);
			this.#flushIn(RETRY_DELAY_MS);
		}
	}

	/** Writes the remaining changes and closes the store. */
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

	/** Reports the first failure in a row. Nothing is lost while the process runs, since the write is retried. */
	#reportFailure(error: unknown): void {
		if (this.#hasFailed) return;
		this.#hasFailed = true;
		const reason = error instanceof Error ? error.message : String(error);
		platformConsole.error(`The state could not be written and will be retried: ${reason}`);
	}
}
