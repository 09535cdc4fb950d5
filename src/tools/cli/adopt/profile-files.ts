import { existsSync, statSync } from "node:fs";
import { usageError } from "../failure.ts";
import { createWholeFile, replaceWholeFile } from "../whole-file.ts";

/** Where the proofs and their dates are: beside the profile. */
export function proofFileOf(file: string): string {
	return `${file.replace(/\.json$/, "")}.adopt.json`;
}

/** Rejects existing files before anything is requested. */
export function assertWritable(file: string, isForced: boolean): void {
	if (isForced) return;
	for (const each of [file, proofFileOf(file)]) {
		if (existsSync(each))
			throw usageError(`${each} exists`, "Give another file with --out, or replace it with --force.");
	}
}

/** Writes the profile and its proofs; existing files only with `--force`. */
export function writeProfileFiles(file: string, profile: unknown, proofs: unknown, isForced: boolean): void {
	write(file, profile, isForced);
	write(proofFileOf(file), proofs, isForced);
}

function write(file: string, value: unknown, isForced: boolean): void {
	const content = `${JSON.stringify(value, null, "\t")}\n`;
	if (createWholeFile(file, content)) return;
	assertWritable(file, isForced);
	replaceWholeFile(file, content, statSync(file));
}
