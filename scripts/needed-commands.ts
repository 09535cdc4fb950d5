/** The commands that the tests start and npm does not install, and what to do if they are missing. */
import { accessSync, constants, globSync } from "node:fs";
import { delimiter, join } from "node:path";

/** The Debian package of each command. */
const PACKAGES = {
	"redis-server": "redis-server",
	postgres: "postgresql",
	pgbouncer: "pgbouncer",
	chromium: "chromium",
	python3: "python3",
} as const;

/** A command that the tests start. */
export type NeededCommand = keyof typeof PACKAGES;

/** The path of a command; undefined if it is missing. */
export type Lookup = (command: string) => string | undefined;

/** Looks for a command, first where Debian keeps those of PostgreSQL: outside the PATH, in a folder for each version. */
export function findCommand(command: string): string | undefined {
	const versions = globSync("/usr/lib/postgresql/*/bin");
	const newestFirst = versions.sort((a, b) => b.localeCompare(a, "en", { numeric: true }));
	const folders = [...newestFirst, ...(process.env["PATH"] ?? "").split(delimiter)];
	return folders.map((folder) => join(folder, command)).find(isExecutable);
}

/** The path of a needed command; throws how to install it if it is missing. */
export function requireCommand(command: NeededCommand, find: Lookup = findCommand): string {
	const path = find(command);
	if (path === undefined) throw new Error(describeMissing([PACKAGES[command]]));
	return path;
}

/** The packages of the commands that are missing. */
export function findMissingPackages(find: Lookup = findCommand): string[] {
	return Object.entries(PACKAGES).flatMap(([command, name]) => (find(command) === undefined ? [name] : []));
}

/** What the install script does. */
export type Step = { do: "nothing" } | { do: "install" | "stop"; line: string };

/** Decides what to do about the missing packages: only root can install them. */
export function decideStep(missing: readonly string[], isRoot: boolean, hasApt: boolean): Step {
	if (missing.length === 0) return { do: "nothing" };
	if (!isRoot || !hasApt) return { do: "stop", line: describeMissing(missing) };
	const line = `installing ${missing.join(", ")} with apt-get, since the tests start real ones`;
	return { do: "install", line };
}

function describeMissing(packages: readonly string[]): string {
	const names = new Intl.ListFormat("en").format(packages);
	return `the tests need ${names}: sudo apt-get install ${packages.join(" ")}`;
}

function isExecutable(path: string): boolean {
	try {
		accessSync(path, constants.X_OK);
		return true;
	} catch {
		return false;
	}
}
