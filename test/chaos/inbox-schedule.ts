import { type Misdeed, STATEMENTS, type Strike } from "./inbox-settings.ts";
import { Random } from "./random.ts";

const KINDS: readonly Strike["kind"][] = ["kill", "stop", "cut", "cut late", "full pool"];
const NAMES = Object.keys(STATEMENTS) as Strike["before"][];
/** How often each kind strikes before each statement at most: after a kill a receiver needs a second to start. */
const MAX_ROUNDS = 6;
/** One event of three is struck at most. */
const MIN_GAP = 3;
/** How often a handler does what. Each that asks a pool of one connection holds it for as long as it may run. */
const MISDEEDS: readonly [Misdeed, number][] = [
	["fail", 0.05],
	["swallow", 0.05],
	["commit", 0.02],
	["hidden commit", 0.02],
	["ask the pool", 0.005],
];

export const ALL_STRIKES = KINDS.flatMap((kind) => NAMES.map((before): Strike => ({ kind, before })));

/** Spreads strikes over the events: each kind before each statement, as often as it fits. */
export function scheduleStrikes(events: number, random: Random): ReadonlyMap<number, Strike> {
	const strikes = Array.from({ length: MAX_ROUNDS }, () => random.shuffle(ALL_STRIKES)).flat();
	const gap = Math.max(MIN_GAP, Math.floor(events / strikes.length));
	return new Map(strikes.map((strike, at) => [at * gap + random.between(0, gap), strike] as const));
}

/** The choices of an event, which depend on nothing that happens to others. */
export function randomOf(seed: number, event: number): Random {
	return new Random(seed + event);
}

/** What the next handler of an event does. */
export function drawMisdeed(random: Random): Misdeed | undefined {
	const drawn = random.fraction();
	let reached = 0;
	for (const [misdeed, share] of MISDEEDS) {
		reached += share;
		if (drawn < reached) return misdeed;
	}
	return undefined;
}
