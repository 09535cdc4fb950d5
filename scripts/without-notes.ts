import { readFile } from "node:fs/promises";
import type { Options } from "tsup";

/** The name of the interface that a schema is tied to, and the known values of a string that may be any. */
const NAME = /(\bschemaOf<(\w+)>\()"\2"(?=\))/g;
const KNOWN_VALUES = /(\bopenEnum\()[^()]+(?=\))/g;

/** Takes out of the catalogue what only the OpenAPI document reads, which another build makes. */
export function withoutNotes(source: string): string {
	return source.replace(NAME, '$1""').replace(KNOWN_VALUES, "$1[]");
}

export function catalogueWithoutNotes(): NonNullable<Options["esbuildPlugins"]>[number] {
	return {
		name: "catalogue-without-notes",
		setup(build) {
			build.onLoad({ filter: /[\\/]library[\\/]catalogue[\\/][\w-]+\.ts$/ }, async ({ path }) => {
				return { contents: withoutNotes(await readFile(path, "utf8")), loader: "ts" };
			});
		},
	};
}
