import { verifyRequest } from "messaging-gateway/signing";
import { dynamodbStore } from "messaging-gateway/stores/dynamodb";
import { postgresStore } from "messaging-gateway/stores/postgres";
import { redisStore, type SharedStore } from "messaging-gateway/stores/redis";
import { sqliteClientStore } from "messaging-gateway/stores/sqlite-client";
import { memoryStore } from "messaging-gateway/webhooks";
import { describe, expect, test, vi } from "vitest";
import { type CountingClock, createCountingClock, settle } from "../../../support/counting-clock.ts";
import { DynamodbTable } from "../../../support/dynamodb-table.ts";
import { testOutcomes } from "../../../support/outcomes.ts";
import { SIGNED_AT, signedRequest, verifierOptions } from "../../../support/signed-request.ts";
import { signedAt } from "../../../support/webhook-delivery.ts";
import { createReceiver, showResponse } from "../../../support/webhook-receiver.ts";

/** Does something for a client, which may take its time. */
type Send = <Value>(reply: () => Value | Promise<Value>) => Promise<Value>;

const ROW = { bound_key: "event:default:evt_1", token: "7", attempt: 1, is_done: false };

/** Each store over a client whose server responds as if every step had succeeded, and how often a claim sends something. */
const STORES: Readonly<
	Record<string, readonly [createStore: (send: Send) => SharedStore, sendsPerClaim: number]>
> = {
	redis: [
		(send) =>
			redisStore({
				oneServer: true,
				eval: (script) => send(() => (script.includes("'acquired'") ? ["acquired", 7, 1] : 1)),
			}),
		1,
	],
	"redis in two steps": [
		(send) =>
			redisStore({
				eval: (script) =>
					send(() => {
						if (script.includes("'acquired'")) return ["acquired", 7, 1];
						return script.includes("'='") ? "=default:evt_1" : 1;
					}),
			}),
		2,
	],
	postgres: [(send) => postgresStore({ query: () => send(() => ({ rows: [ROW] })) }), 1],
	"a client of SQLite": [(send) => sqliteClientStore({ query: () => send(() => [ROW]) }), 1],
	dynamodb: [
		(send) => {
			const table = new DynamodbTable();
			return dynamodbStore({
				getItem: (input) => send(() => table.getItem(input)),
				putItem: (input) => send(() => table.putItem(input)),
			});
		},
		2,
	],
};

/** Everything that a client sends takes this long. */
function slow(clock: CountingClock, ms: number): Send {
	return async (reply) => {
		await new Promise<void>((resolve) => void clock.setTimer(resolve, ms));
		return reply();
	};
}

describe.each(Object.entries(STORES))("%s", (_name, [createStore, sendsPerClaim]) => {
	describe("a delivery whose claim takes 7 s, in however many steps, gets", () =>
		testOutcomes<number | undefined>(
			{
				"200": { "with a storeTimeoutMs of 10 s": 10_000 },
				"503 store_unavailable, again in 5 s": { "with the handler's default of 5 s": undefined },
			},
			async (storeTimeoutMs) => {
				const clock = createCountingClock(signedAt * 1000);
				const store = createStore(slow(clock, 7_000 / sendsPerClaim));
				const { send } = createReceiver({ clock, store, ...(storeTimeoutMs && { storeTimeoutMs }) });
				const startedAt = clock.now();
				const response = showResponse(await settle(clock, send(), 500));
				// It claims, and then completes; or it gives up.
				expect(clock.now() - startedAt).toBeLessThanOrEqual(storeTimeoutMs === undefined ? 5_000 : 14_000);
				return response;
			},
		));

	describe("a request whose nonce takes 7 s is", () =>
		testOutcomes<number | undefined>(
			{
				"verified for app-1": { "with a storeTimeoutMs of 10 s": 10_000 },
				nonce_store_unavailable: { "with verifyRequest's default": undefined },
			},
			async (storeTimeoutMs) => {
				const clock = createCountingClock(SIGNED_AT);
				const nonceStore = createStore(slow(clock, 7_000));
				const options = {
					...verifierOptions({ clock, nonceStore }),
					...(storeTimeoutMs && { storeTimeoutMs }),
				};
				const verifying = verifyRequest(signedRequest(), options).then(
					({ appId }) => `verified for ${appId}`,
					({ code }) => String(code),
				);
				return settle(clock, verifying, 500);
			},
		));

	test("costs a delivery two timers where its handler waits for nothing", async () => {
		const clock = createCountingClock(signedAt * 1000);
		const setTimer = vi.spyOn(clock, "setTimer");
		const store = createStore(async (reply) => reply());
		const { send } = createReceiver({ clock, store });
		expect(showResponse(await send())).toBe("200");
		expect(setTimer.mock.calls.map(([, delayMs]) => delayMs)).toEqual([5_000, 5_000]);
		expect(clock.openTimers).toBe(0);
	});
});

describe("a store of somebody else's, whose promises resolve twice, counts by the first value:", () => {
	/** Resolves twice, as a thenable that was written by hand may. */
	const twice = (first: unknown, second: unknown) => ({
		// biome-ignore lint/suspicious/noThenProperty: it acts as a promise
		then: (resolve: (value: unknown) => void) => {
			resolve(first);
			resolve(second);
		},
	});

	const inner = memoryStore();
	const claimed = { status: "acquired", token: 1, attempt: 1 };

	testOutcomes<readonly [first: object, second: object]>(
		{
			"200, runs: 1": { "a claim before one that is done": [claimed, { status: "done" }] },
			"503 in_flight, again in 1 s, runs: 0": {
				"an event in flight before a claim": [{ status: "in_flight", retryAfterMs: 1 }, claimed],
			},
		},
		async ([first, second]) => {
			const handle = vi.fn();
			const store = { ...inner, claim: () => twice(first, second), complete: () => twice(true, false) };
			const { send, reported } = createReceiver({
				store: store as unknown as typeof inner,
				on: { inbound_message: handle },
			});
			const response = showResponse(await send());
			expect(reported()).toEqual([]);
			return `${response}, runs: ${handle.mock.calls.length}`;
		},
	);
});
