import { readFileSync } from "node:fs";
import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { saveStatus } from "../../examples/modules/latest-status.ts";
import { readSnippets } from "../support/read-snippets.ts";
import { share } from "../support/shared/shared.ts";

let pool: pg.Pool;

beforeAll(async () => {
	pool = new pg.Pool({ connectionString: (await share("postgres")).url });
	await pool.query("CREATE TABLE message_status (id text PRIMARY KEY, status text NOT NULL)");
});

afterAll(() => pool.end());

test.each([
	[["sent", "read", "delivered"], "read"],
	[["queued", "sent", "delivered"], "delivered"],
	[["read", "failed"], "failed"],
	[["failed", "read"], "read"],
	[["read", "a status of tomorrow"], "a status of tomorrow"],
])("of %j it keeps %j", async (arriving, kept) => {
	const id = crypto.randomUUID();
	for (const status of arriving) await saveStatus(pool, id, status);
	const { rows } = await pool.query("SELECT status FROM message_status WHERE id = $1", [id]);
	expect(rows).toEqual([{ status: kept }]);
});

test("the guide shows the function that is tested here", () => {
	const module = readFileSync("examples/modules/latest-status.ts", "utf8");
	const shown = readSnippets().filter(({ document }) => document === "docs/webhooks.md");
	const code = module.slice(module.indexOf("import")).replaceAll("\t", "  ");
	expect(shown.map((snippet) => snippet.code)).toContain(code);
});
