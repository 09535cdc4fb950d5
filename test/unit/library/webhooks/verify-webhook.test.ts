import { inspect } from "node:util";
import {
	verifyWebhook,
	verifyWebhookRequest,
	type WebhookDelivery,
	WebhookVerificationError,
} from "messaging-gateway/webhooks";
import { describe, expect, test } from "vitest";
import { countedStream, streamOf } from "../../../support/body-streams.ts";
import { catchError, catchRejection } from "../../../support/catch-error.ts";
import { toRequest, URL_OF_APP } from "../../../support/to-request.ts";
import {
	deliver,
	receiver,
	signedAt,
	webhookSecret,
	webhookSignature,
} from "../../../support/webhook-delivery.ts";
import { inboundMessage, inboundReaction, statusUpdate } from "../../../support/webhook-payloads.ts";

/** The event of a rightly signed payload. */
function receive(payload: unknown, options: object = {}) {
	const body = typeof payload === "string" ? payload : JSON.stringify(payload);
	return verifyWebhook(deliver(body), { ...receiver(), ...options });
}

describe("the documented kinds", () => {
	test.each([
		["inbound_message", inboundMessage],
		["inbound_reaction", inboundReaction],
		["status", statusUpdate],
	])("%s is known by its payload, which is passed on whole", (kind, data) => {
		expect(receive(data)).toEqual({ kind, eventId: "evt_1", timestamp: signedAt, filled: [], data });
	});

	test.each([
		["a group", { ...inboundMessage, groupId: "group-1" }],
		["fields that are new", { ...inboundMessage, brandNew: { nested: [1] } }],
		[
			"attachments of any shape",
			{ ...inboundMessage, attachments: [{ url: "u" }, {}, "https://a.example/b.png", null, 5, [["a"]]] },
		],
		["a status with attachments of any shape", { ...statusUpdate, attachments: ["https://a.example", null] }],
		[
			"an id that is no UUID, since formats aren't checked",
			{ ...inboundMessage, messageId: "m-1", from: "a@b.c" },
		],
		["a reaction that is new", { ...inboundReaction, reaction: "🦖" }],
		["a status that is new", { ...statusUpdate, status: "bounced" }],
		["the status SMS_FALLBACK", { ...statusUpdate, status: "SMS_FALLBACK" }],
		["an error that is a string", { ...statusUpdate, status: "failed", error: "no route" }],
		["an error that is an object", { ...statusUpdate, status: "failed", error: { code: 22, extra: null } }],
		["an error that is a number", { ...statusUpdate, status: "failed", error: 5 }],
		["an error that is a list", { ...statusUpdate, status: "failed", error: ["no route"] }],
		["a callback", { ...statusUpdate, status_callback: "https://a.example/cb" }],
	])("%s keeps the kind, and nothing is lost", (_title, payload) => {
		const event = receive(payload);
		expect(event.kind).toBe("type" in payload ? payload.type : "status");
		expect(event.data).toEqual(payload);
	});
});

describe("what isn't as documented becomes unknown and never throws", () => {
	test.each<[title: string, payload: object, type: string | undefined]>([
		["a type that is new", { ...inboundMessage, type: "inbound_typing" }, "inbound_typing"],
		["a type in another case", { ...inboundMessage, type: "Inbound_Message" }, "Inbound_Message"],
		["a type that isn't a string", { ...inboundMessage, type: 5 }, undefined],
		["another type beside a status", { ...statusUpdate, type: "delivered" }, "delivered"],
		["a type of status without one", { ...inboundMessage, type: "status" }, "status"],
		["neither type nor status", { text: "Hello" }, undefined],
		["a status that isn't a string", { ...statusUpdate, status: 3 }, undefined],
		["an empty object", {}, undefined],
		["an inherited name as type", { type: "constructor" }, "constructor"],
	])("by type: %s", (_title, payload, type) => {
		expect(receive(payload)).toEqual({
			kind: "unknown",
			reason: "type",
			type,
			issues: [],
			issueCount: 0,
			narrowed: undefined,
			filled: [],
			eventId: "evt_1",
			timestamp: signedAt,
			data: payload,
		});
	});

	test.each<[title: string, payload: Record<string, unknown>, path: string]>([
		["a text that is missing", without(inboundMessage, "text"), "text"],
		["a guid that is missing", without(inboundMessage, "messageGuid"), "messageGuid"],
		["an account that is null", { ...inboundMessage, accountId: null }, "accountId"],
		["a text that is null", { ...inboundMessage, text: null }, "text"],
		["participants that are no list", { ...inboundMessage, participants: "private" }, "participants"],
		["a participant that is a number", { ...inboundMessage, participants: ["+1", 5] }, "participants.1"],
		["attachments that are no list", { ...inboundMessage, attachments: "private" }, "attachments"],
		["a group that is a number", { ...inboundMessage, groupId: 5 }, "groupId"],
		["a time that is a string", { ...inboundReaction, timestamp_ms: "1767225600123" }, "timestamp_ms"],
		["a reaction that is missing", without(inboundReaction, "reaction"), "reaction"],
		["an original text that is a number", { ...inboundReaction, originalText: 5 }, "originalText"],
		["outbound that is a string", { ...statusUpdate, outbound: "true" }, "outbound"],
		["a time that is no integer", { ...inboundMessage, timestamp_ms: 1.5 }, "timestamp_ms"],
		["a callback that is an object", { ...statusUpdate, status_callback: {} }, "status_callback"],
	])("by schema: %s", (_title, payload, path) => {
		const event = receive(payload);
		expect(event).toMatchObject({ kind: "unknown", reason: "schema", type: payload["type"], data: payload });
		expect(event.kind === "unknown" && event.issues.map((issue) => issue.path)).toEqual([path]);
		expect(event.kind === "unknown" && event.issues[0]?.message).toMatch(
			/^(is missing|must be an? (string|string or null|array of string|array|boolean|integer within 2\^53))$/,
		);
		expect(JSON.stringify(event.kind === "unknown" && event.issues)).not.toContain("private");
	});
});

test("two events share no list", () => {
	const [one, other] = [receive({ type: "new" }), receive({ type: "new" })];
	expect(one.kind === "unknown" && other.kind === "unknown" && one.issues === other.issues).toBe(false);
	expect(one.filled === other.filled).toBe(false);
});

describe("a payload that isn't as documented keeps what is", () => {
	test.each<[title: string, kind: string, payload: object, unfit: object]>([
		["a message", "inbound_message", inboundMessage, { text: null, participants: ["+1", 5] }],
		["a reaction", "inbound_reaction", inboundReaction, { originalText: 5 }],
		["a status", "status", { ...statusUpdate, brandNew: 1 }, { outbound: "true", timestamp_ms: 1.5 }],
	])("%s: the kind, and the fields that fit", (_title, kind, payload, unfit) => {
		const event = receive({ ...payload, ...unfit });
		const fitting = Object.entries(payload).filter(([name]) => !Object.hasOwn(unfit, name));
		expect(event).toMatchObject({ kind: "unknown", data: { ...payload, ...unfit } });
		expect(event.kind === "unknown" && event.narrowed).toEqual({ kind, data: Object.fromEntries(fitting) });
	});

	test("a field that is missing is missing there, too", () => {
		const event = receive(without(statusUpdate, "chatGuid"));
		expect(event.kind === "unknown" && event.narrowed).toEqual({
			kind: "status",
			data: without(statusUpdate, "chatGuid"),
		});
	});
});

function without(payload: Record<string, unknown>, name: string): Record<string, unknown> {
	return Object.fromEntries(Object.entries(payload).filter(([key]) => key !== name));
}

describe("the vendor's word for the message number", () => {
	const profile = { vendor: { messageNumberField: "acmeMessageNumber" } };
	const { nativeMessageNumber, ...rest } = inboundMessage;
	const vendorPayload = { ...rest, acmeMessageNumber: nativeMessageNumber };

	test("events expose it as nativeMessageNumber, and keep the vendor's field", () => {
		const event = receive(vendorPayload, { profile });
		expect(event.kind).toBe("inbound_message");
		expect(event.data).toEqual({ ...vendorPayload, nativeMessageNumber });
	});

	test("the vendor's field wins over another value under the neutral word", () => {
		const event = receive({ ...vendorPayload, nativeMessageNumber: "other" }, { profile });
		expect(event.data).toEqual({ ...vendorPayload, nativeMessageNumber });
	});

	test.each<[title: string, messageNumberField: string]>([
		["with the neutral word is still read", "acmeMessageNumber"],
		["lends no inherited field", "constructor"],
	])("a payload %s", (_title, messageNumberField) => {
		const event = receive(inboundMessage, { profile: { vendor: { messageNumberField } } });
		expect(event).toMatchObject({ kind: "inbound_message", data: inboundMessage });
	});

	test("without the profile it doesn't fit the schema", () => {
		expect(receive(vendorPayload)).toMatchObject({
			kind: "unknown",
			reason: "schema",
			issues: [{ path: "nativeMessageNumber" }],
		});
	});
});

describe("a signed body that isn't a JSON object", () => {
	test.each<[title: string, body: string | Uint8Array]>([
		["an empty body", ""],
		["a string that isn't JSON", "status=sent"],
		["JSON that is cut off", '{"status":'],
		["two byte order marks", `\ufeff\ufeff${JSON.stringify(statusUpdate)}`],
		[
			"bytes that aren't UTF-8",
			Buffer.concat([Buffer.from('{"text":"'), Buffer.from([0xff]), Buffer.from('"}')]),
		],
		["null", "null"],
		["a string", '"private"'],
		["a number", "5"],
		["two objects", "{}{}"],
		["1 MB of open brackets", "[".repeat(2 ** 20)],
	])("%s is invalid_json, 400, without the parser's quotation", (_title, body) => {
		const error = catchError(() => verifyWebhook(deliver(body), receiver())) as WebhookVerificationError;
		expect(error).toBeInstanceOf(WebhookVerificationError);
		expect([error.status, error.code, error.cause]).toEqual([400, "invalid_json", undefined]);
		expect(error.message).toBe("the signature is right, but the body isn't a JSON object");
	});

	test.each(["[]", "[{},{}]"])(
		"an array of events, %s, is several_events, 500: a retry may succeed",
		(body) => {
			expect(catchError(() => verifyWebhook(deliver(body), receiver()))).toMatchObject({
				code: "several_events",
				status: 500,
				message: expect.stringContaining(`an array of ${JSON.parse(body).length} events`),
			});
		},
	);

	test.each([
		["a string", (text: string) => text],
		["bytes", (text: string) => Buffer.from(text)],
	])("a byte order mark before an object is ignored in %s", (_title, toBody) => {
		const body = toBody(`\ufeff${JSON.stringify(statusUpdate)}`);
		expect(verifyWebhook(deliver(body), receiver())).toMatchObject({ kind: "status", data: statusUpdate });
	});

	test("a byte order mark in a text stays there", () => {
		expect(receive({ ...inboundMessage, text: "a\ufeffb" })).toMatchObject({ data: { text: "a\ufeffb" } });
	});

	test("CRLF and whitespace around an object are JSON", () => {
		expect(receive(`\r\n ${JSON.stringify(statusUpdate)} \r\n`).kind).toBe("status");
	});

	test("isn't even read when the signature is wrong", () => {
		expect(
			catchError(() => verifyWebhook(deliver("no JSON", { "x-svc-signature": "v1=00" }), receiver())),
		).toMatchObject({
			code: "signature_mismatch",
		});
	});
});

describe("a payload with __proto__", () => {
	const polluting = '"__proto__":{"polluted":"yes"},"constructor":{"prototype":{"polluted":"yes"}}';

	test.each([undefined, { vendor: { messageNumberField: "from" } }])(
		"pollutes nothing, with profile %j",
		(profile) => {
			for (const payload of [inboundMessage, inboundReaction, statusUpdate, { type: "new" }]) {
				const event = receive(
					`${JSON.stringify(payload).slice(0, -1)},${polluting}}`,
					profile && { profile },
				);
				expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
				expect((event.data as unknown as Record<string, unknown>)["polluted"]).toBeUndefined();
				expect(Object.getPrototypeOf(event.data)).toBe(Object.prototype);
				expect(Object.hasOwn(event.data, "__proto__")).toBe(true);
			}
		},
	);

	test("can't lend a field that is missing", () => {
		expect(receive('{"type":"new","__proto__":{"status":"sent"}}')).toMatchObject({
			kind: "unknown",
			reason: "type",
		});
		expect(receive('{"__proto__":{"status":"sent"}}')).toMatchObject({ kind: "unknown", reason: "type" });
	});
});

test("no error shows the secret, a signature or payload text, in its message or when inspected", () => {
	const body = '{"text":"private text"}';
	const signature = webhookSignature(body);
	const wrong = webhookSignature(body, "whsec-other");
	const rejections: [Partial<WebhookDelivery>, object?][] = [
		[{}, { secret: ` ${webhookSecret}` }],
		[{}, { secret: [webhookSecret, ""] }],
		[{}, { secret: "whsec-other" }],
		[{}, { toleranceSeconds: -1 }],
		[{}, { clock: { now: () => 0, setTimer: () => () => {} } }],
		[{ body: JSON.parse(body) }],
		[{ body: `${body} ` }],
		[deliver("private text")],
		[deliver('["private text"]')],
		[deliver(body, { "x-svc-event-id": "private text" })],
		[deliver(body, { "x-svc-timestamp": "private text" })],
		[deliver(body, { "x-svc-signature": `v1=${wrong}` })],
		[deliver(body, { "x-svc-signature": `${signature},`.repeat(17) })],
		[deliver(body, { "X-SVC-Signature": "private text" })],
		[deliver(body, { "x-svc-event-id": undefined })],
	];
	for (const [delivery, options] of rejections) {
		const error = catchError(() =>
			verifyWebhook({ ...deliver(body), ...delivery }, { ...receiver(), ...options }),
		);
		expect(error).toBeInstanceOf(WebhookVerificationError);
		const shown = `${String(error)}\n${inspect(error, { depth: 10 })}\n${JSON.stringify(error)}`;
		for (const hidden of ["private text", webhookSecret, "whsec-other", signature, wrong])
			expect(shown).not.toContain(hidden);
	}
});

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

test("a byte order mark is part of the bytes that are verified, and not of the JSON", async () => {
	const body = `\ufeff${text}`;
	expect(await rejection(toRequest({ body, headers: signedHeaders }))).toBe("401 signature_mismatch");
	const request = toRequest({ body, headers: deliver(body).headers as Record<string, string> });
	expect(await verifyWebhookRequest(request, receiver())).toMatchObject({ kind: "inbound_message" });
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
