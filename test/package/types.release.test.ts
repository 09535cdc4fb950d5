import { execFile } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createUserProject, DEPENDENCIES, type UserProject } from "../support/packed-package.ts";
import { requireVersion } from "../support/versions.ts";
import { type Compilation, Compiler, RELEASES } from "./support/compile.ts";

const { exports }: { exports: Record<string, unknown> } = JSON.parse(readFileSync("package.json", "utf8"));
const ENTRIES = Object.keys(exports).filter((entry) => !entry.endsWith(".json"));

/** A user's file for every entry, which uses it with its framework or client. */
const FILES = globSync("*.ts", { cwd: "test/package/user" }).sort();

/** What names a package that is not installed with this one. */
const NEEDS_A_PEER = ["./chat", "./testing/msw"];

const RESOLUTIONS = ["bundler", "node16", "nodenext"] as const;
/** Each release, and each resolution; TypeScript 7 has all of them. */
const CELLS = RELEASES.map((release, at) => ({ release, resolution: RESOLUTIONS[at] ?? "nodenext" }));

const BROWSER = { lib: ["es2022", "dom"], types: [] };
const NODE = { lib: ["es2022"], types: ["node"] };
const NEITHER = { lib: ["es2022"], types: [] };

let compiler: Compiler;
let full: UserProject;
let bare: UserProject;
let node: UserProject;

beforeAll(async () => {
	compiler = new Compiler();
	full = await createUserProject();
	for (const file of FILES) full.write(file, readFileSync(`test/package/user/${file}`, "utf8"));
	const entries = ENTRIES.filter((entry) => !NEEDS_A_PEER.includes(entry));
	const imports = entries.map(
		(entry, at) => `export * as entry${at} from "messaging-gateway${entry.slice(1)}";`,
	);
	bare = await createUserProject(DEPENDENCIES);
	node = await createUserProject([...DEPENDENCIES, "@types/node", "undici-types"]);
	for (const project of [bare, node]) project.write("entries.ts", imports.join("\n"));
	const file = `import { MessagingGateway } from "messaging-gateway";\nnew MessagingGateway();`;
	bare.write("module.ts", file);
	bare.write("commonjs/package.json", JSON.stringify({ name: "user", private: true }));
	bare.write("commonjs/file.ts", file);
});

afterAll(() => {
	compiler?.[Symbol.dispose]();
	for (const project of [full, bare, node]) project.remove();
});

test("every entry has a user's file", () => {
	const names = ENTRIES.map((entry) => `${entry.slice(2).replaceAll("/", "-") || "index"}.ts`);
	expect(FILES).toEqual(names.sort());
});

describe.each(CELLS)("TypeScript $release, $resolution", ({ release, resolution }) => {
	const module = resolution === "bundler" ? "esnext" : resolution;
	const options = { module, moduleResolution: resolution };

	test("every entry compiles with its framework or client", async () => {
		const { folder } = full;
		// With declarations, as in a project that others reference.
		const libraries = { lib: ["es2022", "dom"], types: ["node"], declaration: true };
		expect(
			await compiler.compile({ release, folder, files: FILES, options: { ...options, ...libraries } }),
		).toEqual([]);
	});

	test("the declarations compile in a browser project without other packages", async () => {
		expect(await compileEntries(bare, { release, options: { ...options, ...BROWSER } })).toEqual([]);
	});

	test("the declarations compile in a Node project without the DOM", async () => {
		expect(await compileEntries(node, { release, options: { ...options, ...NODE } })).toEqual([]);
	});
});

describe.each(RESOLUTIONS)("TypeScript 7, %s", (resolution) => {
	const module = resolution === "bundler" ? "esnext" : resolution;

	test("every entry compiles with its framework or client", async () => {
		expect(await compileNatively(full, { module, moduleResolution: resolution, files: FILES })).toEqual([]);
	});

	test("the declarations compile in a browser project without other packages", async () => {
		const options = { module, moduleResolution: resolution, ...BROWSER, files: ["entries.ts"] };
		expect(await compileNatively(bare, options)).toEqual([]);
	});

	test("a mistake is found", async () => {
		full.write(
			"mistake.ts",
			`import { MessagingGateway } from "messaging-gateway";\nnew MessagingGateway({ appid: "" });`,
		);
		const [problem] = await compileNatively(full, {
			module,
			moduleResolution: resolution,
			files: ["mistake.ts"],
		});
		expect(problem).toMatch(/^mistake\.ts.+TS2561/);
	});
});

test("of the platform's types they need only the Fetch API, as the README states", async () => {
	const options = { module: "nodenext", moduleResolution: "nodenext", ...NEITHER };
	const problems = await compileEntries(bare, { release: RELEASES[2], options });
	const missing = problems.map((line) => /Cannot find name '(\w+)'/.exec(line)?.[1] ?? line);
	expect([...new Set(missing)].sort()).toEqual([
		"AbortSignal",
		"Blob",
		"File",
		"Headers",
		"ReadableStream",
		"Request",
		"RequestInit",
		"Response",
		"URL",
	]);
});

describe('a project with and without "type": "module"', () => {
	const FROM_5_9 = {
		esnext: [],
		node16: ["TS1479"],
		node18: ["TS1479"],
		node20: [],
		nodenext: [],
	} as const;

	/** What is wrong in a project without it, under each `module`. */
	const WITHOUT = {
		"5.5": { esnext: [], node16: ["TS1479"], nodenext: ["TS1479"] },
		"5.9": FROM_5_9,
		[RELEASES[2]]: FROM_5_9,
	};

	const rows = RELEASES.flatMap((release) =>
		Object.entries(WITHOUT[release] ?? {}).map(([module, codes]) => ({ release, module, codes })),
	);

	test.each(rows)("TypeScript $release, $module: $codes", async ({ release, module, codes }) => {
		const options = { ...BROWSER, module, moduleResolution: resolutionOf(module) };
		const compile = async (file: string) =>
			codesOf(await compiler.compile({ release, folder: bare.folder, files: [file], options }));
		expect([await compile("module.ts"), await compile("commonjs/file.ts")]).toEqual([[], codes]);
	});

	test.each(Object.entries(FROM_5_9))("TypeScript 7, %s: %j", async (module, codes) => {
		const options = { ...BROWSER, module, moduleResolution: resolutionOf(module) };
		const compile = async (file: string) =>
			codesOf(await compileNatively(bare, { ...options, files: [file] }));
		expect([await compile("module.ts"), await compile("commonjs/file.ts")]).toEqual([[], codes]);
	});

	function resolutionOf(module: string): string {
		if (module === "esnext") return "bundler";
		return module === "nodenext" ? module : "node16";
	}

	function codesOf(problems: readonly string[]): (string | undefined)[] {
		return problems.map((line) => /TS\d+/.exec(line)?.[0]);
	}
});

function compileEntries(
	{ folder }: UserProject,
	compilation: Pick<Compilation, "release" | "options">,
): Promise<string[]> {
	return compiler.compile({ ...compilation, folder, files: ["entries.ts"] });
}

/**
 * Compiles with the compiler that is no JavaScript library, and returns what is wrong with the user's files and this
 * package's declarations, one line each.
 */
async function compileNatively(
	{ folder, write }: UserProject,
	{ files, ...options }: { files: readonly string[] } & Record<string, unknown>,
): Promise<string[]> {
	const strict = { strict: true, exactOptionalPropertyTypes: true, noEmit: true, target: "es2022" };
	const compilerOptions = { ...strict, lib: ["es2022", "dom"], types: ["node"], ...options };
	write("tsconfig.native.json", JSON.stringify({ compilerOptions, files }));
	const args = [requireVersion("typescript-7"), "--project", "tsconfig.native.json", "--pretty", "false"];
	const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: folder }).catch(
		(error: { stdout: string }) => error,
	);
	return stdout
		.split("\n")
		.filter((line) => /error TS/.test(line) && !/node_modules\/(?!messaging-gateway\/)/.test(line));
}
