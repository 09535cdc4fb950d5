import { type MessagingGateway, TimeoutError } from "messaging-gateway";
import { describe, expect, test, vi } from "vitest";
import { catchRejection } from "../../../support/catch-error.ts";
import { START_MS, settle } from "../../../support/counting-clock.ts";
import { type Step, scriptGateway, silence } from "../../../support/scripted-gateway.ts";
import { refusedBy } from "../../../support/sent-requests.ts";
import { isNodeHttp } from "../../../support/transport.ts";
import { html, MAPPING, ok, USER } from "../../../support/wire.ts";

const get = (gateway: MessagingGateway) => gateway.mappings.get(USER);
const success = ok({ mapping: MAPPING });

/** A fetch that ends when its signal aborts, as the platform's does, with an error of its own. */
const obedient: Step = ({ init }) =>
	new Promise<Response>((_, reject) => {
		init.signal?.addEventListener("abort", () => reject(new DOMException("aborted", "AbortError")));
	});

const neverEndingBody = () => new Response(new ReadableStream());

describe("attemptTimeoutMs", () => {
	/** Over a real server the clock of the test may pass before a response has arrived. */
	const arrived: [title: string, step: Step, code: string][] = isNodeHttp
		? []
		: [
				[
					"the reading of an error's body",
					() => new Response(new ReadableStream(), { status: 400 }),
					"bad_request",
				],
			];

	test.each<[title: string, step: Step, code: string]>([
		["a fetch that obeys its signal", obedient, "timeout"],
		["a fetch that ignores its signal", silence, "timeout"],
		["the reading of a body", neverEndingBody, "timeout"],
		...arrived,
	])("ends %s", async (_title, step, code) => {
		const { gateway, clock } = scriptGateway([step], { attemptTimeoutMs: 700, maxRetries: 0 });
		const onEnd = vi.fn();
		const call = catchRejection(get(gateway)).finally(onEnd);
		await clock.advance(699);
		expect(onEnd).not.toHaveBeenCalled();
		await clock.advance(1);
		expect(onEnd).toHaveBeenCalled();
		const error = await call;
		expect(error).toMatchObject({ code, attempts: 1 });
		if (error instanceof TimeoutError) {
			expect(error).toMatchObject({ scope: "attempt", limitMs: 700 });
			expect(error.message).toBe(
				"GET /mapping/{toNumber} took longer than attemptTimeoutMs, 700 ms. Raise attemptTimeoutMs, or check the network. `npx messaging-gateway doctor` shows why",
			);
		}
		expect(clock.openTimers).toBe(0);
	});

	test("is 15 seconds, and starts again for every attempt", async () => {
		const { gateway, clock, requests } = scriptGateway([silence, silence, success], { timeoutMs: 100_000 });
		await settle(clock, get(gateway));
		const [first = 0, second = 0, third = 0] = requests.map(({ sentAt }) => sentAt);
		expect(second - first).toBeGreaterThanOrEqual(15_000);
		expect(second - first).toBeLessThanOrEqual(15_500);
		expect(third - second).toBeLessThanOrEqual(16_000);
	});

	test.skipIf(isNodeHttp).each([
		["stops reading", 0],
		["gets when nobody waits any more", 20_000],
	])("lets go of a body that it %s", async (_title, delayMs) => {
		const cancel = vi.fn();
		const response = new Response(new ReadableStream({ cancel }));
		const step: Step = () => new Promise((resolve) => clock.setTimer(() => resolve(response), delayMs));
		const { gateway, clock } = scriptGateway([step], { maxRetries: 0 });
		await catchRejection(settle(clock, get(gateway)));
		await clock.advance(10_000);
		expect(cancel).toHaveBeenCalledOnce();
	});
});

describe("timeoutMs", () => {
	test("is 60 seconds over all attempts", async () => {
		const { gateway, clock } = scriptGateway([silence], { maxRetries: 100 });
		const error = await catchRejection(settle(clock, get(gateway)));
		expect(error).toMatchObject({ code: "timeout", outcome: "unknown" });
		expect(clock.now() - START_MS).toBeLessThanOrEqual(60_250);
		expect(clock.now() - START_MS).toBeGreaterThanOrEqual(45_000);
	});

	test("ends an attempt that is under way", async () => {
		const { gateway, clock } = scriptGateway([html(502), silence], { timeoutMs: 3_000 });
		const error = (await catchRejection(settle(clock, get(gateway)))) as TimeoutError;
		expect(error).toBeInstanceOf(TimeoutError);
		expect(error).toMatchObject({ scope: "call", limitMs: 3_000, attempts: 2, outcome: "unknown" });
		expect(error.message).toBe(
			"GET /mapping/{toNumber} took longer than timeoutMs, 3000 ms over 2 attempts. Raise timeoutMs, or check the network. `npx messaging-gateway doctor` shows why",
		);
		expect(clock.openTimers).toBe(0);
	});

	test("covers a secret that is slow to come: nothing was sent", async () => {
		const error = await refusedBy(get, { appSecret: () => new Promise(() => undefined) });
		expect(error).toMatchObject({ code: "timeout", scope: "call", outcome: "not_sent", attempts: 0 });
	});

	test("covers an attachment's stream that never ends: nothing was sent", async () => {
		const attachments = [{ data: new ReadableStream<Uint8Array>(), name: "a.png" }];
		const error = await refusedBy((gateway) => gateway.messages.sendAttachments({ to: USER, attachments }));
		const operationId = "messages.sendAttachments";
		expect(error).toMatchObject({ code: "timeout", outcome: "not_sent", attempts: 0, operationId });
		expect(error.message).toBe(
			"Nothing was sent: the input of messages.sendAttachments wasn't ready within timeoutMs, 60000 ms",
		);
	});
});

test.each([
	["attempt", { attemptTimeoutMs: 50, maxRetries: 0 }],
	["call", { timeoutMs: 50 }],
])("a limit of an %s can be set for one call", async (scope, limits) => {
	const { gateway, clock } = scriptGateway([silence]);
	const error = await catchRejection(settle(clock, gateway.mappings.get(USER, limits), 50));
	expect(error).toMatchObject({ scope, limitMs: 50 });
});
