import { type Clock, MessagingGateway } from "messaging-gateway";
import { resolveSend, type SendStore } from "messaging-gateway/sends";
import { describe, expect, test, vi } from "vitest";
import { catchRejection } from "../../../support/catch-error.ts";
import { type Outcomes, testOutcomes } from "../../../support/outcomes.ts";
import {
	createWorld,
	dieAt,
	each,
	hangingFetch,
	KEY,
	type Play,
	replaceOnce,
	type StoreStep,
	type Story,
	sendAgain,
	stoppedClock,
	TEXT,
	tell,
	type World,
	wait,
} from "./sender-world.ts";

const LEASE_MS = 60_000;

const MADE = "accepted by response, with its message";
const IN_PROGRESS =
	"not_sent send_in_progress 60000 ms: Another worker is making this send: call again in 60 s (retryAfterMs)";
const LEASE_ENDED =
	"not_sent lease_ended: Nothing was sent: the lease was over, or a clock was set, before the request was signed. Call again with the same key";
const STORE_FAILED =
	"not_sent store_failed: This call sent nothing. The store failed: check its server and address. Then call again with the same key";

/** A process dies; then another one sends at once, and once the lease is over. */
const dying =
	(step: StoreStep, nth: number, isDone: boolean): Play =>
	async (world) => {
		const { createProcess, store, clock } = world;
		const died = Promise.withResolvers<void>();
		const mortal = dieAt(store, step, nth, isDone, died.resolve);
		void createProcess({ store: mortal, clock: stoppedClock(clock) }).send(KEY, TEXT);
		await died.promise;
		const atOnce = await sendAgain(world).catch((error: unknown) => error);
		await clock.advance(LEASE_MS);
		return [atOnce, await sendAgain(world)];
	};

const DEATHS: Outcomes<Story> = {
	[`1 posted: ${MADE}, then accepted by response`]: {
		"before it reads": dying("read", 1, false),
		"after it read": dying("read", 1, true),
		"before its intent": dying("insert", 1, false),
	},
	[`1 posted: ${IN_PROGRESS}, then ${MADE}`]: {
		"after its intent": dying("insert", 1, true),
		"before its posting mark": dying("replace", 1, false),
	},
	[`0 posted: ${IN_PROGRESS}, then unresolved: no end, send_again in 600000 ms`]: {
		"after its posting mark": dying("replace", 1, true),
	},
	[`1 posted: ${IN_PROGRESS}, then unresolved: no end, send_again in 600000 ms`]: {
		"after its POST, before it records the end": dying("replace", 2, false),
	},
	"1 posted: accepted by response, then accepted by response": {
		"after it recorded the end": dying("replace", 2, true),
	},
};

describe("a process that dies", () => testOutcomes(DEATHS, tell));

const workers =
	(count: number): Play =>
	async ({ createProcess }) => {
		const sent = Array.from({ length: count }, () => createProcess().send(KEY, TEXT));
		const ended = await Promise.allSettled(sent);
		return ended.map((each) => (each.status === "fulfilled" ? each.value : each.reason));
	};

/** A process whose first replacement goes another way, with a clock whose timers never end. */
const stopped = ({ createProcess, store, clock }: World, play: Parameters<typeof replaceOnce>[2]) =>
	createProcess({ store: replaceOnce(store, 1, play), clock: stoppedClock(clock) });

const WORKERS: Outcomes<Story> = {
	[`1 posted: ${MADE}, then ${IN_PROGRESS}`]: { "two at once": workers(2) },
	[`1 posted: ${MADE}, then ${IN_PROGRESS}, then ${IN_PROGRESS}, then ${IN_PROGRESS}`]: {
		"four at once": workers(4),
	},
	[`1 posted: ${MADE}, then accepted by response`]: {
		// Its own lease does not seem to end: only the compare-and-set can stop it.
		"one whose clock stood still before its posting mark": async (world) => {
			const reached = Promise.withResolvers<void>();
			const gate = Promise.withResolvers<void>();
			const paused = stopped(world, async (replace) => {
				reached.resolve();
				await gate.promise;
				return replace();
			}).send(KEY, TEXT);
			await reached.promise;
			await world.clock.advance(LEASE_MS + 1);
			const other = await sendAgain(world);
			gate.resolve();
			return [other, await paused];
		},
	},
	[`0 posted: ${STORE_FAILED}, then ${IN_PROGRESS}`]: {
		"one that fails after its lease, while another one sends": async (world) => {
			const { fetch, posted } = hangingFetch();
			const late = stopped(world, async () => {
				await world.clock.advance(LEASE_MS);
				void world.createProcess({ fetch }).send(KEY, TEXT);
				await posted;
				throw new Error("the connection was lost");
			});
			return [await catchRejection(late.send(KEY, TEXT)), await catchRejection(sendAgain(world))];
		},
	},
};

describe("workers on one key", () => testOutcomes(WORKERS, tell));

type Read = Awaited<ReturnType<SendStore["read"]>>;

/** What a process reads off its clocks beside the world's: the time of day, and the time that it was awake. */
interface Away {
	readonly wallMs?: number;
	readonly monotonicMs?: number;
	/** How much time passes. */
	readonly passedMs?: number;
	/** Whether the store fails from then on. */
	readonly isDown?: boolean;
	/** What the store returns from then on. */
	readonly found?: (read: Read) => Read;
}

/** A send whose process is away once its attempt is marked; and then another one. */
const away =
	({ wallMs = 0, monotonicMs = 0, passedMs = 0, isDown = false, found = (read) => read }: Away): Play =>
	async (world) => {
		const { createProcess, store, clock } = world;
		let isAway = false;
		const own: Clock = {
			now: () => clock.now() + (isAway ? wallMs : 0),
			setTimer: passedMs > 0 ? () => () => undefined : clock.setTimer,
			monotonicNow: () => clock.now() + (isAway ? monotonicMs : 0),
		};
		const leaving = replaceOnce(store, 1, async (replace) => {
			const isDone = await replace();
			await clock.advance(passedMs);
			isAway = true;
			return isDone;
		});
		const read = async (key: string) => {
			const row = await store.read(key);
			if (!isAway) return row;
			if (isDown) throw new Error("away");
			return found(row);
		};
		const sending = createProcess({ store: { ...leaving, read }, clock: own }).send(KEY, TEXT);
		const ended = await sending.catch((error: unknown) => error);
		return [ended, await sendAgain(world)];
	};

const LEASES: Outcomes<Story> = {
	[`1 posted: ${LEASE_ENDED}, then ${MADE}`]: {
		"in a process that slept": away({ passedMs: LEASE_MS, monotonicMs: -LEASE_MS }),
		"in a process that stood still": away({ passedMs: LEASE_MS }),
		"in a process that was set back and slept": away({
			passedMs: LEASE_MS,
			wallMs: -2 * LEASE_MS,
			monotonicMs: -LEASE_MS,
		}),
		"by a clock that is set, and the store fails": away({ wallMs: LEASE_MS, isDown: true }),
		"by a clock that is set, and the row is gone": away({
			wallMs: LEASE_MS,
			found: ({ now }) => ({ now, row: undefined }),
		}),
		"by a clock that is set, and another worker has written": away({
			wallMs: LEASE_MS,
			found: ({ now, row }) => ({ now, row: row && { ...row, version: row.version + 1 } }),
		}),
	},
	[`1 posted: ${MADE}, then accepted by response`]: {
		"by a clock that is set forward": away({ wallMs: LEASE_MS }),
		"by a clock that is set back": away({ wallMs: -LEASE_MS }),
	},
	[`0 posted: ${LEASE_ENDED}`]: {
		"while the secret is fetched": async ({ local, clock, createProcess }) => {
			let passedMs = 0;
			const own: Clock = { now: () => clock.now() + passedMs, setTimer: clock.setTimer };
			const appSecret = async () => {
				passedMs = LEASE_MS;
				return local.appSecret;
			};
			const gateway = new MessagingGateway({ ...local.clientOptions, clock: own, appSecret });
			return createProcess({ gateway }).send(KEY, TEXT);
		},
	},
	"1 posted: rejected authentication_failed 401 after 1 attempts": {
		"when the 401 to another clock comes": async ({ local, clock, createProcess }) => {
			let passedMs = 0;
			local.faults.skewClock(-1_000_000);
			return createProcess({
				clock: { now: () => clock.now() + passedMs, setTimer: clock.setTimer },
				fetch: async (url, init) => {
					const response = await local.clientOptions.fetch(url, init);
					passedMs = LEASE_MS;
					return response;
				},
			}).send(KEY, TEXT);
		},
	},
	"0 posted: unresolved: unknown timeout, send_again in 600000 ms": {
		"during the POST": [
			{ leaseMs: 10_000 },
			async ({ createProcess, clock }) => {
				const { fetch, posted } = hangingFetch();
				const result = createProcess({ fetch }).send(KEY, TEXT);
				const signal = await posted;
				await clock.advance(9_999);
				expect(signal?.aborted).toBe(false);
				await clock.advance(1);
				expect(signal?.aborted).toBe(true);
				return result;
			},
		],
		"during the POST, after a secret that took its time": [
			{ leaseMs: 10_000 },
			async ({ local, clock, createProcess }) => {
				const asked = Promise.withResolvers<void>();
				const secret = Promise.withResolvers<string>();
				const { fetch, posted } = hangingFetch();
				const appSecret = () => {
					asked.resolve();
					return secret.promise;
				};
				const gateway = new MessagingGateway({ ...local.clientOptions, clock, appSecret, fetch });
				const result = createProcess({ gateway }).send(KEY, TEXT);
				await asked.promise;
				await clock.advance(6_000);
				secret.resolve(local.appSecret);
				const signal = await posted;
				await clock.advance(3_999);
				expect(signal?.aborted).toBe(false);
				await clock.advance(1);
				expect(signal?.aborted).toBe(true);
				return result;
			},
		],
	},
};

describe("a lease that is over", () => testOutcomes(LEASES, tell));

const down = () => Promise.reject(new Error("+15551234567 is down"));
const loseResponse = async (replace: () => Promise<boolean>): Promise<never> => {
	await replace();
	throw new Error("the response was lost");
};

/** A store of which one method fails; and then another send. */
const failing =
	(change: (store: SendStore) => SendStore): Play =>
	async (world) => {
		const sending = world.createProcess({ store: change(world.store) }).send(KEY, TEXT);
		return [await sending.catch((error: unknown) => error), await sendAgain(world)];
	};

/** From the nth call on. */
const downFrom = (store: SendStore, nth: { read: number; replace: number }): SendStore => {
	const count = { read: 0, replace: 0 };
	return {
		...store,
		read: (key) => (++count.read >= nth.read ? down() : store.read(key)),
		replace: (...given) => (++count.replace >= nth.replace ? down() : store.replace(...given)),
	};
};

const DOWN: Outcomes<Story> = {
	[`1 posted: ${STORE_FAILED}, then ${MADE}`]: {
		"in read": failing((store) => ({ ...store, read: down })),
		"in insert": failing((store) => ({ ...store, insert: down })),
		"that makes the mark but fails to say so": failing((store) => replaceOnce(store, 1, loseResponse)),
		"in the mark only": failing((store) => replaceOnce(store, 1, down)),
	},
	[`1 posted: ${MADE}, then accepted by response`]: {
		"that records the end but fails to say so": failing((store) => replaceOnce(store, 2, loseResponse)),
		"in the record of the end, once": failing((store) => replaceOnce(store, 2, down)),
	},
	[`0 posted: ${STORE_FAILED}, then accepted by decision, without an id`]: {
		"and fails to say that a decision came before the mark": async (world) => {
			const late = stopped(world, async (replace) => {
				await world.clock.advance(LEASE_MS);
				await resolveSend(world.store, KEY, "accepted", { clock: world.clock });
				return loseResponse(replace);
			});
			return [await catchRejection(late.send(KEY, TEXT)), await sendAgain(world)];
		},
	},
	[`1 posted: ${STORE_FAILED}, then ${IN_PROGRESS}, then undefined, then ${MADE}`]: {
		"in every replacement": async (world) => {
			const sender = world.createProcess({ store: { ...world.store, replace: down } });
			return each(() => sender.send(KEY, TEXT), sendAgain, wait(LEASE_MS), sendAgain)(world);
		},
	},
	[`1 posted: ${MADE}, then not_sent store_failed: The result of a send wasn't recorded. The store failed: check its server and address, then unresolved: no end, send_again in 600000 ms`]:
		{
			"after the POST": async (world) => {
				const errors: unknown[] = [];
				const store = downFrom(world.store, { read: 2, replace: 2 });
				const sender = world.createProcess({ store, onError: (error) => errors.push(error) });
				const sent = await sender.send(KEY, TEXT);
				await world.clock.advance(LEASE_MS);
				return [sent, ...errors, await sendAgain(world)];
			},
		},
};

describe("a store that is down", () => testOutcomes(DOWN, tell));

test("an end that was recorded is reported to nobody, although the store failed to say so", async () => {
	const { createProcess, store } = createWorld();
	const onError = vi.fn();
	await createProcess({ store: replaceOnce(store, 2, loseResponse), onError }).send(KEY, TEXT);
	expect(onError).not.toHaveBeenCalled();
});

/** The calls of a send. */
async function callsOf(change: (calls: readonly string[]) => false | undefined): Promise<string> {
	const { createProcess, store } = createWorld();
	const calls: string[] = [];
	const counted = new Proxy(store, {
		get:
			(target, name: keyof SendStore) =>
			async (...given: unknown[]) => {
				calls.push(name);
				return change(calls) ?? Reflect.apply(target[name], target, given);
			},
	});
	await createProcess({ store: counted }).send(KEY, TEXT);
	return calls.join(", ");
}

const isSecondEnd = (calls: readonly string[]) => (calls.length === 4 ? (false as const) : undefined);

testOutcomes<(calls: readonly string[]) => false | undefined>(
	{
		"read, insert, replace, replace": { "a send": () => undefined },
		"read, insert, replace, replace, read, replace": {
			"a send whose status event came meanwhile": isSecondEnd,
		},
	},
	callsOf,
);
