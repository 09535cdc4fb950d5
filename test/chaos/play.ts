import { Children } from "./children.ts";
import { Faults, type Scene } from "./faults.ts";
import type { ChaosCommand } from "./options.ts";
import { Random } from "./random.ts";
import type { FaultCounts, FaultKind, Played } from "./report.ts";
import type { StoreServer } from "./servers.ts";
import { Watch } from "./watch.ts";

/** What a run consists of. */
export interface PlayPlan {
	readonly server: StoreServer;
	/** The script of the processes, and their settings. */
	readonly script: URL;
	readonly settings: object;
	/** How many processes there are. */
	readonly processes: number;
	readonly tasks: number;
	readonly window: number;
	/** How often each fault comes if there are as many tasks as by default; fewer tasks get fewer faults. */
	readonly faults: FaultCounts & { readonly tasks: number };
}

/** A run's processes, and what is done with them. */
export interface Players {
	/** Makes some tasks, which come to an end later. @returns how many. */
	make(): number | Promise<number>;
	done(): number;
	/** Waits for what is under way when all tasks were made. */
	settle(made: number): Promise<void>;
	/** What is not at its end yet, for a run that hangs. */
	pending(): readonly string[];
}

/** Plays faults while processes work, until everything has come to its end or nothing moves any more. */
export async function play(
	{ seed }: ChaosCommand,
	plan: PlayPlan,
	prepare: (children: Children, over: AbortSignal) => Players,
): Promise<Played> {
	const { server, script, settings, tasks, window } = plan;
	await using children = new Children(script, settings);
	await Promise.all(Array.from({ length: plan.processes }, () => children.start()));
	using watch = new Watch(() => ({ done: players.done(), ...faults.tried }));
	const { over } = watch;
	const players = prepare(children, over);
	const random = new Random(seed);
	const scene: Scene = { children, server, random, tasks, window, done: () => players.done(), over };
	const faults = new Faults(scene, scaleFaults(plan));
	const problems: string[] = [];
	const startedAt = performance.now();
	try {
		await players.settle(await faults.runWith(() => players.make()));
	} catch (error) {
		if (!watch.hasStalled) problems.push(`the run broke off: ${String(error)}`);
	}
	const pending = players.pending();
	// A fault that is not over has not struck, which is no failure.
	if (watch.hasStalled && pending.length > 0)
		problems.push(watch.describeStall(`${pending.length} not at an end, as ${pending[0]}`));
	const seconds = Math.round((performance.now() - startedAt) / 1_000);
	const { scheduled, tried, struck } = faults;
	return {
		counts: { seed: String(seed), processes: plan.processes, seconds },
		scheduled,
		tried,
		struck,
		crashes: children.crashes,
		problems: [...problems, ...faults.problems],
	};
}

function scaleFaults({ tasks, faults }: PlayPlan): FaultCounts {
	const scale = (kind: FaultKind): number => Math.max(1, Math.round((faults[kind] * tasks) / faults.tasks));
	return { kill: scale("kill"), cut: scale("cut"), restart: scale("restart"), hang: scale("hang") };
}
