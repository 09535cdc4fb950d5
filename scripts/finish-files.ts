import { readFile, writeFile } from "node:fs/promises";
import { transform } from "esbuild";
import type { Options } from "tsup";

type Plugin = NonNullable<Options["plugins"]>[number];

/**
 * Makes written files as the package has them: without links to source maps, which stay here for the tests, without
 * imports that import nothing, indented with tabs, which is one hundredth of the package, and those of the command
 * minified: nobody imports from them, and they are a tenth of it.
 */
export function finishFiles(): Plugin {
	return {
		name: "finish-files",
		async buildEnd({ writtenFiles }) {
			const paths = writtenFiles.map(({ name }) => name).filter((name) => name.endsWith(".js"));
			await Promise.all(paths.map(finishFile));
		},
	};
}

/** Of a chunk for its side effects: ours have none, and a bundler would count it as needed at once. */
const BARE_IMPORT = /^import '\.{1,2}\/(?:shared\/)?chunk-\w+\.js';$/gm;

async function finishFile(path: string): Promise<void> {
	const code = (await readFile(path, "utf8"))
		.replace(/^\/\/# sourceMappingURL=.*\n?/gm, "")
		.replace(BARE_IMPORT, "");
	const isCommand = path.split(/[\\/]/).includes("cli");
	await writeFile(path, isCommand ? await minify(code) : await indentWithTabs(code));
}

async function minify(code: string): Promise<string> {
	return (await transform(code, { minify: true, keepNames: false })).code;
}

/** @throws Error when a line of a template literal begins with spaces, so that the text would be another one. */
async function indentWithTabs(code: string): Promise<string> {
	const indented = code.replace(/^(?: {2})+/gm, (spaces) => "\t".repeat(spaces.length / 2));
	if ((await minify(indented)) !== (await minify(code)))
		throw new Error("a template literal has a line that begins with spaces: write it with \\n");
	return indented;
}
