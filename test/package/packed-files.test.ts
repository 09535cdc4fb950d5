import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createUserProject, type UserProject } from "../support/packed-package.ts";

const ROOT = new URL("../..", import.meta.url).pathname;

/** The protocol library of the verb `mcp` is 0.2 MB of them. */
const MAX_UNPACKED_BYTES = 3_000_000;

let project: UserProject;
let folder: string;
let files: string[];

beforeAll(async () => {
	project = await createUserProject();
	folder = join(project.folder, "node_modules/messaging-gateway");
	files = readdirSync(folder, { recursive: true, withFileTypes: true })
		.filter((entry) => entry.isFile())
		.map(({ parentPath, name }) => join(parentPath, name).slice(folder.length + 1))
		.sort();
});

afterAll(() => project?.remove());

test("the package contains the build and its documents", () => {
	// The changelog comes with the first release.
	expect([...new Set(["CHANGELOG.md", ...files.map((path) => path.split("/")[0])])].sort()).toEqual([
		"CHANGELOG.md",
		"LICENSE",
		"README.md",
		"SECURITY.md",
		"THIRD-PARTY-LICENSES.txt",
		"VERSIONING.md",
		"dist",
		"docs",
		"llms.txt",
		"package.json",
	]);
});

test("folders contain only the kinds of files that belong there", () => {
	const others = files.filter(
		(path) =>
			path.includes("/") &&
			!/^dist\/[\w/-]+\.js$/.test(path) &&
			!/^dist\/types\/[\w/-]+\.d\.ts(\.map)?$/.test(path) &&
			!/^dist\/src\/[\w/-]+\.ts$/.test(path) &&
			!/^dist\/console\/[\w-]+\.css$/.test(path) &&
			!/^docs\/[\w-]+\.md$/.test(path),
	);
	expect(others).toEqual(["dist/openapi.json", "dist/sbom.cdx.json"]);
	expect(files.filter((path) => /\.test\.|(^|\/)(test|fixtures|__\w+__)\//.test(path))).toEqual([]);
});

test("the README links to files of the package only, and npm can resolve its pictures", () => {
	const readme = readFileSync(join(folder, "README.md"), "utf8");
	const links = Array.from(readme.matchAll(/(?<!!\[[^\]]*)\]\(([^)]+)\)/g), ([, link = ""]) => link);
	expect(links.length).toBeGreaterThan(10);
	expect(links.filter((link) => !files.includes(link.replace(/#.*/, "")))).toEqual([]);
	const pictures = Array.from(readme.matchAll(/!\[[^\]]+\]\(([^)]+)\)/g), ([, picture = ""]) => picture);
	expect(pictures.filter((picture) => !existsSync(join(ROOT, picture)))).toEqual([]);
	expect(readme).not.toMatch(/<(img|picture|source)\b/);
});

test("its sources are those that declaration maps name, and no map repeats them", () => {
	const maps = files.filter((path) => path.endsWith(".map"));
	expect(maps.length).toBeGreaterThan(50);
	const named = maps.flatMap((path) => {
		const map: { sources: string[] } = JSON.parse(readFileSync(join(folder, path), "utf8"));
		expect(map).not.toHaveProperty("sourcesContent");
		return map.sources.map((source) => posix.join(dirname(path), source));
	});
	expect(files.filter((path) => path.startsWith("dist/src/"))).toEqual([...new Set(named)].sort());
});

test("no file refers to a source map, as none is packed", () => {
	const scripts = files.filter((path) => path.endsWith(".js"));
	const linked = scripts.filter((path) =>
		readFileSync(join(folder, path), "utf8").includes("//# sourceMappingURL"),
	);
	expect(linked).toEqual([]);
});

test("the package is at most 3 MB unpacked", () => {
	const bytes = files.reduce((sum, path) => sum + statSync(join(folder, path)).size, 0);
	expect(bytes).toBeLessThanOrEqual(MAX_UNPACKED_BYTES);
});

test("no file discloses the machine that built it, a key or a token", () => {
	const secrets = /-----BEGIN [A-Z ]*PRIVATE KEY|\bnpm_[A-Za-z0-9]{36}\b|\bgh[opsu]_[A-Za-z0-9]{36}\b/;
	const revealing = files.filter((path) => {
		const text = readFileSync(join(folder, path), "utf8");
		return text.includes(ROOT) || secrets.test(text);
	});
	expect(revealing).toEqual([]);
});
