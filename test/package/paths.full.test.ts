import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";

/** What one warm run may enter of `src/library`: a change that needs more raises a number here, knowingly. */
const LIMITS = {
	sendText: { files: 24, functions: 150 },
	webhook: { files: 34, functions: 143 },
	send: { files: 37, functions: 220 },
};

test("a call, a delivery and a send enter as few files and functions as recorded", () => {
	const script = ["--conditions=@messaging-gateway/source", "scripts/count-path.ts"];
	expect(JSON.parse(execFileSync(process.execPath, script, { encoding: "utf8" }))).toEqual(LIMITS);
});
