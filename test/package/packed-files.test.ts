import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { listFrameworks } from "../../scripts/docs/frameworks.ts";
import { createUserProject, DEPENDENCIES, type UserProject } from "../support/packed-package.ts";

const ROOT = new URL("../..", import.meta.url).pathname;

let project: UserProject;
let folder: string;
let files: string[];

beforeAll(async () => {
	project = await createUserProject(DEPENDENCIES);
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
		"skills",
	]);
});

test("folders contain only the kinds of files that belong there: no source and no map", () => {
	const others = files.filter(
		(path) =>
			path.includes("/") &&
			!/^dist\/[\w/-]+\.js$/.test(path) &&
			!/^dist\/types\/[\w/-]+\.d\.ts$/.test(path) &&
			!/^dist\/console\/[\w-]+\.css$/.test(path) &&
			!/^docs\/(frameworks\/)?[\w-]+\.md$/.test(path) &&
			!/^skills\/[\w-]+\/SKILL\.md$/.test(path),
	);
	expect(others).toEqual(["dist/openapi.json", "dist/sbom.cdx.json", "docs/vectors.json"]);
	expect(files.filter((path) => /(^|\/)(test|fixtures|__\w+__)\//.test(path))).toEqual([]);
	// Declarations have the comments, and the code has its names.
	expect(files.filter((path) => path.endsWith(".d.ts")).length).toBeGreaterThan(50);
});

describe("its documents", () => {
	test("link only to files of the package", () => {
		const links = readPackedDocuments().flatMap(({ path, text }) =>
			findLinks(text).map((link) => ({
				path,
				link,
				target: posix.join(dirname(path), link.replace(/#.*/, "")),
			})),
		);
		expect(links.length).toBeGreaterThan(200);
		// Pictures stay out, as the tables beside them have the same figures.
		const isLeftOut = (link: string) => /^(docs\/)?images\//.test(link);
		const dead = links.filter(({ target, link }) => !files.includes(target) && !isLeftOut(link));
		expect(dead.map(({ path, link }) => `${path}: ${link}`)).toEqual([]);
	});

	test("name no file or folder of the repository that is not packed, and no example", () => {
		const unpacked = readdirSync(ROOT).filter((name) => !isPacked(name) && name !== "node_modules");
		const named = readPackedDocuments().flatMap(({ path, text }) => {
			const paths = Array.from(text.matchAll(/[\w.@+-]+(?:\/[\w.@+-]*)+|\b[\w-]+\.md\b/g), ([name]) => name);
			const ours = paths.filter(
				(name) => unpacked.includes(name.split("/")[0] ?? "") || existsSync(join(ROOT, name)),
			);
			const ofUsers = listFrameworks().map(([, file = ""]) => file.replaceAll("`", ""));
			const examples = text.match(/npm run example\b.*/g) ?? [];
			const isPicture = (name: string) => name.startsWith("docs/images/");
			const unknown = ours.filter((name) => !isPacked(name) && !ofUsers.includes(name) && !isPicture(name));
			return [...unknown, ...examples].map((name) => `${path}: ${name}`);
		});
		expect(named).toEqual([]);
	});
});

test("each entry's declaration links to a guide of the package, and to one of its headings", () => {
	const entries = files.filter((path) => /^dist\/types\/\w+\/entries\//.test(path));
	const links = entries.flatMap((path) =>
		findLinks(readFileSync(join(folder, path), "utf8")).map((link) => ({ path, link })),
	);
	expect([...new Set(links.map(({ path }) => path))]).toEqual(entries);
	const dead = links.filter(({ path, link }) => {
		const [target = "", anchor] = posix.join(dirname(path), link).split("#");
		if (!files.includes(target)) return true;
		const guide = readFileSync(join(folder, target), "utf8");
		return anchor !== undefined && !anchorsOf(guide).includes(anchor);
	});
	expect(dead.map(({ path, link }) => `${path}: ${link}`)).toEqual([]);
});

test("no file refers to a source map, as none is packed", () => {
	const scripts = files.filter((path) => path.endsWith(".js"));
	const linked = scripts.filter((path) =>
		readFileSync(join(folder, path), "utf8").includes("//# sourceMappingURL"),
	);
	expect(linked).toEqual([]);
});

test("no file discloses the machine that built it, a key or a token", () => {
	const secrets = /-----BEGIN [A-Z ]*PRIVATE KEY|\bnpm_[A-Za-z0-9]{36}\b|\bgh[opsu]_[A-Za-z0-9]{36}\b/;
	const revealing = files.filter((path) => {
		const text = readFileSync(join(folder, path), "utf8");
		return text.includes(ROOT) || secrets.test(text);
	});
	expect(revealing).toEqual([]);
});

/** The Markdown of the package, `llms.txt` included. */
function readPackedDocuments(): { readonly path: string; readonly text: string }[] {
	return files
		.filter((path) => path.endsWith(".md") || path === "llms.txt")
		.map((path) => ({ path, text: readFileSync(join(folder, path), "utf8") }));
}

/** The relative links and pictures of a document, outside its blocks of code. */
function findLinks(text: string): string[] {
	const prose = text.replaceAll(/^```[\s\S]*?^```$/gm, "");
	return Array.from(
		prose.matchAll(/\]\(([^()\s]+)\)|\b(?:src|srcset|href)="([^"]+)"/g),
		([, link, source]) => link ?? source ?? "",
	).filter((link) => !/^(?:https?:|mailto:|#)/.test(link));
}

/** Where a link into a document may lead: its headings, and the anchors that it sets. */
function anchorsOf(text: string): string[] {
	const headings = Array.from(text.matchAll(/^#+ (.+)$/gm), ([, heading = ""]) =>
		heading
			.toLowerCase()
			.replace(/[^\p{L}\p{N}\s_-]/gu, "")
			.replaceAll(" ", "-"),
	);
	return [...headings, ...Array.from(text.matchAll(/\bid="([^"]+)"/g), ([, id = ""]) => id)];
}

/** Whether it is a file of the package, or a folder that has one. */
function isPacked(path: string): boolean {
	return files.some((file) => file === path || file.startsWith(`${path.replace(/\/$/, "")}/`));
}
