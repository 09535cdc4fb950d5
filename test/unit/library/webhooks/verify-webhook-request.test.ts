import { inspect } from "node:util";
import { verifyWebhookRequest, WebhookVerificationError } from "messaging-gateway/webhooks";
import { describe, expect, test } from "vitest";
import { countedStream, streamOf } from "../../../support/body-streams.ts";
import { catchRejection } from "../../../support/catch-error.ts";
import { toRequest, URL_OF_APP } from "../../../support/to-request.ts";
import { deliver, receiver } from "../../../support/webhook-delivery.ts";
import { inboundMessage } from "../../../support/webhook-payloads.ts";

const text = JSON.stringify({ ...inboundMessage, text: "Grüße \u{1f600}" });
const bytes = new TextEncoder().encode(text);
const { headers } = deliver(text);
const signedHeaders = Object.fromEntries(Object.entries(headers)) as Record<string, string>;

async function rejection(request: Request, options: object = {}): Promise<string> {
	const error = await catchRejection(verifyWebhookRequest(request, { ...receiver(), ...options }));
	expect(error).toBeInstanceOf(WebhookVerificationError);
	const { status, code } = error as WebhookVerificationError;
	return `${status} ${code}`;
}

describe("a request's body is verified", () => {
	test.each<[title: string, body: BodyInit]>([
		["text", text],
		["bytes", bytes],
		["an ArrayBuffer", bytes.buffer],
		["a view into a larger buffer", new Uint8Array([1, ...bytes, 1]).subarray(1, -1)],
		["a Blob", new Blob([bytes])],
		["a stream in one chunk", streamOf(bytes)],
		[
			"a stream cut within a character",
			streamOf(bytes.subarray(0, -30), bytes.subarray(-30, -15), bytes.subarray(-15)),
		],
		["a stream of single bytes", streamOf(...Array.from(bytes, (byte) => Uint8Array.of(byte)))],
	])("as %s", async (_title, body) => {
		const request = toRequest({ body: body as string, headers: signedHeaders });
		expect(await verifyWebhookRequest(request, receiver())).toMatchObject({
			kind: "inbound_message",
			eventId: "evt_1",
			data: { text: "Grüße \u{1f600}" },
		});
		expect(request.bodyUsed).toBe(true);
	});

	test("over the bytes, before anything is decoded: a byte order mark is part of them", async () => {
		expect(await rejection(toRequest({ body: `\ufeff${text}`, headers: signedHeaders }))).toBe(
			"401 signature_mismatch",
		);
		const marked = deliver(`\ufeff${text}`);
		expect(await rejection(toRequest({ body: marked.body, headers: marked.headers }))).toBe(
			"400 invalid_json",
		);
	});

	test("of a clone, when the request itself is read elsewhere", async () => {
		const request = toRequest({ body: text, headers: signedHeaders });
		const clone = request.clone();
		await request.text();
		expect(await verifyWebhookRequest(clone, receiver())).toMatchObject({ eventId: "evt_1" });
	});
});

describe("a request's body is rejected", () => {
	test("raw_body_unavailable, 500, at once when it was read before", async () => {
		const request = toRequest({ body: text, headers: signedHeaders });
		await request.arrayBuffer();
		expect(await catchRejection(verifyWebhookRequest(request, receiver()))).toMatchObject({
			status: 500,
			code: "raw_body_unavailable",
			message: expect.stringContaining("the request's body was read before"),
		});
	});

	test("raw_body_unavailable when somebody else is reading it", async () => {
		const request = toRequest({ body: text, headers: signedHeaders });
		request.body?.getReader();
		expect(await rejection(request)).toBe("500 raw_body_unavailable");
	});

	test("raw_body_unavailable when it breaks off, without the sender's error", async () => {
		const body = streamOf(bytes.subarray(0, 10), new Error("private text"));
		const error = await catchRejection(
			verifyWebhookRequest(toRequest({ body, headers: signedHeaders }), receiver()),
		);
		expect(error).toMatchObject({ code: "raw_body_unavailable" });
		expect(inspect(error, { depth: 10 })).not.toContain("private");
	});

	test("signature_mismatch when there is none", async () => {
		expect(await rejection(new Request(URL_OF_APP, { method: "POST", headers: signedHeaders }))).toBe(
			"401 signature_mismatch",
		);
	});

	test("body_too_large, 413, one byte over the limit, and not exactly at it", async () => {
		const request = () => toRequest({ body: text, headers: signedHeaders });
		expect(await rejection(request(), { maxBodyBytes: bytes.length - 1 })).toBe("413 body_too_large");
		const options = { ...receiver(), maxBodyBytes: bytes.length };
		expect(await verifyWebhookRequest(request(), options)).toMatchObject({ eventId: "evt_1" });
	});

	test("body_too_large by Content-Length alone, and nothing is read", async () => {
		const { stream, pulled } = countedStream(10, 10);
		const large = { ...signedHeaders, "Content-Length": String(2 ** 20 + 1) };
		expect(await rejection(toRequest({ body: stream, headers: large }))).toBe("413 body_too_large");
		expect(pulled()).toBe(0);
	});

	test.each([undefined, "5"])(
		"body_too_large in chunks with Content-Length %s, and reading stops",
		async (length) => {
			const { stream, pulled, isCancelled } = countedStream(1_000, 2 ** 18);
			const lying = length === undefined ? signedHeaders : { ...signedHeaders, "Content-Length": length };
			expect(await rejection(toRequest({ body: stream, headers: lying }))).toBe("413 body_too_large");
			expect([pulled(), isCancelled()]).toEqual([5, true]);
		},
	);

	test.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY, "1mb", null])(
		"configuration, 500, where maxBodyBytes is %s, which would be no limit",
		async (maxBodyBytes) => {
			expect(await rejection(toRequest({ body: text, headers: signedHeaders }), { maxBodyBytes })).toBe(
				"500 configuration",
			);
		},
	);

	test("for the same reasons as by verifyWebhook", async () => {
		expect(await rejection(toRequest({ body: text, headers: {} }))).toBe("400 missing_header");
		expect(await rejection(toRequest({ body: text, headers: signedHeaders }), { secret: "" })).toBe(
			"500 configuration",
		);
	});
});
