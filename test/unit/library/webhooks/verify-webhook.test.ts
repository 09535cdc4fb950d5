import { inspect } from "node:util";
import { verifyWebhook, verifyWebhookRequest, WebhookVerificationError } from "messaging-gateway/webhooks";
import { describe, expect, test } from "vitest";
import { countedStream, streamOf } from "../../../support/body-streams.ts";
import { catchError } from "../../../support/catch-error.ts";
import { type Outcomes, testOutcomes } from "../../../support/outcomes.ts";
import { toRequest, URL_OF_APP } from "../../../support/to-request.ts";
import { deliver, receiver, webhookSecret } from "../../../support/webhook-delivery.ts";
import { inboundMessage } from "../../../support/webhook-payloads.ts";

// test/unit/library/webhooks/events.test.ts has what becomes of a signed body.
test("a body is not even read when the signature is wrong", () => {
	expect(
		catchError(() => verifyWebhook(deliver("no JSON", { "x-svc-signature": "v1=00" }), receiver())),
	).toMatchObject({ code: "signature_mismatch" });
});

const text = JSON.stringify({ ...inboundMessage, text: "private Grüße 😀" });
const bytes = new TextEncoder().encode(text);
const headers = deliver(text).headers as Record<string, string>;

/** A request, the options beside the right secret and clock, and how many pieces of it are read. */
type Arrival = readonly [request: () => Request | Promise<Request>, options?: object, reads?: () => number];

const sent = (body: string | Uint8Array | ReadableStream, more: object = {}) =>
	toRequest({ body: body as string, headers: { ...headers, ...more } });

/** What becomes of a request; no rejection holds what is private. */
async function outcomeOf([toGiven, options, pulled]: Arrival): Promise<string> {
	const request = await toGiven();
	try {
		const event = await verifyWebhookRequest(request, { ...receiver(), ...options });
		expect(event).toMatchObject({ kind: "inbound_message", data: JSON.parse(text) });
		expect(request.bodyUsed).toBe(true);
		return event.eventId;
	} catch (error) {
		if (!(error instanceof WebhookVerificationError)) throw error;
		expect(inspect(error, { depth: 10 })).not.toContain("private");
		const read = pulled === undefined ? "" : `, ${pulled()} pieces read`;
		return `${error.status} ${error.code}: ${error.message}${read}`;
	}
}

/** A request whose body was touched before. */
const touched = (touch: (request: Request) => unknown): Arrival => [
	async () => {
		const request = sent(text);
		await touch(request);
		return request;
	},
];
const sized = (maxBodyBytes: unknown): Arrival => [() => sent(text), { maxBodyBytes }];
const MIB = 2 ** 20;
const large = (length: number): Arrival => {
	const { stream, pulled } = countedStream(10, 10);
	return [() => sent(stream, { "Content-Length": String(length) }), {}, pulled];
};
const MISMATCH =
	"401 signature_mismatch: no signature matches the raw body: check the secret, and that nothing parsed or changed the body before";

const REQUESTS: Outcomes<Arrival> = {
	evt_1: {
		"a body of text": [() => sent(text)],
		"a stream cut within a character": [
			() => sent(streamOf(bytes.subarray(0, -30), bytes.subarray(-30, -15), bytes.subarray(-15))),
		],
		"a byte order mark that was signed": [
			() =>
				toRequest({
					body: `\ufeff${text}`,
					headers: deliver(`\ufeff${text}`).headers as Record<string, string>,
				}),
		],
		"a body exactly at the limit": sized(bytes.length),
	},
	[MISMATCH]: {
		"a byte order mark that was not signed": [() => sent(`\ufeff${text}`)],
		"no body": [() => new Request(URL_OF_APP, { method: "POST", headers })],
	},
	[`${MISMATCH}, 11 pieces read`]: { "a claimed length of exactly 1 MiB": large(MIB) },
	"500 raw_body_unavailable: the request's body was read before: verify first, and use the event": {
		"a body that was read before": touched((request) => request.arrayBuffer()),
		"a body that somebody else is reading": touched((request) => request.body?.getReader()),
	},
	"500 raw_body_unavailable: the body broke off before its end": {
		"a body that breaks off": [() => sent(streamOf(bytes.subarray(0, 10), new Error("private")))],
	},
	[`413 body_too_large: the body is larger than maxBodyBytes, ${bytes.length - 1} bytes`]: {
		"a body one byte over the limit": sized(bytes.length - 1),
	},
	"413 body_too_large: the body is larger than maxBodyBytes, 1048576 bytes, 0 pieces read": {
		"a claimed length of a byte over 1 MiB": large(MIB + 1),
	},
	"500 configuration: maxBodyBytes must be a number above 0": Object.fromEntries(
		[0, -1, Number.NaN, Number.POSITIVE_INFINITY, "1mb", null].map((value) => [
			`a limit of ${value}, which would be none`,
			sized(value),
		]),
	),
};

describe("verifyWebhookRequest", () => {
	testOutcomes(REQUESTS, outcomeOf);

	test("needs no secret any more while the body of a request is still read", async () => {
		const secret = Buffer.from(webhookSecret);
		const verifying = verifyWebhookRequest(sent(text), { ...receiver(), secret });
		secret.fill(0);
		expect(await verifying).toMatchObject({ eventId: "evt_1" });
	});
});
