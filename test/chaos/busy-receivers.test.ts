import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { BusyReceivers } from "./busy-receivers.ts";
import { Random } from "./random.ts";

beforeEach(() => {
	vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
});

afterEach(() => {
	vi.useRealTimers();
});

/** @param sender - how many events there are. */
function createBusyReceivers(
	over = new AbortController(),
	sender = { deliveries: { length: 0 } },
): BusyReceivers {
	return new BusyReceivers({
		receivers: { running: [] },
		journal: { count: async () => 0 },
		random: new Random(1),
		sender,
		over: over.signal,
	});
}

test("each wait requests more events than there are", async () => {
	const over = new AbortController();
	const busy = createBusyReceivers(over);
	const search = busy.find("worker = $1");
	expect(busy).toMatchObject({ eventsWanted: 0, awaited: ["a run with worker = $1"] });
	vi.advanceTimersByTime(200);
	expect(busy.eventsWanted).toBe(16);
	vi.advanceTimersByTime(200);
	expect(busy.eventsWanted).toBe(16);
	over.abort();
	await expect(search).rejects.toThrow("aborted");
	expect(busy.awaited).toEqual([]);
});

test("a wait in vain ends after the events that it requested, and names what it awaited", async () => {
	const deliveries = { length: 0 };
	const busy = createBusyReceivers(new AbortController(), { deliveries });
	const search = busy.find("worker = $1");
	search.catch(() => undefined);
	// However slowly they come.
	vi.advanceTimersByTime(600_000);
	expect(busy).toMatchObject({ eventsWanted: 16, awaited: ["a run with worker = $1"] });
	while (deliveries.length < 1_600) {
		deliveries.length++;
		vi.advanceTimersByTime(200);
	}
	await expect(search).rejects.toThrow("there was not a run with worker = $1");
});
