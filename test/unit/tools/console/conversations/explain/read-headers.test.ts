import { describe, expect, test } from "vitest";
import {
	describeHeaders,
	readHeaders,
} from "../../../../../../src/tools/console/conversations/drawer/explain/read-headers.ts";

const expected = { "X-SVC-Event-Id": "evt_1", "X-SVC-Timestamp": "1767225600", "X-SVC-Signature": "v1=ab" };

describe("headers in different formats", () => {
	const lines = Object.entries(expected).map(([name, value]) => `${name}: ${value}`);
	const [id, timestamp] = lines;
	const marked = (mark: string) => lines.map((line) => `${mark} ${line}\n`).join("");

	test.each([
		["lines with CRLF and whitespace", `  \r\n${lines.join(" \r\n").replaceAll(": ", "\t:")}\r\n\r\n`],
		["a request of a log", `POST /webhooks HTTP/1.1\n${lines.join("\n")}`],
		[
			"what curl -v sends",
			`* Connected to a (::1) port 80\n> POST /webhooks HTTP/2\n${marked(">")}>\n} [36 bytes data]`,
		],
		["what curl -v receives", `< HTTP/1.1 200 OK\n${marked("<")}< \n* Connection #0 left intact`],
		[
			"options of curl",
			`curl https://a.example \\\n  -H '${id}' \\\n  --header "${timestamp}" \\\n  -H '${lines[2]}'`,
		],
		["HTTP/2 of a browser", `:method: POST\n:path: /webhooks\n${lines.join("\n")}`],
		["a folded line", `${id}\n${timestamp}\nX-SVC-Signature:\n  v1=ab`],
		["JSON with numbers", JSON.stringify({ ...expected, "X-SVC-Timestamp": 1767225600 })],
		["pairs", JSON.stringify(Object.entries(expected))],
		["Node's rawHeaders", JSON.stringify(Object.entries(expected).flat())],
		["a HAR file", JSON.stringify(Object.entries(expected).map(([name, value]) => ({ name, value })))],
		["an event of Lambda", JSON.stringify({ version: "2.0", headers: expected, body: "…" })],
	])("%s", (_, text) => {
		expect(readHeaders(text)).toEqual({ headers: expected, unreadable: [] });
	});

	test("a repeated header is an array", () => {
		expect(readHeaders("A: 1\nB: 2\nA: 3").headers).toEqual({ A: ["1", "3"], B: "2" });
		expect(readHeaders('{"A":["1","3"]}').headers).toEqual({ A: ["1", "3"] });
		// Another spelling is another entry, like in the headers object of a framework.
		expect(readHeaders("A: 1\na: 3").headers).toEqual({ A: "1", a: "3" });
	});

	test("a line that isn't a header is reported with its number", () => {
		expect(readHeaders("A: 1\nnothing here\nB: 2").unreadable).toEqual([{ number: 2, text: "nothing here" }]);
		expect(readHeaders('{"A": ').unreadable).toEqual([{ number: 1, text: '{"A":' }]);
	});

	test("empty input has no headers", () => {
		expect(readHeaders(" \n")).toEqual({ headers: {}, unreadable: [] });
		expect(readHeaders("[1, null, {}]").headers).toEqual({});
		expect(readHeaders("[]").headers).toEqual({});
	});
});

test.each([
	["X-SVC-Event-Id: a\nx-svc-timestamp: 1\nX-SVC-Signature: v1=a", "3 headers read."],
	["A: 1", "1 header read."],
	["A: 1\nnot one", "Line 2 isn't a header: not one"],
])("what was read of %j is described", (pasted, sentence) => {
	expect(describeHeaders(readHeaders(pasted))).toBe(sentence);
});
