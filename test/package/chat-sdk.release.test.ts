import { execFile } from "node:child_process";
import { globSync } from "node:fs";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { PROCESS_LIFE_MS } from "../support/patience.ts";
import { requireVersion } from "../support/versions.ts";

const run = promisify(execFile);
const FOLDER = "test/unit/library/chat";

test("the tests of the adapter pass with the oldest Chat SDK that it accepts", async () => {
	// The first tier has the project's own, and a nightly job the newest.
	const vitest = ["node_modules/vitest/vitest.mjs", "run", FOLDER];
	const { stdout } = await run(process.execPath, vitest, {
		env: { ...process.env, NO_COLOR: "1", TEST_CHAT_SDK: requireVersion("chat-4.41.0") },
		timeout: PROCESS_LIFE_MS,
	});
	const files = globSync(`${FOLDER}/*.test.ts`);
	expect(stdout).toMatch(new RegExp(`Test Files +${files.length} passed`));
});
