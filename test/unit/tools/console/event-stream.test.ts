import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { EventStreamParser } from "../../../../src/tools/console/event-stream.ts";

const parse = (...pieces: string[]) => {
	const parser = new EventStreamParser();
	return pieces.flatMap((piece) => parser.push(piece));
};

describe("server-sent events", () => {
	test("without a name it is a message", () => {
		expect(parse("data:x\n\n")).toEqual([{ event: "message", data: "x" }]);
	});

	test("several data lines are one string, and one space after the colon is removed", () => {
		expect(parse("data: a\ndata:  b\ndata\n\n")).toEqual([{ event: "message", data: "a\n b\n" }]);
	});

	test("comments, ids and events without data are ignored", () => {
		expect(parse(": alive\n\nid: 7\nretry: 10\n\nevent: ping\n\ndata: x\n\n")).toEqual([
			{ event: "message", data: "x" },
		]);
	});

	test("every line break works, with chunks cut anywhere", () => {
		const lines = ["event: change", "data: a", "data: ü", "", ": alive", "", "data: b", "", ""];
		const expected = [
			{ event: "change", data: "a\nü" },
			{ event: "message", data: "b" },
		];
		fc.assert(
			fc.property(
				fc.constantFrom("\n", "\r\n", "\r"),
				fc.array(fc.nat(80), { maxLength: 6 }),
				(lineBreak, cuts) => {
					// A trailing CR could be half of a CRLF, so another character follows.
					const text = `${lines.join(lineBreak)}:`;
					const at = [...new Set([0, ...cuts, text.length])].sort((left, right) => left - right);
					const pieces = at.slice(1).map((end, index) => text.slice(at[index], end));
					expect(parse(...pieces)).toEqual(expected);
				},
			),
		);
	});
});
