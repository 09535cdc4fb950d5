import { globSync, readFileSync } from "node:fs";

/** What `npm test`, `npm run test:full` and `npm run test:release` run: CONTRIBUTING.md has what belongs where. */
export const TIERS = ["first", "full", "release"] as const;

export type Tier = (typeof TIERS)[number];

/** The test files of a tier: `name.TIER.test.ts`, and of the first one `name.test.ts`. */
export function listTier(tier: Tier): string[] {
	const files = globSync("test/**/*.test.ts", { exclude: (path) => /node_modules$/.test(path) });
	return files.filter((path) => tierOf(path) === tier).sort();
}

function tierOf(path: string): Tier {
	return TIERS.find((tier) => path.endsWith(`.${tier}.test.ts`)) ?? "first";
}

/** Whether a file puts something of its own in the place of a module, which the files beside it must not see. */
export function hasMockedModules(path: string): boolean {
	return /\bvi\.(mock|doMock|resetModules)\(/.test(readFileSync(path, "utf8"));
}

/** Whether a file needs zod itself, which writes the OpenAPI document; everything else is tested as it ships. */
export function writesDocuments(path: string): boolean {
	const writers =
		/from "zod\/mini"|\b(create-openapi-document|openapi-documents|openapi-schemas|api-console|subset-catalogue)\.ts"/;
	return writers.test(readFileSync(path, "utf8"));
}

/** What shows that a file needs a server, or Chromium: the run starts one for all. */
const NEEDS: Readonly<Record<string, RegExp>> = {
	redis: /\bshare\("redis"\)/,
	postgres: /\bshare\("postgres"\)/,
	chromium: /\bopenBrowser\(/,
};

/** The files of the first tier that need one of these. @param names - names of `NEEDS`, separated by commas. */
export function filesWithout(names = ""): string[] {
	const patterns = names.split(",").flatMap((name) => NEEDS[name] ?? []);
	return listTier("first").filter((path) => {
		const source = patterns.length === 0 ? "" : readFileSync(path, "utf8");
		return patterns.some((pattern) => pattern.test(source));
	});
}
