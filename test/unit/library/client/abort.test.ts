import type { ClientOptions, MessagingGateway } from "messaging-gateway";
import { describe, expect, test, vi } from "vitest";
import { catchRejection } from "../../../support/catch-error.ts";
import { settle } from "../../../support/counting-clock.ts";
import { type Step, scriptGateway, silence } from "../../../support/scripted-gateway.ts";
import { errorResponse, html, MAPPING, ok, USER } from "../../../support/wire.ts";

const success = ok({ mapping: MAPPING });
/** A call with a signal. */
type Call = (gateway: MessagingGateway, signal: AbortSignal) => PromiseLike<unknown>;

const get = (gateway: MessagingGateway, signal: AbortSignal) => gateway.mappings.get(USER, { signal });
const sendStream: Call = (gateway, signal) => {
	const attachment = { data: new ReadableStream<Uint8Array>(), name: "a.png" };
	return gateway.messages.sendAttachments({ to: USER, attachments: [attachment] }, { signal });
};

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

const never = () => new Promise<never>(() => undefined);
const rotated = () => ({
	appSecret: vi.fn<() => Promise<string>>(never).mockResolvedValueOnce("first-secret"),
});

describe("a caller's abort rejects with that very reason", () => {
	const reasons = [new Error("the user left"), "the user left", null, 0];

	test.each(reasons)("before the call, which is not made: %o", async (reason) => {
		const { gateway, clock, requests } = scriptGateway([success]);
		const call = get(gateway, AbortSignal.abort(reason));
		expect(await catchRejection(call)).toBe(reason);
		expect(await catchRejection(call.withResponse())).toBe(reason);
		expect(requests).toHaveLength(0);
		expect(clock.openTimers).toBe(0);
	});

	test.each<[title: string, sent: number, step: Step, options?: () => ClientOptions, call?: Call]>([
		["while fetch is under way", 1, silence],
		["while the body is read", 1, () => new Response(new ReadableStream())],
		["while an error's body is read", 1, () => new Response(new ReadableStream(), { status: 500 })],
		["between two attempts", 1, errorResponse(429, { headers: { "Retry-After": "10" } })],
		["while the secret is fetched", 0, success, () => ({ appSecret: never })],
		["while a rotated secret is fetched after a 401", 1, errorResponse(401), rotated],
		["while a signer hangs", 0, success, () => ({ appSecret: undefined, signer: never })],
		["while an attachment is read", 0, success, () => ({}), sendStream],
	])("%s, and leaves nothing behind", async (_title, sent, step, options, call: Call = get) => {
		for (const reason of reasons) {
			const { controller, signal, listeners } = countedSignal();
			const { gateway, clock, requests } = scriptGateway([step], options?.());
			const made = call(gateway, signal);
			await clock.advance(1_000);
			controller.abort(reason);
			expect(await catchRejection(Promise.resolve<unknown>(made))).toBe(reason);
			expect([clock.openTimers, listeners()]).toEqual([0, 0]);
			await clock.advance(60_000);
			expect(requests).toHaveLength(sent);
			if (step === silence) expect(requests[0]?.init.signal?.aborted).toBe(true);
		}
	});

	test("or without a reason with the platform's AbortError, which onError does not get", async () => {
		const onError = vi.fn();
		const controller = new AbortController();
		const { gateway, clock } = scriptGateway([silence], { hooks: { onError } });
		const call = get(gateway, controller.signal);
		await clock.advance(0);
		controller.abort();
		const reason = await catchRejection(call);
		expect(reason).toBe(controller.signal.reason);
		expect(reason).toMatchObject({ name: "AbortError" });
		expect(onError).not.toHaveBeenCalled();
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
	const call = get(gateway, controller.signal);
	await clock.advance(2_100);
	expect(requests).toHaveLength(2);
	controller.abort("the user left");
	expect(requests[1]?.init.signal?.aborted).toBe(true);
	expect(await catchRejection(call)).toBe("the user left");
});

test.each<[title: string, steps: Step[]]>([
	["a success", [success]],
	["a failure", [errorResponse(404)]],
	["retries", [html(502), html(502), success]],
])("after %s no listener stays on the caller's signal, and no timer", async (_title, steps) => {
	const { signal, listeners } = countedSignal();
	const { gateway, clock } = scriptGateway(steps);
	await settle(clock, Promise.allSettled([get(gateway, signal)]));
	expect([clock.openTimers, listeners()]).toEqual([0, 0]);
});
