import { globSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { reply, startServer, type TestServer } from "../support/http-server.ts";
import { copyRepository, type RepositoryCopy } from "./support/repository-copy.ts";

const CHANGESETS = ".changeset/*.md";

/** No commit, no tag, no script. */
const ONLY_FILES = ["--no-git-tag-version", "--allow-same-version", "--ignore-scripts"];

/** A changeset of this package. */
function describeChange(kind: "minor" | "patch", sentence: string): string {
	return `---\n"messaging-gateway": ${kind}\n---\n\n${sentence}\n`;
}

/** What the registry knows before the first release: the version by hand, which gives the package its trusted publisher. */
const PLACEHOLDER = {
	name: "messaging-gateway",
	"dist-tags": { latest: "0.0.0" },
	versions: { "0.0.0": { name: "messaging-gateway", version: "0.0.0" } },
};

let registry: TestServer;
let copy: RepositoryCopy;

beforeAll(async () => {
	registry = await startServer(reply(200, PLACEHOLDER));
	copy = await copyRepository(registry.url);
});

afterAll(async () => {
	copy?.remove();
	await registry?.[Symbol.asyncDispose]();
});

describe("from changesets to a published version", { shuffle: false }, () => {
	test("the first release uses the sentences of all changesets, and removes them", async () => {
		// Added to the pending ones, since there may be none right after a release.
		copy.write(".changeset/one.md", describeChange("minor", "Send a text to several contacts at once."));
		await copy.run("npm", "version", "0.0.0", ...ONLY_FILES);
		rmSync(join(copy.folder, "CHANGELOG.md"), { force: true });
		const sentences = readSentences();
		await copy.run("npm", "run", "version");
		expect(readVersions()).toEqual(["0.1.0", "0.1.0"]);
		const changelog = readChangelog();
		expect(changelog.slice(0, 3)).toEqual(["# messaging-gateway", "## 0.1.0", "### Minor Changes"]);
		expect(changelog.filter((line) => line.startsWith("- ")).sort()).toEqual(sentences);
		expect(readSentences()).toEqual([]);
	});

	test("the next one is listed above it", async () => {
		copy.write(".changeset/next.md", describeChange("patch", "Say more of what went wrong."));
		await copy.run("npm", "run", "version");
		expect(readVersions()).toEqual(["0.1.1", "0.1.1"]);
		expect(readChangelog().slice(0, 5)).toEqual([
			"# messaging-gateway",
			"## 0.1.1",
			"### Patch Changes",
			"- Say more of what went wrong.",
			"## 0.1.0",
		]);
		expect(readSentences()).toEqual([]);
	});

	test("a version that the registry does not have is packed, and would be published unchanged", async () => {
		await copy.run("npx", "changeset", "pack", "--out-dir", "packed");
		const plan = JSON.parse(copy.read("packed/publish-plan.json"));
		expect(plan).toMatchObject({ plan: [[{ name: "messaging-gateway", version: "0.1.1", tag: "latest" }]] });
		// From a folder, npm prints what it corrects in the manifest.
		expect(await copy.run("npm", "publish", "--dry-run")).not.toContain("auto-corrected");
		const tarball = "./packed/packages/messaging-gateway-0.1.1.tgz";
		const printed = await copy.run("npm", "publish", tarball, "--dry-run");
		expect(printed).toContain("with tag latest and public access (dry-run)");
		expect(printed).toContain("+ messaging-gateway@0.1.1");
		expect(new Set(registry.received.map(({ method }) => method))).toEqual(new Set(["GET"]));
	});
});

/** The versions of the manifest and of the lock. */
function readVersions(): string[] {
	return ["package.json", "package-lock.json"].map((path) => JSON.parse(copy.read(path)).version);
}

function readChangelog(): string[] {
	return copy
		.read("CHANGELOG.md")
		.split("\n")
		.filter((line) => line !== "");
}

/** The sentences of the pending changesets, as the changelog lists them. */
function readSentences(): string[] {
	const paths = globSync(CHANGESETS, { cwd: copy.folder }).filter((path) => !path.endsWith("README.md"));
	return paths.map((path) => `- ${copy.read(path).split("---\n")[2]?.trim()}`).sort();
}
