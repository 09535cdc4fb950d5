/** `npm run bench:soak`: what verifications, dedupe claims, large bodies and calls in flight hold in memory. */
import { parseArgs } from "node:util";
import { align } from "../stores/align.ts";
import { formatCount } from "../stores/format.ts";
import { CALLS, measureCallsInFlight } from "./calls-in-flight.ts";
import { judgeFlatness, TOLERANCE_BYTES } from "./flatness.ts";
import { MAX_EXTERNAL_BYTES, measureLargeBodies } from "./large-bodies.ts";
import { createClaims, createVerifications, type LongRun } from "./long-runs.ts";
import { formatMemory, readLiveMemory } from "./memory.ts";

const HELP = `npm run bench:soak -- [options]

  --runs N          how many verifications and claims, 1000000 by default
  --help

It needs a build, and takes two minutes. It fails where what is held grows.`;

/** How often the memory is read in a long run. */
const SAMPLES = 50;

/** How many samples a printed table shows. */
const SHOWN_SAMPLES = 10;

const { values } = parseArgs({
	options: { runs: { type: "string", default: "1000000" }, help: { type: "boolean", default: false } },
});

if (values.help) console.log(HELP);
else {
	// First those that read the peak of the process: a long run before them would raise it.
	await soakLargeBodies();
	await soakCallsInFlight();
	await soakLongRun(await createVerifications(), Number(values.runs));
	await soakLongRun(await createClaims(), Number(values.runs));
}

async function soakLargeBodies(): Promise<void> {
	const measured = await measureLargeBodies();
	const rows = measured.map(({ name, heap, external, peakRss }) => [
		name,
		formatMemory(heap),
		formatMemory(external),
		formatMemory(peakRss),
		judge(external <= MAX_EXTERNAL_BYTES, "no second copy", "THE BODY IS COPIED"),
	]);
	const head = ["1 MB of bytes", "heap for each", "buffers for each", "peak RSS above start", "verdict"];
	console.log(`${align([head, ...rows])}\n`);
}

async function soakCallsInFlight(): Promise<void> {
	const { inFlight, afterwards } = await measureCallsInFlight();
	const rows = [
		[
			"in flight",
			formatMemory(inFlight.heap),
			formatMemory(inFlight.heap / CALLS),
			formatMemory(inFlight.rss),
			"",
		],
		[
			"responded",
			formatMemory(afterwards.heap),
			"-",
			formatMemory(afterwards.rss),
			judge(afterwards.heap <= TOLERANCE_BYTES, "given back", "KEPT"),
		],
	];
	const head = [`${formatCount(CALLS)} calls`, "heap above start", "for each", "RSS above start", "verdict"];
	console.log(`${align([head, ...rows])}\n`);
}

async function soakLongRun({ name, runOnce }: LongRun, runs: number): Promise<void> {
	const heaps: number[] = [];
	for (let sample = 0; sample < SAMPLES; sample++) {
		for (let at = 0; at < runs / SAMPLES; at++) await runOnce();
		heaps.push((await readLiveMemory()).heap);
		process.stderr.write(`${name}: ${((sample + 1) * runs) / SAMPLES}\n`);
	}
	const { afterWarmUp, atEnd, isFlat } = judgeFlatness(heaps);
	const step = SAMPLES / SHOWN_SAMPLES;
	const rows = heaps.flatMap((heap, at) =>
		(at + 1) % step === 0 ? [[((at + 1) * runs) / SAMPLES, heap] as const] : [],
	);
	console.log(
		align([[name, "heap"], ...rows.map(([count, heap]) => [formatCount(count), formatMemory(heap)])]),
	);
	console.log(
		`after warm-up ${formatMemory(afterWarmUp)}, at the end ${formatMemory(atEnd)}, ` +
			`tolerance ${formatMemory(TOLERANCE_BYTES)}: ${judge(isFlat, "flat", "NOT FLAT")}\n`,
	);
}

function judge(isRight: boolean, right: string, wrong: string): string {
	if (!isRight) process.exitCode = 1;
	return isRight ? right : wrong;
}
