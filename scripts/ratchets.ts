/** `npm run ratchets`: counts what may only fall, prints what came and went, and records what fell. */
import process from "node:process";
import { align } from "../bench/format.ts";
import { findProblems, isAbove, measureRatchets, readRatchets, writeRatchets } from "./ratchets/record.ts";

const recorded = readRatchets();
const measured = measureRatchets();
const rows = Object.entries(measured).map(([what, { size }]) => [
	what,
	String(size),
	String(recorded[what]?.limit ?? "–"),
]);
console.log(align({ head: ["what may only fall", "now", "limit"], rows }));
for (const problem of findProblems(measured, recorded)) console.log(`\n${problem}`);
writeRatchets(measured, recorded);
if (Object.entries(measured).some(([what, ratchet]) => isAbove(ratchet, recorded[what])))
	process.exitCode = 1;
