import { readFile, writeFile } from "node:fs/promises";
import { transform } from "esbuild";
import type { Options } from "tsup";

type Plugin = NonNullable<Options["plugins"]>[number];

/**
 * Makes written files as the package has them: without links to source maps, which stay here for the tests, without
 * imports that import nothing, without the comments of class members, which the declarations have, and indented with tabs:
 * each is one hundredth of the package. Those of the command are minified: nobody imports from them, and they are a tenth.
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
	await writeFile(path, isCommand ? await minify(code) : await condense(code));
}

async function minify(code: string): Promise<string> {
	return (await transform(code, { minify: true, keepNames: false })).code;
}

/** A documenting comment on lines of its own. The bundler keeps only those of class members. */
const MEMBER_COMMENT = /^ *\/\*\*(?:(?!\*\/)[\s\S])*\*\/\n/gm;

/** @throws Error when a line of a template literal begins with spaces or a comment, so that the text would be another one. */
async function condense(code: string): Promise<string> {
	const condensed = code
		// Its lines stay, so that the source maps of the tests do.
		.replace(MEMBER_COMMENT, (comment) => comment.replace(/[^\n]+/g, ""))
		.replace(/^(?: {2})+/gm, (spaces) => "\t".repeat(spaces.length / 2));
	if ((await minify(condensed)) !== (await minify(code)))
		throw new Error("a template literal has a line that begins with spaces or a comment: write it with \\n");
	return condensed;
}
