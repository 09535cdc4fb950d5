import { inspect } from "node:util";
import {
	verifySignature,
	verifyWebhook,
	verifyWebhookRequest,
	type WebhookDelivery,
	WebhookVerificationError,
} from "messaging-gateway/webhooks";
import { afterEach, describe, expect, test, vi } from "vitest";
import { fixedClock } from "../../../support/fixed-clock.ts";
import { hmacSha256 } from "../../../support/node-crypto.ts";
import { type Outcomes, testOutcomes } from "../../../support/outcomes.ts";
import {
	deliver,
	receiver,
	webhookSecret as secret,
	signedAt,
	webhookSignature,
} from "../../../support/webhook-delivery.ts";

const VARIABLE = "MESSAGING_GATEWAY_WEBHOOK_SECRET";
const body = '{"text":"private"}';
const good = webhookSignature(body);
const { headers } = deliver(body);
const [id, time, signature] = ["x-svc-event-id", "x-svc-timestamp", "x-svc-signature"] as const;

afterEach(() => {
	vi.unstubAllEnvs();
});

/** A delivery, the options beside the right secret and clock, and the secret in the environment. */
type Arrival = readonly [delivery: object, options?: object | undefined, environment?: string | undefined];

/** What becomes of a delivery, whole. */
async function outcomeOf([delivery, options, environment]: Arrival): Promise<string> {
	vi.stubEnv(VARIABLE, environment);
	return outcomeOfCall(() => {
		const given = delivery as WebhookDelivery;
		const { eventId, timestamp, ...rest } = verifySignature(given, { ...receiver(), ...options });
		expect(rest).toEqual({ body: given.body });
		expect(rest.body).toBe(given.body);
		return `${eventId}, signed ${timestamp - signedAt} s from now`;
	});
}

/** What a call returns, or is rejected with; no rejection holds what is private. */
async function outcomeOfCall(call: () => unknown): Promise<string> {
	try {
		return String(await call());
	} catch (error) {
		if (!(error instanceof WebhookVerificationError)) throw error;
		const shown = `${error}\n${inspect(error, { depth: 10 })}\n${JSON.stringify(error)}`;
		for (const hidden of ["private", "whsec-", good]) expect(shown).not.toContain(hidden);
		return `${error.status} ${error.code}: ${error.message}`;
	}
}

const header = (name: string, value: unknown, options?: object): Arrival => [
	{ body, headers: { ...headers, [name]: value } },
	options,
];
const signatures = (value: unknown): Arrival => header(signature, value);
const eventId = (value: unknown): Arrival => header(id, value);
/** Signed with another text as its timestamp than now. */
const at = (timestamp: unknown, options?: object, text = String(timestamp)): Arrival => [
	deliver(body, {
		[time]: timestamp as string,
		[signature]: `v1=${webhookSignature(body, secret, text)}`,
	}),
	options,
];
const from = (seconds: number, toleranceSeconds?: number): Arrival =>
	at(String(signedAt + seconds), toleranceSeconds === undefined ? {} : { toleranceSeconds });
const clock = (afterMs: number): Arrival => [
	deliver(body),
	{ clock: { now: () => signedAt * 1_000 + afterMs } },
];
const withSecret = (given: unknown, environment?: string): Arrival => [
	deliver(body),
	{ secret: given },
	environment,
];
const tolerance = (toleranceSeconds: unknown): Arrival => [deliver(body), { toleranceSeconds }];
/** Headers whose `get` returns something else for the event's id. */
const got = (value: unknown): Arrival => {
	const get = (name: string) => (name.endsWith("Id") ? value : Reflect.get(headers, name.toLowerCase()));
	return [{ body, headers: { get } }];
};

const named = (change: (name: string) => string) =>
	Object.fromEntries(Object.entries(headers).map(([name, value]) => [change(name), value]));
const others = Array.from({ length: 15 }, (_, at) => `v1=${at.toString(16).repeat(64)}`);
const padding = (length: number): string => " ".repeat(length - good.length - 4);
const vendor = { profile: { vendor: { headerPrefix: "Acme-Chat" } } };
const vendorDelivery = { body, headers: named((name) => name.replace("svc", "acme-chat")) };
const byNew = deliver(body, { [signature]: `v1=${webhookSignature(body, "whsec-2")}` });

const text = '{"text":"private Grüße 😂"}';
const bytes = new TextEncoder().encode(text);
const frame = new Uint8Array(bytes.length + 10).fill(0x78);
frame.set(bytes, 4);
const noText = Buffer.from([0x7b, 0xff, 0x7d]);
const transferred = new TextEncoder().encode("{}");
const { buffer } = transferred;
structuredClone(buffer, { transfer: [buffer] });
/** A body that arrived, and what was signed. */
const arrived = (given: unknown, signed: string | Uint8Array = text): Arrival => [
	{ body: given, headers: deliver(signed).headers },
];

const ACCEPTED = "evt_1, signed 0 s from now";
const MISMATCH =
	"401 signature_mismatch: no signature matches the raw body: check the secret, and that nothing parsed or changed the body before";
const missing = (name: string) =>
	`400 missing_header: the request has no ${name}, so it isn't from your gateway, or a proxy removed the header. If your gateway names it otherwise, set profile.vendor.headerPrefix`;
const tooOld = (age: string, limit: number) =>
	`401 timestamp_out_of_tolerance: signed ${age} before it arrived; the limit is ${limit} s. It's a replay, it was late, or a clock is wrong. Correct the clock, or raise toleranceSeconds for late deliveries`;
const tooNew = (age: string, limit: number) =>
	`401 timestamp_out_of_tolerance: signed ${age} after it arrived; the limit is ${limit} s. Correct the clock that is wrong: this machine's, or the gateway's`;
const noBytes = (given: string) =>
	`500 raw_body_unavailable: body must be the raw string or bytes, but is ${given}. Read it before anything parses it: re-serialized JSON has a different signature`;
const ID_IS_NO_STRING = "400 malformed_header: X-SVC-Event-Id must be a string";
const TIME_IN_SECONDS = "400 malformed_header: X-SVC-Timestamp must be Unix time in seconds";
const UNUSABLE = "500 configuration: The webhook secret";
const PASS_IT = `Pass \`secret\`, or set ${VARIABLE}`;

const DELIVERIES: Outcomes<Arrival> = {
	[ACCEPTED]: {
		"signed outside of this repository": [
			{
				body: '{"messageId":"m-1","status":"sent"}',
				headers: {
					"X-SVC-Event-Id": "evt_1",
					"X-SVC-Timestamp": "1767225600",
					"X-SVC-Signature": "v1=63dadbd46da39aba1120423459d39605e4328bc4f68af079a9fd6b9f34b03d10",
				},
			},
		],
		"an HMAC over the timestamp, a full stop and the bytes": signatures(
			`v1=${hmacSha256(secret, `1767225600.${body}`)}`,
		),
		"headers of the Fetch API": [{ body, headers: new Headers(named((name) => name)) }],
		"names in the documented case": [
			{
				body,
				headers: {
					"X-SVC-Event-Id": "evt_1",
					"X-SVC-Timestamp": headers[time],
					"X-SVC-Signature": `v1=${good}`,
				},
			},
		],
		"names in upper case": [{ body, headers: named((name) => name.toUpperCase()) }],
		"arrays of one value": [
			{ body, headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]])) },
		],
		"a timestamp that is a number": header(time, signedAt),
		"a name in two cases with the same value": header("X-SVC-Event-Id", "evt_1"),
		"another case of a name that is undefined": header("X-SVC-Event-Id", undefined),
		"headers without a prototype": [{ body, headers: Object.assign(Object.create(null), headers) }],
		"other headers": [
			{
				body,
				headers: { ...headers, "x-svc-event": "y", host: "h", "set-cookie": ["a", "b"], constructor: "c" },
			},
		],
		"upper-case hex": signatures(`v1=${good.toUpperCase()}`),
		"the right signature first": signatures(`v1=${good}, v1=${"0".repeat(64)}`),
		"the right signature last": signatures(`v1=${"0".repeat(64)},v1=${good}`),
		"the right signature among other schemes and rubbish": signatures(
			`v0=abc, ,sha256=${good}, v1=${good}, v2=x`,
		),
		"spaces and tabs around a signature": signatures(`\t v1=${good} \t, v1=${"0".repeat(64)}`),
		"16 signatures": signatures([...others, `v1=${good}`].join(",")),
		"a signature header of 4,096 characters": signatures(`v1=${good},${padding(4_096)}`),
		"signatures in several header lines": signatures(["v1=00", null, `v1=${good}`]),
		"now, with tolerance 0": from(0, 0),
		"a part of a second more than 300 s ago": clock(300_999),
		"the second of two secrets": withSecret(["whsec-2", secret]),
		"the first of two secrets": withSecret([secret, "whsec-2"]),
		"the new one of two secrets": [byNew, { secret: [secret, "whsec-2"] }],
		"the secret of the environment": withSecret(undefined, secret),
		"a vendor's names": [vendorDelivery, vendor],
		"a string that is not ASCII": arrived(text),
		bytes: arrived(bytes),
		"a view into a larger buffer": arrived(frame.subarray(4, 4 + bytes.length)),
		"an ArrayBuffer": arrived(bytes.buffer),
		"a Buffer, which is a view into a pool": arrived(Buffer.from(text)),
		"an empty string": arrived("", ""),
		"no bytes": arrived(new Uint8Array(), ""),
		"an empty ArrayBuffer": arrived(new ArrayBuffer(0), ""),
		"an empty view at a buffer's end": arrived(new Uint8Array(8).subarray(8), ""),
		"a byte order mark that was signed": arrived(`\ufeff${text}`, `\ufeff${text}`),
		"bytes that aren't UTF-8": arrived(noText, noText),
	},
	"evt_1, signed -300 s from now": { "300 s ago": from(-300) },
	"evt_1, signed 300 s from now": {
		"300 s ahead": from(300),
		"300 s ahead, with a tolerance of an hour": from(300, 3_600),
	},
	"evt_1, signed -60 s from now": { "60 s ago, with a tolerance of 60": from(-60, 60) },
	"evt_1, signed -3600 s from now": { "an hour ago, with a tolerance of an hour": from(-3_600, 3_600) },
	"a, signed 0 s from now": { "an id of one character": eventId("a") },
	[`${"b".repeat(256)}, signed 0 s from now`]: { "an id of 256 characters": eventId("b".repeat(256)) },
	"!\"#$%&'()*+-./09:;<=>?@AZ[\\]^_`az{|}~, signed 0 s from now": {
		"an id of any visible ASCII but a comma": eventId("!\"#$%&'()*+-./09:;<=>?@AZ[\\]^_`az{|}~"),
	},
	[missing("X-SVC-Event-Id")]: {
		"no event id": eventId(undefined),
		"an event id that is null": eventId(null),
		"an empty event id": eventId(""),
		"an event id of whitespace": eventId(" "),
		"an event id in no header line": eventId([]),
		"an event id that is null in a header line": eventId([null]),
		"an empty event id in two header lines": eventId(["", null]),
		"headers under a vendor's names": [vendorDelivery],
	},
	[missing("X-SVC-Timestamp")]: {
		"no timestamp": header(time, undefined),
		"an empty timestamp": header(time, ""),
	},
	[missing("X-SVC-Signature")]: {
		"no signature": signatures(undefined),
		"no signature line": signatures([]),
		"an empty signature": signatures(""),
		"a signature of whitespace": signatures("  "),
	},
	[missing("X-Acme-Chat-Event-Id")]: { "headers without a vendor's names": [deliver(body), vendor] },
	"400 malformed_header: X-SVC-Event-Id must be 1 to 256 visible ASCII characters without a comma": {
		"an event id of 257 characters": eventId("c".repeat(257)),
		"an event id with a comma, as of two joined": eventId("evt_1,evt_2"),
		"an event id in two header lines": eventId(["evt_1", "evt_2"]),
		"an event id with a space inside": eventId("evt 1"),
		"an event id with a space before": eventId(" evt_1"),
		"an event id with a newline after": eventId("evt_1\n"),
		"an event id with a control character": eventId("evt_\u0000"),
		"an event id with a letter beyond ASCII": eventId("evt_é"),
	},
	[ID_IS_NO_STRING]: Object.fromEntries(
		[{}, true, 5n, Symbol("evt"), () => "evt_1"].flatMap((value) => [
			[`an event id that is a ${typeof value}`, eventId(value)],
			[`an event id that is a ${typeof value} in a header line`, eventId([value])],
			[`a ${typeof value} that get returns`, got(value)],
			[`a ${typeof value} in a list that get returns`, got([[value]])],
		]),
	),
	...Object.fromEntries(
		["X-SVC-Event-Id", "X-SVC-Timestamp", "X-SVC-Signature"].map((name) => [
			`400 malformed_header: ${name} is there twice, with different values`,
			{ [`${name} in two cases with different values`]: header(name, "private") },
		]),
	),
	[TIME_IN_SECONDS]: {
		...Object.fromEntries(
			[
				...["x", "private", "2026-01-01T00:00:00Z", "0x6955b900", "1.7672256e9", "0"],
				...[`+${signedAt}`, `-${signedAt}`, ` ${signedAt}`, `${signedAt}\n`, `${signedAt}.0`, `0${signedAt}`],
				...["１７６７２２５６００", `${signedAt}, ${signedAt}`],
			].map((value) => [`a timestamp of ${JSON.stringify(value)}`, at(value)]),
		),
		"a timestamp in two header lines": at([String(signedAt), String(signedAt)]),
		"14 digits": at("1".repeat(14)),
		"13 digits and a letter": at(`${signedAt}000x`),
		"a letter and 13 digits": at(`x${signedAt}000`),
		"a zero and 12 digits": at(`0${"1".repeat(12)}`),
	},
	[`${TIME_IN_SECONDS}: this one is in milliseconds`]: {
		"a timestamp in milliseconds": at(`${signedAt}000`),
	},
	"400 malformed_header: X-SVC-Signature holds more than 16 signatures": {
		"17 signatures, the right one among them": signatures([`v1=${good}`, ...others, "v1=0"].join(",")),
		"4,097 characters, the right signature among them": signatures(`v1=${good},${padding(4_097)}`),
	},
	[MISMATCH]: {
		"v1= and nothing": signatures("v1="),
		"a signature of 63 digits": signatures(`v1=${good.slice(1)}`),
		"a signature of 65 digits": signatures(`v1=${good}0`),
		"the right signature twice in one": signatures(`v1=${good}${good}`),
		"a signature without a scheme": signatures(good),
		"a signature without a scheme, as long as one with it": signatures(`123${good}`),
		"the scheme v0": signatures(`v0=${good}`),
		"the scheme sha256": signatures(`sha256=${good}`),
		"the scheme V1": signatures(`V1=${good}`),
		"a space before the equals sign": signatures(`v1 =${good}`),
		"a space after the equals sign": signatures(`v1= ${good}`),
		"a signature in quotes": signatures(`v1="${good}"`),
		"another separator": signatures(`v1=${good};v1=${good}`),
		"a no-break space after the signature": signatures(`v1=${good}\u00a0`),
		"a no-break space before the signature": signatures(`\u00a0v1=${good}`),
		"a word before the signature": signatures(`x v1=${good},x`),
		"a word after the signature": signatures(`v1=${good} x,x`),
		"a signature with a letter beyond ASCII": signatures(`v1=${good.slice(0, -1)}é`),
		"a signature of full-width digits": signatures(`v1=${"\uff10".repeat(64)}`),
		"a wrong signature": signatures(`v1=${"0".repeat(64)}`),
		"the right signature in base64": signatures(`v1=${Buffer.from(good, "hex").toString("base64")}`),
		"the right signature of another timestamp": at(String(signedAt), {}, String(signedAt + 1)),
		"another secret": withSecret("whsec-2"),
		"other secrets": withSecret(["whsec-2", "whsec-3"]),
		"another secret in the environment": withSecret(undefined, "whsec-2"),
		"another secret than that of the environment": withSecret("whsec-2", secret),
		"a byte order mark that was added": arrived(`\ufeff${text}`),
		"a byte order mark that was removed": arrived(text, `\ufeff${text}`),
		"CRLF for LF": arrived("{}\r\n", "{}\n"),
		"other whitespace": arrived(text.replace(":", ": ")),
		"another normal form": arrived(text.normalize("NFD")),
		"an escape for a letter": arrived(text.replace("ü", "\\u00fc")),
		"a byte missing": arrived(text.slice(0, -1)),
		"a byte more": arrived(`${text} `),
		"bytes that are not UTF-8, decoded": arrived(noText.toString(), noText),
	},
	[tooOld("301 s", 300)]: {
		"301 s ago": from(-301),
		"301 s ago by our clock": clock(301_000),
	},
	[tooNew("301 s", 300)]: {
		"301 s ahead": from(301),
		"301 s ahead, with a tolerance of an hour": from(301, 3_600),
	},
	[tooOld("1 s", 0)]: { "1 s ago, with tolerance 0": from(-1, 0) },
	[tooNew("1 s", 0)]: { "1 s ahead, with tolerance 0": from(1, 0) },
	[tooOld("61 s", 60)]: { "61 s ago, with a tolerance of 60": from(-61, 60) },
	[tooOld("3601 s", 3_600)]: { "an hour and a second ago, with a tolerance of an hour": from(-3_601, 3_600) },
	[tooNew("998232774399 s", 300)]: { "a timestamp of 12 digits": at("999999999999") },
	[tooOld("1767225599 s", 300)]: { "a timestamp of one digit": at("1") },
	[tooOld("1767225595 s", 300)]: {
		"too old, with a wrong signature": [deliver(body, { [time]: "5", [signature]: "v1=00" })],
	},
	[noBytes("an object")]: {
		"a parsed object": arrived({ text: "private" }),
		"a parsed array": arrived([1, 2]),
		"a Blob": arrived(new Blob([text])),
		"a stream": arrived(new ReadableStream()),
		"a DataView": arrived(new DataView(new ArrayBuffer(2))),
		"a parsed object, without any headers": [{ body: {}, headers: {} }],
	},
	[noBytes("a number")]: { "a number": arrived(5) },
	[noBytes("null")]: { null: arrived(null) },
	[noBytes("undefined")]: { "no body": arrived(undefined) },
	"500 raw_body_unavailable: the raw body's buffer was transferred elsewhere: verify first, or pass a copy": {
		"a view into a buffer that was transferred": arrived(transferred, "{}"),
		"a buffer that was transferred": arrived(buffer, "{}"),
	},
	"500 configuration: toleranceSeconds must be a number from 0 to 3600": {
		...Object.fromEntries(
			[Number.NaN, -1, Number.POSITIVE_INFINITY, 3_601, 300_000, "300", null].map((value) => [
				`a tolerance of ${JSON.stringify(value)}, ${value}`,
				tolerance(value),
			]),
		),
		"a tolerance of NaN, with a parsed body": [{ body: {}, headers: {} }, { toleranceSeconds: Number.NaN }],
	},
	[`${UNUSABLE} is missing. ${PASS_IT}`]: {
		"no secret": withSecret(undefined),
		"an empty variable in the environment": withSecret(undefined, ""),
		"a secret that was not found, despite one in the environment": withSecret(null, secret),
		"a missing secret in a list": withSecret([secret, undefined]),
	},
	[`${UNUSABLE} is empty. ${PASS_IT}`]: {
		"an empty secret": withSecret(""),
		"a secret of whitespace": withSecret(" \t"),
		"a secret of whitespace in a list": withSecret([secret, " "]),

		"an empty secret, with a parsed body": [{ body: {}, headers: {} }, { secret: "" }],
	},
	[`${UNUSABLE} is an empty list`]: { "no secrets": withSecret([]) },
	[`${UNUSABLE} is the string "undefined": set the variable it comes from`]: {
		"the string undefined": withSecret("undefined"),
		"the string undefined in the environment": withSecret(undefined, "undefined"),
	},
	[`${UNUSABLE} must be a string or bytes, got number`]: { "a number": withSecret(5) },
	[`${UNUSABLE} must be a string or bytes, got function`]: { "a function": withSecret(() => secret) },
	[`${UNUSABLE} must be a string or bytes, got object`]: { "a list in a list": withSecret([[secret]]) },
	[`${UNUSABLE} has whitespace or an invisible character around it: remove it`]: {
		"a secret with a space before it": withSecret(` ${secret}`),
		"a secret with a no-break space after it": withSecret(`${secret}\u00a0`),
	},
	[`${UNUSABLE} has a line break in it: remove it`]: {
		"a secret with a newline after it": withSecret(`${secret}\n`),
		"a secret with a newline after it in the environment": withSecret(undefined, `${secret}\n`),
	},
};

testOutcomes(DELIVERIES, outcomeOf);

test("a digit that is wrong is a mismatch, wherever it is", async () => {
	for (let index = 0; index < 64; index++)
		for (const digit of ["g", good[index] === "0" ? "1" : "0"]) {
			const wrong = `v1=${good.slice(0, index)}${digit}${good.slice(index + 1)}`;
			expect(await outcomeOf(signatures(wrong))).toBe(MISMATCH);
		}
});

/** Arguments in a row, as other packages have them: the secret among them must not be ignored for that of the environment. */
type Given = readonly unknown[];

const configured = { secret, clock: fixedClock(signedAt * 1_000) };

describe.each<[name: string, verify: (...given: never[]) => unknown]>([
	["verifySignature", verifySignature],
	["verifyWebhook", verifyWebhook],
])("%s, with a secret in the environment", (name, verify) => {
	const ARGUMENTS: Outcomes<Given> = {
		[`500 configuration: ${name} needs the request's body and headers, then options: ${name}({ body, headers }, { secret })`]:
			{
				"body, signature and secret": [body, good, secret],
				"bytes, headers and secret": [bytes, headers, secret],
				"a delivery and a secret": [deliver(body), secret],
				"a delivery and null": [deliver(body), null],
				"options alone": [undefined, configured],
				"null and options": [null, configured],
				"a body without headers": [{ body }, configured],
				"headers that are undefined": [{ body, headers: undefined }, configured],
			},
	};
	testOutcomes(ARGUMENTS, (given) => {
		vi.stubEnv(VARIABLE, secret);
		return outcomeOfCall(() => verify(...(given as never[])));
	});
});

describe("verifyWebhookRequest, with a secret in the environment", () => {
	const request = () => new Request("https://app.example", { method: "POST", body });
	const ARGUMENTS: Outcomes<Given> = {
		"500 configuration: verifyWebhookRequest needs a Request of the Fetch API. With Express, pass the raw body to verifyWebhook({ body, headers: request.headers }, { secret })":
			{
				"a request and a secret": [request(), secret],
				"a body and options": [body, configured],
				"headers that are no Headers": [{ headers, body }, configured],
				nothing: [undefined],
			},
	};
	testOutcomes(ARGUMENTS, (given) => {
		vi.stubEnv(VARIABLE, secret);
		return outcomeOfCall(() => verifyWebhookRequest(...(given as [Request])));
	});
});
