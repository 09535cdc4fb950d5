import { type ClientOptions, MessagingGateway } from "messaging-gateway";
import { diagnose } from "messaging-gateway/doctor";
import { createAdjustableClock, createLocalGateway } from "messaging-gateway/testing";
import { describe, expect, test } from "vitest";
import { START_MS, settle } from "../../../support/counting-clock.ts";
import { type ScriptedGateway, scriptGateway } from "../../../support/scripted-gateway.ts";
import { errorResponse, MAPPING, ok, text } from "../../../support/wire.ts";
import { causesOf, triedBy } from "./diagnosed.ts";
import { isSignedAs } from "./signed-as.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** A date of whole seconds is on average that much behind the clock that it was read from. */
const HALF_SECOND_MS = 500;

/** What a client finds of a gateway whose clock is so far ahead. */
async function examine(skewMs: number, options: ClientOptions = {}) {
	await using local = createLocalGateway({
		clock: createAdjustableClock({ frozen: true, startMs: START_MS }),
	});
	local.faults.skewClock(skewMs);
	return await diagnose(new MessagingGateway({ ...local.clientOptions, ...options }));
}

/** A gateway whose responses have this date, and that accepts a timestamp if `accepts` returns true. */
function scripted(
	date: string | undefined,
	accepts: (timestamp: number) => boolean,
	{ details, ...options }: ClientOptions & { details?: unknown } = {},
): ScriptedGateway {
	const headers = date === undefined ? {} : { Date: date };
	return scriptGateway(
		[
			(request) => {
				if (request.url.endsWith("/health")) return text(200, "OK", headers);
				const isRight = accepts(Number(request.headers.get("X-Timestamp")));
				if (!isRight || !isSignedAs(request.url, request.headers))
					return errorResponse(401, { details, headers });
				return errorResponse(404, { headers });
			},
		],
		options,
	);
}

const at = (aheadMs: number): string => new Date(START_MS + aheadMs).toUTCString();

describe("a clock that is off", () => {
	test.each([
		[
			"ten minutes behind",
			10 * MINUTE_MS,
			/^Our clock is (599|600|601) s behind the gateway's, which rejects that and accepts its own time\.$/,
		],
		["ten minutes ahead", -10 * MINUTE_MS, /^Our clock is (599|600|601) s ahead of the gateway's/],
		["two hours behind", 2 * HOUR_MS, /A clock may be set to another time zone\.$/],
	])("by %s is proven, and no harm where the client corrects it", async (_title, skewMs, message) => {
		const diagnosis = await examine(skewMs);
		expect(diagnosis.isHealthy).toBe(null);
		expect(diagnosis.findings).toMatchObject([
			{
				cause: "clock_off",
				certainty: "certain",
				isBlocking: false,
				message: expect.stringMatching(message),
				fix: expect.stringContaining("corrects it after the first call"),
			},
		]);
		expect(diagnosis.clockOffsetMs).toBe(skewMs + HALF_SECOND_MS);
		expect(triedBy(diagnosis).slice(3, 7)).toEqual([
			"wrongly_signed rejected",
			"signed rejected",
			"signed accepted",
			"wrongly_signed rejected",
		]);
		expect(diagnosis.checks.map(({ clock }) => clock).filter(Boolean)).toEqual([
			"ours",
			"ours",
			...Array.from({ length: 7 }, () => "gateway"),
		]);
	});

	test("makes calls fail where the client does not correct it, which hides nothing else", async () => {
		const diagnosis = await examine(10 * MINUTE_MS, { correctClockSkew: false });
		expect(diagnosis.isHealthy).toBe(false);
		expect(diagnosis.findings).toMatchObject([
			{ cause: "clock_off", isBlocking: true, fix: expect.stringContaining("correctClockSkew") },
		]);
		expect(diagnosis.signing).toEqual({ emptyBody: "empty_string", query: "excluded" });
	});

	test("stands beside a wrong secret, and is proven by a rejection that no longer names the timestamp", async () => {
		const diagnosis = await examine(10 * MINUTE_MS, { appSecret: "wrong" });
		expect(diagnosis.findings).toMatchObject([
			{ cause: "credentials_or_dialect", message: expect.not.stringContaining("clock is off") },
			{ cause: "clock_off", certainty: "certain", isBlocking: false },
		]);
	});

	test("stands beside another form, which is found with the gateway's time", async () => {
		await using local = createLocalGateway({ profile: { signing: { emptyBody: "empty_object" } } });
		local.faults.skewClock(HOUR_MS);
		const { profile: _, ...options } = local.clientOptions;
		const diagnosis = await diagnose(new MessagingGateway(options));
		expect(causesOf(diagnosis)).toEqual(["other_signing_form", "clock_off"]);
		expect(diagnosis.findings[1]?.certainty).toBe("certain");
	});

	test("stands beside a secret that was rotated", async () => {
		await using local = createLocalGateway();
		local.faults.skewClock(HOUR_MS);
		let calls = 0;
		const appSecret = () => (++calls === 1 ? "old" : local.appSecret);
		const diagnosis = await diagnose(new MessagingGateway({ ...local.clientOptions, appSecret }));
		expect(diagnosis.isHealthy).toBe(null);
		expect(causesOf(diagnosis)).toEqual(["clock_off"]);
		expect(triedBy(diagnosis).slice(3, 7)).toEqual([
			"wrongly_signed rejected",
			"signed rejected",
			"signed rejected",
			"signed accepted",
		]);
	});

	test("that cannot be corrected does not fetch another secret", async () => {
		let calls = 0;
		const appSecret = () => `secret-${++calls}`;
		const { gateway, requests } = scripted(at(25 * HOUR_MS), () => false, { appSecret });
		expect(causesOf(await diagnose(gateway))).toEqual(["clock_off"]);
		expect([calls, requests.length]).toEqual([1, 5]);
	});

	test.each<[title: string, aheadMs: number, options: ClientOptions]>([
		["over plain http", HOUR_MS, { baseUrl: "http://gateway.example" }],
		["by more than three hours", 3 * HOUR_MS + 2_000, {}],
	])("%s cannot be corrected, so nothing more is tried", async (_title, aheadMs, options) => {
		const { gateway, requests } = scripted(at(aheadMs), (timestamp) => timestamp > START_MS, options);
		const diagnosis = await diagnose(gateway);
		expect(diagnosis.findings).toContainEqual(
			expect.objectContaining({ cause: "clock_off", certainty: "likely", isBlocking: true }),
		);
		expect(causesOf(diagnosis)).not.toContain("credentials_or_dialect");
		expect(diagnosis.untested).toContain(
			"The signing: every timestamp is rejected while the clock is so far off.",
		);
		expect(requests).toHaveLength(5);
	});

	test("is tolerated by a gateway that accepts it", async () => {
		const { gateway } = scripted(at(HOUR_MS), () => true);
		const diagnosis = await diagnose(gateway);
		expect(diagnosis.isHealthy).toBe(null);
		expect(diagnosis.findings).toMatchObject([
			{
				cause: "clock_off",
				certainty: "likely",
				isBlocking: false,
				message: expect.stringContaining("our timestamp was accepted anyway"),
				fix: "Set this machine's clock by NTP; if it is right, tell the gateway's operator.",
			},
		]);
	});

	test("is reported even if no signed call gets the gateway's response", async () => {
		const headers = { Date: at(HOUR_MS) };
		const { gateway } = scriptGateway([text(502, "", headers)]);
		const diagnosis = await diagnose(gateway);
		expect(causesOf(diagnosis)).toEqual(["gateway_failing", "clock_off"]);
		expect(diagnosis.findings[1]?.isBlocking).toBe(false);
	});
});

describe("a clock that is nearly right", () => {
	test.each([
		["59 s is not worth a word", 59_000, []],
		["62 s is", 62_000, ["clock_drifting"]],
		["297 s does not make calls fail either", 297_000, ["clock_drifting"]],
		["62 s ahead", -62_000, ["clock_drifting"]],
	])("%s", async (_title, skewMs, causes) => {
		const diagnosis = await examine(skewMs);
		expect(causesOf(diagnosis)).toEqual(causes);
		expect(diagnosis.isHealthy).toBe(null);
	});

	const details = { reason: "TIMESTAMP_OUT_OF_RANGE" };

	test("is rejected by a stricter gateway that names the timestamp", async () => {
		const accepts = (timestamp: number) => Math.abs(timestamp - START_MS - 45_000) < 5_000;
		const { gateway } = scripted(at(45_000), accepts, { details });
		const diagnosis = await diagnose(gateway);
		expect(diagnosis.isHealthy).toBe(null);
		expect(diagnosis.findings).toMatchObject([
			{
				cause: "clock_off",
				certainty: "certain",
				isBlocking: false,
				message: "Our clock is 46 s behind the gateway's, which rejects that and accepts its own time.",
			},
		]);
	});

	test("is not the cause if the gateway rejects every timestamp", async () => {
		const { gateway, requests } = scripted(at(0), () => false, { details });
		expect((await diagnose(gateway)).findings).toMatchObject([
			{
				cause: "timestamp_rejected",
				message: expect.stringContaining("agrees with the time in its responses"),
			},
		]);
		// Health, a wrong signature, the two clocks, and one form in seconds.
		expect(requests).toHaveLength(7);
	});
});

describe("what is known of the clock", () => {
	test("nothing without a Date, which is said", async () => {
		const { gateway } = scripted(undefined, () => true);
		const diagnosis = await diagnose(gateway);
		expect(diagnosis).toMatchObject({ isHealthy: null, clockOffsetMs: undefined });
		expect(diagnosis.untested.join()).toContain("The clock: no response shows the gateway's");
	});

	test("a rejected timestamp without a Date", async () => {
		const { gateway } = scriptGateway([
			({ url }) =>
				url.endsWith("/health") ? text(200, "OK") : errorResponse(401, { code: "BAD_TIMESTAMP" }),
		]);
		expect((await diagnose(gateway)).findings).toMatchObject([
			{ cause: "timestamp_rejected", message: expect.stringContaining("no response shows its clock") },
		]);
	});

	test.each([
		["a cache's Date", { Date: at(HOUR_MS), Age: "3600" }, undefined],
		["a Date that is none", { Date: "yesterday" }, undefined],
		["a Date, to half a second", { Date: at(-1_000) }, -500],
	])("%s", async (_title, headers, expected) => {
		const { gateway } = scriptGateway([text(200, "OK", headers)]);
		expect((await diagnose(gateway)).clockOffsetMs).toBe(expected);
	});

	test.each([
		["is finer than Date", 1_234, 1_234],
		["is not its clock if Date differs", -HOUR_MS, 1_500],
	])("meta.timestamp %s", async (_title, metaMs, expected) => {
		const { gateway, requests } = scriptGateway([
			({ url }) => {
				const headers = { Date: at(1_000) };
				if (url.endsWith("/health")) return text(200, "OK", headers);
				if (requests.length === 4) return errorResponse(401, { headers });
				const response = ok({ mapping: MAPPING }, { timestamp: new Date(START_MS + metaMs).toISOString() });
				response.headers.set("Date", headers.Date);
				return response;
			},
		]);
		expect((await diagnose(gateway)).clockOffsetMs).toBe(expected);
	});

	test("the quickest response counts, and one of more than ten seconds is ignored", async () => {
		const measure = async (delaysMs: readonly number[]) => {
			let waiting = 0;
			const slow = scriptGateway([
				async () => {
					waiting++;
					const response = text(200, "OK", { Date: new Date(slow.clock.now() + HOUR_MS).toUTCString() });
					const delayMs = delaysMs[slow.requests.length - 1] ?? 11_000;
					await new Promise<void>((resolve) => slow.clock.setTimer(resolve, delayMs));
					waiting--;
					return response;
				},
			]);
			const diagnosing = diagnose(slow.gateway, { timeoutMs: 60_000 });
			return (await settle(slow.clock, diagnosing, 250, () => waiting > 0)).clockOffsetMs;
		};
		expect(await measure([8_000, 2_000, 6_000])).toBe(HOUR_MS + 500 - 1_000);
		expect(await measure([])).toBeUndefined();
	});
});
