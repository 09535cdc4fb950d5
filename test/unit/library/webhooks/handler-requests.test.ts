import { describe, expect, test, vi } from "vitest";
import { countedStream, streamOf } from "../../../support/body-streams.ts";
import { catchError } from "../../../support/catch-error.ts";
import { toRequest, URL_OF_APP } from "../../../support/to-request.ts";
import { webhookSecret } from "../../../support/webhook-delivery.ts";
import { createReceiver, type Delivery } from "../../../support/webhook-receiver.ts";

describe("methods", () => {
	test.each(["GET", "HEAD", "OPTIONS"])("%s, which has no body, is 405 with Allow", async (method) => {
		const { handler, calls, reports } = createReceiver();
		const response = await handler.fetch(new Request(URL_OF_APP, { method }));
		expect([response.status, response.headers.get("Allow")]).toEqual([405, "POST, PUT, PATCH, DELETE"]);
		expect(await response.text()).toBe("method_not_allowed");
		expect([calls, reports]).toEqual([[], []]);
	});

	test.each(["TRACE", "CONNECT", "get"])(
		"%s of another platform is 405, and nothing is read",
		async (method) => {
			const { respond, calls } = createReceiver();
			const { stream, pulled } = countedStream(10, 10);
			expect(await respond({ method, handedOver: stream })).toBe("405 method_not_allowed");
			expect([calls, pulled()]).toEqual([[], 0]);
		},
	);

	test.each(["POST", "post", "PUT", "PATCH", "DELETE", "NOTIFY", undefined])(
		"%s is accepted",
		async (method) => {
			const { respond } = createReceiver();
			expect(await respond(method === undefined ? {} : { method })).toBe("200");
		},
	);

	test("are no option: the error says where to check them", () => {
		expect(catchError(() => createReceiver({ methods: ["POST"] } as object))).toMatchObject({
			code: "configuration",
			message:
				'Unknown option "methods": the handler accepts every method whose requests have a body; to accept fewer, check the method in your route',
		});
	});
});

test.each([undefined, null, {}, { body: "{}" }, { body: "{}", headers: {} }, { method: 5, headers: {} }])(
	"handle responds to what is no delivery, too: %j",
	async (delivery) => {
		const { handler, calls, reports } = createReceiver();
		const { status } = await handler.handle(delivery as never);
		expect([400, 500]).toContain(status);
		expect([calls, reports.length]).toEqual([[], 1]);
	},
);

describe("the body", () => {
	const payload = { type: "new", text: "é\u{1f600}" };
	const bytes = new TextEncoder().encode(JSON.stringify(payload));

	test.each<[title: string, handedOver: unknown]>([
		["a string", JSON.stringify(payload)],
		["bytes", bytes],
		["a Buffer", Buffer.from(bytes)],
		["a view into a larger buffer", new Uint8Array([0, ...bytes, 0]).subarray(1, -1)],
		["an ArrayBuffer", bytes.slice().buffer],
		["a web stream", streamOf(bytes)],
		["a web stream of single bytes", streamOf(...Array.from(bytes, (byte) => Uint8Array.of(byte)))],
		[
			"an async iterable",
			(async function* () {
				yield bytes.subarray(0, 5);
				yield new Uint8Array();
				yield bytes.subarray(5);
			})(),
		],
	])("is accepted as %s", async (_title, handedOver) => {
		const onUnknown = vi.fn();
		const { respond } = createReceiver({ on: { unknown: onUnknown } });
		expect(await respond({ payload, handedOver })).toBe("200");
		expect(onUnknown.mock.lastCall?.[0]).toMatchObject({ data: payload });
	});

	test.each<[title: string, handedOver: unknown]>([
		["a parsed object", payload],
		["a parsed list", [payload]],
		["null", null],
		["a number", 5],
		["a Blob", new Blob([bytes])],
		["a stream of strings", streamOf("{}" as unknown as Uint8Array)],
		["a stream that breaks", streamOf(bytes, new Error("private text"))],
		["a stream that somebody else reads", lockedStream(bytes)],
	])("is raw_body_unavailable, 500, as %s", async (_title, handedOver) => {
		const { respond, calls, reports } = createReceiver();
		expect(await respond({ payload, handedOver })).toBe("500 raw_body_unavailable");
		expect([calls, reports.length]).toEqual([[], 1]);
		expect(reports[0]?.hint).not.toContain("private");
	});

	test("that was parsed comes with the hint of the framework in hand", async () => {
		const { handler, sign, reports } = createReceiver();
		const hint = "mount it before express.json()";
		await handler.handle({ ...sign(), body: {}, hint });
		expect(reports).toMatchObject([{ hint: `Not acknowledged: ${hint}` }]);
	});

	function lockedStream(...chunks: Uint8Array[]): ReadableStream {
		const stream = streamOf(...chunks);
		stream.getReader();
		return stream;
	}
});

describe("a body over the limit is body_too_large, 413", () => {
	const limit = 1_000;
	/** JSON of exactly so many bytes. */
	const ofLength = (length: number): string => JSON.stringify({ type: "x".repeat(length - 11) });
	const respondTo = (delivery: Delivery) => createReceiver({ maxBodyBytes: limit }).respond(delivery);

	test.each<[title: string, toBody: (text: string) => unknown]>([
		["a string", (text) => text],
		["bytes", (text) => Buffer.from(text)],
		["an ArrayBuffer", (text) => new TextEncoder().encode(text).buffer],
		["a stream", (text) => streamOf(Buffer.from(text.slice(0, 400)), Buffer.from(text.slice(400)))],
	])("as %s, and exactly at the limit it is not", async (_title, toBody) => {
		expect(await respondTo({ body: ofLength(limit), handedOver: toBody(ofLength(limit)) })).toBe("200");
		const over = ofLength(limit + 1);
		expect(await respondTo({ body: over, handedOver: toBody(over) })).toBe("413 body_too_large");
	});

	test("counted in bytes, not in characters", async () => {
		expect(await respondTo({ body: JSON.stringify({ type: "é".repeat(500) }) })).toBe("413 body_too_large");
	});

	test("by its Content-Length, before anything is read", async () => {
		const { stream, pulled } = countedStream(10, 2_000);
		const headers = { "Content-Length": "1001" };
		expect(await respondTo({ headers, handedOver: stream })).toBe("413 body_too_large");
		expect(pulled()).toBe(0);
	});

	test.each(["x-svc-event-id", "x-svc-timestamp", "x-svc-signature"])(
		"is not read without %s",
		async (name) => {
			const { stream, pulled } = countedStream(10, 10);
			expect(await respondTo({ headers: { [name]: undefined }, handedOver: stream })).toBe(
				"400 missing_header",
			);
			expect(pulled()).toBe(0);
		},
	);

	test.each([["lies"], [undefined]])("also when Content-Length is %s, and reading stops", async (title) => {
		const { stream, pulled, isCancelled } = countedStream(100, 400);
		const headers = { "Content-Length": title && "5" };
		expect(await respondTo({ headers, handedOver: stream })).toBe("413 body_too_large");
		expect([pulled(), isCancelled()]).toEqual([3, true]);
	});

	test.each(["1000", "abc", "", "-1", "5, 5"])("but not by a Content-Length of %j", async (length) => {
		expect(await respondTo({ headers: { "Content-Length": length }, payload: { type: "new" } })).toBe("200");
	});

	test("1 MiB is the limit by default", async () => {
		const { respond } = createReceiver();
		expect(await respond({ body: ofLength(2 ** 20) })).toBe("200");
		expect(await respond({ body: ofLength(2 ** 20 + 1) })).toBe("413 body_too_large");
	});
});

describe("fetch", () => {
	test("is bound, and ignores what a framework hands over beside the request", async () => {
		const { handler, sign } = createReceiver();
		const { fetch } = handler;
		const response = await fetch(toRequest(sign()), { env: {} }, { waitUntil: () => undefined });
		expect([response.status, await response.text()]).toEqual([200, ""]);
	});

	test("accepts the context of a route that has the request in it", async () => {
		const { handler, sign } = createReceiver();
		const { fetch } = handler;
		const context = { request: toRequest(sign()), params: {}, locals: {} };
		expect((await fetch(context)).status).toBe(200);
		expect((await fetch({ request: toRequest(sign({ secret: "whsec-2" })) })).status).toBe(401);
	});

	test("passes on that context as the first value of the platform", async () => {
		const fromPlatform = vi.fn(([context]: readonly unknown[]) => Reflect.get(Object(context), "env"));
		const { handler, sign } = createReceiver({ secret: { fromPlatform } });
		const context = { request: toRequest(sign()), env: webhookSecret };
		expect((await handler.fetch(context, "more")).status).toBe(200);
		expect(fromPlatform).toHaveBeenCalledExactlyOnceWith([context, "more"]);
	});

	test("responds with the code as plain text, and Retry-After", async () => {
		const { handler, sign, fail, clock } = createReceiver();
		fail("claim", "reject");
		const response = await handler.fetch(toRequest(sign()));
		await clock.advance(0);
		expect(response.status).toBe(503);
		expect(response.headers.get("Retry-After")).toBe("5");
		expect(response.headers.get("Content-Type")).toBe("text/plain; charset=utf-8");
		expect(await response.text()).toBe("store_unavailable");
	});

	test.each<[title: string, read: (request: Request) => unknown]>([
		["was read before", (request) => request.json()],
		["somebody else is about to read", (request) => request.body?.getReader()],
	])("a body that %s is raw_body_unavailable at once", async (_title, read) => {
		const { handler, sign, calls, reported } = createReceiver();
		const request = toRequest(sign());
		await read(request);
		const response = await handler.fetch(request);
		expect([response.status, await response.text(), calls]).toEqual([500, "raw_body_unavailable", []]);
		expect(reported()).toEqual([expect.stringContaining("parsed or read first")]);
	});

	test("a body that breaks off is not acknowledged", async () => {
		const { handler, sign, calls } = createReceiver();
		const { body, headers } = sign();
		const broken = streamOf(Buffer.from(body).subarray(0, 20), new Error("the socket closed"));
		const response = await handler.fetch(toRequest({ body: broken, headers }));
		expect([response.status, await response.text(), calls]).toEqual([500, "raw_body_unavailable", []]);
	});

	test("without a body is a mismatch", async () => {
		const { handler, sign } = createReceiver();
		const { headers } = sign();
		const response = await handler.fetch(new Request(URL_OF_APP, { method: "POST", headers }));
		expect([response.status, await response.text()]).toEqual([401, "signature_mismatch"]);
	});

	test("a signed but empty body is invalid_json", async () => {
		const { respond } = createReceiver();
		expect(await respond({ body: "" })).toBe("400 invalid_json");
	});
});
