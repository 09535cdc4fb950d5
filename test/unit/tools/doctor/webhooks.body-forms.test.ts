import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from "node:zlib";
import { explainWebhookFailure } from "messaging-gateway/doctor";
import { signWebhook } from "messaging-gateway/webhooks";
import { describe, expect, test } from "vitest";
import { deliver } from "../../../support/webhook-delivery.ts";
import { explain, payload } from "./webhook-explanation.ts";

type Bytes = string | Uint8Array;
type Row = [form: string, signed: Bytes, arrived: unknown, headers?: Record<string, string>];

const compact = JSON.stringify(payload);
const spaced = JSON.stringify(payload, undefined, 2);
const text = '{"text":"Grüße, José"}';
const latin1 = Buffer.from(text, "latin1");
const utf16 = Buffer.from(`\ufeff${compact}`, "utf16le");
const doubled = latin1FromUtf8(text);
const bom = `\ufeff${compact}`;
const array = `[${compact}]`;
const gzip = gzipSync(compact);
// Not every Node that the tests run on compresses with it.
const zstandard = Uint8Array.of(0x28, 0xb5, 0x2f, 0xfd, 0x20, 0x02, 0x11);
const urlEncoded = new URLSearchParams({ from: "+15551234567", text: "Grüße" }).toString();
const inField = new URLSearchParams({ payload: compact }).toString();
const multipart = `--b0\r\nContent-Disposition: form-data; name="payload"\r\n\r\n${compact}\r\n--b0--\r\n`;

const VERIFY = "Verify the bytes as they arrived, before anything parses, decodes or trims them:";
const RAW = `${VERIFY} request.arrayBuffer(), express.raw({ type: () => true }) or Node's stream.`;
const BY_HAND = "until then, your code can verify the bytes with verifySignature";
const FIXES = {
	compressed: `Let the sender send its webhooks uncompressed; ${BY_HAND}, and decompress and parse them afterwards.`,
	array: `Let the sender post each event by itself, as a JSON object; ${BY_HAND}, and process the entries one by one.`,
	form: `Let the sender post the JSON object itself, as application/json; ${BY_HAND}, and read the fields of the form.`,
	charset: "Let the sender encode its JSON as UTF-8, and sign and send those bytes.",
	object: "Let the sender write a JSON object, and sign the bytes that it sends.",
};

/** A finding for a body whose signature is right as it came. */
function rightlySigned(cause: string, is: string, fix: string): string {
	return `certain ${cause}: The signature is right, but the body ${is}: the event was rejected, and no handler got it. ${fix}`;
}

/** A finding for the bytes that match the signature, if other bytes came. */
function signedOther(cause: string, is: string, fix: string): string {
	return `certain ${cause}: The body that the sender signed ${is}: the event is rejected even if its signature is right. ${fix}`;
}

/** A finding for a body whose signature is wrong. */
function wronglySigned(cause: string, is: string, fix: string): string {
	return `likely ${cause}: The body ${is}, and the signature doesn't match its bytes: the event was rejected. ${fix}`;
}

const DECOMPRESS =
	"Find what compresses the body on its way, or decompress it to the bytes that the sender signed before you verify it.";
const UNPACKED = (coding: string) =>
	`likely body_decompressed: Content-Encoding names ${coding}, but the body isn't compressed: if the sender signed the compressed bytes, something decompressed them on their way, and the event was rejected. Let the sender send its webhooks uncompressed, or sign the bytes before it compresses them.`;
const IS_URL_ENCODED = "is a form (application/x-www-form-urlencoded)";
const IS_LATIN1 = "is in Latin-1 or Windows-1252 instead of UTF-8";

const groups: [findings: string[], rows: Row[]][] = [
	[
		[rightlySigned("body_compressed", "is compressed with gzip", FIXES.compressed)],
		[
			["gzip", gzip, gzip],
			["gzip, as its header says", gzip, gzip, { "content-encoding": "gzip" }],
		],
	],
	[
		[rightlySigned("body_compressed", "is compressed with deflate", FIXES.compressed)],
		[
			["deflate", deflateSync(compact), deflateSync(compact)],
			["raw deflate", deflateRawSync(compact), deflateRawSync(compact), { "content-encoding": "deflate" }],
		],
	],
	[
		[rightlySigned("body_compressed", "is compressed with Brotli", FIXES.compressed)],
		[
			[
				"br",
				brotliCompressSync(compact),
				brotliCompressSync(compact),
				{ "content-encoding": "identity, br" },
			],
		],
	],
	[
		[rightlySigned("body_compressed", "is compressed with Zstandard", FIXES.compressed)],
		[["zstd", zstandard, zstandard]],
	],
	[
		[wronglySigned("body_compressed", "is compressed with gzip", DECOMPRESS)],
		[["JSON that was compressed on its way", compact, gzip]],
	],
	[
		[UNPACKED("gzip")],
		[["gzip that was decompressed on its way", gzip, compact, { "content-encoding": "gzip" }]],
	],
	[
		[UNPACKED("Brotli")],
		[["br that was decompressed on its way", gzip, compact, { "content-encoding": "br" }]],
	],
	[[], [["gzip that was decompressed, without its header", gzip, compact]]],
	[
		[
			`certain body_in_base64: The body is base64 of what was signed. Decode the body to bytes first; in Lambda, do so where event.isBase64Encoded is true.`,
			signedOther("body_compressed", "is compressed with gzip", FIXES.compressed),
		],
		[["gzip that came in base64", gzip, gzip.toString("base64")]],
	],

	[
		[
			`certain bom_removed: The byte order mark in front of the body was removed, as request.text() does. ${RAW}`,
		],
		[["a byte order mark that was removed on its way", bom, compact]],
	],
	[
		[`certain bom_added: A byte order mark was added in front of the body. ${RAW}`],
		[["a byte order mark that was added on its way", compact, bom]],
	],

	[
		[rightlySigned("body_array", "is a JSON array instead of one object", FIXES.array)],
		[
			["an array", array, array],
			["an empty array", "[]", "[]"],
		],
	],
	[
		[
			`certain body_parsed: The body was parsed before it came here; written as compact JSON it matches the signature, so the secret is right. ${RAW}`,
			signedOther("body_array", "is a JSON array instead of one object", FIXES.array),
		],
		[["an array that was parsed", array, [payload]]],
	],
	[
		[wronglySigned("body_array", "is a JSON array instead of one object", FIXES.array)],
		[["an object that became an array on its way", compact, array]],
	],

	[
		[rightlySigned("body_form", IS_URL_ENCODED, FIXES.form)],
		[
			["a form", urlEncoded, urlEncoded],
			["a form with the payload in a field", inField, inField],
		],
	],
	[
		[rightlySigned("body_form", "is a form (multipart/form-data)", FIXES.form)],
		[["a multipart form", multipart, multipart]],
	],
	[
		[
			"certain body_form: The body is a form, and the signature covers the JSON in one of its fields: the event was rejected. Let the sender post that JSON itself, as application/json, or find what puts it into a form on its way.",
		],
		[["JSON that came in the field of a form", compact, inField]],
	],
	[
		[wronglySigned("body_form", IS_URL_ENCODED, FIXES.form)],
		[["JSON that became a form on its way", compact, urlEncoded]],
	],

	[
		[rightlySigned("body_not_utf8", IS_LATIN1, FIXES.charset)],
		[
			["Latin-1", latin1, latin1],
			["Windows-1252", Buffer.from('{"a":"\x80"}', "latin1"), Buffer.from('{"a":"\x80"}', "latin1")],
		],
	],
	[
		[rightlySigned("body_not_utf8", "is in UTF-16 instead of UTF-8", FIXES.charset)],
		[
			["UTF-16", utf16, utf16],
			["UTF-16 that is UTF-8, too", Buffer.from("{}", "utf16le"), Buffer.from("{}", "utf16le")],
		],
	],
	[
		[rightlySigned("body_not_utf8", "isn't UTF-8", FIXES.charset)],
		[["other bytes", Uint8Array.of(0xff, 0x20), Uint8Array.of(0xff, 0x20)]],
	],
	[
		[`certain charset_changed: The body was encoded as Latin-1 instead of UTF-8 before it came here. ${RAW}`],
		[["UTF-8 that became Latin-1 on its way", text, latin1]],
	],
	[
		[
			`certain charset_changed: The body was decoded as Latin-1 or Windows-1252, and encoded as UTF-8 before it came here. ${RAW}`,
			signedOther("body_not_utf8", IS_LATIN1, FIXES.charset),
		],
		[["Latin-1 that became UTF-8 on its way", latin1, text]],
	],
	[
		[
			`certain charset_changed: The body was decoded as Latin-1 or Windows-1252 instead of UTF-8, and encoded again before it came here. ${RAW}`,
		],
		[["UTF-8 that was decoded as Latin-1 and encoded again", text, doubled]],
	],
	[[wronglySigned("body_not_utf8", IS_LATIN1, FIXES.charset)], [["Latin-1 of other text", "{}", latin1]]],

	[
		[
			rightlySigned(
				"body_not_json",
				"is JSON, but a string instead of an object",
				"Let the sender write its payload as JSON once, not twice, and sign the bytes that it sends.",
			),
		],
		[["JSON in a JSON string", JSON.stringify(compact), JSON.stringify(compact)]],
	],
	[
		[rightlySigned("body_not_json", "is JSON, but null instead of an object", FIXES.object)],
		[["null", "null", "null"]],
	],
	[
		[rightlySigned("body_not_json", "isn't JSON", FIXES.object)],
		[
			["a text", "Grüße = 5", "Grüße = 5"],
			["JSON that was cut off", compact.slice(0, -9), compact.slice(0, -9)],
			["XML", '<a b="c"/>', '<a b="c"/>'],
		],
	],
	[[], [["other JSON", spaced, text]]],
];

describe.each(groups)("%j", (findings, rows) => {
	test.each(rows)("%s", (_form, signed, arrived, headers) => {
		const explanation = explain({ ...deliver(signed, headers), body: arrived });
		expect(explanation.isValid).toBe(false);
		const found = explanation.findings.map(
			({ certainty, cause, message, fix }) => `${certainty} ${cause}: ${message} ${fix}`,
		);
		expect(found.filter((finding) => !finding.startsWith("likely unexplained: "))).toEqual(findings);
		expect(explanation.findings.some(({ cause }) => cause === "unexplained")).toBe(
			!found.some((finding) => finding.startsWith("certain ")),
		);
	});
});

test("a body in the right form has no finding for its Content-Encoding", () => {
	expect(explain(deliver(compact, { "content-encoding": "gzip" })).findings).toEqual([]);
});

/** What a receiver has that decodes UTF-8 as Latin-1. */
function latin1FromUtf8(value: string): string {
	return Buffer.from(value).toString("latin1");
}

test("a decoder that fails is named, and nothing of its error", () => {
	const body = '{"event":"message.received"}';
	const delivery = { body, headers: signWebhook({ body, secret: "whsec-1" }) };
	const decode = () => {
		throw new Error("private text");
	};
	const explanation = explainWebhookFailure(delivery, { secret: "whsec-1", profile: { events: { decode } } });
	expect(explanation).toMatchObject({
		isValid: false,
		code: "decode_failed",
		findings: [{ cause: "payload_not_decoded", certainty: "certain" }],
	});
	expect(JSON.stringify(explanation)).not.toContain("private");
});
