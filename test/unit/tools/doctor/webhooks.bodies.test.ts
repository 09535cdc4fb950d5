import { gzipSync } from "node:zlib";
import type { FailureCause } from "messaging-gateway/doctor";

import { describe, expect, test } from "vitest";
import { deliver } from "../../../support/webhook-delivery.ts";
import { causes, describeCause, explain, payload } from "../../../support/webhook-explanation.ts";

const compact = JSON.stringify(payload);
const pretty = JSON.stringify(payload, undefined, 2);

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
	const byDotNet =
		'{"text":"Gr\\u00FC\\u00DFe \\u003Cb\\u003E \\uD83D\\uDE02","from":"\\u002B15551234567","attachments":["a/b"],"groupId":null}';
	const sorted = '{"attachments":["a/b"],"from":"+15551234567","groupId":null,"text":"Grüße <b> 😂"}';
	const utf8 = Buffer.from(compact);

	test.each<
		[
			title: string,
			cause: FailureCause,
			signed: string | Uint8Array,
			arrived: string | Uint8Array,
			expected: RegExp,
		]
	>([
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
		["written by .NET", "body_reserialized", byDotNet, compact, /HTML and beyond ASCII/],
		[
			"quotes and backslashes written by .NET",
			"body_reserialized",
			'{"path":"C:\\\\","quoted":"\\u0022\\u002B"}',
			'{"path":"C:\\\\","quoted":"\\"+"}',
			/HTML and beyond ASCII/,
		],
		["unescaped since", "body_reserialized", compact, byPython, /as compact JSON:/],
		[
			"a JSON string of it",
			"body_reserialized",
			compact,
			JSON.stringify(compact),
			/content of a JSON string/,
		],
		["a byte order mark added", "bom_added", compact, `\ufeff${compact}`, /was added/],
		["a byte order mark removed", "bom_removed", `\ufeff${compact}`, compact, /was removed.*arrayBuffer/],
		["LF became CRLF", "line_ends_changed", pretty, pretty.replaceAll("\n", "\r\n"), /became CRLF/],
		["LF became CR", "line_ends_changed", pretty, pretty.replaceAll("\n", "\r"), /became CRLF or CR/],
		["CRLF became LF", "line_ends_changed", pretty.replaceAll("\n", "\r\n"), pretty, /CRLF became/],
		["CR became LF", "line_ends_changed", pretty.replaceAll("\n", "\r"), pretty, /CR became/],
		["a newline removed", "whitespace_changed", `${pretty} \n`.replace(" \n", "\n"), pretty, /was removed/],
		["CRLF removed", "whitespace_changed", `${compact}\r\n`, compact, /was removed/],
		["a space removed", "whitespace_changed", `${compact} `, compact, /was removed/],
		["a newline added", "whitespace_changed", compact, `${compact}\n`, /was added/],
		["one of two newlines added", "whitespace_changed", `${compact}\n`, `${compact}\n\n`, /was added/],
		["spaces added around", "whitespace_changed", compact, `\n  ${compact}\t`, /was added/],
		["read as Latin-1", "charset_changed", compact, utf8.toString("latin1"), /decoded as Latin-1/],
		[
			"read as Windows-1252",
			"charset_changed",
			'{"a":"Grüße für 5 €"}',
			'{"a":"GrÃ¼ÃŸe fÃ¼r 5 â‚¬"}',
			/decoded as Latin-1/,
		],
		[
			"sent as Latin-1",
			"charset_changed",
			'{"a":"Grüße"}',
			Buffer.from('{"a":"Grüße"}', "latin1"),
			/encoded as Latin-1/,
		],
		[
			"sent as Latin-1 with a control",
			"charset_changed",
			'{"a":"ü\u0085"}',
			Buffer.from('{"a":"ü\u0085"}', "latin1"),
			/encoded as Latin-1 instead/,
		],
		[
			"sent as Windows-1252",
			"charset_changed",
			'{"a":"5 €"}',
			Buffer.from('{"a":"5 \x80"}', "latin1"),
			/encoded as Windows-1252/,
		],
		["sent as UTF-16", "charset_changed", compact, Buffer.from(compact, "utf16le"), /encoded as UTF-16/],
		[
			"sent as UTF-16 with a mark",
			"charset_changed",
			compact,
			Buffer.from(`\ufeff${compact}`, "utf16le"),
			/encoded as UTF-16/,
		],
		[
			"sent as UTF-16, big end first",
			"charset_changed",
			compact,
			Buffer.from(compact, "utf16le").swap16(),
			/encoded as UTF-16/,
		],
		[
			"read as UTF-16",
			"charset_changed",
			'{"a":"even"}',
			Buffer.from('{"a":"even"}').toString("utf16le"),
			/decoded as UTF-16/,
		],
		["taken apart", "unicode_normalized", compact.normalize("NFC"), compact.normalize("NFD"), /was NFC/],
		["put together", "unicode_normalized", compact.normalize("NFD"), compact.normalize("NFC"), /was NFD/],
		["base64", "body_in_base64", compact, utf8.toString("base64"), /isBase64Encoded/],
		["base64url", "body_in_base64", compact, utf8.toString("base64url"), /isBase64Encoded/],
		[
			"base64 in lines",
			"body_in_base64",
			compact,
			`${utf8.toString("base64").replace(/.{76}/g, "$&\r\n")}\n`,
			/isBase64Encoded/,
		],
		[
			"base64 of gzip",
			"body_in_base64",
			gzipSync(compact),
			gzipSync(compact).toString("base64"),
			/isBase64Encoded/,
		],
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

	test.each<[title: string, signed: string, arrived: unknown, expected: RegExp]>([
		["the parsed object", compact, payload, /compact JSON it matches.*express\.raw/],
		["the parsed object of a pretty body", pretty, payload, /by 2 spaces it matches/],
		["a parsed list", '["a"]', ["a"], /compact JSON it matches/],
		["a Buffer that went through JSON", pretty, shownBuffer, /parsed before/],
		["an object that is not what was signed", compact, { other: 1 }, /written again has another/],
		[
			"an object with the names of a Buffer",
			'{"pipe":1,"type":"Buffer"}',
			{ pipe: 1, type: "Buffer" },
			/compact JSON/,
		],
		["a number", compact, 5, /written again has another/],
		[
			"a cycle",
			compact,
			Object.assign([], {
				0: null,
				toJSON: () => {
					throw new Error("no");
				},
			}),
			/written again/,
		],
		["a value without JSON", compact, () => undefined, /written again has another/],
		["the string of an object", compact, "[object Object]", /written again has another/],
	])("%s", (_title, signed, arrived, expected) => {
		const explanation = explainChanged(signed, arrived);
		expect(causes(explanation)).toEqual(["body_parsed"]);
		expect(describeCause(explanation, "body_parsed")).toMatch(expected);
	});

	test("the code of a parsed body is the verification's", () => {
		expect(explainChanged(compact, payload)).toMatchObject({
			code: "raw_body_unavailable",
			checked: { bodyBytes: undefined },
		});
	});

	test.each<[FailureCause, string, unknown]>([
		["body_missing", "undefined", undefined],
		["body_missing", "null", null],
		["body_not_read", "a stream", new ReadableStream()],
		["body_not_read", "a Blob", new Blob([compact])],
		["body_not_read", "a Request", new Request("http://receiver.example", { method: "POST", body: compact })],
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
	const replaced = Buffer.from(compact).subarray(0, 12).toString();

	test.each<
		[FailureCause, string, arrived: string | Uint8Array, headers: Record<string, string>, expected: RegExp]
	>([
		["body_compressed", "gzip", gzipSync(compact), {}, /Unpack/],
		["characters_replaced", "U+FFFD", `{"text":"${replaced}\ufffd"}`, {}, /U\+FFFD.*chunks/],
		["characters_replaced", "half a surrogate pair", '{"text":"\ud83d"}', {}, /U\+FFFD/],
		["body_in_base64", "base64 of other JSON", btoa('{"a":1}'), {}, /looks like base64/],
		[
			"body_length_changed",
			"another length",
			"{}",
			{ "content-length": "77" },
			/2 bytes, but Content-Length is 77/,
		],
	])("%s: %s", (cause, _title, arrived, headers, expected) => {
		const { headers: signed } = deliver(compact, headers);
		const explanation = explain({ body: arrived, headers: signed });
		expect(causes(explanation)).toEqual([]);
		expect(causes(explanation, "likely")).toEqual([cause, "unexplained"]);
		expect(describeCause(explanation, cause)).toMatch(expected);
	});

	test("a Content-Length of the compressed body proves nothing about the decompressed one", () => {
		const { headers } = deliver(compact, { "content-length": "77", "content-encoding": "gzip" });
		expect(causes(explain({ body: "{}", headers }), "likely")).toEqual(["unexplained"]);
	});

	test("what is proven leaves no room for guesses", () => {
		const { headers } = deliver('{"a":"\ufffd"}', { "content-length": "77" });
		const explanation = explain({ body: '{"a": "\ufffd"}', headers });
		expect(explanation.findings.map(({ cause }) => cause)).toEqual(["body_reserialized"]);
	});
});

describe("a body that is rightly signed but no JSON object", () => {
	test.each([
		["a string", "hello"],
		["a list", "[]"],
		["null", "null"],
		["a byte order mark", `\ufeff${compact}`],
	])("%s", (_title, body) => {
		const explanation = explain(deliver(body));
		expect(explanation).toMatchObject({ isValid: false, code: "invalid_json" });
		expect(causes(explanation)).toEqual(["body_not_json"]);
	});

	test("bytes that are not UTF-8", () => {
		expect(causes(explain(deliver(Uint8Array.of(0x7b, 0xff, 0x7d))))).toEqual(["body_not_json"]);
	});
});
