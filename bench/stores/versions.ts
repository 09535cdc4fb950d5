import { readFileSync } from "node:fs";

const manifest: { devDependencies: Record<string, string> } = JSON.parse(
	readFileSync(new URL("../../package.json", import.meta.url), "utf8"),
);

/** A package of this repository with its version, which is pinned. */
export function withVersion(name: string): string {
	return `${name} ${manifest.devDependencies[name]}`;
}
