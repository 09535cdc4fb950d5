import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import manifest from "../../package.json" with { type: "json" };
import { createUserProject, type UserProject } from "../support/packed-package.ts";
import { type RunningServer, serve } from "../support/serve.ts";

const execute = promisify(execFile);

/** Versions of every optional peer: older and newer ones than are tested. */
const PEERS: Readonly<Record<string, readonly string[]>> = {
	chat: ["3.0.0", "4.14.0", "4.41.1", "5.0.0-beta.1", "5.0.0"],
	msw: ["1.3.5", "2.9.0", "3.0.5", "4.0.0-beta.1", "4.0.0"],
	redis: ["3.1.2", "4.7.1", "5.0.0", "6.3.1", "7.0.0"],
	ioredis: ["4.31.0", "5.0.0", "6.0.0", "7.0.0-beta.1", "7.0.0"],
	pg: ["7.18.2", "8.23.1", "9.0.0-beta.1", "9.0.0"],
	"@opentelemetry/api": ["0.24.0", "1.0.0", "1.9.1", "2.0.0-beta.1", "2.0.0"],
};

const PUBLISHED: Readonly<Record<string, readonly string[]>> = {
	...PEERS,
	...Object.fromEntries(Object.entries(manifest.dependencies).map(([name, version]) => [name, [version]])),
};

type Dependencies = Readonly<Record<string, string>>;

/** The version of each peer at this index, or its last one. */
function versionsAt(place: number): Dependencies {
	return Object.fromEntries(
		Object.entries(PEERS).map(([name, versions]) => [name, versions[place] ?? versions.at(-1) ?? ""]),
	);
}

let registry: RunningServer;
let project: UserProject;

beforeAll(async () => {
	registry = await serve((request, response) => {
		const name = decodeURIComponent(request.url?.slice(1) ?? "");
		response.writeHead(name in PUBLISHED ? 200 : 404, { "Content-Type": "application/json" });
		response.end(JSON.stringify(packument(name)));
	});
	project = await createUserProject([]);
});

afterAll(async () => {
	project?.remove();
	await registry?.[Symbol.asyncDispose]();
});

/** A registry's metadata of a package. Only its versions are read: nothing is downloaded. */
function packument(name: string): object {
	const versions = (PUBLISHED[name] ?? []).map((version) => {
		const tarball = `${registry.url}/${name}/-/${version}.tgz`;
		return [version, { name, version, dist: { tarball } }] as const;
	});
	return { name, "dist-tags": { latest: versions.at(-1)?.[0] }, versions: Object.fromEntries(versions) };
}

interface Lock {
	readonly packages: Readonly<Record<string, { readonly version?: string }>>;
}

/** Writes the lock of a project with these dependencies, in an empty folder. @returns the locked versions. */
async function install(dependencies: Dependencies, ...options: string[]): Promise<Dependencies> {
	const folder = mkdtempSync(join(project.folder, "user-"));
	writeFileSync(join(folder, "package.json"), JSON.stringify({ dependencies }));
	const env = {
		HOME: folder,
		PATH: [dirname(process.execPath), process.env["PATH"]].join(delimiter),
		npm_config_registry: registry.url,
		npm_config_cache: join(project.folder, ".npm"),
		NODE_ENV: "test",
	} as const;
	const quiet = [
		"--package-lock-only",
		"--ignore-scripts",
		"--no-audit",
		"--no-fund",
		"--no-update-notifier",
	];
	await execute("npm", ["install", project.tarball, ...quiet, ...options], { cwd: folder, env });
	const lock: Lock = JSON.parse(readFileSync(join(folder, "package-lock.json"), "utf8"));
	const installed = Object.entries(lock.packages).filter(([path]) => path !== "");
	return Object.fromEntries(
		installed.map(([path, { version = "" }]) => [path.slice("node_modules/".length), version]),
	);
}

const OWN = { "messaging-gateway": manifest.version, ...manifest.dependencies };

describe("the package is installed", () => {
	test.each([0, 1, 2, 3, 4].map((place) => [versionsAt(place)]))("beside %j", async (peers) => {
		expect(await install(peers)).toEqual({ ...OWN, ...peers });
	});

	test("with --strict-peer-deps", async () => {
		const peers = versionsAt(0);
		expect(await install(peers, "--strict-peer-deps")).toEqual({ ...OWN, ...peers });
	});

	test("without any of them", async () => {
		expect(await install({})).toEqual(OWN);
	});
});
