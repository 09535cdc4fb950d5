import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { findMissing } from "../../scripts/needed-commands.ts";

const FOLDER = new URL("../../.github/workflows", import.meta.url).pathname;

type Permissions = Readonly<Record<string, "read" | "write" | "none">>;

interface Workflow {
	readonly on: Readonly<Record<string, unknown>>;
	readonly permissions?: Permissions;
	readonly concurrency?: unknown;
	readonly jobs: Readonly<Record<string, Job>>;
}

interface Job {
	readonly permissions?: Permissions;
	readonly environment?: string;
	readonly "timeout-minutes"?: number;
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

const { scripts }: { scripts: Record<string, string> } = JSON.parse(
	readFileSync(new URL("../../package.json", import.meta.url), "utf8"),
);

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

	test("the npm scripts that it runs exist", () => {
		const commands = steps.flatMap(({ run, with: inputs }) => [run, inputs?.["script"]]).join("\n");
		const names = [...commands.matchAll(/npm (?:run ([\w:-]+)|(test))/g)].map(([, run, test]) => run ?? test);
		expect(names.length).toBeGreaterThan(0);
		expect(names.filter((script) => script === undefined || !(script in scripts))).toEqual([]);
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
