import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { resolvePeer } from "../../peers/load.ts";
import type { Contender, Role, SpeedTable } from "../table.ts";

const SCRIPT = `
const before = performance.now();
await import(process.argv[1]);
process.stdout.write(String((performance.now() - before) * 1e6));
`;

/** The first import in a new process. */
export const table: SpeedTable = {
	title: "Cold import",
	*openCases(atEnd) {
		const folder = mkdtempSync(join(tmpdir(), "bench-import-"));
		atEnd(() => rmSync(folder, { recursive: true }));
		const empty = join(folder, "empty.mjs");
		writeFileSync(empty, "");
		yield {
			name: "new process",
			rounds: 15,
			measure: ({ run }) => Number(run()),
			contenders: [
				ours("messaging-gateway"),
				ours("messaging-gateway/webhooks"),
				...["stripe", "standardwebhooks", "svix", "openai", "@linqapp/sdk", "sendblue"].map((name) =>
					importer(name, "peer", resolvePeer(name)),
				),
				importer("an empty module", "floor", pathToFileURL(empty).href),
				importer("ky", "floor", import.meta.resolve("ky")),
			],
		};
	},
};

function ours(name: string): Contender {
	return importer(name, "ours", import.meta.resolve(name));
}

/** Its run gives the time that the import took, without the start of the process. */
function importer(name: string, role: Role, url: string): Contender {
	const args = ["--input-type=module", "--eval", SCRIPT, url];
	return { name, role, run: () => execFileSync(process.execPath, args, { encoding: "utf8" }) };
}
