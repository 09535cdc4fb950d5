import type { DynamodbStore } from "messaging-gateway/stores/dynamodb";
import { MAX_CLOCK_SKEW_MS, openDynamodbStore } from "./dynamodb.ts";
import type { Subject } from "./subject.ts";
import { type Plan, Process, World } from "./world.ts";

const KEY = "default:evt_0";

/** How long a record lasts, in milliseconds. */
const LIFE_MS = 20_000;

/** When the calls of a round are made, and when it is over, in milliseconds: none of them outlives the record. */
const CALLED_AFTER_MS = [0, 0, 100, 2_000, 14_900];
const ROUND_MS = 25_000;
const STORE_TIMEOUT_MS = 5_000;

/** What a call found: whether it was the first, and what the store returned. */
interface Found {
	readonly isFirst: boolean;
	readonly token?: number;
}

const claimBound = (store: DynamodbStore, key: string) =>
	store.claim(key, { leaseMs: LIFE_MS, retentionMs: LIFE_MS }, { digest: KEY, ttlMs: LIFE_MS });

/** Each makes one record under a key that all of them share; the first counts. */
const KINDS: readonly ((store: DynamodbStore, caller: number) => Promise<Found>)[] = [
	async (store) => ({ isFirst: await store.remember(KEY, LIFE_MS) }),
	async (store, caller) => ({
		isFirst: (await claimBound(store, `evt_${caller}`)).boundKey === undefined,
	}),
	async (store) => {
		const claim = await store.claim(KEY, { leaseMs: LIFE_MS, retentionMs: LIFE_MS });
		return claim.status === "acquired" ? { isFirst: true, token: claim.token } : { isFirst: false };
	},
];

/**
 * Plays processes that all want to be the first, and later, when that is forgotten, once more. There must be one each
 * time: none would be a delivery that nobody processes, and two would process it twice.
 */
export async function playFirsts(subject: Subject, plan: Plan, story?: string[]): Promise<void> {
	const world = new World(plan, story);
	const { random } = world;
	const storeOf = await openDynamodbStore(subject, world);
	const call = random.pick(KINDS);
	let lastToken = 0;

	async function playRound(round: number): Promise<void> {
		const found: Found[] = [];
		const observer = new Process(world, "observer", true);
		const callers = random.between(1, 4);
		for (let at = 0; at < callers; at++) {
			const process = new Process(world, `caller ${round}.${at}`);
			const store = storeOf(process);
			const delayMs = random.pick(CALLED_AFTER_MS);
			// Whoever calls a store gives up then: what a caller decides that stood still, or slept, would be for nobody.
			observer.clock.setTimer(() => world.end(process), delayMs + STORE_TIMEOUT_MS);
			process.clock.setTimer(() => {
				call(store, at).then(
					(result) => {
						world.tell(process, `found ${JSON.stringify(result)}`);
						found.push(result);
					},
					() => undefined,
				);
			}, delayMs);
		}
		await pause(ROUND_MS);
		const firsts = found.filter(({ isFirst }) => isFirst);
		if (firsts.length > 1) world.fail(`${firsts.length} are the first`);
		if (firsts.length === 0 && found.length === callers) world.fail("none is the first");
		for (const { token = lastToken + 1 } of firsts) {
			if (token <= lastToken) world.fail("a token is not larger than an earlier one");
			lastToken = token;
		}
	}

	/** Goes on for a while, which ends in the time of the server. */
	async function pause(ms: number): Promise<void> {
		const observer = new Process(world, "observer", true);
		let isOver = false;
		observer.clock.setTimer(() => {
			isOver = true;
		}, ms);
		await world.run(() => isOver);
	}

	for (let round = 1; round <= 3; round++) {
		await playRound(round);
		await pause(LIFE_MS + 2 * MAX_CLOCK_SKEW_MS);
	}
}
