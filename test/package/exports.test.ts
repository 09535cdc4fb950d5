import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
	createOpenApiDocument,
	type PackageManifest,
} from "../../src/tools/openapi/create-openapi-document.ts";
import { createUserProject, type UserProject } from "../support/packed-package.ts";

const run = promisify(execFile);
const ROOT = new URL("../..", import.meta.url).pathname;

interface Manifest extends PackageManifest {
	exports: Record<string, string | Record<string, string | null>>;
	dependencies: Record<string, string>;
	scripts: Record<string, string>;
}

interface Lock {
	packages: Record<string, object>;
}

let project: UserProject;
let manifest: Manifest;

beforeAll(async () => {
	project = await createUserProject();
	manifest = JSON.parse(
		readFileSync(join(project.folder, "node_modules/messaging-gateway/package.json"), "utf8"),
	);
});

afterAll(() => project.remove());

test("publint finds nothing wrong with the packed package", async () => {
	const pkgDir = join(project.folder, "node_modules/messaging-gateway");
	const { messages, pkg } = await publint({ pkgDir, strict: true, pack: false });
	expect(messages.map((message) => formatMessage(message, pkg))).toEqual([]);
});

test("the types resolve in every ESM resolution mode", async () => {
	const attw = join(ROOT, "node_modules/.bin/attw");
	// It exits with 1 if it finds a problem, which rejects here.
	const { stdout } = await run(process.execPath, [
		attw,
		project.tarball,
		"--profile",
		"esm-only",
		"--no-color",
	]);
	expect(stdout).toContain("messaging-gateway/testing/node");
});

test("every entry can be imported, and the client can be required", async () => {
	const entries = Object.keys(manifest.exports).filter((entry) => !entry.endsWith(".json"));
	const imports = entries.map(
		(entry) => `console.log(Object.keys(await import(${name(entry)})).length > 0);`,
	);
	project.write("import.mjs", imports.join("\n"));
	project.write("require.cjs", `console.log(typeof require("messaging-gateway").MessagingGateway);`);
	const imported = await run(process.execPath, ["import.mjs"], { cwd: project.folder });
	expect(imported.stdout.trim().split("\n")).toEqual(entries.map(() => "true"));
	const required = await run(process.execPath, ["require.cjs"], { cwd: project.folder });
	expect(required.stdout).toBe("function\n");
});

test("the OpenAPI document has this version, and is generated from the current code", () => {
	const shipped = readFileSync(
		join(project.folder, "node_modules/messaging-gateway/dist/openapi.json"),
		"utf8",
	);
	expect(manifest.exports["./openapi.json"]).toBe("./dist/openapi.json");
	expect(shipped).toBe(JSON.stringify(createOpenApiDocument({ manifest })));
});

test("an install adds only ky, which has no dependencies", () => {
	expect(Object.keys(manifest.dependencies).sort()).toEqual(["ky"]);
	const lock: Lock = JSON.parse(readFileSync(join(ROOT, "package-lock.json"), "utf8"));
	for (const [name, version] of Object.entries(manifest.dependencies)) {
		const locked = lock.packages[`node_modules/${name}`];
		expect(locked).toMatchObject({ version });
		for (const field of ["dependencies", "optionalDependencies", "peerDependencies", "hasInstallScript"]) {
			expect(locked).not.toHaveProperty(field);
		}
	}
});

test("the package runs nothing at install time, from the registry or from git", () => {
	const moments = ["install", "prepare", "prepublish", "prepack", "postpack"];
	const scripts = moments.flatMap((moment) => [moment, `pre${moment}`, `post${moment}`]);
	expect(Object.keys(manifest.scripts).filter((name) => scripts.includes(name))).toEqual([]);
	// npm would build a native module if it found a binding.gyp.
	expect(existsSync(join(project.folder, "node_modules/messaging-gateway/binding.gyp"))).toBe(false);
});

test("no public type names zod, and none but those of the entry for ky names ky", async () => {
	const types = join(project.folder, "node_modules/messaging-gateway/dist/types");
	const namesOf = async (name: string): Promise<string[]> => {
		const pattern = `['"]${name}[/'"]`;
		const { stdout } = await run("grep", ["-rlE", pattern, types, "--include=*.d.ts"]).catch(
			(error: { stdout: string; code: number }) => error,
		);
		return stdout.split("\n").filter(Boolean);
	};
	expect(await namesOf("zod")).toEqual([]);
	const users = await namesOf("ky");
	expect(users).not.toEqual([]);
	expect(users.filter((path) => !path.startsWith(join(types, "library/ky/")))).toEqual([]);
});

function name(entry: string): string {
	return JSON.stringify(`messaging-gateway${entry.slice(1)}`);
}
