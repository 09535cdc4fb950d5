import { chmodSync, mkdirSync, readFileSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { parseJson } from "../../control/parse-json.ts";
import { type CommandFailure, messageOf, usageError } from "../failure.ts";
import { createWholeFile, OWNER_ONLY } from "../whole-file.ts";

/** Secrets that a file keeps for this machine, as JSON that only the owner of the file can read. */
export interface KeptFile<Value> {
	/** What it keeps, for errors. */
	readonly what: string;
	/** The variables to set instead. */
	readonly variables: string;
	readonly create: () => Value;
	/** @returns `undefined` if the content is not valid. */
	readonly parse: (content: unknown) => Value | undefined;
}

const OWNER_ONLY_FOLDER = 0o700;

/**
 * Reads the value in the file, or creates both. Concurrent first calls get the same value.
 * @throws CommandFailure when it cannot be written or read.
 */
export function keepValue<Value>(path: string, file: KeptFile<Value>): Value {
	const kept = readKeptValue(path, file);
	if (kept !== undefined) return kept;
	const value = file.create();
	const problem = `the ${file.what} can't be written to ${path}`;
	try {
		mkdirSync(dirname(path), { recursive: true, mode: OWNER_ONLY_FOLDER });
		chmodSync(dirname(path), OWNER_ONLY_FOLDER);
		if (createWholeFile(path, `${JSON.stringify(value)}\n`)) return value;
	} catch (error) {
		throw unusable(problem, error, file);
	}
	const createdMeanwhile = readKeptValue(path, file);
	if (createdMeanwhile !== undefined) return createdMeanwhile;
	throw unusable(problem, "it is a broken link", file);
}

/**
 * Reads the value in the file; `undefined` if there is no file.
 * @throws CommandFailure when it cannot be read.
 */
export function readKeptValue<Value>(path: string, file: KeptFile<Value>): Value | undefined {
	const content = readOwnFile(path, file);
	if (content === undefined) return undefined;
	const value = file.parse(parseJson(content));
	if (value !== undefined) return value;
	throw usageError(
		`${path} contains no valid ${file.what}`,
		"Delete it; the next `npx messaging-gateway dev` creates another.",
	);
}

function readOwnFile(path: string, file: KeptFile<unknown>): string | undefined {
	try {
		const found = statSync(path, { throwIfNoEntry: false });
		if (found === undefined) return undefined;
		// Reading a pipe would block, and changing a device's mode would affect the whole machine.
		if (!found.isFile()) throw new Error("it isn't a regular file");
		// A copied file may be readable by others.
		if ((found.mode & 0o777) !== OWNER_ONLY) chmodSync(path, OWNER_ONLY);
		return readFileSync(path, "utf8");
	} catch (error) {
		throw unusable(`the ${file.what} in ${path} can't be read`, error, file);
	}
}

function unusable(problem: string, error: unknown, { variables }: KeptFile<unknown>): CommandFailure {
	return usageError(`${problem}: ${messageOf(error)}`, `Set ${variables} instead.`);
}
