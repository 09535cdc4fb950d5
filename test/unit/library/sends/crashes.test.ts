import { type Clock, MessagingGateway } from "messaging-gateway";
import { resolveSend, type SendStore } from "messaging-gateway/sends";
import { describe, expect, test, vi } from "vitest";
import { catchRejection, codeOf } from "../../../support/catch-error.ts";
import { createWorld, dieAt, KEY, replaceOnce, stoppedClock, TEXT } from "./sender-world.ts";

const LEASE_MS = 60_000;

describe("a process that dies", () => {
	test.each([
		["before it reads", "read", 1, false, 0, "accepted"],
		["after it read", "read", 1, true, 0, "accepted"],
		["before its intent", "insert", 1, false, 0, "accepted"],
		["after its intent", "insert", 1, true, 0, "accepted"],
		["before its posting mark", "replace", 1, false, 0, "accepted"],
		["after its posting mark", "replace", 1, true, 0, "unresolved"],
		["after its POST, before it records the end", "replace", 2, false, 1, "unresolved"],
		["after it recorded the end", "replace", 2, true, 1, "accepted"],
	] as const)("%s", async (_name, step, nth, isDone, posted, status) => {
		const { createProcess, store, clock, posts, sender } = createWorld();
		const died = Promise.withResolvers<void>();
		const dying = dieAt(store, step, nth, isDone, died.resolve);
		void createProcess({ store: dying, clock: stoppedClock(clock) }).send(KEY, TEXT);
		await died.promise;
		expect(posts()).toHaveLength(posted);
		const isHeld = (step === "insert" && isDone) || step === "replace";
		if (isHeld && !(nth === 2 && isDone)) {
			expect(await catchRejection(sender.send(KEY, TEXT))).toMatchObject({
				code: "send_in_progress",
				retryAfterMs: LEASE_MS,
			});
			await clock.advance(LEASE_MS);
		}
		expect(await sender.send(KEY, TEXT)).toMatchObject({ status });
		expect(posts()).toHaveLength(status === "accepted" ? 1 : posted);
	});
});

describe("two workers on one key", () => {
	test.each([2, 7])("of %i at once one sends, the others hear that it is in progress", async (count) => {
		const { createProcess, posts } = createWorld();
		const results = await Promise.allSettled(
			Array.from({ length: count }, () => createProcess().send(KEY, TEXT)),
		);
		expect(posts()).toHaveLength(1);
		const refused = results.filter(({ status }) => status === "rejected");
		expect(refused).toHaveLength(count - 1);
		for (const { reason } of refused as PromiseRejectedResult[])
			expect(reason).toMatchObject({ code: "send_in_progress", outcome: "not_sent" });
	});

	test("one whose clock stood still before its posting mark finds the version outdated, and sends nothing", async () => {
		const { createProcess, store, clock, posts, sender } = createWorld();
		const reached = Promise.withResolvers<void>();
		const gate = Promise.withResolvers<void>();
		const paused = replaceOnce(store, 1, async (replace) => {
			reached.resolve();
			await gate.promise;
			return replace();
		});
		// Its own lease does not seem to end: only the compare-and-set can stop it.
		const first = createProcess({ store: paused, clock: stoppedClock(clock) }).send(KEY, TEXT);
		await reached.promise;
		await clock.advance(LEASE_MS + 1);
		expect(await sender.send(KEY, TEXT)).toMatchObject({ status: "accepted", message: { text: TEXT.text } });
		gate.resolve();
		expect(await first).toMatchObject({ status: "accepted", proof: "response" });
		expect(posts()).toHaveLength(1);
	});

	test("one that fails after its lease does not free the send that another one is making", async () => {
		const { createProcess, store, clock, sender } = createWorld();
		const posted = Promise.withResolvers<void>();
		const other = createProcess({
			fetch: () => {
				posted.resolve();
				return new Promise<never>(() => undefined);
			},
		});
		const late = replaceOnce(store, 1, async () => {
			await clock.advance(LEASE_MS);
			void other.send(KEY, TEXT);
			await posted.promise;
			throw new Error("the connection was lost");
		});
		const error = await catchRejection(
			createProcess({ store: late, clock: stoppedClock(clock) }).send(KEY, TEXT),
		);
		expect(error).toMatchObject({ code: "store_failed" });
		expect(await codeOf(sender.send(KEY, TEXT))).toBe("send_in_progress");
	});
});

describe("a lease that is over", () => {
	/** A send whose process is away for a lease between its posting mark and its signature. */
	function createAway(how: "slept" | "stood still" | "set back and slept") {
		const world = createWorld();
		const { createProcess, store, clock } = world;
		let [wallMs, monotonicMs] = [0, 0];
		const own: Clock = {
			now: () => clock.now() + wallMs,
			setTimer: () => () => undefined,
			monotonicNow: () => clock.now() + monotonicMs,
		};
		const slow = replaceOnce(store, 1, async (replace) => {
			const isDone = await replace();
			await clock.advance(LEASE_MS);
			if (how !== "stood still") monotonicMs -= LEASE_MS;
			if (how === "set back and slept") wallMs -= 2 * LEASE_MS;
			return isDone;
		});
		return { ...world, away: createProcess({ store: slow, clock: own }) };
	}

	test.each(["slept", "stood still", "set back and slept"] as const)(
		"in a process that %s: nothing is signed, and the key is open",
		async (how) => {
			const { away, posts, sender } = createAway(how);
			const error = await catchRejection(away.send(KEY, TEXT));
			expect(error).toMatchObject({ code: "lease_ended", outcome: "not_sent" });
			expect(posts()).toEqual([]);
			expect(await sender.send(KEY, TEXT)).toMatchObject({ status: "accepted" });
		},
	);

	/** A send whose wall clock is set once its attempt is marked, while nothing sleeps. */
	function createSet(ms: number, isAway = false) {
		const world = createWorld();
		const { createProcess, store, clock } = world;
		let setMs = 0;
		const own: Clock = { ...clock, now: () => clock.now() + setMs, monotonicNow: clock.now };
		const set = replaceOnce(store, 1, async (replace) => {
			const isDone = await replace();
			setMs = ms;
			return isDone;
		});
		const read = async (key: string) => {
			if (isAway && setMs !== 0) throw new Error("away");
			return set.read(key);
		};
		return { ...world, process: createProcess({ store: { ...set, read }, clock: own }) };
	}

	test.each([LEASE_MS, -LEASE_MS])(
		"only by a wall clock that is set by %i ms: the store says that it holds, and the send is made",
		async (ms) => {
			const { process, posts } = createSet(ms);
			expect(await process.send(KEY, TEXT)).toMatchObject({ status: "accepted", proof: "response" });
			expect(posts()).toHaveLength(1);
		},
	);

	test("only by a wall clock that is set, and the store fails: nothing is sent", async () => {
		const { process, posts } = createSet(LEASE_MS, true);
		expect(await catchRejection(process.send(KEY, TEXT))).toMatchObject({ code: "lease_ended" });
		expect(posts()).toEqual([]);
	});

	test("while the secret is fetched: it is checked directly before the request leaves", async () => {
		const { local, clock, store, posts, createProcess } = createWorld();
		let passedMs = 0;
		const own: Clock = { now: () => clock.now() + passedMs, setTimer: clock.setTimer };
		const gateway = new MessagingGateway({
			...local.clientOptions,
			clock: own,
			appSecret: async () => {
				passedMs = LEASE_MS;
				return local.appSecret;
			},
		});
		const error = await catchRejection(createProcess({ gateway, store }).send(KEY, TEXT));
		expect(error).toMatchObject({ code: "lease_ended" });
		expect(posts()).toEqual([]);
	});

	test("limits the POST: it times out within what is left, and is unresolved", async () => {
		const { createProcess, clock } = createWorld({ leaseMs: 10_000 });
		const posted = Promise.withResolvers<AbortSignal | null | undefined>();
		const hanging = createProcess({
			fetch: (_url, init) => {
				posted.resolve(init?.signal);
				return new Promise<never>(() => undefined);
			},
		});
		const result = hanging.send(KEY, TEXT);
		const signal = await posted.promise;
		await clock.advance(9_999);
		expect(signal?.aborted).toBe(false);
		await clock.advance(1);
		expect(await result).toMatchObject({
			status: "unresolved",
			evidence: { attempts: [{ errorCode: "timeout" }] },
		});
	});

	test("limits the whole call: the time that the secret takes is part of it", async () => {
		const { local, clock, createProcess } = createWorld({ leaseMs: 10_000 });
		const asked = Promise.withResolvers<void>();
		const secret = Promise.withResolvers<string>();
		const posted = Promise.withResolvers<AbortSignal | null | undefined>();
		const gateway = new MessagingGateway({
			...local.clientOptions,
			clock,
			appSecret: () => {
				asked.resolve();
				return secret.promise;
			},
			fetch: (_url, init) => {
				posted.resolve(init?.signal);
				return new Promise<never>(() => undefined);
			},
		});
		const result = createProcess({ gateway }).send(KEY, TEXT);
		await asked.promise;
		await clock.advance(6_000);
		secret.resolve(local.appSecret);
		const signal = await posted.promise;
		await clock.advance(3_999);
		expect(signal?.aborted).toBe(false);
		await clock.advance(1);
		expect(signal?.aborted).toBe(true);
		expect(await result).toMatchObject({ status: "unresolved" });
	});

	test("a 401 is not tried again with another signature after the lease", async () => {
		const { createProcess, local, clock, posts } = createWorld();
		let passedMs = 0;
		const own: Clock = { now: () => clock.now() + passedMs, setTimer: clock.setTimer };
		local.faults.skewClock(-1_000_000);
		const late = createProcess({
			clock: own,
			fetch: async (url, init) => {
				const response = await local.clientOptions.fetch(url, init);
				passedMs = LEASE_MS;
				return response;
			},
		});
		expect(await codeOf(late.send(KEY, TEXT))).toBe("authentication_failed");
		expect(posts()).toHaveLength(1);
	});
});

describe("a store that is down", () => {
	const loseResponse = async (replace: () => Promise<boolean>): Promise<never> => {
		await replace();
		throw new Error("the response was lost");
	};

	test.each(["read", "insert", "replace"] as const)("in %s sends nothing", async (step) => {
		const { createProcess, store, posts } = createWorld();
		const down = { ...store, [step]: () => Promise.reject(new Error("+15551234567 is down")) };
		const error = await catchRejection(createProcess({ store: down }).send(KEY, TEXT));
		expect(error).toMatchObject({ code: "store_failed", outcome: "not_sent" });
		expect(String((error as Error).cause)).not.toContain("555");
		expect(posts()).toEqual([]);
	});

	test("and fails to say that a decision came before the mark: the decision stands", async () => {
		const { createProcess, store, clock, posts, sender } = createWorld();
		const lossy = replaceOnce(store, 1, async (replace) => {
			await clock.advance(LEASE_MS);
			await resolveSend(store, KEY, "accepted", { clock });
			await replace();
			throw new Error("the response was lost");
		});
		const late = createProcess({ store: lossy, clock: stoppedClock(clock) });
		expect(await codeOf(late.send(KEY, TEXT))).toBe("store_failed");
		expect(await sender.send(KEY, TEXT)).toMatchObject({ status: "accepted", proof: "decision" });
		expect(posts()).toEqual([]);
	});

	test("that makes the mark but fails to say so: nothing is sent, and the key is open", async () => {
		const { createProcess, store, posts, sender } = createWorld();
		const lossy = replaceOnce(store, 1, loseResponse);
		expect(await codeOf(createProcess({ store: lossy }).send(KEY, TEXT))).toBe("store_failed");
		expect(posts()).toEqual([]);
		expect(await sender.send(KEY, TEXT)).toMatchObject({ status: "accepted" });
		expect(posts()).toHaveLength(1);
	});

	test("after the POST does not change what is known, and is reported", async () => {
		const { createProcess, store, clock, sender, posts } = createWorld();
		const errors: unknown[] = [];
		let reads = 0;
		let replaced = 0;
		const down = () => Promise.reject(new Error("down"));
		const failing: SendStore = {
			...store,
			read: (key) => (++reads > 1 ? down() : store.read(key)),
			replace: (...given) => (++replaced > 1 ? down() : store.replace(...given)),
		};
		const onError = (error: unknown) => errors.push(error);
		const result = await createProcess({ store: failing, onError }).send(KEY, TEXT);
		expect(result).toMatchObject({ status: "accepted", message: { text: TEXT.text } });
		expect(errors).toMatchObject([
			{
				code: "store_failed",
				message: "The result of a send wasn't recorded. The store failed: check its server and address",
			},
		]);
		await clock.advance(LEASE_MS);
		expect(await sender.send(KEY, TEXT)).toMatchObject({ status: "unresolved" });
		expect(posts()).toHaveLength(1);
	});

	test("that records the end but fails to say so changes nothing, and nothing is reported", async () => {
		const { createProcess, store, sender, posts } = createWorld();
		const onError = vi.fn();
		const lossy = replaceOnce(store, 2, loseResponse);
		expect(await createProcess({ store: lossy, onError }).send(KEY, TEXT)).toMatchObject({
			status: "accepted",
		});
		expect(await sender.send(KEY, TEXT)).toMatchObject({ status: "accepted", proof: "response" });
		expect(onError).not.toHaveBeenCalled();
		expect(posts()).toHaveLength(1);
	});

	test("is read once: a send makes four calls, and a fifth and sixth if a status event came meanwhile", async () => {
		const { createProcess, store } = createWorld();
		const calls: string[] = [];
		let isChanged = false;
		const counted = new Proxy(store, {
			get(target, name: keyof SendStore) {
				return async (...given: unknown[]) => {
					calls.push(name);
					if (isChanged && calls.filter((each) => each === "replace").length === 2 && name === "replace")
						return false;
					return Reflect.apply(target[name], target, given);
				};
			},
		});
		await createProcess({ store: counted }).send(KEY, TEXT);
		expect(calls).toEqual(["read", "insert", "replace", "replace"]);
		calls.length = 0;
		isChanged = true;
		await createProcess({ store: counted }).send(`${KEY}-2`, TEXT);
		expect(calls).toEqual(["read", "insert", "replace", "replace", "read", "replace"]);
	});
});
