import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { createUserProject, FRAMEWORKS, LINKED, type UserProject } from "./packed-package.ts";
import { type StartedProcess, startProcess } from "./started-process.ts";

const run = promisify(execFile);

/** A recipe of the guide: the slug of its heading, and its snippet. */
export interface Recipe {
	readonly name: string;
	readonly snippets: readonly string[];
}

/** A user's project with every recipe of the guide in it, compiled. */
export interface RecipeProject extends UserProject {
	/** The compiler's errors. */
	readonly compilerErrors: string;
	/** Runs a script in the folder of the recipes, in another process. @returns what it prints. */
	run(script: string, options?: ScriptOptions): Promise<string>;
	/** Starts a recipe that listens, on a free port instead of 3000. */
	start(
		name: string,
		environment: Record<string, string>,
		options?: { nodeOptions?: string[]; expectedErrors?: RegExp },
	): Promise<StartedProcess>;
}

/** How a script in the folder of the recipes is run. */
export interface ScriptOptions {
	readonly environment?: Readonly<Record<string, string>>;
	/** The executable of another release. @default the Node that runs the tests */
	readonly node?: string;
}

/** Every recipe of the guide, in its order. */
export function readRecipes(): Recipe[] {
	const [, ...sections] = readGuide("recipes").split(/^## /m);
	return sections.map((section) => ({
		name: (section.split("\n", 1)[0] ?? "").toLowerCase().replaceAll(" ", "-"),
		snippets: readBlocks(section, "ts"),
	}));
}

/** The commands that a recipe shows, without the line breaks in them. */
export function readCommands(): string[] {
	return readBlocks(readGuide("recipes"), "sh").map((block) => block.replaceAll("\\\n", "").trim());
}

/** Compiles the recipes against the packed package, each into a module with its name. */
export async function createRecipeProject(): Promise<RecipeProject> {
	const project = await createUserProject([...LINKED, ...FRAMEWORKS]);
	// The modules that recipes import, as the guide on webhooks has them.
	for (const block of readBlocks(readGuide("webhooks"), "ts")) {
		const [, name] = /^\/\/ ([\w-]+\.ts)\n/.exec(block) ?? [];
		if (name !== undefined) project.write(name, block);
	}
	for (const { name, snippets } of readRecipes()) project.write(`${name}.ts`, snippets.join("\n"));
	// Nest's decorators need it.
	const compilerErrors = await project.compile({ compilerOptions: { experimentalDecorators: true } });
	return {
		...project,
		compilerErrors,
		async run(script, { environment = {}, node = process.execPath } = {}) {
			const result = await run(node, ["--input-type=module", "--eval", script], {
				cwd: project.folder,
				env: { ...process.env, ...environment },
			});
			return result.stdout.trim();
		},
		async start(name, environment, { nodeOptions = [], expectedErrors } = {}) {
			const compiled = readFileSync(join(project.folder, `${name}.js`), "utf8");
			const [before, after, ...more] = compiled.split(".listen(3000)");
			if (after === undefined || more.length > 0)
				throw new Error(`${name} does not listen on port 3000 once`);
			const listening = '.listen(process.env.PORT, "127.0.0.1", () => console.log("ready"))';
			project.write(`${name}-started.js`, before + listening + after);
			const args = [...nodeOptions, `${name}-started.js`];
			return startProcess(args, { cwd: project.folder, environment, ready: /^ready$/, expectedErrors });
		},
	};
}

function readGuide(name: string): string {
	return readFileSync(new URL(`../../docs/${name}.md`, import.meta.url), "utf8");
}

function readBlocks(markdown: string, language: string): string[] {
	const blocks = markdown.matchAll(new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\`\`\``, "g"));
	return Array.from(blocks, (match) => match[1] ?? "");
}
