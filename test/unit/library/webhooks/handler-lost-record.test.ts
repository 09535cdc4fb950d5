import { memoryStore, PermanentWebhookError } from "messaging-gateway/webhooks";
import { describe, expect, test, vi } from "vitest";
import { settle } from "../../../support/counting-clock.ts";
import { scriptStore } from "../../../support/scripted-store.ts";
import { createReceiver, showResponse } from "../../../support/webhook-receiver.ts";

/** A receiver whose store can lose all its records, as in a failover, while a handler runs. */
function createForgetfulReceiver(work: () => unknown = () => undefined) {
	const { clock } = createReceiver();
	let inner = memoryStore({ clock });
	const scripted = scriptStore({
		claim: (...given) => inner.claim(...given),
		extend: (...given) => inner.extend(...given),
		complete: (...given) => inner.complete(...given),
		release: (...given) => inner.release(...given),
		bind: (...given) => inner.bind(...given),
	});
	const loseRecords = () => {
		inner = memoryStore({ clock });
	};
	const handle = vi.fn(async () => {
		loseRecords();
		await clock.advance(1);
		return work();
	});
	const receiver = createReceiver({ store: scripted.store, clock, on: { inbound_message: handle } });
	return { ...receiver, ...scripted, clock, handle };
}

describe("a run that finished while the store lost its record", () => {
	test("is acknowledged and recorded again: a repeat does not run", async () => {
		const { send, handle, calls, reports } = createForgetfulReceiver();
		expect(showResponse(await send())).toBe("200");
		expect(calls).toEqual(["bind", "claim", "complete", "claim", "complete"]);
		expect(reports).toMatchObject([
			{ eventId: "evt_1", hint: expect.stringContaining("no longer knew of this run") },
		]);
		expect(reports[0]?.hint).not.toContain("another worker took");
		expect(showResponse(await send())).toBe("200");
		expect(handle).toHaveBeenCalledTimes(1);
	});

	test("so is one that gave the event up", async () => {
		const { send, handle } = createForgetfulReceiver(() => Promise.reject(new PermanentWebhookError("no")));
		expect([showResponse(await send()), showResponse(await send())]).toEqual(["200", "200"]);
		expect(handle).toHaveBeenCalledTimes(1);
	});

	test("a run that failed does not count as finished: the event comes again, as its first attempt", async () => {
		const { send, handle, store } = createForgetfulReceiver(() => Promise.reject(new Error("no")));
		expect(showResponse(await send())).toBe("503 lease_lost, again in 5 s");
		expect(handle).toHaveBeenCalledTimes(1);
		expect(await store.claim("default:evt_1", { leaseMs: 1, retentionMs: 1_000 })).toMatchObject({
			status: "acquired",
			attempt: 1,
		});
	});

	test("a store that then cannot record it: still 200, and both are reported", async () => {
		const { send, store, reports, clock } = createForgetfulReceiver();
		vi.spyOn(store, "complete").mockResolvedValueOnce(false).mockRejectedValue(new Error("away"));
		expect(showResponse(await settle(clock, send()))).toBe("200");
		expect(reports.map(({ hint }) => hint)).toEqual([
			expect.stringContaining("could not record it"),
			expect.stringContaining("no longer knew of this run"),
		]);
	});

	test.each<[title: string, claimAgain: () => Promise<never>]>([
		["fails", () => Promise.reject(new Error("away"))],
		["resolves to a value outside its contract", async () => null as never],
	])("a store that then %s is reported, and no other worker is blamed", async (_title, claimAgain) => {
		const { send, store, handle, reports, clock } = createForgetfulReceiver();
		const { claim } = store;
		vi.spyOn(store, "claim").mockImplementationOnce(claim).mockImplementationOnce(claimAgain);
		expect(showResponse(await settle(clock, send()))).toBe("503 lease_lost, again in 5 s");
		expect(handle).toHaveBeenCalledTimes(1);
		expect(reports).toMatchObject([
			{ error: { message: expect.stringMatching(/away|claim/) }, hint: expect.stringContaining("the store") },
		]);
		expect(reports[0]?.hint).toContain("whether the gateway delivers it again is not specified");
		expect(reports[0]?.hint).not.toContain("another worker");
	});
});
