import { readFileSync, readlinkSync } from "node:fs";
import { basename } from "node:path";
import process from "node:process";

/** A command that npm waits for: this one, and not in the background. */
const WAITED_FOR = /^["']?messaging-gateway\b[^&]*$/;

/** Read at once: npm may end before a server listens. */
const atStart = readParents();

/**
 * Whether npm has ended, which started this process as `npx` or for a script and only waits for it. npm does not end what
 * its shell runs.
 */
export function hasLostNpm(): boolean {
	return WAITED_FOR.test(process.env["npm_lifecycle_script"] ?? "") && readParents() !== atStart;
}

/** The ids of npm and of the shell that it starts. Many shells replace themselves by what they run. */
function readParents(): string {
	const { ppid } = process;
	try {
		// Only Linux has these files.
		if (basename(readlinkSync(`/proc/${ppid}/exe`)) === "node") return String(ppid);
		const [, npm] = /^PPid:\s*(\d+)$/m.exec(readFileSync(`/proc/${ppid}/status`, "utf8")) ?? [];
		return `${ppid} ${npm}`;
	} catch {
		return String(ppid);
	}
}
