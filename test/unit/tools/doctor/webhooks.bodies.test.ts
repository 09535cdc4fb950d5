import type { FailureCause } from "messaging-gateway/doctor";

import { describe, expect, test } from "vitest";
import { deliver } from "../../../support/webhook-delivery.ts";
import { causes, describeCause, explain, payload } from "./webhook-explanation.ts";

const compact = JSON.stringify(payload);
const pretty = JSON.stringify(payload, undefined, 2);
const byLocalGateway =
	'{ "text": "Grüße <b> 😂", "from": "+15551234567", "attachments": ["\\u0061/b"], "groupId": null}';

/** Explains a delivery whose body was another one when it was signed. */
function explainChanged(signed: string | Uint8Array, arrived: unknown) {
	return explain({ ...deliver(signed), body: arrived });
}

describe("a body that was changed after the signing", () => {
	// As other languages write the payload; by hand, so that no expectation repeats the code under test.
	const byPython =
		'{"text": "Gr\\u00fc\\u00dfe <b> \\ud83d\\ude02", "from": "+15551234567", "attachments": ["a/b"], "groupId": null}';
	const byPhp =
		'{"text":"Gr\\u00fc\\u00dfe <b> \\ud83d\\ude02","from":"+15551234567","attachments":["a\\/b"],"groupId":null}';
	const byGo =
		'{"text":"Grüße \\u003cb\\u003e 😂","from":"+15551234567","attachments":["a/b"],"groupId":null}';
	const byDotNet = '{"path":"C:\\\\","quoted":"\\u0022\\u002B \\u003Cb\\u003E \\u00FC"}';
	const sorted = '{"attachments":["a/b"],"from":"+15551234567","groupId":null,"text":"Grüße <b> 😂"}';
	const utf8 = Buffer.from(compact);
	const latin1 = (text: string) => Buffer.from(text, "latin1");
	type Bytes = string | Uint8Array;

	test.each<[title: string, cause: FailureCause, signed: Bytes, arrived: Bytes, expected: RegExp]>([
		["indented by 2 spaces", "body_reserialized", pretty, compact, /indented by 2 spaces.*express\.raw/],
		["indented by 4 spaces", "body_reserialized", JSON.stringify(payload, null, 4), compact, /by 4 spaces/],
		["indented by tabs", "body_reserialized", JSON.stringify(payload, null, "\t"), compact, /by tabs/],
		["compact", "body_reserialized", compact, pretty, /as compact JSON:/],
		["sorted", "body_reserialized", sorted, compact, /sorted keys/],
		["a line feed at the end", "body_reserialized", `${pretty}\n`, compact, /2 spaces and a line feed/],
		["written by Python", "body_reserialized", byPython, compact, /space after each comma.*beyond ASCII/],
		["written by PHP", "body_reserialized", byPhp, compact, /escaped slashes and/],
		["slashes alone", "body_reserialized", compact.replace("a/b", "a\\/b"), compact, /with escaped slashes:/],
		["written by Go", "body_reserialized", byGo, compact, /for HTML:/],
		[
			"written by .NET",
			"body_reserialized",
			byDotNet,
			'{"path":"C:\\\\","quoted":"\\"+ <b> ü"}',
			/HTML and beyond ASCII/,
		],
		["by the local gateway", "body_reserialized", byLocalGateway, compact, /as the local gateway writes it:/],
		["by it, indented since", "body_reserialized", byLocalGateway, pretty, /as the local gateway writes it:/],
		[
			"by it, in Python since",
			"body_reserialized",
			byLocalGateway,
			byPython,
			/as the local gateway writes it:/,
		],
		["a JSON string of it", "body_reserialized", compact, JSON.stringify(compact), /of a JSON string/],
		["a byte order mark added", "bom_added", compact, `\ufeff${compact}`, /was added/],
		["LF became CRLF", "line_ends_changed", pretty, pretty.replaceAll("\n", "\r\n"), /became CRLF/],
		["LF became CR", "line_ends_changed", pretty, pretty.replaceAll("\n", "\r"), /became CRLF or CR/],
		["CRLF became LF", "line_ends_changed", pretty.replaceAll("\n", "\r\n"), pretty, /CRLF became/],
		["CR became LF", "line_ends_changed", pretty.replaceAll("\n", "\r"), pretty, /CR became/],
		["a newline removed", "whitespace_changed", `${pretty} \n`.replace(" \n", "\n"), pretty, /was removed/],
		["CRLF removed", "whitespace_changed", `${compact}\r\n`, compact, /was removed/],
		["a space removed", "whitespace_changed", `${compact} `, compact, /was removed/],

		["one of two newlines added", "whitespace_changed", `${compact}\n`, `${compact}\n\n`, /was added/],
		["spaces added around", "whitespace_changed", compact, `\n  ${compact}\t`, /was added/],
		[
			"read as Windows-1252",
			"charset_changed",
			'{"a":"für 5 €"}',
			'{"a":"fÃ¼r 5 â‚¬"}',
			/decoded as Latin-1/,
		],
		[
			"sent as Latin-1",
			"charset_changed",
			'{"a":"ü\u0085"}',
			latin1('{"a":"ü\u0085"}'),
			/encoded as Latin-1 instead/,
		],
		[
			"sent as Windows-1252",
			"charset_changed",
			'{"a":"5 €"}',
			latin1('{"a":"5 \x80"}'),
			/encoded as Windows-1252/,
		],
		["sent as UTF-16", "charset_changed", "{}", Buffer.from("\ufeff{}", "utf16le"), /encoded as UTF-16/],
		[
			"sent as UTF-16, big end first",
			"charset_changed",
			"{}",
			Buffer.from("{}", "utf16le").swap16(),
			/encoded as UTF-16/,
		],
		[
			"read as UTF-16",
			"charset_changed",
			'{"a":11}',
			Buffer.from('{"a":11}').toString("utf16le"),
			/decoded as UTF-16/,
		],
		["taken apart", "unicode_normalized", compact.normalize("NFC"), compact.normalize("NFD"), /was NFC/],
		["put together", "unicode_normalized", compact.normalize("NFD"), compact.normalize("NFC"), /was NFD/],
		["base64", "body_in_base64", compact, utf8.toString("base64"), /isBase64Encoded/],
		["base64url", "body_in_base64", compact, utf8.toString("base64url"), /isBase64Encoded/],
	])("%s: %s", (_title, cause, signed, arrived, expected) => {
		const explanation = explainChanged(signed, arrived);
		expect(explanation).toMatchObject({ isValid: false, code: "signature_mismatch" });
		expect(causes(explanation)).toEqual([cause]);
		expect(describeCause(explanation, cause)).toMatch(expected);
	});

	test("one mistake is found before any pair is tried", () => {
		const explanation = explainChanged(`${JSON.stringify(payload, null, "\t")}\n`, compact);
		expect(causes(explanation)).toEqual(["body_reserialized"]);
		expect(explanation.checked.hmacs).toBeLessThan(150);
		expect(explanation.checked.skipped).toEqual([]);
	});

	test("two mistakes at once are both reported", () => {
		const { headers } = deliver(pretty);
		const explanation = explain({ body: compact, headers }, { secret: "'whsec-1'" });
		expect(causes(explanation).sort()).toEqual(["body_reserialized", "secret_padded"]);
	});
});

describe("a body that is not raw", () => {
	const shownBuffer: unknown = JSON.parse(JSON.stringify(Buffer.from(pretty)));
	const likeBuffer = { pipe: 1, type: "Buffer" };

	test.each<[title: string, signed: string, arrived: unknown, expected: RegExp]>([
		["the parsed object", compact, payload, /compact JSON it matches.*express\.raw/],
		["the parsed object of the local gateway", byLocalGateway, payload, /local gateway writes it it matches/],
		["a Buffer that went through JSON", pretty, shownBuffer, /parsed before/],
		["an object with the names of a Buffer", '{"pipe":1,"type":"Buffer"}', likeBuffer, /compact JSON/],
		["a number", compact, 5, /re-serialized JSON/],
		["a value that JSON cannot hold", compact, { big: 1n }, /re-serialized JSON/],
		["a value without JSON", compact, () => undefined, /re-serialized JSON/],
		["the string of an object", compact, "[object Object]", /re-serialized JSON/],
	])("%s", (_title, signed, arrived, expected) => {
		const explanation = explainChanged(signed, arrived);
		expect(causes(explanation)).toEqual(["body_parsed"]);
		expect(describeCause(explanation, "body_parsed")).toMatch(expected);
	});

	test.each<[FailureCause, string, unknown]>([
		["body_missing", "undefined", undefined],
		["body_missing", "null", null],
		["body_not_read", "a stream", new ReadableStream()],
		["body_not_read", "a Blob", new Blob([compact])],
		["body_not_read", "a DataView", new DataView(new ArrayBuffer(2))],
		["body_not_read", "an async iterable", { async *[Symbol.asyncIterator]() {} }],
		["body_not_read", "a Node stream", { pipe: () => undefined }],
	])("%s: %s", (cause, _title, arrived) => {
		expect(causes(explainChanged(compact, arrived))).toEqual([cause]);
	});

	test("an empty body", () => {
		for (const empty of ["", new Uint8Array(), new ArrayBuffer(0)]) {
			const explanation = explainChanged(compact, empty);
			expect(causes(explanation)).toEqual(["body_empty"]);
			expect(describeCause(explanation, "body_empty")).toContain("raw bytes");
			expect(explanation.checked.bodyBytes).toBe(0);
		}
	});
});

describe("what speaks for a changed body without proving it", () => {
	test.each<[FailureCause, string, arrived: string | Uint8Array, expected: RegExp]>([
		["characters_replaced", "half a surrogate pair", '{"text":"\ud83d"}', /U\+FFFD.*chunks/],
		["body_reserialized", "sorted names", '{"a":1,"b":2,"c":3,"d":4,"e":5}', /map of Go/],
		["body_in_base64", "base64 of other JSON", btoa('{"a":1}'), /looks like base64/],
	])("%s: %s", (cause, _title, arrived, expected) => {
		const explanation = explainChanged(compact, arrived);
		expect(causes(explanation)).toEqual([]);
		expect(causes(explanation, "likely")).toEqual([cause, "unexplained"]);
		expect(describeCause(explanation, cause)).toMatch(expected);
	});

	test.each(['{"a":1,"b":2,"c":3,"d":4}', '{"a":1,"b":2,"c":3,"e":4,"d":5}', '["a","b","c","d","e"]'])(
		"nothing: few names, or names in another order: %s",
		(arrived) =>
			expect(causes(explainChanged(compact, arrived), "likely")).not.toContain("body_reserialized"),
	);

	test("body_length_changed: another Content-Length, unless it is that of the compressed body", () => {
		const explainWith = (headers: Record<string, string>) =>
			explain({ body: "{}", headers: deliver(compact, { "content-length": "77", ...headers }).headers });
		const changed = explainWith({});
		expect(causes(changed, "likely")).toEqual(["body_length_changed", "unexplained"]);
		expect(describeCause(changed, "body_length_changed")).toContain("2 bytes, but Content-Length is 77");
		expect(causes(explainWith({ "content-encoding": "gzip" }), "likely")).not.toContain(
			"body_length_changed",
		);
	});

	test("what is proven leaves no room for guesses", () => {
		const { headers } = deliver('{"a":"\ufffd"}', { "content-length": "77" });
		const explanation = explain({ body: '{"a": "\ufffd"}', headers });
		expect(explanation.findings.map(({ cause }) => cause)).toEqual(["body_reserialized"]);
	});
});
