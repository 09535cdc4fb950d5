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
const signedHeaders = headers as Record<string, string>;

async function rejection(request: Request, options: object = {}): Promise<string> {
	const error = await catchRejection(verifyWebhookRequest(request, { ...receiver(), ...options }));
	expect(error).toBeInstanceOf(WebhookVerificationError);
	const { status, code } = error as WebhookVerificationError;
	return `${status} ${code}`;
}

test.each<[title: string, body: BodyInit]>([
	["text", text],
	[
		"a stream cut within a character",
		streamOf(bytes.subarray(0, -30), bytes.subarray(-30, -15), bytes.subarray(-15)),
	],
])("a request's body is verified as %s", async (_title, body) => {
	const request = toRequest({ body: body as string, headers: signedHeaders });
	expect(await verifyWebhookRequest(request, receiver())).toMatchObject({
		kind: "inbound_message",
		eventId: "evt_1",
		data: { text: "Grüße \u{1f600}" },
	});
	expect(request.bodyUsed).toBe(true);
});

test("a byte order mark is part of the bytes that are verified, and no JSON", async () => {
	const body = `\ufeff${text}`;
	expect(await rejection(toRequest({ body, headers: signedHeaders }))).toBe("401 signature_mismatch");
	expect(await rejection(toRequest({ body, headers: deliver(body).headers }))).toBe("400 invalid_json");
});

// test/unit/library/webhooks/handler-requests.test.ts has more of how a body is read.
describe("a request's body is rejected", () => {
	test.each<[title: string, read: (request: Request) => unknown]>([
		["was read before", (request) => request.arrayBuffer()],
		["somebody else is reading", (request) => request.body?.getReader()],
	])("raw_body_unavailable, 500, at once when it %s", async (_title, read) => {
		const request = toRequest({ body: text, headers: signedHeaders });
		await read(request);
		expect(await catchRejection(verifyWebhookRequest(request, receiver()))).toMatchObject({
			status: 500,
			code: "raw_body_unavailable",
			message: expect.stringContaining("the request's body was read before"),
		});
	});

	test("raw_body_unavailable when it breaks off, without the sender's error", async () => {
		const body = streamOf(bytes.subarray(0, 10), new Error("private text"));
		const request = toRequest({ body, headers: signedHeaders });
		const error = await catchRejection(verifyWebhookRequest(request, receiver()));
		expect(error).toMatchObject({ code: "raw_body_unavailable" });
		expect(inspect(error, { depth: 10 })).not.toContain("private");
	});

	test("signature_mismatch when there is none", async () => {
		const request = new Request(URL_OF_APP, { method: "POST", headers: signedHeaders });
		expect(await rejection(request)).toBe("401 signature_mismatch");
	});

	test("body_too_large, 413, one byte over the limit, and not exactly at it", async () => {
		const request = () => toRequest({ body: text, headers: signedHeaders });
		expect(await rejection(request(), { maxBodyBytes: bytes.length - 1 })).toBe("413 body_too_large");
		const options = { ...receiver(), maxBodyBytes: bytes.length };
		expect(await verifyWebhookRequest(request(), options)).toMatchObject({ eventId: "evt_1" });
	});

	test("body_too_large by Content-Length alone, and nothing is read; 1 MiB is the default", async () => {
		const { stream, pulled } = countedStream(10, 10);
		const large = { ...signedHeaders, "Content-Length": String(2 ** 20 + 1) };
		expect(await rejection(toRequest({ body: stream, headers: large }))).toBe("413 body_too_large");
		expect(pulled()).toBe(0);
	});

	test.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY, "1mb", null])(
		"configuration, 500, where maxBodyBytes is %s, which would be no limit",
		async (maxBodyBytes) => {
			const request = toRequest({ body: text, headers: signedHeaders });
			expect(await rejection(request, { maxBodyBytes })).toBe("500 configuration");
		},
	);
});
