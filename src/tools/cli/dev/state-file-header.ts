import { chmodSync, closeSync, openSync, readSync, statSync } from "node:fs";
import { ConfigurationError } from "../../../library/errors.ts";
import { STATE_VERSION } from "../../control/state/rows.ts";

/** Marks a SQLite database as a state file of this package: "MGLG". */
export const APPLICATION_ID = 0x4d474c47;

/** Read and write for the owner; others may not read the conversations. */
const OWNER_ONLY = 0o600;

/** The header of a SQLite database. See https://sqlite.org/fileformat.html#the_database_header */
const HEADER_BYTES = 100;
const MAGIC = "SQLite format 3\0";
const USER_VERSION_AT = 60;
const APPLICATION_ID_AT = 68;

/**
 * Creates the file, or checks the existing one's header. It does not open the file with SQLite, which could change
 * another program's database by recovering an unfinished transaction.
 *
 * @returns whether the file is empty.
 * @throws ConfigurationError if the file contains something else.
 */
export function prepareFile(path: string): boolean {
	if (createFile(path)) return true;
	// Reading a pipe would block, and changing a device's mode would affect the whole machine.
	if (!statSync(path, { throwIfNoEntry: false })?.isFile()) {
		throw new ConfigurationError(`the state file ${path} is not a regular file: name another one`);
	}
	const header = readHeader(path);
	const isEmpty = header.byteLength === 0;
	if (!isEmpty) assertOurs(path, header);
	// A copied file may be readable by others.
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
			`${path} is not a state file of this package; it was not changed: name another file`,
		);
	}
	const version = header.getUint32(USER_VERSION_AT);
	if (version === STATE_VERSION) return;
	throw new ConfigurationError(
		`the state file ${path} has version ${version}, but this package needs version ${STATE_VERSION}: ` +
			"use the package version that wrote it, or name another file",
	);
}
