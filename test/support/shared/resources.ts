import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import pg from "pg";
import { chromium } from "playwright-core";
import { createClient } from "redis";
import { chromiumOptions } from "../browser.ts";
import { startPostgres } from "../servers/postgres-server.ts";
import { startRedis } from "../servers/redis-server.ts";

const run = promisify(execFile);
const ROOT = new URL("../../..", import.meta.url).pathname;

/** What was started, and one user's share of it. */
export interface Resource<Share> extends AsyncDisposable {
	/** Creates the share of one user, separate from the others. */
	share(): Share | Promise<Share>;
}

/** What is started once for a run of the tests, when the first test needs it. */
export const RESOURCES = {
	packed: packPackage,
	chromium: launchBrowserServer,
	redis: startDatabases,
	postgres: startSqlDatabases,
};

/** One user's share of each resource. */
export type Share<Name extends keyof typeof RESOURCES> = Awaited<
	ReturnType<Awaited<ReturnType<(typeof RESOURCES)[Name]>>["share"]>
>;

/** The package as it is published: the tarball and its contents. */
async function packPackage(): Promise<Resource<{ tarball: string; folder: string }>> {
	if (!existsSync(join(ROOT, "dist/index.js")))
		throw new Error("There is no build: run `npm run build` first.");
	const place = mkdtempSync(join(tmpdir(), "messaging-gateway-packed-"));
	const args = ["pack", "--json", "--ignore-scripts", "--pack-destination", place];
	const { stdout } = await run("npm", args, { cwd: ROOT });
	const tarball = join(place, readFilename(JSON.parse(stdout)));
	const folder = join(place, "package");
	await mkdir(folder);
	await run("tar", ["-xzf", tarball, "-C", folder, "--strip-components=1"]);
	return {
		share: () => ({ tarball, folder }),
		[Symbol.asyncDispose]: async () => rmSync(place, { recursive: true }),
	};
}

/** npm lists what it packed as an array, or from version 11 on as an object by name. */
function readFilename(packed: Record<string, { filename: string }>): string {
	const [first] = Object.values(packed);
	if (first === undefined) throw new Error("npm packed nothing");
	return first.filename;
}

/** A browser to connect to; its pages close with the connection. */
async function launchBrowserServer(): Promise<Resource<{ endpoint: string }>> {
	const server = await chromium.launchServer(chromiumOptions());
	return {
		share: () => ({ endpoint: server.wsEndpoint() }),
		[Symbol.asyncDispose]: () => server.close(),
	};
}

/** A Redis with an empty database for each user; that of TEST_REDIS_URL, if it is set, with one for all. */
async function startDatabases(): Promise<Resource<{ url: string }>> {
	const given = process.env["TEST_REDIS_URL"];
	if (given !== undefined) {
		const client = createClient({ url: given, socket: { reconnectStrategy: false } });
		await named("TEST_REDIS_URL", client.on("error", () => undefined).connect());
		client.destroy();
		return { share: () => ({ url: given }), [Symbol.asyncDispose]: async () => undefined };
	}
	const server = await startRedis({ databases: 1_000 });
	let database = 0;
	return {
		share: () => ({ url: `${server.url}/${database++}` }),
		[Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
	};
}

/** A PostgreSQL with an empty database for each user; in that of TEST_POSTGRES_URL, if it is set, they are dropped. */
async function startSqlDatabases(): Promise<Resource<{ url: string }>> {
	const given = process.env["TEST_POSTGRES_URL"];
	const server = given === undefined ? await startPostgres({ fsync: false }) : undefined;
	const url = given ?? server?.url ?? "";
	const client = new pg.Client({ connectionString: url });
	await named("TEST_POSTGRES_URL", client.connect());
	const names: string[] = [];
	return {
		async share() {
			const name = `messaging_gateway_tests_${process.pid}_${names.length}`;
			names.push(name);
			await client.query(`CREATE DATABASE ${name}`);
			return { url: new URL(name, url).href };
		},
		async [Symbol.asyncDispose]() {
			if (server === undefined)
				for (const name of names) await client.query(`DROP DATABASE ${name} WITH (FORCE)`);
			await client.end();
			await server?.[Symbol.asyncDispose]();
		},
	};
}

/** Names the variable whose server cannot be used; its address may hold a password. */
async function named<Value>(variable: string, connection: Promise<Value>): Promise<Value> {
	try {
		return await connection;
	} catch (error) {
		const reason = error instanceof Error ? ("code" in error && error.code) || error.name : "unknown";
		throw new Error(`the server of ${variable} cannot be used: ${reason}. Start it, or unset the variable.`);
	}
}
