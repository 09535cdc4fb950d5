import type { MessagingGateway } from "messaging-gateway";
import { describe, expect, test, vi } from "vitest";
import { catchRejection } from "../../../support/catch-error.ts";
import { settle } from "../../../support/counting-clock.ts";
import { type Step, scriptGateway, silence } from "../../../support/scripted-gateway.ts";
import { errorResponse, html, MAPPING, ok, USER } from "../../../support/wire.ts";

const success = ok({ mapping: MAPPING });

/** A signal that knows how many listeners nobody has taken away. */
function countedSignal() {
	const controller = new AbortController();
	const { signal } = controller;
	let listeners = 0;
	const add = signal.addEventListener.bind(signal);
	const remove = signal.removeEventListener.bind(signal);
	vi.spyOn(signal, "addEventListener").mockImplementation((...args: Parameters<typeof add>) => {
		listeners += 1;
		add(...args);
	});
	vi.spyOn(signal, "removeEventListener").mockImplementation((...args: Parameters<typeof remove>) => {
		listeners -= 1;
		remove(...args);
	});
	return { controller, signal, listeners: () => listeners };
}

const reasons: [title: string, reason: unknown][] = [
	["an error", new Error("the user left")],
	["a text", "the user left"],
	["null", null],
	["0", 0],
];

describe.each(reasons)("a caller's abort with %s rejects with that very reason", (_title, reason) => {
	test("before the call", async () => {
		const { gateway, clock, requests } = scriptGateway([success]);
		const call = gateway.mappings.get(USER, { signal: AbortSignal.abort(reason) });
		expect(await catchRejection(call)).toBe(reason);
		expect(requests).toHaveLength(0);
		expect(clock.openTimers).toBe(0);
	});

	test.each<[title: string, step: Step]>([
		["while fetch is under way", silence],
		["while the body is read", () => new Response(new ReadableStream())],
		["while an error's body is read", () => new Response(new ReadableStream(), { status: 500 })],
	])("%s", async (_when, step) => {
		const { controller, signal, listeners } = countedSignal();
		const { gateway, clock, requests } = scriptGateway([step]);
		const call = gateway.mappings.get(USER, { signal });
		await clock.advance(1_000);
		expect(requests).toHaveLength(1);
		controller.abort(reason);
		expect(await catchRejection(call)).toBe(reason);
		expect(requests[0]?.init.signal?.aborted).toBe(true);
		expect(clock.openTimers).toBe(0);
		expect(listeners()).toBe(0);
	});

	test("between two attempts", async () => {
		const { controller, signal, listeners } = countedSignal();
		const { gateway, clock, requests } = scriptGateway([
			errorResponse(429, { headers: { "Retry-After": "10" } }),
		]);
		const call = gateway.mappings.get(USER, { signal });
		await clock.advance(5_000);
		controller.abort(reason);
		expect(await catchRejection(call)).toBe(reason);
		expect(clock.openTimers).toBe(0);
		await clock.advance(60_000);
		expect(requests).toHaveLength(1);
		expect(listeners()).toBe(0);
	});

	test("while the secret is fetched", async () => {
		const { controller, signal, listeners } = countedSignal();
		const { gateway, clock, requests } = scriptGateway([success], {
			appSecret: () => new Promise(() => undefined),
		});
		const call = gateway.mappings.get(USER, { signal });
		await clock.advance(0);
		controller.abort(reason);
		expect(await catchRejection(call)).toBe(reason);
		expect(requests).toHaveLength(0);
		expect(clock.openTimers).toBe(0);
		expect(listeners()).toBe(0);
	});

	test("while a rotated secret is fetched after a 401", async () => {
		const controller = new AbortController();
		const secrets = vi
			.fn<() => Promise<string>>(() => new Promise(() => undefined))
			.mockResolvedValueOnce("first-secret");
		const { gateway, clock } = scriptGateway([errorResponse(401)], { appSecret: secrets });
		const call = gateway.mappings.get(USER, { signal: controller.signal });
		await clock.advance(0);
		controller.abort(reason);
		expect(await catchRejection(call)).toBe(reason);
		expect(secrets).toHaveBeenCalledTimes(2);
	});

	test("while an attachment is read", async () => {
		const controller = new AbortController();
		const { gateway, clock, requests } = scriptGateway([success]);
		const call = gateway.messages.sendAttachments(
			{ to: USER, attachments: [{ data: new ReadableStream<Uint8Array>(), name: "a.png" }] },
			{ signal: controller.signal },
		);
		await clock.advance(0);
		controller.abort(reason);
		expect(await catchRejection(call)).toBe(reason);
		expect(requests).toHaveLength(0);
		expect(clock.openTimers).toBe(0);
	});
});

test("an abort before the call leaves a stream unread and a secret unasked for", async () => {
	const appSecret = vi.fn(() => "s3cret");
	const { gateway } = scriptGateway([success], { appSecret });
	const data = new ReadableStream<Uint8Array>();
	const input = { to: USER, attachments: [{ data, name: "a.png" }] };
	await catchRejection(gateway.messages.sendAttachments(input, { signal: AbortSignal.abort() }));
	expect(data.locked).toBe(false);
	expect(appSecret).not.toHaveBeenCalled();
});

test("an abort ends the attempt that is under way, also when an earlier one has come back late", async () => {
	const controller = new AbortController();
	const late: Step = () => new Promise((resolve) => clock.setTimer(() => resolve(html(502)), 2_000));
	const { gateway, clock, requests } = scriptGateway([late, silence], { attemptTimeoutMs: 1_400 });
	const call = gateway.mappings.get(USER, { signal: controller.signal });
	await clock.advance(2_100);
	expect(requests).toHaveLength(2);
	controller.abort("the user left");
	expect(requests[1]?.init.signal?.aborted).toBe(true);
	expect(await catchRejection(call)).toBe("the user left");
});

test("an abort without a reason rejects with the platform's AbortError", async () => {
	const controller = new AbortController();
	const { gateway, clock } = scriptGateway([silence]);
	const call = gateway.mappings.get(USER, { signal: controller.signal });
	await clock.advance(0);
	controller.abort();
	const reason = await catchRejection(call);
	expect(reason).toBe(controller.signal.reason);
	expect(reason).toMatchObject({ name: "AbortError" });
});

test("withResponse rejects with the same reason", async () => {
	const reason = new Error("the user left");
	const { gateway } = scriptGateway([success]);
	const call = gateway.mappings.get(USER, { signal: AbortSignal.abort(reason) });
	expect(await catchRejection(call.withResponse())).toBe(reason);
});

test("an abort is not reported to onError", async () => {
	const onError = vi.fn();
	const controller = new AbortController();
	const { gateway, clock } = scriptGateway([silence], { hooks: { onError } });
	const call = gateway.mappings.get(USER, { signal: controller.signal });
	await clock.advance(0);
	controller.abort();
	await catchRejection(call);
	expect(onError).not.toHaveBeenCalled();
});

test.each<[title: string, steps: Step[]]>([
	["a success", [success]],
	["a failure", [errorResponse(404)]],
	["retries", [html(502), html(502), success]],
])(
	"after %s no listener stays on the caller's signal, and a later abort does nothing",
	async (_title, steps) => {
		const { controller, signal, listeners } = countedSignal();
		const { gateway, clock } = scriptGateway(steps);
		const outcome = await settle(clock, settled(gateway, signal));
		expect(listeners()).toBe(0);
		controller.abort();
		expect(outcome).toBeDefined();
	},
);

function settled(gateway: MessagingGateway, signal: AbortSignal): Promise<unknown> {
	return gateway.mappings.get(USER, { signal }).catch((error: unknown) => error);
}
