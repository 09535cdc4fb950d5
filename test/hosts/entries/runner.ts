/** A test of a user's, in Vitest or Jest: prints the cells, and what fake timers do. */
import { MessagingGateway } from "messaging-gateway";
import { createLocalGateway } from "messaging-gateway/testing";
import { type Gateway, runActions } from "../actions.ts";
import type { RunnerReport } from "../runner-report.ts";

/** Written into the code when it is bundled. */
declare const GATEWAY: Gateway;

/** What both runners offer. */
type Timers = Readonly<Record<"useFakeTimers" | "useRealTimers", () => unknown>>;

/** `vi` or `jest`. */
declare const RUNNER: Timers;

declare function test(name: string, run: () => Promise<void>): void;

const { useFakeTimers: fakeTimers, useRealTimers: restoreTimers } = RUNNER;

async function sendWithFakeTimers(): Promise<RunnerReport["withFakeTimers"]> {
	fakeTimers();
	try {
		const local = createLocalGateway();
		await new MessagingGateway(local.clientOptions).messages.sendText({ to: "+15551234567", text: "Hello" });
		await local.settled();
		return local.sent.map(({ status }) => status);
	} catch (error) {
		return String(error);
	} finally {
		restoreTimers();
	}
}

test("actions", async () => {
	const report: RunnerReport = {
		cells: await runActions(GATEWAY),
		withFakeTimers: await sendWithFakeTimers(),
	};
	console.log(`REPORT${JSON.stringify(report)}REPORT`);
});
