import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import {
	CONTROL_TOKEN_VARIABLE,
	chooseControlToken,
} from "../../../../src/tools/cli/credentials/control-token.ts";

let folder: string;
let path: string;

beforeEach(() => {
	folder = mkdtempSync(join(tmpdir(), "messaging-gateway-token-"));
	path = join(folder, "control-token.json");
	vi.stubEnv(CONTROL_TOKEN_VARIABLE, undefined);
});

afterEach(() => {
	vi.unstubAllEnvs();
	rmSync(folder, { recursive: true });
});

test("the token of the machine is random, readable by its owner only, and stays", () => {
	const token = chooseControlToken(undefined, path);
	expect(token).toMatch(/^[0-9a-f]{32}$/);
	expect(statSync(path).mode & 0o777).toBe(0o600);
	expect(chooseControlToken(undefined, path)).toBe(token);
	expect(chooseControlToken(undefined, join(folder, "other.json"))).not.toBe(token);
});

test("the argument comes before the variable, and the variable before the machine's token", () => {
	vi.stubEnv(CONTROL_TOKEN_VARIABLE, "of-the-environment");
	expect(chooseControlToken("of-the-command-line", path)).toBe("of-the-command-line");
	expect(chooseControlToken(undefined, path)).toBe("of-the-environment");
});

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
