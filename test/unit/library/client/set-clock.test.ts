import type { Clock } from "messaging-gateway";
import { afterEach, beforeEach, vi } from "vitest";
import { START_MS, settle } from "../../../support/counting-clock.ts";
import { BY_RETRY_CLASS } from "../../../support/operations.ts";
import { type Outcomes, testOutcomes } from "../../../support/outcomes.ts";
import { scriptGateway } from "../../../support/scripted-gateway.ts";
import { errorResponse, json, MAPPING, MESSAGE, networkError } from "../../../support/wire.ts";

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
const success = json(200, { ok: true, data: { mapping: MAPPING, message: MESSAGE } });

// No retry waits.
beforeEach(() => void vi.spyOn(Math, "random").mockReturnValue(0));
afterEach(() => void vi.restoreAllMocks());

/** A clock that somebody sets while the first attempt of a call is under way. */
interface SetClock {
	/** How far it is ahead at first. */
	readonly startMs?: number;
	/** By how much it is set, or stands still, as a machine does that sleeps. */
	readonly byMs: number;
	readonly first: () => Response | Error;
	/** Whether it has a monotonic time, which goes on. @default true */
	readonly isMonotonic?: boolean;
	readonly call?: keyof typeof BY_RETRY_CLASS;
}

/** How the call ends, with how many requests, what they were signed for, and what is known of the clock. */
async function setOutcome({
	startMs = 0,
	byMs,
	first,
	isMonotonic = true,
	call = "safe",
}: SetClock): Promise<string> {
	const { clock: own } = scriptGateway([]);
	let offsetMs = startMs;
	const clock: Clock = {
		now: () => own.now() + offsetMs,
		setTimer: own.setTimer,
		...(isMonotonic && { monotonicNow: () => own.now() }),
	};
	const secrets = ["a-secret", "another-secret", "a-third-secret"];
	const { gateway, requests } = scriptGateway(
		[
			async () => {
				offsetMs += byMs;
				const answer = first();
				if (answer instanceof Error) throw answer;
				return answer;
			},
			success,
		],
		{ clock, appSecret: () => secrets.shift() ?? "none" },
	);
	const [ending] = await settle(own, Promise.allSettled([BY_RETRY_CLASS[call].call(gateway)]));
	const times = requests.map(({ headers }) => Number(headers.get("X-Timestamp")) - START_MS);
	const how = ending.status === "fulfilled" ? "data" : `${ending.reason.status} ${ending.reason.outcome}`;
	return `${how}, signed ${times.join(", ")}; offset ${gateway.clockOffsetMs}`;
}

/** The response's Date, by how much it is ahead of the time at which the call began. It counts as half a second later. */
const dated =
	(aheadMs: number, error: { code?: string; details?: unknown } = {}) =>
	() =>
		errorResponse(401, { ...error, headers: { Date: new Date(START_MS + aheadMs).toUTCString() } });
const late = (aheadMs: number) => dated(aheadMs, { details: { reason: "TIMESTAMP_OUT_OF_RANGE" } });
const timed = (aheadMs: number) => () =>
	json(200, {
		ok: true,
		data: { mapping: MAPPING },
		meta: { requestId: "r", timestamp: new Date(START_MS + aheadMs).toISOString() },
	});
const lost = (byMs: number): SetClock => ({ byMs, first: () => networkError("ECONNRESET") });
/** A send that was under way for so long: its 401 may be that of a copy, and the send itself accepted. */
const send = (byMs: number, first: SetClock["first"], startMs = 0): SetClock => ({
	call: "never",
	byMs,
	first,
	startMs,
});

const OUTCOMES: Outcomes<SetClock> = {
	"data, signed 0, 120000; offset undefined": {
		"two minutes forward, which cost no retry": lost(2 * MINUTE_MS),
	},
	"data, signed 0, 86400000; offset undefined": { "a day forward": lost(24 * 60 * MINUTE_MS) },
	"data, signed 0, -120000; offset undefined": { "two minutes back": lost(-2 * MINUTE_MS) },
	"data, signed -1800000, 500; offset 500": {
		"to the right time, after the first request was signed": {
			startMs: -30 * MINUTE_MS,
			byMs: 30 * MINUTE_MS,
			first: dated(0),
		},
	},
	"data, signed 0; offset 0": {
		"back by half an hour, which teaches no wrong offset": {
			byMs: -30 * MINUTE_MS,
			first: timed(-30 * MINUTE_MS),
		},
	},
	"401 rejected, signed 0; offset undefined": {
		"a send, back by half an hour, without a monotonic time: a negative round trip is no sample": {
			...send(-30 * MINUTE_MS, dated(-10 * MINUTE_MS)),
			isMonotonic: false,
		},
		"a send of a machine that slept for six minutes, and a 401 without a reason": send(
			6 * MINUTE_MS,
			dated(6 * MINUTE_MS),
		),
		"a send just within the tolerance, after three seconds, and a 401 without a reason": send(
			3 * SECOND_MS,
			dated(302 * SECOND_MS),
		),
	},
	"401 unknown, signed 0; offset undefined": {
		"a send of a machine that slept for six minutes": send(6 * MINUTE_MS, late(6 * MINUTE_MS)),
		"a send just within the tolerance, after three seconds": send(3 * SECOND_MS, late(302 * SECOND_MS)),
	},
	"401 unknown, signed 500; offset undefined": {
		"a send as far off as the tolerance when it left": send(10 * SECOND_MS, late(310 * SECOND_MS), 500),
	},
	"data, signed 500, 311500; offset 301000": {
		"a second further off when it left, which no copy explains": send(
			10 * SECOND_MS,
			late(311 * SECOND_MS),
			500,
		),
	},
	"data, signed 500, 300500; offset 0": {
		"a send as old as the tolerance when its 401 came, which was in time": send(
			300 * SECOND_MS,
			late(300 * SECOND_MS),
			500,
		),
	},
	"data, signed 0, 603500; offset 600500": {
		"a send ten minutes off, after three seconds": send(3 * SECOND_MS, late(603 * SECOND_MS)),
	},
	"data, signed 0, -596500; offset -599500": {
		"a send ten minutes off the other way": send(3 * SECOND_MS, late(-597 * SECOND_MS)),
	},
};

testOutcomes(OUTCOMES, setOutcome);
