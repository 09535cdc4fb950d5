import type { ClientOptions } from "messaging-gateway";
import { MessagingGateway } from "messaging-gateway";
import { createAdjustableClock, createLocalGateway } from "messaging-gateway/testing";
import { describe, expect, onTestFinished, test } from "vitest";
import { catchRejection } from "../../../support/catch-error.ts";
import { settle } from "../../../support/counting-clock.ts";
import { BY_RETRY_CLASS } from "../../../support/operations.ts";
import { type Outcomes, testOutcomes } from "../../../support/outcomes.ts";
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

/** What a send is rejected with, and how the profile's gateway says that a nonce was used. */
interface Rejected {
	readonly status: number;
	readonly error: object;
	readonly usedNonce?: NonNullable<ClientOptions["profile"]>["usedNonce"];
	readonly rejectionCodes?: readonly string[];
}

/** The outcome of a send that is not made again. */
async function outcomeOf({ status, error, ...profile }: Rejected): Promise<string> {
	const whole = { requestId: "00000000-0000-4000-8000-000000000000", message: "", ...error };
	const { gateway, clock, requests } = scriptGateway([json(status, { ok: false, error: whole })], {
		profile,
	});
	const failure = Object(await catchRejection(settle(clock, gateway.messages.sendText(TEXT))));
	expect([requests.length, failure.status]).toEqual([1, status]);
	return failure.outcome;
}

const coded = (status: number, code: string): Rejected => ({ status, error: { code } });
const reason = (name: string, value: string): Rejected => ({
	status: 401,
	error: { code: "UNAUTHORIZED", details: { [name]: value } },
});
const DUP = { code: "DUP" };
const CAUSE = { code: "DUP", path: "error.details.cause" };

const USED_NONCES: Outcomes<Rejected> = {
	unknown: {
		...Object.fromEntries(
			["NONCE_REPLAYED", "nonce_already_used", "DUPLICATE_NONCE", "NonceExists", "REPLAY_DETECTED"]
				.concat("replay", "replay-attack.detected", "NONCE_NOT_UNIQUE", "nonce_conflict", "request_replayed")
				.map((code) => [`the code ${code}`, coded(409, code)]),
		),
		"the least status of a rejection": coded(400, "NONCE_USED"),
		"the status of a rate limit": coded(429, "NONCE_REUSED"),
		"the largest status of a rejection": coded(499, "NONCE_USED"),
		"a reason": reason("reason", "NONCE_USED"),
		"a field with its issue": {
			status: 400,
			error: {
				code: "VALIDATION_ERROR",
				details: [{ field: "X-Nonce", issue: "already_used", message: "" }],
			},
		},
		"a code that is also a rejection": { ...coded(401, "NONCE_USED"), rejectionCodes: ["NONCE_USED"] },
		"the profile's code": { ...coded(401, "DUP"), usedNonce: DUP },
		"the profile's code as a reason": { ...reason("reason", "DUP"), usedNonce: DUP },
		"the profile's code in a field of its own": { ...reason("cause", "DUP"), usedNonce: CAUSE },
		"a 5xx": coded(500, "NONCE_USED"),
	},
	rejected: {
		"another value in the profile's field": { ...reason("cause", "KEY"), usedNonce: CAUSE },
		"no value in the profile's field": { ...coded(401, "DUP"), usedNonce: CAUSE },
		"a code of our list, where the profile has another one": { ...coded(401, "NONCE_USED"), usedNonce: DUP },
		"a nonce that is missing": coded(401, "NONCE_MISSING"),
		"a nonce that is malformed": coded(400, "MALFORMED_NONCE"),
		"a nonce of another format": coded(400, "NONCE_FORMAT_USED_BEFORE_V2"),
		"a nonce that is required": coded(400, "NONCE_REQUIRED"),
		"a nonce that is invalid": coded(400, "INVALID_NONCE"),
		"a nonce that is unused": coded(400, "NONCE_UNUSED"),
		"a replay window": coded(401, "OUTSIDE_REPLAY_WINDOW"),
		"a word that only begins like a replay": coded(401, "REPLAYS"),
		"a message alone": { status: 401, error: { code: "UNAUTHORIZED", message: "nonce was already used" } },
	},
};

describe("a nonce that may be used", () => testOutcomes(USED_NONCES, outcomeOf));

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

test.each(["safe", "idempotent"] as const)(
	"a %s call whose nonce was used is made again, and succeeds",
	async (retryClass) => {
		const { call, success } = BY_RETRY_CLASS[retryClass];
		const refused = errorResponse(401, { code: "NONCE_REPLAYED" });
		const { gateway, clock, requests } = scriptGateway([refused, success], {});
		await settle(clock, call(gateway));
		expect(requests).toHaveLength(2);
	},
);
