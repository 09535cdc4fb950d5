import { describe, expect, test, vi } from "vitest";
import { settle } from "../../support/counting-clock.ts";
import { createReceiver, type Receiver } from "../../support/webhook-receiver.ts";

/** Sends again what was signed before, under another event id. */
async function replay({ handler, clock }: Receiver, signed: ReturnType<Receiver["sign"]>, eventId: string) {
	const headers = { ...signed.headers, "x-svc-event-id": eventId };
	const { status, body } = await settle(clock, handler.handle({ ...signed, headers }));
	return `${status} ${body}`.trim();
}

describe("the same signed delivery under another event id", () => {
	test("is 409 event_id_reused, and nothing runs", async () => {
		const handle = vi.fn();
		const receiver = createReceiver({ on: { inbound_message: handle } });
		const signed = receiver.sign();
		expect(await replay(receiver, signed, "evt_1")).toBe("200");
		receiver.calls.length = 0;
		expect(await replay(receiver, signed, "evt_2")).toBe("409 event_id_reused");
		expect(receiver.calls).toEqual(["bind"]);
		expect(handle).toHaveBeenCalledTimes(1);
		expect(receiver.reports).toMatchObject([{ eventId: "evt_2", error: { code: "event_id_reused" } }]);
		expect(await replay(receiver, signed, "evt_1")).toBe("200");
	});

	test("is refused also while the first is still running, and after the first failed", async () => {
		const handle = vi.fn().mockRejectedValueOnce(new Error("no"));
		const receiver = createReceiver({ on: { inbound_message: handle } });
		const signed = receiver.sign();
		expect(await replay(receiver, signed, "evt_1")).toBe("500 handler_failed");
		expect(await replay(receiver, signed, "evt_2")).toBe("409 event_id_reused");
		expect(await replay(receiver, signed, "evt_1")).toBe("200");
	});

	test("is refused in any spelling of the signature, and among others", async () => {
		const receiver = createReceiver();
		const signed = receiver.sign();
		await replay(receiver, signed, "evt_1");
		const signature = signed.headers["x-svc-signature"] ?? "";
		for (const other of [signature.toUpperCase().replace("V1", "v1"), `v1=${"0".repeat(64)}, ${signature}`]) {
			const headers = { ...signed.headers, "x-svc-signature": other };
			expect(await replay(receiver, { ...signed, headers }, "evt_2")).toBe("409 event_id_reused");
		}
	});

	test.each([0, 1, 300])(
		"is refused for as long as its timestamp is accepted, with a tolerance of %i s",
		async (toleranceSeconds) => {
			const receiver = createReceiver({ toleranceSeconds });
			const early = createReceiver();
			await early.clock.advance(toleranceSeconds * 1000);
			const signed = early.sign();
			expect(await replay(receiver, signed, "evt_1")).toBe("200");
			await receiver.clock.advance(2 * toleranceSeconds * 1000 + 999);
			expect(await replay(receiver, signed, "evt_2")).toBe("409 event_id_reused");
			await receiver.clock.advance(1);
			expect(await replay(receiver, signed, "evt_2")).toBe("401 timestamp_out_of_tolerance");
		},
	);

	test("is taken for another event where bindSignature is off, or the store cannot bind", async () => {
		const { bind: _bind, ...store } = createReceiver().store;
		for (const options of [{ bindSignature: false }, { store }]) {
			const receiver = createReceiver(options);
			const signed = receiver.sign();
			expect(await replay(receiver, signed, "evt_1")).toBe("200");
			expect(await replay(receiver, signed, "evt_2")).toBe("200");
			expect(receiver.calls).not.toContain("bind");
		}
	});

	test("is another receiver's business: each consumer binds for itself", async () => {
		const first = createReceiver({ consumer: "a" });
		const second = createReceiver({ consumer: "b", store: first.store });
		const signed = first.sign();
		expect(await replay(first, signed, "evt_1")).toBe("200");
		expect(await replay(second, signed, "evt_2")).toBe("200");
	});
});

test("an event that is signed anew for each delivery is the same event", async () => {
	const handle = vi.fn();
	const { answer, clock } = createReceiver({ on: { inbound_message: handle } });
	expect(await answer()).toBe("200");
	await clock.advance(3_000);
	expect(await answer()).toBe("200");
	expect(handle).toHaveBeenCalledTimes(1);
});

test("the store is given ids and digests, and nothing of the payload, the signature or the secret", async () => {
	const { store, sign } = createReceiver();
	const seen: unknown[] = [];
	const watched = Object.fromEntries(
		Object.entries(store).map(([name, method]) => [
			name,
			(...given: unknown[]) => {
				seen.push(...given);
				return (method as (...given: unknown[]) => unknown)(...given);
			},
		]),
	);
	await createReceiver({ store: watched as unknown as typeof store }).answer();
	const shown = JSON.stringify(seen);
	expect(shown).toMatch(/^\["default:[0-9a-f]{64}","evt_1",601000,"default:evt_1",/);
	const { headers } = sign();
	expect(shown).not.toContain(headers["x-svc-signature"]?.slice(3));
	expect(shown).not.toContain("Hello");
	expect(shown).not.toContain("whsec");
});
