import {
	closeSync,
	openSync,
	readFileSync,
	realpathSync,
	renameSync,
	rmSync,
	statSync,
	writeFileSync,
} from "node:fs";
import process from "node:process";
import { ConfigurationError } from "../../../library/errors.ts";
import type { StateFile } from "../../control/state/state-keeper.ts";
import { systemCodeOf } from "../failure.ts";
import { isRunning } from "../is-running.ts";
import { OWNER_ONLY } from "../whole-file.ts";

/**
 * Opens the file that keeps a gateway's state, or creates it, readable by its owner only. One process at a time can
 * use it.
 *
 * @throws ConfigurationError if the file cannot be read and written, or is in use.
 */
export function openStateFile(name: string): StateFile {
	createFile(name);
	// Reading a pipe would block, and changing a device's mode would affect the whole machine.
	if (!statSync(name, { throwIfNoEntry: false })?.isFile()) {
		throw new ConfigurationError(`The state file ${name} isn't a regular file: name another one`);
	}
	// A link stays one.
	const path = realpathSync(name);
	const temporary = `${path}.new`;
	const lock = `${path}.lock`;
	acquire(lock, name);
	return {
		name,
		read() {
			try {
				return readFileSync(path, { encoding: "utf8", flag: "r+" });
			} catch (cause) {
				throw new ConfigurationError(
					`The state file ${name} can't be read and written: change its mode, or name another file`,
					{ cause },
				);
			}
		},
		replace(content) {
			rmSync(temporary, { force: true });
			writeFileSync(temporary, content, { mode: OWNER_ONLY, flag: "wx", flush: true });
			renameSync(temporary, path);
		},
		close: () => rmSync(lock, { force: true }),
	};
}

function createFile(name: string): void {
	try {
		closeSync(openSync(name, "wx", OWNER_ONLY));
	} catch (cause) {
		if (systemCodeOf(cause) === "EEXIST") return;
		throw new ConfigurationError(`The state file ${name} can't be created: name one in another folder`, {
			cause,
		});
	}
}

/** Creates a lock with the id of this process. A lock of a process that ended without removing it does not count. */
function acquire(lock: string, name: string): void {
	try {
		writeFileSync(lock, String(process.pid), { flag: "wx", mode: OWNER_ONLY });
	} catch (cause) {
		if (systemCodeOf(cause) !== "EEXIST") {
			throw new ConfigurationError(`The folder of ${name} isn't writable: name a file in another folder`, {
				cause,
			});
		}
		const holder = Number(readFileSync(lock, "utf8"));
		if (isRunning(holder)) {
			throw new ConfigurationError(
				`The state file ${name} is in use by another process: stop process ${holder}, or name another file; ` +
					`if that process is no gateway, remove ${lock}`,
			);
		}
		rmSync(lock, { force: true });
		acquire(lock, name);
	}
}
