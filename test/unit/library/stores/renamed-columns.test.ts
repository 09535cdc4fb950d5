import { postgresStore } from "messaging-gateway/stores/postgres";
import { expect, test } from "vitest";

/** A client that returns the same row for every query. */
function clientOf(row: Record<string, unknown> | undefined) {
	return { query: async () => ({ rows: row === undefined ? [] : [row] }) };
}

const TIMES = { leaseMs: 1_000, retentionMs: 1_000 };

const ROWS = [
	undefined,
	{},
	{ boundKey: "event:evt_1" },
	{ BOUND_KEY: "event:evt_1" },
	{ bound_key: null },
	{ bound_key: 5 },
];

test.each(ROWS)("a claim with a delivery that gets the row %j rejects", async (row) => {
	const claiming = postgresStore(clientOf(row)).claim("evt_1", TIMES, { digest: "a", ttlMs: 1_000 });
	await expect(claiming).rejects.toThrow(
		"your client renames columns, for example to camelCase, so its rows can't be read. Turn that off for this client, or pass another",
	);
});
