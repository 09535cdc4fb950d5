/** `npm run chaos:turns`: bursts from a thousand conversations, while the workers of the example `turns` are killed. */
import { parseArgs } from "node:util";
import { playTurns } from "./play.ts";

const { values } = parseArgs({
	options: {
		conversations: { type: "string", default: "1000" },
		kills: { type: "string", default: "40" },
		"quiet-seconds": { type: "string", default: "3" },
	},
});

const startedAt = performance.now();
const { counts, failures } = await playTurns({
	conversations: Number(values.conversations),
	kills: Number(values.kills),
	quietSeconds: Number(values["quiet-seconds"]),
	onProgress: (line) => console.log(line),
});
const rows = { ...counts, seconds: Math.round((performance.now() - startedAt) / 1_000) };
for (const [name, value] of Object.entries(rows))
	console.log(`${name.padEnd(28)}${String(value).padStart(8)}`);
for (const failure of failures) console.log(`FAILED: ${failure}`);
if (failures.length > 0) process.exitCode = 1;
