import { describe, expect, test } from "vitest";
import { readPastedToken, splitFragment } from "../../../../src/tools/console/token.ts";

describe("the token in a link's fragment", () => {
	test.each([
		["#token=abc", "abc", ""],
		["#token=abc&conversation=%2B15551234567", "abc", "#conversation=%2B15551234567"],
		["#conversation=%2B15551234567", null, "#conversation=%2B15551234567"],
		["#token=abc&messages.sendText", "abc", "#messages.sendText"],
		["#messages.sendText", null, "#messages.sendText"],
		["#token=", null, ""],
		["", null, ""],
	])("%s", (fragment, token, rest) => {
		expect(splitFragment(fragment)).toEqual({ token, rest });
	});

	test.each([
		["abc", "abc"],
		["  abc\n", "abc"],
		["http://localhost:4010/#token=abc", "abc"],
		["http://localhost:4010/docs#token=a%2Fb", "a/b"],
		["", ""],
	])("pasted as %j", (pasted, token) => {
		expect(readPastedToken(pasted)).toBe(token);
	});
});
