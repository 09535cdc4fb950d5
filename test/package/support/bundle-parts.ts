import { SourceMap } from "node:module";
import type { Bundle } from "../../support/bundle.ts";

/** Rooms of src that only some imports may bring; the others are everywhere. */
const ROOMS = [
	"client",
	"cli",
	"console",
	"control",
	"doctor",
	"local-gateway",
	"openapi",
	"stores",
	"conformance",
];

/** Files of the catalogue that declare no operation: what operations, webhooks and signing have in common. */
const WITHOUT_OPERATIONS = [
	"check",
	"duplicate-info",
	"events",
	"handle",
	"invalid-input",
	"known-path",
	"limits",
	"needs-mapper",
	"operation",
	"profile",
	"reserved-headers",
	"schema",
	"shared",
	"webhook-headers",
	"zod-subset/checks",
	"zod-subset/schemas",
	"zod-subset/type",
];

/**
 * What a bundle contains: packages, rooms of src, `operations`, and the built-ins of Node that it imports. It needs an
 * unminified bundle with its source map, which maps each line to its file.
 */
export function listParts({ outputFiles, metafile }: Bundle): string[] {
	const builtIns = Object.values(metafile.outputs).flatMap(({ imports }) =>
		imports.flatMap(({ path, external }) =>
			external === true && !["msw", "chat"].includes(path) ? [path] : [],
		),
	);
	const sources = outputFiles
		.filter(({ path }) => path.endsWith(".js"))
		.flatMap(({ path, text }) => listSources(text, findText(outputFiles, `${path}.map`)));
	return [...new Set([...builtIns, ...sources.flatMap(toPart)])].sort();
}

function findText(files: Bundle["outputFiles"], path: string): string {
	const file = files.find((each) => each.path === path);
	if (file === undefined) throw new Error(`there is no ${path}`);
	return file.text;
}

function listSources(code: string, map: string): string[] {
	const sourceMap = new SourceMap(JSON.parse(map));
	return code.split("\n").flatMap((line, row) => {
		const column = line.search(/\S/);
		if (column === -1) return [];
		const entry = sourceMap.findEntry(row, column);
		return "originalSource" in entry ? [entry.originalSource] : [];
	});
}

function toPart(source: string): string[] {
	const [, packageName] = /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(source) ?? [];
	if (packageName !== undefined) return [packageName];
	const [, room = "", file = ""] = /\/src\/\w+\/([^/]+)\/(.+)\.tsx?$/.exec(source) ?? [];
	if (room === "catalogue") return WITHOUT_OPERATIONS.includes(file) ? [] : ["operations"];
	return ROOMS.includes(room) ? [room] : [];
}
