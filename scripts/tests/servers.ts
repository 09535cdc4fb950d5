import { spawnSync } from "node:child_process";
import process from "node:process";
import { describeInstall, findCommand, findMissing } from "../needed-commands.ts";
import type { TierName } from "./plan.ts";

/** What a run does about servers. */
export interface Servers {
	/** Those whose tests are left out. */
	readonly without: readonly string[];
	/** Whether tests that should run are left out. */
	readonly isIncomplete: boolean;
	/** The last line of the run. */
	readonly note?: string;
	/** The options that repeat it. */
	readonly options: readonly string[];
}

/** What the first tier can do without. */
const OPTIONAL = ["redis", "postgres", "chromium"] as const;

/**
 * Installs the servers that a tier needs as root on Debian. Elsewhere the first tier runs what can run, and the others
 * do not start.
 */
export function prepareServers(tier: TierName, isWithout: boolean): Servers {
	const isFirst = tier === "first";
	if (isWithout) {
		if (!isFirst) throw new Error("--without-servers is for npm test alone");
		return {
			without: OPTIONAL,
			isIncomplete: false,
			note: "The tests that need Redis, PostgreSQL or Chromium were left out.",
			options: ["--without-servers"],
		};
	}
	const missing = installMissing(isFirst);
	if (missing.length === 0) return { without: [], isIncomplete: false, options: [] };
	const names = new Intl.ListFormat("en").format(missing.map(({ name }) => name));
	const variables = missing.flatMap(({ variable }) => variable ?? []);
	const sentence = `${names} missing: ${describeInstall(missing)}${variables.length > 0 ? `; or set ${variables.join(", ")}` : ""}`;
	if (!isFirst) throw new Error(sentence);
	return {
		without: missing.map(({ name }) => name),
		isIncomplete: true,
		note: `✗ not all tests ran, ${sentence}; or npm test -- --without-servers`,
		options: [],
	};
}

/** Installs what is missing, as root on Debian. @returns what is still missing. */
function installMissing(isFirst: boolean): ReturnType<typeof findMissing> {
	const missing = findMissing(isFirst);
	if (missing.length === 0 || process.getuid?.() !== 0 || findCommand("apt-get") === undefined)
		return missing;
	install(missing.map(({ debian }) => debian));
	return findMissing(isFirst);
}

function install(packages: readonly string[]): void {
	console.log(`installing ${packages.join(", ")} with apt-get`);
	for (const args of [
		["update", "-qq"],
		["install", "-y", "--no-install-recommends", ...packages],
	]) {
		const { status, output } = spawnSync("apt-get", args, {
			env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
			stdio: ["ignore", "pipe", "pipe"],
			encoding: "utf8",
		});
		if (status !== 0) throw new Error(`apt-get ${args[0]} failed:\n${output.join("")}`);
	}
}
