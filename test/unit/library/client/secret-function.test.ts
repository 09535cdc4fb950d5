import { describe, expect, test, vi } from "vitest";
import { catchRejection } from "../../../support/catch-error.ts";
import { settle } from "../../../support/counting-clock.ts";
import { type SentRequest, scriptGateway } from "../../../support/scripted-gateway.ts";
import { isSignedWith } from "../../../support/sent-requests.ts";
import { throwing } from "../../../support/throwing.ts";
import { isNodeHttp } from "../../../support/transport.ts";
import { errorResponse, json, MAPPING, USER } from "../../../support/wire.ts";

const success = json(200, { ok: true, data: { mapping: MAPPING } });

/** Responds with 401 unless the request is signed with this secret. */
const accepts = (secret: string) => (request: SentRequest) =>
	isSignedWith(secret, request) ? success.clone() : errorResponse(401);

describe("a function for the secret", () => {
	test.each([
		["sync", () => "fetched-secret"],
		["async", async () => "fetched-secret"],
	])(
		"is called once for the calls that come first together, and then not again: %s",
		async (_title, fetchSecret) => {
			const appSecret = vi.fn<() => string | Promise<string>>(fetchSecret);
			const { gateway, requests } = scriptGateway([success], { appSecret });
			expect(appSecret).not.toHaveBeenCalled();
			await Promise.all([gateway.mappings.get(USER), gateway.mappings.get(USER)]);
			await gateway.mappings.get(USER);
			expect(appSecret).toHaveBeenCalledTimes(1);
			expect(requests.map((request) => isSignedWith("fetched-secret", request))).toEqual([true, true, true]);
		},
	);

	test("is called again after a 401, and a rotated secret is tried immediately, for every operation", async () => {
		const appSecret = vi.fn(async () => "new-secret").mockResolvedValueOnce("old-secret");
		const details = { reason: "INVALID_SIGNATURE" };
		const rejected = errorResponse(401, { details });
		const { gateway, requests } = scriptGateway([rejected, success], { appSecret, maxRetries: 0 });
		// The 401 to a send must give its reason: test/unit/library/client/copies.test.ts has one that gives none.
		await gateway.messages.sendText({ to: USER, text: "Hello" });
		expect(appSecret).toHaveBeenCalledTimes(2);
		expect(requests).toHaveLength(2);
		await gateway.mappings.get(USER);
		expect(appSecret).toHaveBeenCalledTimes(2);
		expect(isSignedWith("new-secret", requests[2])).toBe(true);
	});

	test("that gives the same secret again costs no second request", async () => {
		const appSecret = vi.fn(async () => "same-secret");
		const { gateway, requests } = scriptGateway([errorResponse(401)], { appSecret });
		expect(await catchRejection(gateway.mappings.get(USER))).toMatchObject({ status: 401, attempts: 1 });
		expect(appSecret).toHaveBeenCalledTimes(2);
		expect(requests).toHaveLength(1);
	});

	test("is called only once more in a call", async () => {
		let count = 0;
		const { gateway, requests } = scriptGateway([errorResponse(401)], {
			appSecret: () => `secret-${count++}`,
		});
		expect(await catchRejection(gateway.mappings.get(USER))).toMatchObject({ status: 401, attempts: 2 });
		expect(requests).toHaveLength(2);
		expect(count).toBe(2);
	});

	test("serves all calls that got the same 401 together, called again once", async () => {
		const appSecret = vi.fn(async () => "new-secret").mockResolvedValueOnce("old-secret");
		const { gateway, requests } = scriptGateway([accepts("new-secret")], { appSecret });
		await Promise.all([gateway.mappings.get(USER), gateway.mappings.get(USER), gateway.mappings.get(USER)]);
		expect(requests).toHaveLength(6);
		expect(appSecret).toHaveBeenCalledTimes(2);
	});

	test.each<[title: string, appSecret: () => string | Promise<string>, message: RegExp]>([
		[
			"throws",
			throwing(new Error("vault is sealed")),
			/^Your appSecret function threw, and nothing was sent\./,
		],
		[
			"rejects",
			() => Promise.reject(new Error("vault is sealed")),
			/^Your appSecret function threw, and nothing was sent\./,
		],
		["gives nothing", () => undefined as never, /^appSecret is missing$/],
		["gives an empty text", () => "", /^appSecret is empty$/],
	])(
		"that %s fails the call with nothing sent, and is called again for the next",
		async (_title, failing, message) => {
			const appSecret = vi
				.fn<() => string | Promise<string>>(() => "good-secret")
				.mockImplementationOnce(failing);
			const { gateway, requests } = scriptGateway([success], { appSecret });
			const error = (await catchRejection(gateway.mappings.get(USER))) as Error;
			expect(error).toMatchObject({ code: "configuration", outcome: "not_sent" });
			expect(error.message).toMatch(message);
			expect(requests).toHaveLength(0);
			await gateway.mappings.get(USER);
			expect(requests).toHaveLength(1);
		},
	);

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

		test("is not called for every call if it fails, either", async () => {
			const appSecret = vi
				.fn<() => Promise<string>>(() => Promise.reject(new Error("sealed")))
				.mockResolvedValueOnce("old-secret");
			const { gateway } = scriptGateway([errorResponse(401)], { appSecret });
			for (let at = 0; at < 20; at++) await catchRejection(gateway.mappings.get(USER));
			expect(appSecret).toHaveBeenCalledTimes(2);
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
