/** `npm run ratchets`: counts what may only fall, records it, and prints what is above its limit. */
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
writeRatchets(measured, recorded);
for (const problem of findProblems(measured, readRatchets())) console.log(`\n${problem}`);
if (Object.entries(measured).some(([what, ratchet]) => isAbove(ratchet, recorded[what])))
	process.exitCode = 1;
