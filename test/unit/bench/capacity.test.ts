import { expect, test } from "vitest";
import { calculateCapacity } from "../../../bench/stores/capacity.ts";

const pieces = { doneEvent: 200, boundDelivery: 100 };
const limits = { bytes: 1e9, deliveriesPerSecond: 50 };

test("a day of ten events a second is 864,000 events, and the signatures of the last 601 seconds", () => {
	expect(calculateCapacity({ eventsPerSecond: 10, retentionDays: 1 }, pieces, limits)).toEqual({
		records: 864_000 + 6_010,
		bytes: 864_000 * 200 + 6_010 * 100,
		serversForBytes: 1,
		serversForDeliveries: 1,
	});
});

test("a longer retention keeps more events, but no more signatures", () => {
	const { records } = calculateCapacity({ eventsPerSecond: 10, retentionDays: 7 }, pieces, limits);
	expect(records).toBe(7 * 864_000 + 6_010);
});

test("a server that is exactly full is enough, and one byte or delivery more takes another", () => {
	const load = { eventsPerSecond: 100, retentionDays: 1 };
	const { bytes } = calculateCapacity(load, pieces, limits);
	const full = calculateCapacity(load, pieces, { bytes, deliveriesPerSecond: 100 });
	expect([full.serversForBytes, full.serversForDeliveries]).toEqual([1, 1]);
	const over = calculateCapacity(load, pieces, { bytes: bytes - 1, deliveriesPerSecond: 99 });
	expect([over.serversForBytes, over.serversForDeliveries]).toEqual([2, 2]);
});
