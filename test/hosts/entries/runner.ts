/** A test of a user's, in Vitest or Jest: prints the cells, and what fake timers do. */
import { MessagingGateway } from "messaging-gateway";
import { createLocalGateway, type LocalGateway } from "messaging-gateway/testing";
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

const USER = "+15551234567";

/** The statuses of what an application has sent once everything has settled; or an error. */
async function statusesOf(run: () => Promise<LocalGateway>): Promise<readonly string[] | string> {
	try {
		const local = await run();
		await local.settled();
		return local.sent.map(({ status }) => status);
	} catch (error) {
		return String(error);
	}
}

async function sendWithFakeTimers(): Promise<LocalGateway> {
	fakeTimers();
	const local = createLocalGateway();
	await new MessagingGateway(local.clientOptions).messages.sendText({ to: USER, text: "Hello" });
	return local;
}

async function sendFromTimer(): Promise<LocalGateway> {
	restoreTimers();
	let isAnswered = false;
	const local = createLocalGateway({
		deliverTo() {
			if (!isAnswered) setTimeout(() => void gateway.messages.sendText({ to: USER, text: "Welcome" }), 0);
			isAnswered = true;
			return new Response();
		},
	});
	const gateway = new MessagingGateway(local.clientOptions);
	await local.contact(USER).reply("Thanks");
	return local;
}

test("actions", async () => {
	const report: RunnerReport = {
		cells: await runActions(GATEWAY),
		withFakeTimers: await statusesOf(sendWithFakeTimers),
		fromTimer: await statusesOf(sendFromTimer),
		hasImmediate: typeof setImmediate === "function",
	};
	console.log(`REPORT${JSON.stringify(report)}REPORT`);
});
