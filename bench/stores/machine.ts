import { cpus, loadavg, platform, release } from "node:os";
import type { Machine } from "./record.ts";

/** The machine that this runs on, as far as it matters to a speed. */
export function describeMachine(loadBefore: number): Machine {
	const processors = cpus();
	return {
		node: process.version,
		platform: `${platform()} ${release()}`,
		cpu: processors[0]?.model.trim() ?? "unknown",
		cores: processors.length,
		loadBefore,
		loadAfter: readLoad(),
	};
}

/** How many processes wanted a core in the last minute. */
export function readLoad(): number {
	const [lastMinute = 0] = loadavg();
	return Number(lastMinute.toFixed(1));
}
