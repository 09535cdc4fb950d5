import {
	ConfigurationError,
	memoryNonceStore,
	type NonceStore,
	verifyRequest,
} from "messaging-gateway/signing";
import { nonceStoreCases } from "messaging-gateway/testing";
import { describe, expect, test, vi } from "vitest";
import { GATEWAY_CLOCK_CASES } from "../../../support/clock-cases.ts";
import { createCountingClock } from "../../../support/counting-clock.ts";
import { fixedClock } from "../../../support/fixed-clock.ts";
import { settableClock } from "../../../support/settable-clock.ts";
import {
	NONCE as nonce,
	type SignedRequest,
	signedRequest,
	SIGNED_AT as start,
	verifierOptions,
} from "../../../support/signed-request.ts";

test.each([...nonceStoreCases(), ...GATEWAY_CLOCK_CASES])("$name", async ({ run }) => {
	await run(() => {
		const clock = settableClock(start);
		const { advance, setClock } = clock;
		return { store: memoryNonceStore({ clock }), advance, setClock };
	});
});

describe("verifyRequest and its nonce store", () => {
	function gateway(nonceStore?: NonceStore) {
		const clock = fixedClock(start);
		const options = verifierOptions({ clock, nonceStore: nonceStore ?? memoryNonceStore({ clock }) });
		return { clock, verify: (given?: SignedRequest) => verifyRequest(signedRequest(given), options) };
	}

	test("a replay is rejected, in either case of the nonce", async () => {
		const { verify } = gateway();
		await verify();
		const replayed = { code: "nonce_replayed", status: 401 };
		await expect(verify()).rejects.toMatchObject(replayed);
		await expect(verify({ nonce: nonce.toUpperCase() })).rejects.toMatchObject(replayed);
	});

	test("of two equal requests at once, one is accepted", async () => {
		const { verify } = gateway();
		const outcomes = await Promise.allSettled([verify(), verify()]);
		expect(outcomes.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
	});

	test.each([
		["from now", 0],
		["from the past edge", -300_000],
		["from the future edge", 300_000],
	])("a nonce with a timestamp %s lives for 900 s, longer than the timestamp", async (_title, offset) => {
		const { clock, verify } = gateway();
		const timestamp = start + offset;
		await verify({ timestamp });
		// The last millisecond at which the timestamp is accepted: the replay must still be known.
		clock.nowMs = timestamp + 300_000;
		await expect(verify({ timestamp })).rejects.toMatchObject({ code: "nonce_replayed" });
		clock.nowMs += 1;
		await expect(verify({ timestamp })).rejects.toMatchObject({ code: "timestamp_out_of_range" });
		// Another timestamp is a request of its own, and it needs a nonce of its own.
		clock.nowMs = start + 900_000;
		await expect(verify({ timestamp: clock.nowMs })).rejects.toMatchObject({ code: "nonce_replayed" });
		clock.nowMs += 1;
		await expect(verify({ timestamp: clock.nowMs })).resolves.toMatchObject({ nonce });
	});

	test.each<[options: { toleranceSeconds?: number }, lifetimeMs: number]>([
		[{}, 900_001],
		[{ toleranceSeconds: 0 }, 300_001],
		[{ toleranceSeconds: 3_600 }, 7_500_001],
	])(
		"the store gets the app, the nonce in lower case, and with %j a lifetime of %i ms, whatever the clock shows",
		async (options, lifetimeMs) => {
			const seen: [key: string, ttlMs: number][] = [];
			const nonceStore: NonceStore = {
				remember: async (key, ttlMs) => {
					seen.push([key, ttlMs]);
					return true;
				},
			};
			const toleranceMs = (options.toleranceSeconds ?? 300) * 1000;
			for (const offset of [-toleranceMs, 0, toleranceMs]) {
				const request = signedRequest({ nonce: nonce.toUpperCase(), timestamp: start + offset });
				await verifyRequest(request, verifierOptions({ ...options, nonceStore }));
			}
			expect(seen).toEqual(Array.from({ length: 3 }, () => [`app-1:${nonce}`, lifetimeMs]));
		},
	);

	test.each([0, 0.5, 300, 3_600])(
		"a gateway whose clock is five minutes behind knows what another one has seen, with a tolerance of %d s",
		async (toleranceSeconds) => {
			const clock = fixedClock(start);
			const [ahead, behind] = [fixedClock(start + 300_000), fixedClock(start)];
			const nonceStore = memoryNonceStore({ clock });
			const timestamp = ahead.nowMs + toleranceSeconds * 1000;
			const verify = (own: typeof clock) =>
				verifyRequest(
					signedRequest({ timestamp }),
					verifierOptions({ clock: own, nonceStore, toleranceSeconds }),
				);
			await verify(ahead);
			for (const each of [clock, ahead, behind]) each.nowMs += 2 * toleranceSeconds * 1000 + 300_000;
			await expect(verify(behind)).rejects.toMatchObject({ code: "nonce_replayed" });
			behind.nowMs += 1;
			await expect(verify(behind)).rejects.toMatchObject({ code: "timestamp_out_of_range" });
		},
	);

	test("a store that is full rejects with 503, and the replay of a known nonce still with 401", async () => {
		const clock = fixedClock(start);
		const { verify } = gateway(memoryNonceStore({ clock, maxEntries: 1 }));
		await verify();
		await expect(verify({ nonce: nonce.replace("3", "4") })).rejects.toMatchObject({
			code: "nonce_store_unavailable",
			status: 503,
		});
		await expect(verify()).rejects.toMatchObject({ code: "nonce_replayed", status: 401 });
	});

	test("a store that throws, in either way, rejects with 503 and keeps the cause", async () => {
		const cause = new Error("connection lost");
		const throwing: NonceStore = {
			remember() {
				throw cause;
			},
		};
		const rejecting: NonceStore = { remember: () => Promise.reject(cause) };
		for (const store of [throwing, rejecting]) {
			await expect(gateway(store).verify()).rejects.toMatchObject({
				code: "nonce_store_unavailable",
				status: 503,
				cause,
			});
		}
	});
});

describe("a nonce store of somebody else's", () => {
	const hang = () => new Promise<never>(() => undefined);
	const unavailable = { code: "nonce_store_unavailable", status: 503 };

	/** Verifies over a store, on a clock that a test moves. */
	function gateway(nonceStore: object, options: { storeTimeoutMs?: number } = {}) {
		const clock = createCountingClock(start);
		const given = verifierOptions({ clock, nonceStore: nonceStore as NonceStore });
		return { clock, verify: () => verifyRequest(signedRequest(), { ...given, ...options }) };
	}

	test.each([{ rowCount: 0 }, { rowCount: 1 }, "0", "OK", "", [], [[]], 1, 0, null, undefined])(
		"that resolves to %j says nothing: 503, and the message names the rule",
		async (value) => {
			for (const returned of [value, Promise.resolve(value)]) {
				const { verify, clock } = gateway({ remember: () => returned });
				const message = "the nonce could not be checked: its remember must resolve to true or false";
				await expect(verify()).rejects.toMatchObject({ ...unavailable, message });
				expect(clock.openTimers).toBe(0);
				const { verify: look } = gateway({ has: () => returned, remember: async () => true });
				await expect(look()).rejects.toMatchObject({
					...unavailable,
					message: message.replace("remember", "has"),
				});
			}
		},
	);

	test("that says false every time accepts nothing, and true accepts", async () => {
		await expect(gateway({ remember: async () => false }).verify()).rejects.toMatchObject({
			code: "nonce_replayed",
		});
		await expect(gateway({ remember: async () => true }).verify()).resolves.toMatchObject({ nonce });
	});

	test.each([
		["remember", 5_000, {}],
		["remember", 2_000, { storeTimeoutMs: 2_000 }],
		["has", 5_000, {}],
	])("whose %s hangs ends after storeTimeoutMs, %i ms", async (method, afterMs, options) => {
		const { verify, clock } = gateway({ remember: async () => true, [method]: hang }, options);
		const verifying = verify();
		let isOver = false;
		verifying
			.catch(() => undefined)
			.finally(() => {
				isOver = true;
			});
		await clock.advance(afterMs - 1);
		expect(isOver).toBe(false);
		await clock.advance(1);
		await expect(verifying).rejects.toMatchObject({
			...unavailable,
			message: `the nonce could not be checked: no response within storeTimeoutMs, ${afterMs} ms. Check the store's server, and that its Pool has free connections`,
		});
		expect(clock.openTimers).toBe(0);
	});

	test.each<[title: string, late: () => Promise<unknown>]>([
		["resolves late", async () => true],
		["rejects late", () => Promise.reject(new Error("connection lost"))],
		["resolves late to something else", async () => []],
	])("that %s has failed by then, and ends no process", async (_title, late) => {
		const clock = createCountingClock(start);
		const remember = async () => {
			await new Promise<void>((resolve) => void clock.setTimer(resolve, 7_000));
			return late();
		};
		const options = verifierOptions({ clock, nonceStore: { remember: remember as NonceStore["remember"] } });
		const verifying = verifyRequest(signedRequest(), options).catch((error: unknown) => error);
		await clock.advance(5_000);
		expect(await verifying).toMatchObject(unavailable);
		await clock.advance(2_000);
		expect(clock.openTimers).toBe(0);
	});

	test("is called with itself as `this`", async () => {
		class Store implements NonceStore {
			readonly #seen = new Set<string>();
			async has(key: string): Promise<boolean> {
				return this.#seen.has(key);
			}
			async remember(key: string): Promise<boolean> {
				return this.#seen.size !== this.#seen.add(key).size;
			}
		}
		const { verify } = gateway(new Store());
		await verify();
		await expect(verify()).rejects.toMatchObject({ code: "nonce_replayed" });
	});

	test("in memory sets no timer", async () => {
		const clock = createCountingClock(start);
		const setTimer = vi.spyOn(clock, "setTimer");
		await verifyRequest(signedRequest(), verifierOptions({ clock, nonceStore: memoryNonceStore({ clock }) }));
		expect(setTimer).not.toHaveBeenCalled();
	});

	test.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY, "5"])(
		"storeTimeoutMs of %j is a configuration error",
		async (storeTimeoutMs) => {
			const { verify } = gateway(
				{ remember: async () => true },
				{ storeTimeoutMs: storeTimeoutMs as number },
			);
			await expect(verify()).rejects.toThrow(ConfigurationError);
		},
	);
});

describe("memoryNonceStore", () => {
	test("a key that was remembered again outlives the rest of its first time", async () => {
		const clock = fixedClock(0);
		const store = memoryNonceStore({ clock });
		await store.remember("a", 1);
		clock.nowMs = 5_000;
		expect(await store.remember("a", 300_000)).toBe(true);
		clock.nowMs = 100_000;
		expect(await store.remember("b", 1)).toBe(true);
		expect(await store.remember("a", 1)).toBe(false);
	});

	test("it rejects when full, and has room again once entries are over", async () => {
		const clock = fixedClock(start);
		const store = memoryNonceStore({ clock, maxEntries: 2 });
		expect(await store.remember("a", 60_000)).toBe(true);
		expect(await store.remember("b", 60_000)).toBe(true);
		await expect(store.remember("c", 60_000)).rejects.toThrow(/full: 2 nonces/);
		await expect(store.remember("c", 60_000)).rejects.toThrow(/full/);
		expect(await store.remember("a", 60_000)).toBe(false);
		clock.nowMs += 90_000;
		expect(await store.remember("c", 60_000)).toBe(true);
	});

	test("a key whose time is over can be remembered again, even when full", async () => {
		const clock = fixedClock(0);
		const store = memoryNonceStore({ clock, maxEntries: 1 });
		await store.remember("a", 1);
		clock.nowMs = 5;
		expect(await store.remember("a", 60_000)).toBe(true);
		await expect(store.remember("b", 60_000)).rejects.toThrow(/full/);
	});

	test("a clock that is set forward by a day, and back, forgets nothing", async () => {
		const clock = settableClock(start);
		const store = memoryNonceStore({ clock });
		await store.remember("a", 900_000);
		clock.setClock(86_400_000);
		expect(await store.remember("b", 900_000)).toBe(true);
		clock.setClock(-86_400_000);
		expect([await store.has?.("a"), await store.remember("a", 1)]).toEqual([true, false]);
		await clock.advance(900_000);
		expect([await store.has?.("a"), await store.remember("a", 1)]).toEqual([false, true]);
	});

	test("100,000 keys that come and go never fill a store of 1,000", async () => {
		const clock = fixedClock(start);
		// Ten keys a second that live ten seconds, dropped at the latest half a minute later: 400 or so at a time.
		const store = memoryNonceStore({ clock, maxEntries: 1_000 });
		for (let count = 0; count < 100_000; count++) {
			clock.nowMs += 100;
			expect(await store.remember(`key-${count}`, 10_000)).toBe(true);
		}
	});

	test("by default it holds 300,000 keys and no more", async () => {
		const store = memoryNonceStore({ clock: fixedClock(start) });
		for (let count = 0; count < 300_000; count++) await store.remember(`key-${count}`, 60_000);
		await expect(store.remember("one more", 60_000)).rejects.toThrow(/full/);
		expect(await store.remember("key-0", 60_000)).toBe(false);
	});

	test.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY])(
		"maxEntries of %s is a ConfigurationError",
		(maxEntries) => {
			expect(() => memoryNonceStore({ maxEntries })).toThrow(ConfigurationError);
		},
	);
});
