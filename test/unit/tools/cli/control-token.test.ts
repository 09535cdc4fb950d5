import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import {
	CONTROL_TOKEN_VARIABLE,
	chooseControlToken,
} from "../../../../src/tools/cli/credentials/control-token.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";

let path: string;

beforeEach(() => {
	path = join(temporaryFolder(), "control-token.json");
	vi.stubEnv(CONTROL_TOKEN_VARIABLE, undefined);
});

afterEach(() => vi.unstubAllEnvs());

test.each([
	"",
	"fifteen-letters",
	"with a space in it",
	"k+2/w==k+2/w==k+2/w==",
	"a".repeat(257),
	"sixteen-letters\n",
])("%j is rejected, without showing it", (token) => {
	const message = "must be 16 to 256 letters, digits, or characters of - . _ ~";
	expect(() => chooseControlToken(token, path)).toThrow(`--control-token ${message}`);
	if (token === "") return;
	vi.stubEnv(CONTROL_TOKEN_VARIABLE, token);
	expect(() => chooseControlToken(undefined, path)).toThrow(`${CONTROL_TOKEN_VARIABLE} ${message}`);
});

test("a damaged file is not used, and not changed", () => {
	writeFileSync(path, '"short"');
	expect(() => chooseControlToken(undefined, path)).toThrow(`${path} contains no valid control token`);
	expect(readFileSync(path, "utf8")).toBe('"short"');
});
