import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { PageError } from "../../../../src/tools/console/control-client.ts";
import { followGateway } from "../../../../src/tools/console/live-stream.ts";
import { snapshotOf } from "../../../support/console-views.ts";

const SNAPSHOT = `event: snapshot\ndata: ${JSON.stringify(snapshotOf())}\n\n`;
const CHANGE = 'event: change\ndata: {"type":"faults","faults":["late"]}\n\n';

const deaf = { onRejected: () => {}, onSnapshot: () => {}, onChange: () => {} };

/** Each entry is one connection: its chunks, or the error that it fails with. */
async function follow(connections: readonly (readonly string[] | Error)[]) {
	const end = new AbortController();
	const log: string[] = [];
	const waits: number[] = [];
	let next = 0;
	await followGateway({
		signal: end.signal,
		client: {
			openStream: async () => {
				const connection = connections[next++];
				if (connection === undefined) end.abort();
				if (connection === undefined || connection instanceof Error) throw connection ?? new Error("over");
				return new Blob([...connection]).stream();
			},
		},
		listener: {
			onConnection: (connection) => log.push(connection),
			onRejected: (reason) => log.push(`rejected: ${reason}`),
			onSnapshot: ({ appId }) => log.push(`snapshot of ${appId}`),
			onChange: ({ type }) => log.push(`change of ${type}`),
		},
		sleep: async (ms) => {
			waits.push(ms);
		},
	});
	return { log, waits };
}

describe("following the gateway", () => {
	test("a snapshot makes it live, and changes follow", async () => {
		const { log } = await follow([[SNAPSHOT, CHANGE, "event: other\ndata: 1\n\n"]]);
		expect(log).toEqual(["connecting", "live", "snapshot of local-app", "change of faults", "reconnecting"]);
	});

	test("a broken connection is opened again, with a new snapshot", async () => {
		const { log, waits } = await follow([[SNAPSHOT], [SNAPSHOT]]);
		expect(log.filter((line) => line === "live")).toHaveLength(2);
		expect(waits).toEqual([500, 500]);
	});

	test("it waits longer each time, up to a limit", async () => {
		const { waits } = await follow(Array.from({ length: 7 }, () => new PageError("unreachable", "away")));
		expect(waits).toEqual([500, 1_000, 2_000, 4_000, 8_000, 8_000, 8_000]);
	});

	test.each(["unauthorized", "forbidden"] as const)("a token that is %s ends it", async (reason) => {
		const { log, waits } = await follow([new PageError(reason, "wrong token"), [SNAPSHOT]]);
		expect([log, waits]).toEqual([["connecting", "rejected: wrong token"], []]);
	});

	test("the signal ends it while it waits", async () => {
		const end = new AbortController();
		const ended = followGateway({
			signal: end.signal,
			client: { openStream: () => Promise.reject(new PageError("unreachable", "away")) },
			listener: { ...deaf, onConnection: () => end.abort() },
		});
		await expect(ended).resolves.toBeUndefined();
	});
});

describe("a silent stream", () => {
	beforeEach(() => void vi.useFakeTimers());
	afterEach(() => void vi.useRealTimers());

	test("is aborted after 45 s", async () => {
		const end = new AbortController();
		const log: string[] = [];
		const ended = followGateway({
			signal: end.signal,
			client: {
				openStream: (signal) =>
					new Promise((_, reject) => {
						signal.addEventListener("abort", () => reject(new PageError("unreachable", "aborted")));
					}),
			},
			listener: { ...deaf, onConnection: (connection) => log.push(connection) },
		});
		await vi.advanceTimersByTimeAsync(44_000);
		expect(log).toEqual(["connecting"]);
		await vi.advanceTimersByTimeAsync(1_500);
		expect(log).toEqual(["connecting", "reconnecting"]);
		end.abort();
		await vi.advanceTimersByTimeAsync(1_000);
		await ended;
	});
});
