import { memoryNonceStore } from "messaging-gateway/signing";
import type { FoundRow, StateChange, StateStore } from "../../src/tools/control/state/state-store.ts";

/** A state in memory that a test can inspect. */
export class MemoryStateStore implements StateStore {
	readonly nonceStore = memoryNonceStore();
	/** The rows, by kind and id. */
	readonly rows = new Map<string, FoundRow>();
	/** What each save wrote. */
	readonly saves: (readonly StateChange[])[] = [];
	isClosed = false;
	/** What the next save fails with. */
	failure: Error | undefined;

	load(): FoundRow[] {
		return [...this.rows.values()];
	}

	save(changes: readonly StateChange[], isCleared: boolean): void {
		if (this.failure !== undefined) throw this.failure;
		this.saves.push(changes);
		if (isCleared) this.rows.clear();
		for (const change of changes) {
			const { kind, id, value } = change;
			if (value === undefined) this.rows.delete(`${kind} ${id}`);
			else this.rows.set(`${kind} ${id}`, { kind, id, value });
		}
	}

	close(): void {
		this.isClosed = true;
	}
}
