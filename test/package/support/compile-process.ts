import process from "node:process";
import { pathToFileURL } from "node:url";
import ownCompiler, { type CompilerHost, type CompilerOptions, type SourceFile } from "typescript";
import { requireVersion } from "../../support/versions.ts";
import type { Compilation } from "./compile.ts";

/** A separate process, because coverage of the compiler would double its time. */
process.on("message", async ({ id, compilation }: { id: number; compilation: Compilation }) => {
	const response = await compile(compilation).then(
		(problems) => ({ id, problems }),
		(error: unknown) => ({ id, failure: String(error) }),
	);
	process.send?.(response);
});

/** @returns what is wrong with the user's files and this package's declarations, one line each. */
async function compile({ release, folder, files, options }: Compilation): Promise<string[]> {
	const ts = await loadCompiler(release);
	const strict = { strict: true, exactOptionalPropertyTypes: true, skipLibCheck: false, noEmit: true };
	const json = { ...strict, target: "es2022", ...options };
	const converted = ts.convertCompilerOptionsFromJson(json, folder);
	const host = { ...createCachingHost(release, ts, converted.options), getCurrentDirectory: () => folder };
	const rootNames = files.map((file) => `${folder}/${file}`);
	const program = ts.createProgram({ rootNames, options: converted.options, host });
	const checked = program
		.getSourceFiles()
		.filter(({ fileName }) => !/node_modules\/(?!messaging-gateway\/)/.test(fileName));
	const diagnostics = [
		...converted.errors,
		...program.getOptionsDiagnostics(),
		...program.getGlobalDiagnostics(),
		...checked.flatMap((file) => [
			...program.getSyntacticDiagnostics(file),
			...program.getSemanticDiagnostics(file),
			...(converted.options.declaration ? program.getDeclarationDiagnostics(file) : []),
		]),
	];
	return diagnostics.map(({ file, code, messageText }) => {
		const place = file?.fileName.replace(`${folder}/`, "") ?? "options";
		return `${place}: TS${code} ${ts.flattenDiagnosticMessageText(messageText, " ")}`;
	});
}

/** What a release has parsed, by path and by how it was parsed: most of it is the same for all settings. */
const parsed = new Map<string, SourceFile | undefined>();

function createCachingHost(
	release: Compilation["release"],
	ts: typeof ownCompiler,
	options: CompilerOptions,
): CompilerHost {
	const host = ts.createCompilerHost(options);
	return {
		...host,
		getSourceFile(path, how, ...rest) {
			const key = JSON.stringify([release, path, how]);
			if (!parsed.has(key)) parsed.set(key, host.getSourceFile(path, how, ...rest));
			return parsed.get(key);
		},
	};
}

async function loadCompiler(release: Compilation["release"]): Promise<typeof ownCompiler> {
	if (release === ownCompiler.versionMajorMinor) return ownCompiler;
	const tsc = pathToFileURL(requireVersion(`typescript-${release}`));
	const { default: compiler }: { default: typeof ownCompiler } = await import(
		new URL("../lib/typescript.js", tsc).href
	);
	return compiler;
}
