import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { findMissing } from "../../scripts/needed-commands.ts";

const FOLDER = new URL("../../.github/workflows", import.meta.url).pathname;

type Permissions = Readonly<Record<string, "read" | "write" | "none">>;

interface Workflow {
	readonly name: string;
	readonly on: Readonly<Record<string, unknown>>;
	readonly permissions?: Permissions;
	readonly concurrency?: unknown;
	readonly jobs: Readonly<Record<string, Job>>;
}

interface Job {
	readonly permissions?: Permissions;
	readonly environment?: string;
	readonly "runs-on"?: string;
	readonly strategy?: { readonly matrix: Readonly<Record<string, readonly unknown[]>> };
	readonly defaults?: { readonly run: { readonly shell: string } };
	readonly "timeout-minutes"?: number;
	readonly needs?: string | readonly string[];
	/** A workflow instead of steps. */
	readonly uses?: string;
	readonly steps?: readonly Step[];
}

interface Step {
	readonly uses?: string;
	readonly run?: string;
	readonly with?: Readonly<Record<string, unknown>>;
}

/** The permissions of every job that may write. */
const WRITERS: Readonly<Record<string, readonly string[]>> = {
	"release.yml version": ["contents", "pull-requests"],
	"release.yml publish": ["contents", "id-token"],
};

interface Manifest {
	readonly version: string;
	readonly scripts: Readonly<Record<string, string>>;
	readonly repository?: string | { readonly url?: string };
}

const ROOT = new URL("../..", import.meta.url);
const manifest: Manifest = JSON.parse(readFileSync(new URL("package.json", ROOT), "utf8"));
const { scripts } = manifest;

const workflows = readdirSync(FOLDER).map((name) => {
	const text = readFileSync(join(FOLDER, name), "utf8");
	const workflow: Workflow = parse(text);
	const jobs = Object.entries(workflow.jobs);
	return { name, text, workflow, jobs, steps: jobs.flatMap(([, job]) => job.steps ?? []) };
});

test("there are tests and a release", () => {
	expect(workflows.map(({ name }) => name)).toEqual(["ci.yml", "release.yml"]);
});

describe.each(workflows)("$name", ({ name, text, workflow, jobs, steps }) => {
	test("every action is pinned to a commit, with its version in a comment", () => {
		const used = text.split("\n").filter((line) => /^[\s-]*uses:/.test(line));
		expect(used).toHaveLength(
			steps.filter((step) => step.uses).length + jobs.filter(([, job]) => job.uses).length,
		);
		const pinned = /uses: [\w-]+\/[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/;
		expect(used.filter((line) => !pinned.test(line) && !/uses: \.\/\.github\//.test(line))).toEqual([]);
	});

	test("permissions are explicit, and only the listed jobs may write", () => {
		expect(["{}", `{"contents":"read"}`]).toContain(JSON.stringify(workflow.permissions));
		const writers = jobs.flatMap(([job, { permissions = {} }]) => {
			const rights = Object.keys(permissions).filter((right) => permissions[right] === "write");
			return rights.length === 0 ? [] : [[`${name} ${job}`, rights] as const];
		});
		const expected = Object.entries(WRITERS).filter(([job]) => job.startsWith(`${name} `));
		expect(writers).toEqual(expected);
	});

	test("a job that may request an identity token has an environment", () => {
		for (const [, { permissions, environment }] of jobs) {
			if (permissions?.["id-token"] === "write") expect(environment).toBe("npm");
		}
	});

	test("jobs have a time limit, do not run concurrently, and keep no credentials", () => {
		expect(workflow.concurrency).toMatchObject({ group: expect.stringContaining("github.ref") });
		for (const [, job] of jobs) if (!job.uses) expect(job["timeout-minutes"]).toBeLessThanOrEqual(30);
		const checkouts = steps.filter(({ uses }) => uses?.startsWith("actions/checkout@"));
		expect(checkouts.length).toBeGreaterThan(0);
		for (const checkout of checkouts) expect(checkout.with).toMatchObject({ "persist-credentials": false });
	});

	test("no untrusted input reaches a shell", () => {
		expect(Object.keys(workflow.on)).not.toContain("pull_request_target");
		expect(Object.keys(workflow.on)).not.toContain("workflow_run");
		expect(steps.filter(({ run }) => run?.includes("${{"))).toEqual([]);
		expect(text).not.toContain("secrets.");
	});

	// What a dependency runs when it is installed could write to the repository, or into what is published.
	if (name === "release.yml") {
		test("installs without the scripts of dependencies", () => {
			const installs = steps.flatMap(({ run = "" }) => run.match(/npm (?:ci|install)\b.*/g) ?? []);
			expect(installs.length).toBeGreaterThan(0);
			expect(installs.filter((command) => !/ --ignore-scripts\b/.test(command))).toEqual([]);
		});
	}

	test("the npm scripts that it runs exist", () => {
		const commands = steps.flatMap(({ run, with: inputs }) => [run, inputs?.["script"]]).join("\n");
		const names = [...commands.matchAll(/npm (?:run ([\w:-]+)|(test))/g)].map(([, run, test]) => run ?? test);
		expect(names.length).toBeGreaterThan(0);
		expect(names.filter((script) => script === undefined || !(script in scripts))).toEqual([]);
	});
});

describe("the packed package", () => {
	const packed = workflows.find(({ name }) => name === "ci.yml")?.workflow.jobs["packed"];

	test("is used on Linux, macOS and Windows, with each supported Node", () => {
		expect(packed?.["runs-on"]).toContain("matrix.os");
		expect(packed?.strategy?.matrix).toEqual({
			os: [
				expect.stringMatching(/^ubuntu-/),
				expect.stringMatching(/^macos-/),
				expect.stringMatching(/^windows-/),
			],
			node: [22, 24, 26],
		});
	});

	test("is used without a path, a command or a shell that only Linux has", () => {
		expect(packed?.defaults?.run.shell).toBe("bash"); // Windows has Git's
		const commands = (packed?.steps ?? []).map(({ run = "" }) => run).join("\n");
		// A variable of the runner is a path with backslashes on Windows.
		expect(commands).not.toMatch(/\b(?:sudo|apt-get|brew|choco)\b|\$|(?:^|\s)\/\w/);
	});

	test("is built without a path or a command that only Linux has", () => {
		expect(scripts["build"]).not.toMatch(/\$|\b(?:rm|cp|mv|mkdir) /);
		const files = ["tsup.config.ts", ...(scripts["build"]?.match(/scripts\/[\w-]+\.ts/g) ?? [])];
		const programs = [...new Set(files.flatMap(findImported))];
		expect(programs).toEqual(expect.arrayContaining(["scripts/write-types.ts", "scripts/shared-chunks.ts"]));
		for (const path of programs) {
			const code = readFileSync(new URL(path, ROOT), "utf8");
			// Of a file's URL it is `/D:/…` on Windows.
			expect(code, path).not.toMatch(/\.pathname\b|["'`]\/(?:tmp|usr|home|etc|dev)\//);
		}
	});
});

describe("the repository of a release", () => {
	// In a workflow that another one calls, this is the caller's name.
	test.runIf(process.env["GITHUB_WORKFLOW"] === "Release")("is in package.json", () => {
		expect(workflows.some(({ workflow }) => workflow.name === "Release")).toBe(true);
		expect(addressOf(manifest), "fill in `repository`: npm compares the provenance with it").toMatch(
			REPOSITORY,
		);
	});

	// Nothing is published until it is filled in, and the changelog describes the first version as a whole.
	test.runIf(addressOf(manifest) === "")("is filled in before any changeset, which would skip 0.1.0", () => {
		const waiting = readdirSync(new URL(".changeset", ROOT)).filter((name) => /(?<!README)\.md$/.test(name));
		expect([manifest.version, waiting]).toEqual(["0.1.0", []]);
	});

	test("is tested before that workflow publishes", () => {
		const publishing = workflows.filter(({ jobs }) =>
			jobs.some(([, job]) => job.permissions?.["id-token"] === "write"),
		);
		expect(publishing.map(({ workflow }) => workflow.name)).toEqual(["Release"]);
		expect(publishing[0]?.workflow.jobs["publish"]?.needs).toContain("test");
		expect(publishing[0]?.workflow.jobs["test"]?.uses).toBe("./.github/workflows/ci.yml");
	});
});

test("the tests find the servers that they start", () => {
	const commands = workflows.flatMap(({ steps }) => steps.map(({ run = "" }) => run)).join("\n");
	const installed = Array.from(commands.matchAll(/apt-get install (.*)/g), ([, list = ""]) =>
		list.split(" "),
	);
	// The image contains Chromium; Ubuntu has it only as a snap.
	const needed = findMissing(false, {}, () => undefined).map(({ debian }) => debian);
	for (const list of installed)
		expect(list).toEqual(expect.arrayContaining(needed.filter((name) => name !== "chromium")));
	expect(installed.length).toBeGreaterThan(0);
});

/** What npm's provenance can be compared with. */
const REPOSITORY = /^(?:git\+)?https:\/\/[\w.-]+\/[\w.-]+\/[\w.-]+$/;

function addressOf({ repository = "" }: Pick<Manifest, "repository">): string {
	return typeof repository === "string" ? repository : (repository.url ?? "");
}

/** A script and the scripts that it imports. */
function findImported(path: string): string[] {
	const url = new URL(path, ROOT);
	const imported = Array.from(
		readFileSync(url, "utf8").matchAll(/from "(\.{1,2}\/[^"]+)"/g),
		([, name = ""]) => new URL(name, url).href.slice(ROOT.href.length),
	).filter((name) => name.startsWith("scripts/"));
	return [path, ...imported.flatMap(findImported)];
}
