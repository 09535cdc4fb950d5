import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { misused } from "../failure.ts";

/** Only the owner may read secrets. */
const OWNER_ONLY = 0o600;

/** Sets variables in a file of variables, for its owner alone, and leaves every other line of it as it is. */
export function writeEnvironmentFile(path: string, variables: Readonly<Record<string, string>>): void {
	const left = new Map(Object.entries(variables));
	const lines = readLines(path).map((line) => {
		const name = /^\s*(?:export\s+)?(\w+)\s*=/.exec(line)?.[1] ?? "";
		const value = left.get(name);
		left.delete(name);
		return value === undefined ? line : `${name}=${value}`;
	});
	const added = Array.from(left, ([name, value]) => `${name}=${value}`);
	try {
		// The mode of a new file; one that is there keeps its own, and must not show the secrets either.
		if (existsSync(path)) chmodSync(path, OWNER_ONLY);
		writeFileSync(path, `${[...lines, ...added].join("\n")}\n`, { mode: OWNER_ONLY });
	} catch (error) {
		throw misused(`${path} cannot be written: ${error instanceof Error ? error.message : String(error)}`);
	}
}

function readLines(path: string): string[] {
	try {
		const content = readFileSync(path, "utf8").replace(/\n$/, "");
		return content === "" ? [] : content.split(/\r?\n/);
	} catch {
		return [];
	}
}
