import { chownSync, linkSync, renameSync, rmSync, type Stats, writeFileSync } from "node:fs";
import process from "node:process";
import { randomHex } from "../runtime.ts";

/** Only the owner may read secrets. */
export const OWNER_ONLY = 0o600;

/** What the owner may do with a file; what others may is not in it. */
const OWNER_MASK = 0o700;

/**
 * Creates a file with all of its content, for its owner alone, or not at all.
 * @returns whether it did; `false` where there is such a file already.
 */
export function createWholeFile(path: string, content: string): boolean {
	return withDraft(path, content, OWNER_ONLY, (draft) => {
		try {
			// Of two processes, one finds that there is a file; a rename would replace it.
			linkSync(draft, path);
			return true;
		} catch (cause) {
			if (cause instanceof Error && "code" in cause && cause.code === "EEXIST") return false;
			throw cause;
		}
	});
}

/** Replaces a file at once. Its owner stays, with what the owner may do; others may not read it. */
export function replaceWholeFile(path: string, content: string, { mode, uid, gid }: Stats): void {
	withDraft(path, content, mode & OWNER_MASK, (draft) => {
		if (process.getuid?.() !== uid || process.getgid?.() !== gid) chownSync(draft, uid, gid);
		renameSync(draft, path);
	});
}

/** Writes a file beside another one, and removes it if it is still there afterwards. */
function withDraft<Result>(
	path: string,
	content: string,
	mode: number,
	use: (draft: string) => Result,
): Result {
	const draft = `${path}.${randomHex(8)}.tmp`;
	try {
		writeFileSync(draft, content, { flag: "wx", mode, flush: true });
		return use(draft);
	} finally {
		rmSync(draft, { force: true });
	}
}
