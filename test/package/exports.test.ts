import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createOpenApiDocument, writeOpenApiDocument } from "../../src/openapi/create-openapi-document.ts";
import { createUserProject, type UserProject } from "../support/packed-package.ts";

const run = promisify(execFile);
const ROOT = new URL("../..", import.meta.url).pathname;

interface Manifest {
	version: string;
	exports: Record<string, string | Record<string, string | null>>;
	dependencies: Record<string, string>;
	scripts: Record<string, string>;
}

let project: UserProject;
let manifest: Manifest;

beforeAll(() => {
	project = createUserProject();
	manifest = JSON.parse(
		readFileSync(join(project.folder, "node_modules/messaging-gateway/package.json"), "utf8"),
	);
}, 60_000);

afterAll(() => project.remove());

test("publint has nothing to say of the packed package", async () => {
	const pkgDir = join(project.folder, "node_modules/messaging-gateway");
	const { messages, pkg } = await publint({ pkgDir, strict: true, pack: false });
	expect(messages.map((message) => formatMessage(message, pkg))).toEqual([]);
});

test("the types resolve in every ESM resolution mode", async () => {
	const attw = join(ROOT, "node_modules/.bin/attw");
	// It ends with 1 when it finds a problem, which rejects here.
	const { stdout } = await run(process.execPath, [
		attw,
		project.tarball,
		"--profile",
		"esm-only",
		"--no-color",
	]);
	expect(stdout).toContain("messaging-gateway/testing/node");
}, 120_000);

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

test("the OpenAPI document is there, of this version and as the code has it now", () => {
	const shipped = readFileSync(
		join(project.folder, "node_modules/messaging-gateway/dist/openapi.json"),
		"utf8",
	);
	expect(manifest.exports["./openapi.json"]).toBe("./dist/openapi.json");
	expect(shipped).toBe(writeOpenApiDocument(createOpenApiDocument({ version: manifest.version })));
});

test("only ky and noble come with an install, and nothing runs at install time", () => {
	expect(Object.keys(manifest.dependencies).sort()).toEqual(["@noble/hashes", "ky"]);
	for (const script of ["preinstall", "install", "postinstall", "prepare"]) {
		expect(manifest.scripts).not.toHaveProperty(script);
	}
});

test("no public type names zod or ky", async () => {
	const types = join(project.folder, "node_modules/messaging-gateway/dist");
	const result = await run("grep", ["-rlE", "['\"](zod|ky)[/'\"]", types, "--include=*.d.ts"]).catch(
		(error: { stdout: string; code: number }) => error,
	);
	expect(result.stdout).toBe("");
});

function name(entry: string): string {
	return JSON.stringify(`messaging-gateway${entry.slice(1)}`);
}
