import { createHash } from "node:crypto";
import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** Beside the pictures: of which console they are. */
export const PICTURED = `${ROOT}docs/images/pictured.json`;

/** A digest of everything that the console is made of. */
export function hashConsole(): string {
	const hash = createHash("sha256");
	const files = globSync("src/tools/console/**/*.{ts,tsx,css}", { cwd: ROOT }).sort();
	for (const file of files) hash.update(`${file}\0${readFileSync(`${ROOT}${file}`, "utf8")}\0`);
	return hash.digest("hex");
}
