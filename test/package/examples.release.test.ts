import { execFile } from "node:child_process";
import { cpSync, globSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { promisify } from "node:util";
import ts from "typescript";
import { afterAll, beforeAll, expect, test } from "vitest";
import packageJson from "../../package.json" with { type: "json" };
import { listExamples } from "../../scripts/examples/list-examples.ts";
import { createUserProject, type UserProject } from "../support/packed-package.ts";
import { HOOK_TIMEOUT_MS, TEST_TIMEOUT_MS } from "../support/patience.ts";

const run = promisify(execFile);
const NAMES = listExamples()
	.filter(({ folder }) => globSync("**/*.ts", { cwd: folder, exclude: ["**/node_modules"] }).length > 0)
	.map(({ name }) => name);

let project: UserProject;

beforeAll(async () => {
	const { dependencies, devDependencies } = packageJson;
	project = await createUserProject([
		...Object.keys({ ...dependencies, ...devDependencies }),
		"undici-types",
	]);
	for (const { name, folder } of listExamples()) {
		const isSource = (path: string): boolean => !path.endsWith("/.next") && !path.endsWith(".d.ts");
		cpSync(folder, join(project.folder, name), { recursive: true, filter: isSource });
	}
});

afterAll(() => project.remove());

test("every example compiles against the packed package", async () => {
	// Node needs the extensions to run TypeScript.
	const compilerOptions = { allowImportingTsExtensions: true, noEmit: true };
	const files = await project.compile({ compilerOptions, include: NAMES }, "--listFilesOnly");
	for (const name of NAMES) expect(files).toContain(`${project.folder}/${name}/`);
	expect(await project.compile({ compilerOptions, include: NAMES })).toBe("");
});

test.each(NAMES)("%s imports nothing outside its folder", (name) => {
	const folder = join(project.folder, name);
	const outside = globSync("**/*.ts", { cwd: folder }).flatMap((path) => {
		const { importedFiles } = ts.preProcessFile(readFileSync(join(folder, path), "utf8"));
		return importedFiles
			.map(({ fileName }) => fileName)
			.filter(
				(name) =>
					name.startsWith(".") && relative(folder, join(folder, dirname(path), name)).startsWith(".."),
			);
	});
	expect(outside).toEqual([]);
});

test.each(NAMES.filter((name) => name.startsWith("testing-")))(
	"%s passes in a user's project",
	async (name) => {
		const vitest = join(project.folder, "node_modules/vitest/vitest.mjs");
		const limits = [`--testTimeout=${TEST_TIMEOUT_MS}`, `--hookTimeout=${HOOK_TIMEOUT_MS}`];
		const args = [vitest, "run", "--root", join(project.folder, name), ...limits];
		const { stdout } = await run(process.execPath, args, {
			cwd: project.folder,
			env: { ...process.env, NO_COLOR: "1" },
		});
		expect(stdout).toMatch(/Test Files +1 passed/);
	},
);
