import { expect, test } from "vitest";
import { calculateBytes, countRecords } from "../../../bench/stores/capacity.ts";

const pieces = { doneEvent: 200, boundDelivery: 100 };

test("a day of ten events a second is 864,000 events, and the deliveries of the last 601 seconds", () => {
	const load = { eventsPerSecond: 10, retentionHours: 24 };
	expect(countRecords(load)).toEqual({ events: 864_000, deliveries: 6_010 });
	expect(calculateBytes(load, pieces)).toBe(864_000 * 200 + 6_010 * 100);
});

test("a longer retention keeps more events, but no more deliveries", () => {
	expect(countRecords({ eventsPerSecond: 10, retentionHours: 168 })).toEqual({
		events: 7 * 864_000,
		deliveries: 6_010,
	});
});
