import { postgresStore } from "messaging-gateway/stores/postgres";
import { expect, test, vi } from "vitest";
import { createReceiver } from "../../../support/webhook-receiver.ts";

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

test("a client that renames columns loses no event: 503, and the report names the column", async () => {
	const renamed = { eventId: "evt_1", token: "1", attempt: 1, state: "done" };
	const handle = vi.fn();
	const { respond, reported } = createReceiver({
		store: postgresStore(clientOf(renamed)),
		on: { inbound_message: handle },
	});
	for (const eventId of ["evt_1", "evt_2"])
		expect(await respond({ eventId })).toBe("503 store_unavailable, again in 5 s");
	expect(reported()).toEqual([expect.stringContaining("event_id"), expect.stringContaining("event_id")]);
	expect(handle).not.toHaveBeenCalled();
});
