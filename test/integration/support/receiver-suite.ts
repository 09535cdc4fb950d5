import { once } from "node:events";
import { request as httpRequest } from "node:http";
import { createWebhookRequest } from "messaging-gateway/testing";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { streamOf } from "../../support/body-streams.ts";
import { eventually } from "../../support/eventually.ts";
import { MAX_BODY_BYTES } from "./observed-handler.ts";
import { type Observer, startObserver } from "./observer.ts";
import { sendThenRead } from "./send-then-read.ts";

/** A server with an observed handler. */
export interface ReceiverApp extends AsyncDisposable {
	/** The route as the documentation shows it. */
	readonly url: string;
	/** A route with the framework's classic mistake: the body is parsed before the handler gets it. */
	readonly mistakenUrl: string;
}

/** What differs between frameworks. */
export interface ReceiverCase {
	/** Starts the server; the environment names its secret and its observer. */
	start(environment: Record<string, string>): Promise<ReceiverApp>;
	/** A word of the hint that the mistake leads to. */
	readonly hint: string;
	/** Whether the adapter closes the connection, and not a server that has a Response to send. */
	readonly drains?: boolean | undefined;
	/**
	 * What becomes of a body that is too large while it is still arriving, if not a 413: the server may break the connection
	 * once a body is no longer read, or read all of a body before its route gets it.
	 */
	readonly unfinished?: "is broken off" | "is read ahead" | undefined;
}

const SECRET = "integration-webhook-secret";

/** Proves over HTTP that a framework and its adapter pass on raw bytes, and send the handler's response. */
export function testReceiver(name: string, { start, hint, drains, unfinished }: ReceiverCase): void {
	describe(`a receiver on ${name}`, () => {
		let observer: Observer;
		let app: ReceiverApp;
		let deliveries = 0;

		beforeAll(async () => {
			observer = await startObserver();
			const environment = { MESSAGING_GATEWAY_WEBHOOK_SECRET: SECRET, OBSERVER_URL: observer.url };
			for (const [variable, value] of Object.entries(environment)) vi.stubEnv(variable, value);
			app = await start(environment);
		});

		afterAll(async () => {
			await app?.[Symbol.asyncDispose]();
			await observer[Symbol.asyncDispose]();
			vi.unstubAllEnvs();
		});

		/** A new event, and deliveries of it that differ in what a test needs. */
		function createEvent(text = "Grüße 🎉") {
			const eventId = `evt_${name.replaceAll(/\W/g, "")}${++deliveries}`;
			const sign = (url = app.url, secret = SECRET) =>
				createWebhookRequest("inbound_message", { text }, { url, secret, eventId });
			return { eventId, sign, runs: () => observer.countRuns(eventId) };
		}

		async function expectResponse(delivery: Promise<Response>, status: number, code: string): Promise<void> {
			const response = await delivery;
			expect([response.status, await response.text()]).toEqual([status, code]);
		}

		test("acknowledges a delivery when its handler has run", async () => {
			const event = createEvent();
			await expectResponse(fetch(event.sign()), 200, "");
			expect(event.runs()).toBe(1);
		});

		test("passes on the bytes of a long text in several scripts", async () => {
			const event = createEvent("Grüße 🎉 こんにちは ".repeat(150));
			await expectResponse(fetch(event.sign()), 200, "");
			expect(event.runs()).toBe(1);
		});

		test("acknowledges a PUT: section 6 shows no method", async () => {
			const event = createEvent();
			await expectResponse(fetch(new Request(event.sign(), { method: "PUT" })), 200, "");
			expect(event.runs()).toBe(1);
		});

		test("reports a body that was parsed before, with a hint for the framework", async () => {
			const event = createEvent();
			await expectResponse(fetch(event.sign(app.mistakenUrl)), 500, "raw_body_unavailable");
			const report = { code: "raw_body_unavailable", hint: expect.stringContaining(hint) };
			await eventually(() => expect(observer.reports).toContainEqual(expect.objectContaining(report)));
			expect(event.runs()).toBe(0);
		});

		test("rejects a body whose Content-Length is too large", async () => {
			const event = createEvent("x".repeat(MAX_BODY_BYTES));
			await expectResponse(fetch(event.sign()), 413, "body_too_large");
			expect(event.runs()).toBe(0);
		});

		test.skipIf(unfinished === "is read ahead")(
			"rejects a body that becomes too large, while it is still arriving",
			async () => {
				const { headers } = createEvent().sign();
				const request = httpRequest(app.url, { method: "POST", headers: Object.fromEntries(headers) });
				request.write("x".repeat(MAX_BODY_BYTES + 1)); // And it never ends.
				const responding = once(request, "response");
				if (unfinished === "is broken off") {
					await expect(responding).rejects.toThrow("socket hang up");
				} else {
					const [response] = await responding;
					expect(response.statusCode).toBe(413);
				}
				request.destroy();
				const report = expect.objectContaining({ code: "body_too_large" });
				await eventually(() => expect(observer.reports).toContainEqual(report));
			},
		);

		if (drains) {
			test("sends its 413 to a sender that writes all of its body before it reads", async () => {
				expect(await sendThenRead(app.url, createEvent().sign().headers)).toBe(413);
			});
		}

		test("accepts a body in chunks that split its characters", async () => {
			const event = createEvent();
			const whole = event.sign();
			const bytes = await whole.clone().bytes();
			const body = streamOf(...Array.from(bytes, (byte) => Uint8Array.of(byte)));
			const init = { body, duplex: "half" };
			await expectResponse(fetch(new Request(whole, init)), 200, "");
			expect(event.runs()).toBe(1);
		});

		test.skipIf(unfinished === "is read ahead")(
			"does not run for a sender that stops halfway, and accepts the event when it comes again",
			async () => {
				const event = createEvent();
				const { headers } = event.sign();
				const report = { code: "raw_body_unavailable", hint: expect.stringContaining("broke off") };
				// A framework drops a request whose sender is gone before its route is found: each stays longer.
				let stayMs = 0;
				await eventually(async () => {
					await sendHalf(app.url, headers, stayMs);
					stayMs += 100;
					expect(observer.reports).toContainEqual(expect.objectContaining(report));
				});
				expect(event.runs()).toBe(0);
				await expectResponse(fetch(event.sign()), 200, "");
				expect(event.runs()).toBe(1);
			},
		);

		test("rejects a wrong signature", async () => {
			const event = createEvent();
			await expectResponse(fetch(event.sign(app.url, "another-secret")), 401, "signature_mismatch");
			expect(event.runs()).toBe(0);
		});

		test("acknowledges a repeat without running again", async () => {
			const event = createEvent();
			await expectResponse(fetch(event.sign()), 200, "");
			await expectResponse(fetch(event.sign()), 200, "");
			expect(event.runs()).toBe(1);
		});

		test("runs once for two deliveries at the same time, and sends Retry-After to the second", async () => {
			const event = createEvent();
			const release = observer.hold();
			const first = fetch(event.sign());
			await eventually(() => expect(event.runs()).toBe(1));
			const second = await fetch(event.sign());
			expect([second.status, await second.text()]).toEqual([503, "in_flight"]);
			expect(Number(second.headers.get("Retry-After"))).toBeGreaterThan(0);
			release();
			await expectResponse(first, 200, "");
			await expectResponse(fetch(event.sign()), 200, "");
			expect(event.runs()).toBe(1);
		});
	});
}

/** Sends half of a body, and breaks the connection after a while. */
async function sendHalf(url: string, headers: Headers, stayMs: number): Promise<void> {
	const request = httpRequest(url, {
		method: "POST",
		headers: { ...Object.fromEntries(headers), "Content-Length": 1_000 },
	});
	request.on("error", () => undefined); // It is we who break it.
	request.write('{"type":"inbound_');
	setTimeout(() => request.destroy(), stayMs);
	await new Promise((resolve) => request.on("close", resolve));
}
