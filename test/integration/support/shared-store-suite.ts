import fc from "fast-check";
import { signRequest } from "messaging-gateway/signing";
import type { SharedStore } from "messaging-gateway/stores/redis";
import {
	createLocalGateway,
	eventStoreCases,
	nonceStoreCases,
	type StoreSubject,
} from "messaging-gateway/testing";
import { describe, expect, test } from "vitest";
import { acquire, LEASE_MS, RETENTION_MS } from "../../support/claims.ts";
import { GATEWAY_CLOCK_CASES, HANDLER_CLOCK_CASES } from "../../support/clock-cases.ts";
import { walkBesideModel, walks, walkWithTokens } from "../../support/event-store-walks.ts";

/** More than the real time that a walk takes; with the clock's own steps, a walk tells whole halves of a lease apart. */
const TOLERANCE_MS = LEASE_MS / 3;

const steps = walks(LEASE_MS / 2, LEASE_MS * 3, RETENTION_MS / 2, RETENTION_MS);

/** A store whose calls go to several ones in turn, as those of several processes would. */
export function takeTurns(stores: readonly SharedStore[]): SharedStore {
	let calls = 0;
	const next = (): SharedStore => {
		const store = stores[calls++ % stores.length];
		if (store === undefined) throw new Error("there is no store");
		return store;
	};
	return {
		claim: (...args) => next().claim(...args),
		extend: (...args) => next().extend(...args),
		complete: (...args) => next().complete(...args),
		release: (...args) => next().release(...args),
		remember: (...args) => next().remember(...args),
	};
}

/** A store, and the largest token that it has given so far. */
export function watchTokens(watched: SharedStore): { store: SharedStore; largestToken(): number } {
	let largest = 0;
	const store: SharedStore = {
		...watched,
		async claim(...given) {
			const claim = await watched.claim(...given);
			if (claim.status === "acquired") largest = Math.max(largest, claim.token);
			return claim;
		},
	};
	return { store, largestToken: () => largest };
}

/**
 * What a store finds whose client sends each request twice, as clients and proxies do that lose a response: its own.
 * @param store - without records.
 */
export async function testSentAgain(store: SharedStore): Promise<void> {
	const times = { leaseMs: LEASE_MS, retentionMs: RETENTION_MS };
	const claims = [
		(key: string) => store.claim(key, times),
		(key: string) => store.claim(key, times, { digest: `digest of ${key}`, ttlMs: LEASE_MS }),
	];
	for (const [at, claim] of claims.entries()) {
		const key = `evt_${at}`;
		const first = await claim(key);
		expect(first).toEqual({ status: "acquired", token: expect.any(Number), attempt: 1 });
		const { token } = first.status === "acquired" ? first : { token: Number.NaN };
		// Each call has an id of its own.
		expect((await claim(key)).status).toBe("in_flight");
		expect(await store.extend(key, token, LEASE_MS)).toBe(true);
		await store.release(key, token);
		const second = await claim(key);
		expect(second).toEqual({ status: "acquired", token: expect.any(Number), attempt: 2 });
		const { token: next } = second.status === "acquired" ? second : { token: Number.NaN };
		expect(next).toBeGreaterThan(token);
		expect(await store.complete(key, next, RETENTION_MS)).toBe(true);
		expect((await claim(key)).status).toBe("done");
	}
	expect([await store.remember("app:1", LEASE_MS), await store.remember("app:1", LEASE_MS)]).toEqual([
		true,
		false,
	]);
}

/**
 * What every shared store does on a real server.
 * @param createSubject - makes a store without records, over several connections.
 */
export function testSharedStore(createSubject: () => Promise<StoreSubject<SharedStore>>): void {
	describe("the rules of every store", () => {
		const cases = [
			...eventStoreCases({ leaseMs: LEASE_MS, retentionMs: RETENTION_MS }),
			...nonceStoreCases({ ttlMs: RETENTION_MS }),
			...HANDLER_CLOCK_CASES,
			...GATEWAY_CLOCK_CASES,
		];
		test.each(cases)("$name", ({ run }) => run(createSubject));
	});

	test("over any claims, extensions, ends, crashes and pauses it returns what the plain model does", async () => {
		await fc.assert(
			fc.asyncProperty(steps, async (drawn) =>
				walkBesideModel(await createSubject(), drawn, { toleranceMs: TOLERANCE_MS }),
			),
			{ numRuns: 25 },
		);
	});

	test("only the last token of an event has an effect, and tokens only grow", async () => {
		await fc.assert(
			fc.asyncProperty(steps, async (drawn) => walkWithTokens(await createSubject(), drawn)),
			{ numRuns: 25 },
		);
	});

	test("a stale token stays stale beyond the retention", async () => {
		const { store, advance } = await createSubject();
		const { token: stale } = await acquire(store);
		await advance(RETENTION_MS + 1);
		const { token, attempt } = await acquire(store);
		expect([token > stale, attempt]).toEqual([true, 1]);
		expect(await store.complete("default:evt_1", stale, RETENTION_MS)).toBe(false);
	});

	test("a nonce that one gateway has seen is rejected by another one", async () => {
		const { store } = await createSubject();
		await using first = createLocalGateway({ nonceStore: store });
		await using second = createLocalGateway({ nonceStore: store });
		const { baseUrl, appId, appSecret } = first.clientOptions;
		const url = `${baseUrl}/queue/status`;
		const { headers } = signRequest({ method: "GET", url, appId, appSecret });
		const send = (gateway: typeof first) => gateway.fetch(new Request(url, { headers: { ...headers } }));
		expect((await send(first)).status).toBe(200);
		const error = { details: { reason: "NONCE_REPLAYED" } };
		expect(await (await send(second)).json()).toMatchObject({ error });
	});
}
