import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { resolvePeer } from "../../peers/load.ts";
import { CLIENTS } from "../clients.ts";
import { recordResponseBody, startFixedServer } from "../fixed-response.ts";
import { isResponse } from "../open-clients.ts";
import { prove } from "../prove.ts";
import type { Case, Contender, SpeedTable } from "../table.ts";

const execute = promisify(execFile);

/** How often a new process starts for each contender. */
const ROUNDS = 15;

/** What a process pays before its first work, without its own start. */
export const table: SpeedTable = {
	title: "Start of a process",
	shows: "cost",
	async *openCases(atEnd) {
		const folder = mkdtempSync(join(tmpdir(), "bench-start-"));
		atEnd(() => rmSync(folder, { recursive: true }));
		const emptyModule = join(folder, "empty.mjs");
		writeFileSync(emptyModule, "");
		yield createCase("import", [
			...CLIENTS.flatMap(({ name, role, module }) =>
				module === undefined ? [] : [importer({ name, role }, resolve(role, module))],
			),
			importer(
				{ name: "messaging-gateway/webhooks", role: "ours" },
				resolve("ours", "messaging-gateway/webhooks"),
			),
			...["standardwebhooks", "svix"].map((name) => importer({ name, role: "peer" }, resolve("peer", name))),
			importer({ name: "an empty module", role: "floor" }, pathToFileURL(emptyModule).href),
		]);

		const body = await recordResponseBody();
		const baseUrl = await startFixedServer(body, atEnd);
		yield createCase(
			"import and first call",
			CLIENTS.map(({ name, role }) => ({ name, role, run: () => callFirst(name, baseUrl, body) })),
		);
	},
};

/** The runs of the contenders return the time in nanoseconds. */
function createCase(name: string, contenders: readonly Contender[]): Case {
	return { name, rounds: ROUNDS, measure: async ({ run }) => Number(await run()), contenders };
}

function resolve(role: Contender["role"], module: string): string {
	return role === "ours" ? import.meta.resolve(module) : resolvePeer(module);
}

const IMPORT = `
const before = performance.now();
await import(process.argv[1]);
process.stdout.write(String((performance.now() - before) * 1e6));
`;

function importer(contender: Pick<Contender, "name" | "role">, url: string): Contender {
	const args = ["--input-type=module", "--eval", IMPORT, url];
	return { ...contender, run: async () => (await execute(process.execPath, args)).stdout };
}

const FIRST_CALL = fileURLToPath(new URL("../first-call.ts", import.meta.url));

async function callFirst(name: string, baseUrl: string, body: string): Promise<number> {
	const { stdout } = await execute(process.execPath, ["--no-warnings", FIRST_CALL, name, baseUrl]);
	const { ns, response }: { ns: number; response: unknown } = JSON.parse(stdout);
	prove(isResponse(response, body), `${name} returns the response`);
	return ns;
}
