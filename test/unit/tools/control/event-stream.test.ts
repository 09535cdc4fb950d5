import { createAdjustableClock } from "messaging-gateway/testing";
import { expect, test } from "vitest";
import type { Change, Snapshot } from "../../../../src/tools/control/contract.ts";
import { MAX_BEHIND_BYTES, openEventStream } from "../../../../src/tools/control/http/event-stream.ts";
import { nextTask } from "../../../../src/tools/local-gateway/next-task.ts";
import { createWatchedGateway } from "../../../support/controlled-gateway.ts";
import { createCountingClock } from "../../../support/counting-clock.ts";
import { ALICE } from "../../../support/signed-client.ts";

/** Reads pieces of a stream as strings. */
function readerOf(stream: ReadableStream<Uint8Array>) {
	const reader = stream.getReader();
	return {
		next: async (): Promise<string> => new TextDecoder().decode((await reader.read()).value),
		cancel: () => reader.cancel(),
		read: () => reader.read(),
	};
}

/** A control that exposes its listeners, and reports what the test wants. */
function createSource(text = "") {
	const listeners = new Set<(change: Change) => void>();
	const { control } = createWatchedGateway();
	const snapshot: Snapshot = { ...control.snapshot(), baseUrl: `http://a.example/${text}` };
	return {
		listeners,
		snapshot: () => snapshot,
		subscribe: (listener: (change: Change) => void) => {
			listeners.add(listener);
			return () => listeners.delete(listener);
		},
		report: (fault: string) => {
			for (const listener of listeners) listener({ type: "faults", faults: [fault] });
		},
	};
}

test("a snapshot first, then every change, each on its own line", async () => {
	const { control, local } = createWatchedGateway();
	const reader = readerOf(openEventStream(control, createAdjustableClock({ frozen: true })));
	const first = await reader.next();
	expect(first).toMatch(/^event: snapshot\ndata: \{.*\}\n\n$/);
	const { offsetMs: _, ...snapshot } = control.snapshot();
	expect(JSON.parse(first.slice(first.indexOf("{")))).toMatchObject(snapshot);
	await local.contact(ALICE).reply("Line one\nline two\r\ndata: three");
	const change = await reader.next();
	expect(change).toMatch(/^event: change\ndata: \{.*\}\n\n$/);
	await reader.cancel();
});

test("nothing is lost between the snapshot and the first reading", async () => {
	const { control, local } = createWatchedGateway();
	const reader = readerOf(openEventStream(control, createAdjustableClock({ frozen: true })));
	local.faults.skewClock(5);
	await nextTask();
	await reader.next();
	expect(await reader.next()).toContain("5 ms ahead");
});

test("a comment every 15 seconds", async () => {
	const clock = createAdjustableClock({ frozen: true });
	const reader = readerOf(openEventStream(createSource(), clock));
	await reader.next();
	let beats = 0;
	void (async () => {
		for (;;) if ((await reader.next()) === ":\n\n") beats += 1;
	})();
	await clock.advance(14_999);
	expect(beats).toBe(0);
	await clock.advance(1);
	expect(beats).toBe(1);
	await clock.advance(30_000);
	expect(beats).toBe(3);
});

test("when the reader disconnects, no listener and no timer is left", async () => {
	const source = createSource();
	const clock = createCountingClock();
	const reader = readerOf(openEventStream(source, clock));
	await reader.next();
	expect([source.listeners.size, clock.openTimers]).toEqual([1, 1]);
	await reader.cancel();
	expect([source.listeners.size, clock.openTimers]).toEqual([0, 0]);
});

test("a reader that is too slow is dropped, and no more than a megabyte is buffered for it", async () => {
	const source = createSource();
	const clock = createCountingClock();
	const reader = readerOf(openEventStream(source, clock));
	const piece = "x".repeat(64 * 1024);
	let reported = 0;
	while (source.listeners.size > 0 && reported < 1_000) {
		source.report(piece);
		reported += 1;
	}
	expect(reported).toBeGreaterThan(MAX_BEHIND_BYTES / piece.length - 2);
	expect(reported).toBeLessThan(MAX_BEHIND_BYTES / piece.length + 2);
	expect(clock.openTimers).toBe(0);
	await expect(reader.read()).rejects.toThrow("too slow");
	source.report("nobody hears this");
});

test("a reader that keeps up is not dropped, whatever the amount", async () => {
	const source = createSource();
	const reader = readerOf(openEventStream(source, createAdjustableClock({ frozen: true })));
	await reader.next();
	for (let times = 0; times < 100; times++) {
		source.report("x".repeat(64 * 1024));
		await reader.next();
	}
	expect(source.listeners.size).toBe(1);
});

test("a snapshot larger than the buffer does not drop its reader", async () => {
	const source = createSource("x".repeat(2 * MAX_BEHIND_BYTES));
	const reader = readerOf(openEventStream(source, createAdjustableClock({ frozen: true })));
	source.report("news");
	expect((await reader.next()).length).toBeGreaterThan(2 * MAX_BEHIND_BYTES);
	expect(await reader.next()).toContain("news");
});
