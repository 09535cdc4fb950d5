import { readFile, writeFile } from "node:fs/promises";
import { transform } from "esbuild";
import type { Options } from "tsup";

type Plugin = NonNullable<Options["plugins"]>[number];

/**
 * Makes written files as the package has them: without links to source maps, which stay here for the tests, without
 * imports that import nothing, and those of the command minified: nobody imports from them, and they are a tenth of the
 * package.
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
	const finished = isCommand ? await transform(code, { minify: true, keepNames: false }) : { code };
	await writeFile(path, finished.code);
}
