import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createUserProject, type UserProject } from "../support/packed-package.ts";

const ROOT = new URL("../..", import.meta.url).pathname;

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

test("the package contains the build, its sources and its documents", () => {
	// The changelog comes with the first release.
	expect([...new Set(["CHANGELOG.md", ...files.map((path) => path.split("/")[0])])].sort()).toEqual([
		"CHANGELOG.md",
		"LICENSE",
		"README.md",
		"SECURITY.md",
		"THIRD-PARTY-LICENSES.txt",
		"dist",
		"docs",
		"llms.txt",
		"package.json",
		"src",
	]);
});

test("folders contain only the kinds of files that belong there", () => {
	const others = files.filter(
		(path) =>
			path.includes("/") &&
			!/^src\/[\w/-]+\.(tsx?|d\.ts|css)$/.test(path) &&
			!/^dist\/[\w/-]+\.(js|js\.map|d\.ts|d\.ts\.map)$/.test(path) &&
			!/^dist\/console\/[\w-]+\.css$/.test(path) &&
			!/^docs\/[\w-]+\.md$/.test(path),
	);
	expect(others).toEqual(["dist/openapi.json"]);
	expect(files.filter((path) => /\.test\.|(^|\/)(test|fixtures|__\w+__)\//.test(path))).toEqual([]);
});

test("source maps name files of the package", () => {
	const maps = files.filter((path) => path.endsWith(".map"));
	expect(maps.length).toBeGreaterThan(20);
	const sources = maps.flatMap((path) => {
		const map: { sources: string[] } = JSON.parse(readFileSync(join(folder, path), "utf8"));
		return map.sources.map((source) => posix.join(dirname(path), source));
	});
	const present = new Set(files);
	expect(sources.filter((path) => !present.has(path))).toEqual([]);
});

test("no file discloses the machine that built it, a key or a token", () => {
	const secrets = /-----BEGIN [A-Z ]*PRIVATE KEY|\bnpm_[A-Za-z0-9]{36}\b|\bgh[opsu]_[A-Za-z0-9]{36}\b/;
	const revealing = files.filter((path) => {
		const text = readFileSync(join(folder, path), "utf8");
		return text.includes(ROOT) || secrets.test(text);
	});
	expect(revealing).toEqual([]);
});
