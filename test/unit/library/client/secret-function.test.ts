import { describe, expect, test, vi } from "vitest";
import { catchRejection } from "../../../support/catch-error.ts";
import { settle } from "../../../support/counting-clock.ts";
import { type Outcomes, testOutcomes } from "../../../support/outcomes.ts";
import { type SentRequest, type Step, scriptGateway } from "../../../support/scripted-gateway.ts";
import { isSignedWith } from "../../../support/sent-requests.ts";
import { throwing } from "../../../support/throwing.ts";
import { isNodeHttp } from "../../../support/transport.ts";
import { errorResponse, json, MAPPING, USER } from "../../../support/wire.ts";
import { describeError } from "./call-ending.ts";

const success = json(200, { ok: true, data: { mapping: MAPPING } });

/** Responds with 401 unless the request is signed with this secret. */
const accepts = (secret: string) => (request: SentRequest) =>
	isSignedWith(secret, request) ? success.clone() : errorResponse(401);

type Secret = () => string | Promise<string>;

const seal = () => Promise.reject(new Error("vault is sealed"));

/** What the function does in turn, the last for ever, and what the attempts of the calls get. */
interface Asked {
	readonly secrets: readonly Secret[];
	readonly steps?: readonly Step[];
	/** How many calls begin together, and how many then: one by default. */
	readonly calls?: readonly number[];
}

/** How often the function is called, what the requests are signed with, and how the calls end. */
async function outcomeOf({ secrets, steps = [success], calls = [1] }: Asked): Promise<string> {
	let asked = 0;
	const appSecret = () => (secrets[asked++] ?? secrets.at(-1) ?? seal)();
	const { gateway, requests } = scriptGateway(steps, { appSecret });
	const ending = () => gateway.mappings.get(USER).then(() => "ok", describeError);
	expect(asked).toBe(0);
	const endings: string[] = [];
	for (const count of calls) endings.push(...(await Promise.all(Array.from({ length: count }, ending))));
	const signed = requests.map((request) => ["old", "new"].find((secret) => isSignedWith(secret, request)));
	return `asked ${asked}×; signed with ${signed.join(", ")}; ${endings.join(", ")}`;
}

const unauthorized = errorResponse(401);
const UNAUTHORIZED = "AuthenticationError authentication_failed 401 SOME_CODE, rejected";

const ASKED: Outcomes<Asked> = {
	"asked 1×; signed with old, old, old; ok, ok, ok": {
		"by calls that come first together, and by none after them": { secrets: [() => "old"], calls: [2, 1] },
		"the same of an async function": { secrets: [async () => "old"], calls: [2, 1] },
	},
	"asked 2×; signed with old, new, new; ok, ok": {
		"again after a 401, and a rotated secret is tried immediately": {
			secrets: [() => "old", () => "new"],
			steps: [unauthorized, success],
			calls: [1, 1],
		},
	},
	"asked 2×; signed with old, old, old, new, new, new; ok, ok, ok": {
		"once by all calls that got the same 401 together": {
			secrets: [() => "old", () => "new"],
			steps: [accepts("new")],
			calls: [3],
		},
	},
	[`asked 2×; signed with old; ${UNAUTHORIZED}`]: {
		"the same secret again, which costs no second request": { secrets: [() => "old"], steps: [unauthorized] },
	},
	[`asked 2×; signed with old, new; ${UNAUTHORIZED} after 2 attempts`]: {
		"only once more in a call": {
			secrets: [() => "old", () => "new", () => "newer"],
			steps: [unauthorized],
		},
	},
	[`asked 2×; signed with old, old, old; ${UNAUTHORIZED}, ${UNAUTHORIZED}, ${UNAUTHORIZED}`]: {
		"not for every call in an outage of 401s": {
			secrets: [() => "old"],
			steps: [unauthorized],
			calls: [1, 2],
		},
		"not for every call, if it fails, either": {
			secrets: [() => "old", seal],
			steps: [unauthorized],
			calls: [1, 1, 1],
		},
	},
};

/** The error of a call whose function fails, of which nothing is sent; the next call asks again, and succeeds. */
async function failureOf(failing: Secret): Promise<string> {
	const appSecret = vi.fn<Secret>(() => "good-secret").mockImplementationOnce(failing);
	const { gateway, requests } = scriptGateway([success], { appSecret });
	const error = await catchRejection(gateway.mappings.get(USER));
	expect(requests).toHaveLength(0);
	await gateway.mappings.get(USER);
	expect(requests).toHaveLength(1);
	return `${describeError(error)}; ${Reflect.get(Object(error), "message")}`;
}

const FAILURES: Outcomes<Secret> = {
	"ConfigurationError configuration, not_sent; Your appSecret function threw, and nothing was sent. Its error is left out, since it may hold the secret: log it in the function":
		{ "a function that throws": throwing(new Error("vault is sealed")), "a function that rejects": seal },
	"ConfigurationError configuration, not_sent; appSecret is missing": {
		"a function that gives nothing": () => undefined as never,
	},
	"ConfigurationError configuration, not_sent; appSecret is empty": {
		"a function that gives an empty string": () => "",
	},
};

describe("a function for the secret", () => {
	describe("is asked", () => testOutcomes(ASKED, outcomeOf));
	describe("fails a call, and is asked again:", () => testOutcomes(FAILURES, failureOf));

	test("is called again after a 401 to any operation", async () => {
		const appSecret = vi.fn(async () => "new-secret").mockResolvedValueOnce("old-secret");
		const rejected = errorResponse(401, { details: { reason: "INVALID_SIGNATURE" } });
		const { gateway, requests } = scriptGateway([rejected, success], { appSecret, maxRetries: 0 });
		// The 401 to a send must give its reason: test/unit/library/client/copies.test.ts has one that gives none.
		await gateway.messages.sendText({ to: USER, text: "Hello" });
		expect(appSecret).toHaveBeenCalledTimes(2);
		expect(requests).toHaveLength(2);
		await gateway.mappings.get(USER);
		expect(appSecret).toHaveBeenCalledTimes(2);
		expect(isSignedWith("new-secret", requests[2])).toBe(true);
	});

	test("serves a call whose 401 comes after another call has renewed the secret", async () => {
		const appSecret = vi.fn(async () => "new-secret").mockResolvedValueOnce("old-secret");
		const late = Promise.withResolvers<Response>();
		const { gateway, requests } = scriptGateway([errorResponse(401), () => late.promise, success], {
			appSecret,
		});
		const calls = [gateway.mappings.get(USER), gateway.mappings.get(USER)];
		await Promise.race(calls);
		late.resolve(errorResponse(401));
		await Promise.all(calls);
		expect(appSecret).toHaveBeenCalledTimes(2);
		const renewed = requests.map((request) => isSignedWith("new-secret", request));
		expect(renewed).toEqual([false, false, true, true]);
	});

	test("is called only once more in a call whose 401s take more than ten seconds each", async () => {
		let asked = 0;
		const slowly = () =>
			new Promise<Response>((resolve) => clock.setTimer(() => resolve(errorResponse(401)), 10_001));
		const { gateway, clock, requests } = scriptGateway([slowly], { appSecret: () => `secret-${asked++}` });
		await catchRejection(settle(clock, gateway.mappings.get(USER)));
		expect([asked, requests.length]).toEqual([2, 2]);
	});

	describe("in an outage of 401s", () => {
		test("is called again every ten seconds at most, not for every call", async () => {
			const appSecret = vi.fn(async () => "same-secret");
			const { gateway, clock, requests } = scriptGateway([errorResponse(401)], { appSecret });
			const fail = () => catchRejection(gateway.mappings.get(USER));
			for (let at = 0; at < 20; at++) await fail();
			await Promise.all(Array.from({ length: 20 }, fail));
			expect(requests).toHaveLength(40);
			expect(appSecret).toHaveBeenCalledTimes(2);
			await clock.advance(9_999);
			await fail();
			expect(appSecret).toHaveBeenCalledTimes(2);
			await clock.advance(1);
			await Promise.all(Array.from({ length: 20 }, fail));
			expect(appSecret).toHaveBeenCalledTimes(3);
		});

		test("finds the secret that ends it", async () => {
			const appSecret = vi
				.fn(async () => "new-secret")
				.mockResolvedValueOnce("old-secret")
				.mockResolvedValueOnce("old-secret");
			const { gateway, clock } = scriptGateway([accepts("new-secret")], { appSecret });
			await catchRejection(gateway.mappings.get(USER));
			await catchRejection(gateway.mappings.get(USER));
			await clock.advance(10_000);
			expect(await gateway.mappings.get(USER)).toMatchObject({ mapping: MAPPING });
		});
	});

	test("a plain secret costs one request of a 401", async () => {
		const { gateway, requests } = scriptGateway([errorResponse(401)]);
		await catchRejection(gateway.mappings.get(USER));
		expect(requests).toHaveLength(1);
	});
});

describe("a function that hangs", () => {
	const silence = () => new Promise<string>(() => undefined);

	test.each<[title: string, end: (call: Promise<unknown>, controller: AbortController) => void]>([
		["runs out of time", () => undefined],
		["is aborted", (_, controller) => controller.abort()],
	])("is called again for the next call, after one that %s", async (_title, end) => {
		const appSecret = vi.fn(async () => "fetched-secret").mockImplementationOnce(silence);
		const { gateway, clock, requests } = scriptGateway([success], { appSecret });
		const controller = new AbortController();
		const hung = gateway.mappings.get(USER, { signal: controller.signal });
		await clock.advance(0);
		end(hung, controller);
		await catchRejection(settle(clock, hung));
		await settle(clock, gateway.mappings.get(USER));
		expect(appSecret).toHaveBeenCalledTimes(2);
		expect(requests.map((request) => isSignedWith("fetched-secret", request))).toEqual([true]);
	});

	test("after a 401 leaves the working secret to the calls after it", async () => {
		const appSecret = vi.fn(silence).mockResolvedValueOnce("old-secret");
		const { gateway, clock, requests } = scriptGateway([errorResponse(401), success], { appSecret });
		expect(await catchRejection(settle(clock, gateway.mappings.get(USER)))).toMatchObject({
			code: "timeout",
			outcome: "rejected",
		});
		await settle(clock, gateway.mappings.get(USER));
		expect(appSecret).toHaveBeenCalledTimes(2);
		expect(isSignedWith("old-secret", requests[1])).toBe(true);
	});

	test.skipIf(isNodeHttp)("after a 401 leaves the working secret to the calls beside it", async () => {
		const appSecret = vi.fn(silence).mockResolvedValueOnce("old-secret");
		const { gateway, clock, requests } = scriptGateway([errorResponse(401), success], { appSecret });
		const hung = gateway.mappings.get(USER);
		await clock.advance(0);
		expect(appSecret).toHaveBeenCalledTimes(2);
		await gateway.mappings.get(USER);
		expect(isSignedWith("old-secret", requests[1])).toBe(true);
		await catchRejection(settle(clock, hung));
	});

	test("and comes to its end late does not replace what a later question brought", async () => {
		const late = Promise.withResolvers<string>();
		const appSecret = vi.fn(async () => "new-secret").mockImplementationOnce(() => late.promise);
		const { gateway, clock, requests } = scriptGateway([success], { appSecret });
		await catchRejection(settle(clock, gateway.mappings.get(USER)));
		await settle(clock, gateway.mappings.get(USER));
		late.resolve("old-secret");
		await clock.advance(0);
		await settle(clock, gateway.mappings.get(USER));
		expect(requests.map((request) => isSignedWith("new-secret", request))).toEqual([true, true]);
		expect(appSecret).toHaveBeenCalledTimes(2);
	});

	test("still serves the calls that go on waiting, when another has given up", async () => {
		const slow = Promise.withResolvers<string>();
		const appSecret = vi.fn(() => slow.promise);
		const { gateway, clock, requests } = scriptGateway([success], { appSecret });
		const controller = new AbortController();
		const given = gateway.mappings.get(USER, { signal: controller.signal });
		const waiting = gateway.mappings.get(USER);
		await clock.advance(0);
		controller.abort();
		await catchRejection(given);
		slow.resolve("fetched-secret");
		await waiting;
		await gateway.mappings.get(USER);
		expect(appSecret).toHaveBeenCalledTimes(1);
		expect(requests).toHaveLength(2);
	});
});

test("a function that fails after a 401 leaves the working secret in use, and is called again", async () => {
	const appSecret = vi
		.fn(async () => "new-secret")
		.mockResolvedValueOnce("old-secret")
		.mockRejectedValueOnce(new Error("sealed"));
	const steps = [errorResponse(401), success, errorResponse(401), success];
	const { gateway, clock, requests } = scriptGateway(steps, { appSecret });
	expect(await catchRejection(gateway.mappings.get(USER))).toMatchObject({ status: 401, attempts: 1 });
	await gateway.mappings.get(USER);
	expect(isSignedWith("old-secret", requests[1])).toBe(true);
	expect(appSecret).toHaveBeenCalledTimes(2);
	await clock.advance(10_000);
	await gateway.mappings.get(USER);
	expect(isSignedWith("new-secret", requests[3])).toBe(true);
});
