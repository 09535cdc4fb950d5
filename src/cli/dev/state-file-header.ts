import { chmodSync, closeSync, openSync, readSync, statSync } from "node:fs";
import { ConfigurationError } from "../../errors.ts";
import { STATE_VERSION } from "../../local-gateway/control/state/rows.ts";

/** Marks a database as a state of ours: "MGLG". */
export const APPLICATION_ID = 0x4d474c47;

/** Only the owner may read the conversations in it. */
const OWNER_ONLY = 0o600;

/** The header of a database of SQLite, and where our marks are in it. See https://sqlite.org/fileformat.html#the_database_header */
const HEADER_BYTES = 100;
const MAGIC = "SQLite format 3\0";
const USER_VERSION_AT = 60;
const APPLICATION_ID_AT = 68;

/**
 * Makes sure that there is a file, and that it is ours, without opening it as a database: SQLite would already
 * change one that another program left in the middle of something.
 *
 * @returns whether there is nothing in it yet.
 * @throws ConfigurationError when it holds something else.
 */
export function prepareFile(path: string): boolean {
	if (createFile(path)) return true;
	assertRegular(path);
	const header = readHeader(path);
	const isEmpty = header.byteLength === 0;
	if (!isEmpty) assertOurs(path, header);
	// A copy may have become readable for others.
	chmodSync(path, OWNER_ONLY);
	return isEmpty;
}

function createFile(path: string): boolean {
	try {
		closeSync(openSync(path, "wx", OWNER_ONLY));
		return true;
	} catch (cause) {
		if (cause instanceof Error && "code" in cause && cause.code === "EEXIST") return false;
		throw new ConfigurationError(`the state file ${path} cannot be created`, { cause });
	}
}

/** Reading a pipe would wait for ever, and the mode of a device belongs to the whole machine. */
function assertRegular(path: string): void {
	if (statSync(path, { throwIfNoEntry: false })?.isFile()) return;
	throw new ConfigurationError(`${path} is no file: name another one for the state`);
}

function readHeader(path: string): DataView {
	const bytes = new Uint8Array(HEADER_BYTES);
	let descriptor: number | undefined;
	try {
		descriptor = openSync(path, "r+");
		return new DataView(bytes.buffer, 0, readSync(descriptor, bytes));
	} catch (cause) {
		throw new ConfigurationError(`the state file ${path} cannot be read and written`, { cause });
	} finally {
		if (descriptor !== undefined) closeSync(descriptor);
	}
}

function assertOurs(path: string, header: DataView): void {
	const start = new TextDecoder("latin1").decode(new Uint8Array(header.buffer, 0, MAGIC.length));
	const isDatabase = header.byteLength === HEADER_BYTES && start === MAGIC;
	if (!isDatabase || header.getUint32(APPLICATION_ID_AT) !== APPLICATION_ID) {
		throw new ConfigurationError(
			`${path} is not a state of this package, and is left as it is: name another file`,
		);
	}
	const version = header.getUint32(USER_VERSION_AT);
	if (version === STATE_VERSION) return;
	throw new ConfigurationError(
		`the state file ${path} has version ${version}, and this is version ${STATE_VERSION}: ` +
			"use the version of the package that wrote it, or name another file",
	);
}
