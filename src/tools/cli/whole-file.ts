import { randomBytes } from "node:crypto";
import { chownSync, linkSync, renameSync, rmSync, type Stats, writeFileSync } from "node:fs";
import process from "node:process";
import { systemCodeOf } from "./failure.ts";

/** Read and write for the owner, nothing for others. */
export const OWNER_ONLY = 0o600;

/** The owner's bits of a file mode. */
const OWNER_MASK = 0o700;

/**
 * Atomically creates a file with its content, readable by its owner only.
 * @returns `false` if the file already exists.
 */
export function createWholeFile(path: string, content: string): boolean {
	return withDraft(path, content, OWNER_ONLY, (draft) => {
		try {
			// A link fails if another process was faster; a rename would replace its file.
			linkSync(draft, path);
			return true;
		} catch (cause) {
			if (systemCodeOf(cause) === "EEXIST") return false;
			throw cause;
		}
	});
}

/** Atomically replaces a file. It keeps its owner and the owner's permissions; others get none. */
export function replaceWholeFile(path: string, content: string, { mode, uid, gid }: Stats): void {
	withDraft(path, content, mode & OWNER_MASK, (draft) => {
		if (process.getuid?.() !== uid || process.getgid?.() !== gid) chownSync(draft, uid, gid);
		renameSync(draft, path);
	});
}

/** Writes a temporary file beside `path`, passes it to `use`, and removes it if it still exists. */
function withDraft<Result>(
	path: string,
	content: string,
	mode: number,
	use: (draft: string) => Result,
): Result {
	const draft = `${path}.${randomBytes(8).toString("hex")}.tmp`;
	try {
		writeFileSync(draft, content, { flag: "wx", mode, flush: true });
		return use(draft);
	} finally {
		rmSync(draft, { force: true });
	}
}
