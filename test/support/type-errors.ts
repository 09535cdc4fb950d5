import { join } from "node:path";
import ts from "typescript";

const ROOT = join(import.meta.dirname, "../..");

/** What the compiler finds wrong with a module that imports the package, in a strict project. */
export function typeErrorsOf(source: string): string[] {
	const { options } = ts.parseJsonConfigFileContent(
		ts.readConfigFile(join(ROOT, "tsconfig.json"), ts.sys.readFile).config,
		{ ...ts.sys, readDirectory: () => [] },
		ROOT,
	);
	const path = join(ROOT, "test/pasted-source.ts");
	const host = ts.createCompilerHost(options);
	const { fileExists, readFile, getSourceFile } = host;
	host.fileExists = (name) => name === path || fileExists(name);
	host.readFile = (name) => (name === path ? source : readFile(name));
	host.getSourceFile = (name, language, ...rest) =>
		name === path ? ts.createSourceFile(name, source, language) : getSourceFile(name, language, ...rest);
	const program = ts.createProgram([path], options, host);
	const file = program.getSourceFile(path);
	if (file === undefined) throw new Error("the source was not read");
	return [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)].map(
		({ messageText }) => ts.flattenDiagnosticMessageText(messageText, "\n"),
	);
}
