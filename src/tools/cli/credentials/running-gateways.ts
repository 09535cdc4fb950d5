import { mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { isHttpUrl } from "../../../library/catalogue/input-fields.ts";
import { isJsonObject } from "../../../library/is-object.ts";
import { CONTROL_VERSION_HEADER } from "../../control/contract.ts";
import { parseJson } from "../../control/parse-json.ts";
import { CONTROL_ROUTES } from "../../control/routes.ts";
import { toolFetch } from "../../tool-fetch.ts";
import { isRunning } from "../is-running.ts";
import { createWholeFile } from "../whole-file.ts";
import { stateFolder } from "./state-folder.ts";

/** A local gateway, as it is recorded while it runs. */
interface RunningGateway {
	readonly baseUrl: string;
	readonly pid: number;
	/** In Unix milliseconds. */
	readonly startedAt: number;
}

/** How long a recorded gateway has to respond, in milliseconds. */
const TIMEOUT_MS = 2_000;

function runningFolder(): string {
	return join(stateFolder(), "running");
}

/**
 * Records the address of a gateway of this process, so that the other verbs find it. A folder that cannot be written
 * hides it from them and changes nothing else.
 * @returns what removes the record.
 */
export function recordGateway(baseUrl: string, folder = runningFolder()): Disposable {
	// One file for each address: the next gateway there replaces what a killed one has left.
	const path = join(folder, `${new URL(baseUrl).host.replace(/[^\w.-]/g, "_")}.json`);
	const record: RunningGateway = { baseUrl, pid: process.pid, startedAt: Date.now() };
	try {
		mkdirSync(folder, { recursive: true, mode: 0o700 });
		remove(path);
		createWholeFile(path, `${JSON.stringify(record)}\n`);
	} catch {}
	return { [Symbol.dispose]: () => remove(path) };
}

/** The recorded gateways that respond, the oldest first. The record of a killed one is removed. */
export async function findRunningGateways(folder = runningFolder()): Promise<readonly RunningGateway[]> {
	const found = await Promise.all(
		namesIn(folder).map(async (name) => {
			const path = join(folder, name);
			const gateway = readRecord(path);
			if (gateway !== undefined && (await responds(gateway))) return [gateway];
			remove(path);
			return [];
		}),
	);
	return found.flat().sort((left, right) => left.startedAt - right.startedAt);
}

function namesIn(folder: string): string[] {
	try {
		return readdirSync(folder).filter((name) => name.endsWith(".json"));
	} catch {
		return [];
	}
}

function readRecord(path: string): RunningGateway | undefined {
	let record: unknown;
	try {
		record = parseJson(readFileSync(path, "utf8"));
	} catch {
		return undefined;
	}
	if (!isJsonObject(record)) return undefined;
	const { baseUrl, pid, startedAt } = record;
	const isComplete =
		typeof baseUrl === "string" &&
		isHttpUrl(baseUrl) &&
		typeof pid === "number" &&
		typeof startedAt === "number";
	return isComplete ? { baseUrl, pid, startedAt } : undefined;
}

/** Whether a local gateway responds; one that is too busy to respond counts while its process runs. */
async function responds({ baseUrl, pid }: RunningGateway): Promise<boolean> {
	const timeout = AbortSignal.timeout(TIMEOUT_MS);
	try {
		const [, path] = CONTROL_ROUTES.getClock;
		const response = await toolFetch(baseUrl + path, { signal: timeout, redirect: "error" });
		await response.body?.cancel();
		return response.headers.has(CONTROL_VERSION_HEADER);
	} catch {
		return timeout.aborted && isRunning(pid);
	}
}

function remove(path: string): void {
	try {
		rmSync(path, { force: true });
	} catch {}
}
