import {
	verifySignature,
	verifyWebhook,
	verifyWebhookRequest,
	type WebhookDelivery,
	WebhookVerificationError,
} from "messaging-gateway/webhooks";
import { afterEach, describe, expect, test, vi } from "vitest";
import { catchError, catchRejection } from "../../../support/catch-error.ts";
import {
	deliver,
	receiver,
	signedAt,
	webhookSecret,
	webhookSignature,
} from "../../../support/webhook-delivery.ts";
import { createReceiver } from "../../../support/webhook-receiver.ts";

const body = '{"messageId":"m-1","status":"sent"}';

function rejection(delivery: unknown, options: object = {}): string {
	const error = catchError(() => verifySignature(delivery as WebhookDelivery, { ...receiver(), ...options }));
	expect(error).toBeInstanceOf(WebhookVerificationError);
	const { code, status } = error as WebhookVerificationError;
	return `${status} ${code}`;
}

afterEach(() => {
	vi.unstubAllEnvs();
});

describe("arguments in a row, as other packages have them, get the right form", () => {
	const signature = webhookSignature(body);
	const rows: readonly (readonly unknown[])[] = [
		[body, signature, webhookSecret],
		[new TextEncoder().encode(body), deliver(body).headers, webhookSecret],
		[deliver(body), webhookSecret],
		[deliver(body), null],
		[undefined, { secret: webhookSecret }],
		[{ body }, { secret: webhookSecret }],
		[{ body, headers: undefined }, { secret: webhookSecret }],
		[null, { secret: webhookSecret }],
	];
	const verifiers: Record<string, (...given: never[]) => unknown> = { verifySignature, verifyWebhook };

	test.each(Object.entries(verifiers))("%s, even with a secret in the environment", (name, verify) => {
		vi.stubEnv("MESSAGING_GATEWAY_WEBHOOK_SECRET", webhookSecret);
		for (const given of rows) {
			const error = catchError(() => verify(...(given as never[])));
			expect(error).toBeInstanceOf(WebhookVerificationError);
			const message = `${name} needs the request's body and headers, then options: ${name}({ body, headers }, { secret })`;
			expect(error).toMatchObject({ code: "configuration", status: 500, message });
		}
	});

	test("verifyWebhookRequest", async () => {
		vi.stubEnv("MESSAGING_GATEWAY_WEBHOOK_SECRET", webhookSecret);
		const request = new Request("https://app.example", { method: "POST", body });
		const form = /^verifyWebhookRequest needs a Request of the Fetch API\. With Express, /;
		for (const given of [[request, webhookSecret], [body, { secret: webhookSecret }], [undefined]]) {
			const error = await catchRejection(verifyWebhookRequest(...(given as [Request])));
			expect(error).toMatchObject({ code: "configuration", message: expect.stringMatching(form) });
		}
	});
});

describe("the secret", () => {
	test.each<[title: string, secret: unknown]>([
		["null", null],
		["empty", ""],
		["whitespace", " \t"],
		["the string undefined", "undefined"],
		["the string null", "null"],
		["a number", 5],
		["a function", () => webhookSecret],
		["an empty list", []],
		["a list with an entry of whitespace", [webhookSecret, " "]],
		["a list with a missing entry", [webhookSecret, undefined]],
		["a list in a list", [[webhookSecret]]],
		["a space before it", ` ${webhookSecret}`],
		["a newline after it", `${webhookSecret}\n`],
		["a no-break space after it", `${webhookSecret}\u00a0`],
	])("%s is a configuration error, and nothing is accepted", (_title, secret) => {
		expect(rejection(deliver(body), { secret })).toBe("500 configuration");
	});

	test("null does not fall back to the environment: it is a secret that was not found", () => {
		vi.stubEnv("MESSAGING_GATEWAY_WEBHOOK_SECRET", webhookSecret);
		expect(rejection(deliver(body), { secret: null })).toBe("500 configuration");
	});

	test("is checked before anything of the delivery", () => {
		expect(rejection({ body: {}, headers: {} }, { secret: "" })).toBe("500 configuration");
	});

	test("comes from the environment when it is left out", () => {
		const { clock } = receiver();
		vi.stubEnv("MESSAGING_GATEWAY_WEBHOOK_SECRET", webhookSecret);
		expect(verifySignature(deliver(body), { clock }).eventId).toBe("evt_1");
		vi.stubEnv("MESSAGING_GATEWAY_WEBHOOK_SECRET", "another");
		expect(rejection(deliver(body), { secret: undefined })).toBe("401 signature_mismatch");
	});

	test.each(["", " ", "undefined", `${webhookSecret}\n`])(
		"the environment's %j is a configuration error",
		(value) => {
			vi.stubEnv("MESSAGING_GATEWAY_WEBHOOK_SECRET", value);
			expect(rejection(deliver(body), { secret: undefined })).toBe("500 configuration");
		},
	);

	test("during a rotation each of several is accepted, and a removed one no longer", () => {
		const byNew = deliver(body, { "x-svc-signature": `v1=${webhookSignature(body, "whsec-2")}` });
		for (const delivery of [deliver(body), byNew]) {
			expect(() =>
				verifySignature(delivery, { ...receiver(), secret: [webhookSecret, "whsec-2"] }),
			).not.toThrow();
			expect(() =>
				verifySignature(delivery, { ...receiver(), secret: ["whsec-2", webhookSecret] }),
			).not.toThrow();
		}
		expect(rejection(deliver(body), { secret: "whsec-2" })).toBe("401 signature_mismatch");
		expect(rejection(deliver(body), { secret: ["whsec-2", "whsec-3"] })).toBe("401 signature_mismatch");
	});
});

describe("the tolerance", () => {
	test.each([Number.NaN, -1, Number.POSITIVE_INFINITY, "300", null])(
		"%s is a configuration error",
		(toleranceSeconds) => {
			expect(rejection(deliver(body), { toleranceSeconds })).toBe("500 configuration");
		},
	);
});

describe("the event id", () => {
	test.each([
		["the documented form", "evt_01J"],
		["one character", "a"],
		["256 characters", "a".repeat(256)],
		["any visible ASCII but a comma", "!\"#$%&'()*+-./09:;<=>?@AZ[\\]^_`az{|}~"],
	])("%s is accepted", (_title, eventId) => {
		expect(verifySignature(deliver(body, { "x-svc-event-id": eventId }), receiver()).eventId).toBe(eventId);
	});

	test.each<[expected: string, title: string, eventId: string | string[] | undefined]>([
		["400 missing_header", "absent", undefined],
		["400 missing_header", "empty", ""],
		["400 missing_header", "whitespace", " "],
		["400 malformed_header", "257 characters", "a".repeat(257)],
		["400 malformed_header", "a comma, as of two joined", "evt_1,evt_2"],
		["400 malformed_header", "two header lines", ["evt_1", "evt_2"]],
		["400 malformed_header", "a space inside", "evt 1"],
		["400 malformed_header", "a space before", " evt_1"],
		["400 malformed_header", "a control character", "evt_\u0000"],
		["400 malformed_header", "a newline after", "evt_1\n"],
		["400 malformed_header", "a letter beyond ASCII", "evt_é"],
	])("%s: %s", (expected, _title, eventId) => {
		expect(rejection(deliver(body, { "x-svc-event-id": eventId }))).toBe(expected);
	});
});

describe("header shapes", () => {
	const { headers } = deliver(body);
	const [id, timestamp, signature] = ["x-svc-event-id", "x-svc-timestamp", "x-svc-signature"] as const;

	test.each<[title: string, shape: WebhookDelivery["headers"]]>([
		["Headers", new Headers(headers as Record<string, string>)],
		["a record in lower case, as Node gives it", headers],
		[
			"a record in the documented case",
			{
				"X-SVC-Event-Id": "evt_1",
				"X-SVC-Timestamp": String(signedAt),
				"X-SVC-Signature": headers[signature],
			},
		],
		[
			"a record in upper case",
			Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value])),
		],
		[
			"arrays of one value",
			Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value].flat() as string[]])),
		],
		["two cases of a name with the same value", { ...headers, "X-SVC-Event-Id": "evt_1" }],
		["another case of a name that is undefined", { ...headers, "X-SVC-Event-Id": undefined }],
		["a record without a prototype", Object.assign(Object.create(null), headers)],
		[
			"unrelated headers",
			{ ...headers, "x-svc-event": "y", host: "h", "set-cookie": ["a", "b"], constructor: "c" },
		],
	])("%s", (_title, shape) => {
		expect(verifySignature({ body, headers: shape }, receiver())).toMatchObject({
			eventId: "evt_1",
			timestamp: signedAt,
		});
	});

	test.each([id, timestamp, signature])("%s in two cases with different values is rejected", (name) => {
		expect(rejection(deliver(body, { [name.toUpperCase()]: "other" }))).toBe("400 malformed_header");
	});

	test.each([id, timestamp, signature])("without %s the error names it", (name) => {
		const error = catchError(() => verifySignature(deliver(body, { [name]: undefined }), receiver()));
		expect(error).toMatchObject({ code: "missing_header", status: 400 });
		expect(String(error).toLowerCase()).toContain(name);
	});

	test("a vendor's word in the names is used instead of the neutral one", () => {
		const profile = { vendor: { headerPrefix: "Acme-Chat" } };
		const vendorHeaders = Object.fromEntries(
			Object.entries(headers).map(([name, value]) => [name.replace("svc", "acme-chat"), value]),
		);
		expect(verifySignature({ body, headers: vendorHeaders }, { ...receiver(), profile }).eventId).toBe(
			"evt_1",
		);
		expect(rejection({ body, headers: vendorHeaders })).toBe("400 missing_header");
		expect(rejection({ body, headers }, { profile })).toBe("400 missing_header");
	});
});

describe("body kinds", () => {
	const text = '{"text":"Grüße 😂"}';
	const bytes = new TextEncoder().encode(text);
	const frame = new Uint8Array(bytes.length + 10).fill(0x78);
	frame.set(bytes, 4);
	const { headers } = deliver(text);

	test.each<[title: string, body: WebhookDelivery["body"]]>([
		["a string", text],
		["a Uint8Array", bytes],
		["a view with its own offset and length", frame.subarray(4, 4 + bytes.length)],
		["an ArrayBuffer", bytes.buffer],
		["a Buffer, which is a view into a pool", Buffer.from(text)],
	])("%s", (_title, given) => {
		expect(verifySignature({ body: given, headers }, receiver()).body).toBe(given);
	});

	test("an empty body is a body", () => {
		expect(verifySignature(deliver(""), receiver()).body).toHaveLength(0);
	});

	test.each<[title: string, body: unknown]>([
		["a parsed object", { text: "private" }],
		["a parsed array", [1, 2]],
		["undefined", undefined],
		["null", null],
		["a number", 5],
		["a Blob", new Blob([text])],
		["a stream", new ReadableStream()],
		["a DataView", new DataView(new ArrayBuffer(2))],
	])("%s is raw_body_unavailable, with a hint", (_title, given) => {
		expect(rejection({ body: given, headers })).toBe("500 raw_body_unavailable");
		const error = catchError(() => verifySignature({ body: given, headers } as WebhookDelivery, receiver()));
		expect(String(error)).toContain("before anything parses it");
		expect(String(error)).not.toContain("private");
	});

	test.each<[title: string, arrived: string | Uint8Array]>([
		["a byte order mark added", `\ufeff${text}`],
		["CRLF for LF", "{}\r\n"],
		["other whitespace", text.replace(":", ": ")],
		["another normal form", text.normalize("NFD")],
		["an escape for a letter", text.replace("ü", "\\u00fc")],
		["a byte missing", text.slice(0, -1)],
		["a byte more", `${text} `],
	])("%s is a mismatch", (_title, arrived) => {
		const original = typeof arrived === "string" && arrived.startsWith("{}") ? "{}\n" : text;
		expect(rejection({ body: arrived, headers: deliver(original).headers })).toBe("401 signature_mismatch");
	});

	test("a byte order mark that was signed must stay", () => {
		const marked = deliver(`\ufeff${text}`);
		expect(() => verifySignature(marked, receiver())).not.toThrow();
		expect(rejection({ ...marked, body: text })).toBe("401 signature_mismatch");
	});

	test("bytes that are not UTF-8 are verified as bytes, and lost by decoding them first", () => {
		const invalid = deliver(Buffer.from([0x7b, 0xff, 0x7d]));
		expect(() => verifySignature(invalid, receiver())).not.toThrow();
		expect(rejection({ ...invalid, body: invalid.body.toString("utf8") })).toBe("401 signature_mismatch");
	});
});

describe("headers that code without types hands over", () => {
	test.each([[null], [undefined], [[]], [[null]], [["", null]]])(
		"an event id of %j is missing, never a name",
		(id) => {
			expect(rejection(deliver("{}", { "x-svc-event-id": id as never }))).toBe("400 missing_header");
		},
	);

	test.each([{}, true, 5n, Symbol("evt"), () => "evt_1"])("an event id of %o is malformed", (id) => {
		for (const value of [id, [id]])
			expect(rejection(deliver("{}", { "x-svc-event-id": value as never }))).toBe("400 malformed_header");
	});

	test.each([[5n], [{}], [[5n]]])("get that returns %o is malformed", (id) => {
		const { body, headers } = deliver("{}");
		const get = (name: string) =>
			name.endsWith("Id") ? id : headers[name.toLowerCase() as keyof typeof headers];
		expect(rejection({ body, headers: { get } })).toBe("400 malformed_header");
	});

	test("a timestamp may be a number", () => {
		const { body, headers } = deliver("{}");
		const given = { ...headers, "x-svc-timestamp": Number(headers["x-svc-timestamp"]) } as never;
		expect(verifySignature({ body, headers: given }, receiver()).eventId).toBe("evt_1");
	});
});

describe("a buffer that was transferred", () => {
	const bytes = () => new TextEncoder().encode("{}");

	test.each<[title: string, pick: (bytes: Uint8Array<ArrayBuffer>) => Uint8Array | ArrayBuffer]>([
		["a view of it", (view) => view],
		["itself", (view) => view.buffer],
	])("%s is raw_body_unavailable", async (_title, pick) => {
		const view = bytes();
		const body = pick(view);
		structuredClone(view.buffer, { transfer: [view.buffer] });
		const { headers } = deliver("{}");
		expect(catchError(() => verifySignature({ body, headers }, receiver()))).toMatchObject({
			code: "raw_body_unavailable",
			message: expect.stringContaining("transferred"),
		});
		const { respond } = createReceiver();
		expect(await respond({ handedOver: body })).toBe("500 raw_body_unavailable");
	});

	test("an empty one that was not transferred is a body like any other", () => {
		const empty = deliver("");
		for (const body of [new Uint8Array(), new ArrayBuffer(0), new Uint8Array(8).subarray(8)])
			expect(verifySignature({ ...empty, body }, { ...receiver(), secret: webhookSecret }).body).toBe(body);
	});
});

test("bytes may be cleared while the body of a request is still read", async () => {
	const { headers } = deliver(body);
	const request = new Request("https://receiver.example/webhooks", { method: "POST", headers, body });
	const secret = Buffer.from(webhookSecret);
	const verifying = verifyWebhookRequest(request, { ...receiver(), secret });
	secret.fill(0);
	expect(await verifying).toMatchObject({ eventId: "evt_1" });
});
