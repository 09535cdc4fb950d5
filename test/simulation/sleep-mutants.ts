import type { SimulatedMutant } from "./play.ts";

const TIME = "src/library/store-calls/lease-time.ts";
const LEASE = "src/library/webhooks/lease.ts";
const RUNNER = "src/library/webhooks/claim-runner.ts";
const SENDS = "src/library/sends/run-send.ts";

/** A lease by the monotonic clock alone, which stands still while the machine sleeps. */
function clocksNotCompared(seeds: number): SimulatedMutant {
	return {
		id: "clocks-not-compared",
		file: TIME,
		find: "const wallMs = clock.now() - wallAt;",
		replacement: "const wallMs = monotonicNow(clock) - monotonicAt;",
		seeds,
	};
}

/** Changes that only a machine shows that sleeps, or whose wall clock is set, by the scenario that finds them. */
export const SLEEP_MUTANTS = {
	webhooks: [
		clocksNotCompared(200),
		{
			id: "clocks-compared-by-timers-alone",
			file: RUNNER,
			find: "if (!held().isCertain) {",
			replacement: "if (held().leftAwakeMs <= 0) {",
			seeds: 200,
		},
		{
			id: "confirmed-lease-not-compared-again",
			file: RUNNER,
			find: "if (!held().isCertain) return await giveBack(processing, token);",
			replacement: "",
			seeds: 400,
		},
		{
			id: "run-interrupted-by-a-clock-that-is-set",
			file: LEASE,
			find: "return leftMs > 0 ? leftMs : leftAwakeMs;",
			replacement: "return leftMs;",
			seeds: 400,
		},
	],
	"webhooks-dynamodb": [clocksNotCompared(1_000)],
	inbox: [clocksNotCompared(300)],
	sends: [
		clocksNotCompared(3_000),
		{
			id: "confirmed-lease-not-compared-with-the-store",
			file: SENDS,
			find: "startLease(clock, found.record.leaseEndsAt - found.now - askedMs)",
			replacement: "asked",
			seeds: 3_000,
		},
	],
	chat: [clocksNotCompared(1_000)],
} as const satisfies Record<string, readonly SimulatedMutant[]>;
