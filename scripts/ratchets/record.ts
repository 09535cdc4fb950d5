import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { findInsideNames } from "../../test/support/source-files.ts";
import { readSurface } from "./surface.ts";

const ROOT = join(import.meta.dirname, "../..");
const FILE = join(ROOT, "test/package/ratchets.json");

/** Bytes are recorded in steps, so that a limit does not follow every word. */
const STEP = 10_000;

/** A size of the package that may only fall, and the names that make it up; bytes have none. */
export interface Ratchet {
	readonly size: number;
	readonly names?: readonly string[];
}

/** A ratchet as recorded: the limit falls with the size, and rises by hand alone. */
export interface RecordedRatchet {
	readonly limit: number;
	readonly names?: readonly string[];
}

/** What is counted, by what it is. */
export type Ratchets = Readonly<Record<string, Ratchet>>;

/** The recorded ratchets. */
export type RatchetRecord = Readonly<Record<string, RecordedRatchet>>;

/** Counts what is built: the surface of the declarations, what the tools use of the library, the bytes to unpack. */
export function measureRatchets(): Ratchets {
	const { names, optionMembers } = readSurface();
	const bytes = measurePackage();
	return {
		"public names": count(names),
		"members of option objects": count(optionMembers),
		"names of the library that only the tools use": count(findInsideNames()),
		"bytes of the unpacked package": { size: Math.ceil(bytes / STEP) * STEP },
	};
}

function count(names: readonly string[]): Ratchet {
	return { size: names.length, names };
}

function measurePackage(): number {
	const args = ["pack", "--dry-run", "--json", "--ignore-scripts"];
	const packed: Record<string, { unpackedSize: number }> = JSON.parse(
		execFileSync("npm", args, { cwd: ROOT, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }),
	);
	// npm lists what it packed as an array, or from version 11 on as an object by name.
	const [first] = Object.values(packed);
	if (first === undefined) throw new Error("npm packed nothing");
	return first.unpackedSize;
}

export function readRatchets(): RatchetRecord {
	return JSON.parse(readFileSync(FILE, "utf8"));
}

/** Whether a size is above its limit. */
export function isAbove({ size }: Ratchet, recorded: RecordedRatchet | undefined): boolean {
	return size > (recorded?.limit ?? size);
}

/** Records what was counted, except what is above its limit. A limit falls with its size, and never rises. */
export function writeRatchets(measured: Ratchets, recorded: RatchetRecord): void {
	const rows = Object.entries(measured).map(([what, ratchet]) => {
		const { size: limit, names } = ratchet;
		return [what, isAbove(ratchet, recorded[what]) ? recorded[what] : { limit, ...(names && { names }) }];
	});
	writeFileSync(FILE, `${JSON.stringify(Object.fromEntries(rows), null, "\t")}\n`);
}

/** What is wrong: sizes above their limit, with the names that came, and records that are out of date. */
export function findProblems(measured: Ratchets, recorded: RatchetRecord): string[] {
	return Object.entries(measured).flatMap(([what, ratchet]) => {
		const { size, names = [] } = ratchet;
		const { limit, names: before = [] } = recorded[what] ?? { limit: 0 };
		const came = names.filter((name) => !before.includes(name));
		const went = before.filter((name) => !names.includes(name));
		const change = [list("New", came), list("Gone", went)].join("");
		if (isAbove(ratchet, recorded[what])) {
			const way = "Take as much away, or raise the limit by hand in a commit that says why";
			return `${size} ${what}, and the limit is ${limit}. ${way}: test/package/ratchets.json.${change}`;
		}
		if (size === limit && change === "") return [];
		return `${size} ${what}, and the record has ${limit}: run \`npm run ratchets\` after a build.${change}`;
	});
}

function list(title: string, names: readonly string[]): string {
	return names.length === 0 ? "" : ` ${title}: ${names.join(", ")}.`;
}
