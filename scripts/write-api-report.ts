/**
 * Writes docs/api-report.md: all exports of the built package, each once, so that a review sees their changes.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
	Extractor,
	ExtractorConfig,
	ExtractorLogLevel,
	type ExtractorMessage,
} from "@microsoft/api-extractor";

interface Manifest {
	exports: Record<string, string | { types: string }>;
}

const ROOT = join(import.meta.dirname, "..");
const { exports }: Manifest = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
const REPORT = "entries.api.md";

export const API_REPORT_PATH = join(ROOT, "docs/api-report.md");

/** The report of the exports in dist. */
export function createApiReport(): string {
	const folder = mkdtempSync(join(tmpdir(), "messaging-gateway-api-"));
	try {
		const declaration = join(folder, "entries.d.ts");
		writeFileSync(declaration, writeEntries());
		// A local build overwrites the report.
		Extractor.invoke(configure(declaration, folder), { localBuild: true, messageCallback: throwErrors });
		return withoutTabs(readFileSync(join(folder, REPORT), "utf8"));
	} finally {
		rmSync(folder, { recursive: true });
	}
}

/** The extractor adds its own spaces before the tabs of a declaration, four too many before what ends a block. */
function withoutTabs(report: string): string {
	return report.replace(/^ {4}( *)\t+(?=[})\]])/gm, "$1").replace(/^( *)\t+/gm, "$1");
}

/** One module with a namespace for each entry, so that an export of several entries is reported once. */
function writeEntries(): string {
	return Object.entries(exports)
		.map(([entry, target]) => {
			if (typeof target === "string") return "";
			const name = entry.slice(2).replaceAll(/\W/g, "_") || "index";
			const path = join(ROOT, target.types.replace(/\.d\.ts$/, ".js"));
			return `import * as ${name} from "${path}";\nexport { ${name} };\n`;
		})
		.join("");
}

function configure(declaration: string, folder: string): ExtractorConfig {
	const silent = { default: { logLevel: ExtractorLogLevel.None } };
	const compilerOptions = {
		target: "es2022",
		lib: ["es2022", "dom"],
		types: [],
		module: "esnext",
		moduleResolution: "bundler",
		strict: true,
	};
	return ExtractorConfig.prepare({
		configObjectFullPath: undefined,
		packageJsonFullPath: join(ROOT, "package.json"),
		configObject: {
			projectFolder: ROOT,
			mainEntryPointFilePath: declaration,
			newlineKind: "lf",
			compiler: { overrideTsconfig: { compilerOptions, files: [declaration] } },
			apiReport: {
				enabled: true,
				reportFolder: folder,
				reportTempFolder: join(folder, "temporary"),
				reportFileName: REPORT,
				includeForgottenExports: true,
			},
			docModel: { enabled: false },
			dtsRollup: { enabled: false },
			tsdocMetadata: { enabled: false },
			messages: {
				compilerMessageReporting: { default: { logLevel: ExtractorLogLevel.Error } },
				extractorMessageReporting: silent,
				tsdocMessageReporting: silent,
			},
		},
	});
}

/** Errors in our declarations must not become a report. Those of a peer may need types that ours do not. */
function throwErrors(message: ExtractorMessage): void {
	const isOurs = message.sourceFilePath?.includes("node_modules") !== true;
	if (isOurs && message.logLevel === ExtractorLogLevel.Error)
		throw new Error(message.formatMessageWithLocation(ROOT));
	message.handled = true;
}

if (import.meta.main) writeFileSync(API_REPORT_PATH, createApiReport());
