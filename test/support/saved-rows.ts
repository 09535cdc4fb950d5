import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openStateFile } from "../../src/tools/cli/dev/state-file.ts";
import type { FoundRow } from "../../src/tools/control/state/state-store.ts";

/**
 * The rows of a state file that another process holds, as if that process were killed now: those of a copy. The
 * write-ahead log is copied last, so that a commit in between is complete or absent.
 */
export function readSavedRows(path: string): readonly FoundRow[] {
	const folder = mkdtempSync(join(tmpdir(), "messaging-gateway-saved-"));
	try {
		const copy = join(folder, "state.db");
		for (const ending of ["", "-wal"]) copyFileSync(path + ending, copy + ending);
		const state = openStateFile(copy);
		try {
			return state.load();
		} finally {
			state.close();
		}
	} finally {
		rmSync(folder, { recursive: true });
	}
}
