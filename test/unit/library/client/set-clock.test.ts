import type { Clock } from "messaging-gateway";
import { describe, expect, test } from "vitest";
import { catchRejection } from "../../../support/catch-error.ts";
import { type CountingClock, START_MS, settle } from "../../../support/counting-clock.ts";
import { scriptGateway } from "../../../support/scripted-gateway.ts";
import { errorResponse, json, MAPPING, networkError, USER } from "../../../support/wire.ts";

const MINUTE_MS = 60_000;
const success = json(200, { ok: true, data: { mapping: MAPPING } });

/** A clock that somebody sets while a call is under way; its monotonic time goes on. */
function createSetClock(own: CountingClock) {
	let offsetMs = 0;
	const clock: Clock = {
		...own,
		now: () => own.now() + offsetMs,
		monotonicNow: () => own.now(),
	};
	const set = (ms: number): void => {
		offsetMs += ms;
	};
	return { clock, set };
}

/** A client whose clock is set by `ms` while its first request is under way. */
function scriptSet(ms: number, first: () => Response | Error, startMs = 0) {
	const { clock: own } = scriptGateway([]);
	const { clock, set } = createSetClock(own);
	set(startMs);
	const scripted = scriptGateway(
		[
			async () => {
				set(ms);
				const answer = first();
				if (answer instanceof Error) throw answer;
				return answer;
			},
			success,
		],
		{ clock },
	);
	return { ...scripted, own };
}

describe("a clock that is set during a call", () => {
	test.each([
		["two minutes forward", 2 * MINUTE_MS],
		["a day forward", 24 * 60 * MINUTE_MS],
		["two minutes back", -2 * MINUTE_MS],
	])("%s costs no retry", async (_title, ms) => {
		const { gateway, requests, own } = scriptSet(ms, () => networkError("ECONNRESET"));
		await settle(own, gateway.mappings.get(USER));
		expect(requests).toHaveLength(2);
	});

	test("to the right time, after the first request was signed, costs no call", async () => {
		// It was half an hour behind when it signed, and is right when the 401 arrives.
		const dated = () => errorResponse(401, { headers: { Date: new Date(START_MS).toUTCString() } });
		const { gateway, requests, own } = scriptSet(30 * MINUTE_MS, dated, -30 * MINUTE_MS);
		const call = gateway.mappings.get(USER).withResponse();
		const { attempts, clockOffsetMs } = await settle(own, call);
		expect(attempts).toBe(2);
		expect(Math.abs(clockOffsetMs ?? 0)).toBeLessThan(1_000);
		const times = requests.map(({ headers }) => Number(headers.get("X-Timestamp")) - START_MS);
		expect(times[0]).toBe(-30 * MINUTE_MS);
		expect(Math.abs(times[1] ?? 0)).toBeLessThan(1_000);
	});

	test("back by half an hour teaches no wrong offset", async () => {
		const dated = () =>
			json(200, {
				ok: true,
				data: { mapping: MAPPING },
				meta: { requestId: "r", timestamp: new Date(START_MS - 30 * MINUTE_MS).toISOString() },
			});
		const { gateway, own } = scriptSet(-30 * MINUTE_MS, dated);
		await settle(own, gateway.mappings.get(USER));
		expect(gateway.clockOffsetMs).toBe(0);
	});

	test("without a monotonic time, a negative round trip is no sample", async () => {
		const { clock: own } = scriptGateway([]);
		let offsetMs = 0;
		const clock: Clock = { now: () => own.now() + offsetMs, setTimer: own.setTimer };
		const { gateway } = scriptGateway(
			[
				() => {
					offsetMs = -30 * MINUTE_MS;
					return errorResponse(401, { headers: { Date: new Date(START_MS - 10 * MINUTE_MS).toUTCString() } });
				},
				success,
			],
			{ clock },
		);
		expect(await catchRejection(gateway.mappings.get(USER))).toMatchObject({ status: 401, attempts: 1 });
		expect(gateway.clockOffsetMs).toBeUndefined();
	});
});
