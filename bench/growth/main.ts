/** `npm run bench:growth`: how costs of the package grow with the input, and with the history. */
import { parseArgs } from "node:util";
import { formatCost } from "../speed/format.ts";
import { installPeers } from "../speed/install-peers.ts";
import { align } from "../stores/align.ts";
import { describeMachine, readLoad } from "../stores/machine.ts";
import { median } from "../stores/measure.ts";
import { BODY_SUBJECTS } from "./bodies.ts";
import { fitExponent, type Point } from "./fit-exponent.ts";
import { GATEWAY_SUBJECTS } from "./gateway.ts";
import { STORE_SUBJECTS } from "./stores.ts";
import { type GrowthSubject, MAX_EXPONENTS } from "./subject.ts";

const HELP = `npm run bench:growth -- [options]

  --only TEXT       the subjects whose name holds this text; all of them by default
  --rounds N        rounds that count for each size, 9 by default
  --slice-ms N      how long each round takes, 50 by default
  --max-size N      the largest size, 1000000 by default
  --help

It takes two minutes and five gigabytes, and fails where an exponent is above ${MAX_EXPONENTS.linear} for what may be linear, and ${MAX_EXPONENTS.constant} for what must not grow.`;

type MeasureSlice = typeof import("../speed/slice.ts").measureSlice;

const { values } = parseArgs({
	options: {
		only: { type: "string", default: "" },
		rounds: { type: "string", default: "9" },
		"slice-ms": { type: "string", default: "50" },
		"max-size": { type: "string", default: "1000000" },
		help: { type: "boolean", default: false },
	},
});

const WARM_UP_MS = 500;

const SIZES = [1e2, 1e3, 1e4, 1e5, 1e6].filter((size) => size <= Number(values["max-size"]));

if (values.help) console.log(HELP);
else await run();

async function run(): Promise<void> {
	installPeers();
	const { measureSlice } = await import("../speed/slice.ts");
	const loadBefore = readLoad();
	const subjects = [...BODY_SUBJECTS, ...STORE_SUBJECTS, ...GATEWAY_SUBJECTS].filter(({ name }) =>
		name.includes(values.only),
	);
	const rows: string[][] = [];
	for (const subject of subjects) rows.push(createRow(subject, await measureSizes(subject, measureSlice)));
	const { cpu, cores, node, loadAfter } = describeMachine(loadBefore);
	console.log(
		`${cpu}, ${cores} cores, Node ${node}; load before the run ${loadBefore}, at its end ${loadAfter}\n`,
	);
	const head = [
		"subject",
		"size of",
		...SIZES.map((size) => `10^${Math.log10(size)}`),
		"exponent",
		"may be",
		"",
	];
	console.log(align([head, ...rows]));
}

/** One size after the other, so that collecting the garbage of one does not affect the next. */
async function measureSizes(subject: GrowthSubject, measureSlice: MeasureSlice): Promise<Point[]> {
	process.stderr.write(`${subject.name}\n`);
	const sliceMs = Number(values["slice-ms"]);
	// The engine learns before the first size counts.
	await measureSlice(await subject.prepare(SIZES[0] ?? 1), { sliceMs: WARM_UP_MS });
	const points: Point[] = [];
	for (const size of SIZES) {
		// Before and after: collecting gigabytes takes longer than the measured work, and would distort it.
		globalThis.gc?.();
		const run = await subject.prepare(size);
		globalThis.gc?.();
		const costs: number[] = [];
		for (let round = 0; round <= Number(values.rounds); round++) {
			const cost = await measureSlice(run, { sliceMs });
			if (round > 0) costs.push(cost);
		}
		points.push({ size, cost: median(costs) });
	}
	return points;
}

function createRow({ name, sizeOf, growth }: GrowthSubject, points: readonly Point[]): string[] {
	const exponent = fitExponent(points);
	const limit = MAX_EXPONENTS[growth];
	const isKept = exponent <= limit;
	if (!isKept) process.exitCode = 1;
	const costs = points.map(({ cost }) => formatCost(cost, "ns"));
	return [name, sizeOf, ...costs, exponent.toFixed(2), `${limit}`, isKept ? "kept" : "TOO STEEP"];
}
