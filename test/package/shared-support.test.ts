import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path/posix";
import { expect, test } from "vitest";

const SUPPORT = "test/support/";

/** The paths with slashes, installed packages left out. */
function list(pattern: string): string[] {
	const found = globSync(pattern, { exclude: (path) => /node_modules$/.test(path) });
	return found.map((path) => path.replaceAll("\\", "/"));
}

/** What a file names: in an import, as a URL, or by the path from the root. */
function namesIn(path: string): string[] {
	const names = readFileSync(path, "utf8").matchAll(/["'](\.{1,2}\/[^"'\n]+|test\/support\/[^"'\n]+)["']/g);
	return [...names].map(([, name = ""]) => (name.startsWith(".") ? join(dirname(path), name) : name));
}

const named = list("{*.ts,{bench,scripts,test}/**/*.ts}").flatMap((user) =>
	namesIn(user).map((path) => ({ path, user })),
);
const usersOf = Map.groupBy(named, ({ path }) => path);

/** A room of the unit tests, another folder of test, or what is outside of it. */
function areaOf(path: string): string {
	return /^test\/unit\/[^/]+\/[^/]+|^test\/[^/]+|^[^/]+/.exec(path)?.[0] ?? path;
}

/** The areas that use a file, those included that reach it through other files of test/support. */
function areasOf(path: string, seen = new Set<string>()): Set<string> {
	if (!path.startsWith(SUPPORT)) return new Set([areaOf(path)]);
	if (seen.has(path)) return new Set();
	seen.add(path);
	return new Set(usersOf.get(path)?.flatMap(({ user }) => [...areasOf(user, seen)]));
}

test("test/support has what two areas share: what one area uses stands in it", () => {
	const misplaced = list(`${SUPPORT}**/!(*.d).ts`).flatMap((path) => {
		const areas = [...areasOf(path)];
		// The configuration of vitest and the scripts have no folder of test.
		const stays = areas.length > 1 || areas.some((area) => !area.startsWith("test/"));
		return stays ? [] : [`${path}: used by ${areas.join() || "nothing"}`];
	});
	expect(misplaced).toEqual([]);
});
