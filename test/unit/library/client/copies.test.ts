import type { ClientOptions, Outcome } from "messaging-gateway";
import { MessagingGateway } from "messaging-gateway";
import { createAdjustableClock, createLocalGateway } from "messaging-gateway/testing";
import { describe, expect, onTestFinished, test } from "vitest";
import { catchRejection } from "../../../support/catch-error.ts";
import { settle } from "../../../support/counting-clock.ts";
import { BY_RETRY_CLASS } from "../../../support/operations.ts";
import { scriptGateway } from "../../../support/scripted-gateway.ts";
import { errorResponse, json, networkError } from "../../../support/wire.ts";

const TEXT = { to: "+15551234567", text: "Hello" };

/** A gateway whose network repeats the next request. */
function createRepeated(options: Partial<ClientOptions> = {}, response: "copy" | "first" = "copy") {
	const clock = createAdjustableClock({ frozen: true });
	const local = createLocalGateway({ clock, rules: "off" });
	onTestFinished(() => local.close());
	const gateway = new MessagingGateway({ ...local.clientOptions, ...options });
	local.faults.repeatRequest({ response });
	return { local, gateway, clock };
}

describe("a network that repeats a request", () => {
	test("sends one message, and the refusal of the copy is no refusal of it", async () => {
		const { local, gateway } = createRepeated();
		const error = await catchRejection(gateway.messages.sendText(TEXT));
		expect(error).toMatchObject({ status: 401, outcome: "unknown", attempts: 1 });
		expect(local.sent).toHaveLength(1);
		expect(local.requests.map(({ status }) => status)).toEqual([202, 401]);
	});

	test("may answer with the first response: accepted, once", async () => {
		const { local, gateway } = createRepeated({}, "first");
		await gateway.messages.sendText(TEXT);
		expect(local.sent).toHaveLength(1);
		expect(local.requests).toHaveLength(2);
	});

	test("costs a read nothing but another attempt", async () => {
		const { local, gateway, clock } = createRepeated();
		const reading = gateway.agents.list({ limit: 1 }).withResponse();
		const { attempts } = await settle(clock, reading);
		expect(attempts).toBe(2);
		expect(local.requests.map(({ status }) => status)).toEqual([200, 401, 200]);
	});

	test("with a secret in rotation sends one message: nothing is signed again", async () => {
		const secrets = ["local-app-secret", "another-secret"];
		const { local, gateway } = createRepeated({ appSecret: () => secrets.shift() ?? "none" });
		expect(await catchRejection(gateway.messages.sendText(TEXT))).toMatchObject({ outcome: "unknown" });
		expect(local.sent).toHaveLength(1);
		expect(secrets).toHaveLength(1);
	});

	test("with a clock that is ten minutes off sends one message", async () => {
		const { local, gateway } = createRepeated({ logLevel: "off" });
		local.faults.skewClock(600_000);
		await gateway.messages.sendText(TEXT);
		expect(local.sent).toHaveLength(1);
		expect(local.requests.map(({ status }) => status)).toEqual([401, 401, 202]);
	});
});

const usedNonce = { usedNonce: { code: "DUP", path: "error.details.cause" } };

test.each<
	[title: string, status: number, error: object, profile: ClientOptions["profile"], outcome: Outcome]
>([
	["the code NONCE_REPLAYED", 401, { code: "NONCE_REPLAYED" }, undefined, "unknown"],
	["the code nonce_already_used", 409, { code: "nonce_already_used" }, undefined, "unknown"],
	["the code DUPLICATE_NONCE", 400, { code: "DUPLICATE_NONCE" }, undefined, "unknown"],
	["the code NonceExists", 403, { code: "NonceExists" }, undefined, "unknown"],
	["the code REPLAY_DETECTED", 401, { code: "REPLAY_DETECTED" }, undefined, "unknown"],
	["the code replay", 401, { code: "replay" }, undefined, "unknown"],
	["the code replay-attack.detected", 409, { code: "replay-attack.detected" }, undefined, "unknown"],
	["the code NONCE_NOT_UNIQUE", 409, { code: "NONCE_NOT_UNIQUE" }, undefined, "unknown"],
	["the code nonce_conflict", 409, { code: "nonce_conflict" }, undefined, "unknown"],
	["a reason", 401, { code: "UNAUTHORIZED", details: { reason: "NONCE_USED" } }, undefined, "unknown"],
	[
		"a field with its issue",
		400,
		{ code: "VALIDATION_ERROR", details: [{ field: "X-Nonce", issue: "already_used", message: "" }] },
		undefined,
		"unknown",
	],
	["the status of a rate limit", 429, { code: "NONCE_REUSED" }, undefined, "unknown"],
	[
		"a code that is also a rejection",
		401,
		{ code: "NONCE_USED" },
		{ rejectionCodes: ["NONCE_USED"] },
		"unknown",
	],
	["the profile's code", 401, { code: "DUP" }, { usedNonce: { code: "DUP" } }, "unknown"],
	[
		"the profile's code as a reason",
		401,
		{ code: "X", details: { reason: "DUP" } },
		{ usedNonce: { code: "DUP" } },
		"unknown",
	],
	[
		"the profile's code in a field of its own",
		401,
		{ code: "X", details: { cause: "DUP" } },
		usedNonce,
		"unknown",
	],
	[
		"another value in the profile's field",
		401,
		{ code: "X", details: { cause: "KEY" } },
		usedNonce,
		"rejected",
	],
	[
		"a code of our list, where the profile has another one",
		401,
		{ code: "NONCE_USED" },
		usedNonce,
		"rejected",
	],
	["a nonce that is missing", 401, { code: "NONCE_MISSING" }, undefined, "rejected"],
	["a nonce that is malformed", 400, { code: "MALFORMED_NONCE" }, undefined, "rejected"],
	["a nonce of another format", 400, { code: "NONCE_FORMAT_USED_BEFORE_V2" }, undefined, "rejected"],
	["a nonce that is required", 400, { code: "NONCE_REQUIRED" }, undefined, "rejected"],
	["a nonce that is invalid", 400, { code: "INVALID_NONCE" }, undefined, "rejected"],
	["a replay window", 401, { code: "OUTSIDE_REPLAY_WINDOW" }, undefined, "rejected"],
	[
		"a message alone",
		401,
		{ code: "UNAUTHORIZED", message: "nonce was already used" },
		undefined,
		"rejected",
	],
	["a 5xx", 500, { code: "NONCE_USED" }, undefined, "unknown"],
])(
	"%s: a send is not made again, and its outcome is what was proved",
	async (_title, status, error, profile, outcome) => {
		const body = {
			ok: false,
			error: { requestId: "00000000-0000-4000-8000-000000000000", message: "", ...error },
		};
		const { gateway, clock, requests } = scriptGateway([json(status, body)], { profile });
		const failure = await catchRejection(settle(clock, gateway.messages.sendText(TEXT)));
		expect(failure).toMatchObject({ status, outcome });
		expect(requests).toHaveLength(1);
	},
);

describe("a 401 without a reason", () => {
	const bare = errorResponse(401, { code: "UNAUTHORIZED" });

	test("to a send is not answered with another secret, which the next call has", async () => {
		const secrets = ["old-secret", "new-secret"];
		const { success } = BY_RETRY_CLASS.never;
		const { gateway, requests } = scriptGateway([bare, success], {
			appSecret: () => secrets.shift() ?? "none",
		});
		expect(await catchRejection(gateway.messages.sendText(TEXT))).toMatchObject({ status: 401, attempts: 1 });
		await gateway.messages.sendText({ ...TEXT, text: "Again" });
		expect(requests).toHaveLength(2);
		expect(secrets).toEqual([]);
	});

	test("that names the signature is: no copy is refused for another reason", async () => {
		const secrets = ["old-secret", "new-secret"];
		const wrong = errorResponse(401, { code: "UNAUTHORIZED", details: { reason: "INVALID_SIGNATURE" } });
		const { gateway, requests } = scriptGateway([wrong, BY_RETRY_CLASS.never.success], {
			appSecret: () => secrets.shift() ?? "none",
		});
		await gateway.messages.sendText(TEXT);
		expect(requests).toHaveLength(2);
	});

	test("brings one other secret, not one after the other", async () => {
		const secrets = ["first-secret", "second-secret", "third-secret"];
		const wrong = errorResponse(401, { code: "UNAUTHORIZED", details: { reason: "INVALID_SIGNATURE" } });
		const { gateway, requests } = scriptGateway([wrong, () => wrong.clone(), BY_RETRY_CLASS.safe.success], {
			appSecret: () => secrets.shift() ?? "none",
		});
		const error = await catchRejection(BY_RETRY_CLASS.safe.call(gateway));
		expect(error).toMatchObject({ status: 401, attempts: 2 });
		expect(requests).toHaveLength(2);
		expect(secrets).toEqual(["third-secret"]);
	});

	test.each([
		["four and a half minutes off", 270_000, 1],
		["five minutes off, the tolerance itself", 299_500, 1],
		["six minutes off", 360_000, 2],
	])("to a send, with a clock that is %s", async (_title, offsetMs, attempts) => {
		const { gateway, requests, clock } = scriptGateway([
			() => {
				const dated = bare.clone();
				dated.headers.set("Date", new Date(clock.now() + offsetMs).toUTCString());
				return dated;
			},
			BY_RETRY_CLASS.never.success,
		]);
		// `Date` counts as half a second later.
		await clock.advance(500);
		await gateway.messages.sendText(TEXT).catch(() => undefined);
		expect(requests).toHaveLength(attempts);
	});

	test("that names a used nonce, ten minutes off: no copy of it was accepted either", async () => {
		const { gateway, clock } = scriptGateway(
			[
				() => {
					const date = new Date(clock.now() + 600_000).toUTCString();
					return errorResponse(401, { code: "NONCE_USED", headers: { Date: date } });
				},
				networkError("ECONNREFUSED"),
			],
			{ maxRetries: 0 },
		);
		const error = await catchRejection(gateway.messages.sendText(TEXT));
		expect(error).toMatchObject({ outcome: "rejected", attempts: 2 });
	});
});

describe("a 401 to a send that was in time when it left", () => {
	const LATE = { code: "UNAUTHORIZED", details: { reason: "TIMESTAMP_OUT_OF_RANGE" } };
	const BARE = { code: "UNAUTHORIZED" };
	const SIX_MINUTES = 360_000;

	test.each<
		[
			title: string,
			error: object,
			passedMs: number,
			aheadMs: number,
			sent: number,
			outcome: Outcome | undefined,
		]
	>([
		["a machine that slept, and a copy that came late", LATE, SIX_MINUTES, 0, 1, "unknown"],
		["the same without a reason", BARE, SIX_MINUTES, 0, 1, "rejected"],
		["a clock just within the tolerance, and a copy after three seconds", LATE, 3_000, 299_000, 1, "unknown"],
		["the same without a reason", BARE, 3_000, 299_000, 1, "rejected"],
		["a clock ten minutes off, after three seconds", LATE, 3_000, 600_000, 2, undefined],
		["a clock ten minutes off the other way", LATE, 3_000, -600_000, 2, undefined],
	])("%s, %j", async (_title, error, passedMs, aheadMs, sent, outcome) => {
		const { clock: own } = scriptGateway([]);
		let slept = 0;
		const clock = { ...own, now: () => own.now() + slept, monotonicNow: () => own.now() };
		const secrets = ["a-secret", "another-secret", "a-third-secret"];
		const { gateway, requests } = scriptGateway(
			[
				() => {
					slept += passedMs;
					const date = new Date(clock.now() + aheadMs).toUTCString();
					return errorResponse(401, { ...error, headers: { Date: date } });
				},
				BY_RETRY_CLASS.never.success,
			],
			{ clock, appSecret: () => secrets.shift() ?? "none" },
		);
		const failure = await gateway.messages.sendText(TEXT).then(
			() => undefined,
			(thrown: unknown) => thrown,
		);
		expect(requests).toHaveLength(sent);
		if (outcome !== undefined) expect(failure).toMatchObject({ status: 401, outcome });
		else expect(failure).toBeUndefined();
	});
});

describe("a nonce that was used", () => {
	test("to a send says who has the request, and asks nobody to look at the credentials", async () => {
		const { gateway } = scriptGateway([errorResponse(401, { code: "NONCE_REPLAYED" })]);
		const { message } = (await catchRejection(BY_RETRY_CLASS.never.call(gateway))) as Error;
		expect(message).toContain(
			": its nonce was used, so the gateway already has this request, and something on the way repeated it",
		);
		expect(message).not.toContain("doctor");
	});

	test.each(["safe", "idempotent"] as const)("a %s call is made again, and succeeds", async (retryClass) => {
		const { call, success } = BY_RETRY_CLASS[retryClass];
		const refused = errorResponse(401, { code: "NONCE_REPLAYED" });
		const { gateway, clock, requests } = scriptGateway([refused, success], {});
		await settle(clock, call(gateway));
		expect(requests).toHaveLength(2);
	});
});
