import { readFileSync } from "node:fs";
import type { StateFile } from "../../src/tools/control/state/state-keeper.ts";
import { type State, stateSchema } from "../../src/tools/control/state/state-schema.ts";

/** A state file in memory. */
export class MemoryStateFile implements StateFile {
	readonly name = "state.json";
	content = "";
	/** How often it was written. */
	writes = 0;
	isClosed = false;
	/** What the next write fails with. */
	failure: Error | undefined;

	read(): string {
		return this.content;
	}

	get state(): State {
		return parseSaved(this.content);
	}

	replace(content: string): void {
		if (this.failure !== undefined) throw this.failure;
		this.content = content;
		this.writes += 1;
	}

	close(): void {
		this.isClosed = true;
	}
}

/** The state in a file that another process holds, as if that process were killed now. */
export function readSavedState(path: string): State {
	return parseSaved(readFileSync(path, "utf8"));
}

function parseSaved(content: string): State {
	const { success, data, error } = stateSchema.safeParse(JSON.parse(content));
	if (success) return data;
	throw error;
}
