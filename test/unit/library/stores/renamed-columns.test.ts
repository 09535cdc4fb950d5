import { postgresStore } from "messaging-gateway/stores/postgres";
import { expect, test } from "vitest";

/** A client that returns the same row for every query. */
function clientOf(row: Record<string, unknown> | undefined) {
	return { query: async () => ({ rows: row === undefined ? [] : [row] }) };
}

const ROWS = [
	undefined,
	{},
	{ eventId: "evt_1" },
	{ EVENT_ID: "evt_1" },
	{ event_id: null },
	{ event_id: 5 },
];

test.each(ROWS)("a binding that gets the row %j rejects", async (row) => {
	const store = postgresStore(clientOf(row));
	await expect(store.bind("a", "evt_1", 1_000)).rejects.toThrow("event_id");
});
