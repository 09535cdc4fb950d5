import { MessagingGateway } from "messaging-gateway";
import type * as Testing from "messaging-gateway/testing";
import { createLocalGateway } from "messaging-gateway/testing";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type * as NextTask from "../../../../src/tools/local-gateway/next-task.ts";

const { setImmediate, setTimeout: setTimer, process, MessageChannel } = globalThis;

/** What started tasks, in order. */
let started: string[] = [];

const counted = <Start extends (task: () => void) => unknown>(name: string, start: Start) =>
	((task: () => void) => {
		started.push(name);
		return start(task);
	}) as unknown as Start;

class CountedChannel extends MessageChannel {
	constructor() {
		super();
		started.push("MessageChannel");
	}
}

const nodeTimers = {
	setImmediate: counted("setImmediate of node:timers", setImmediate),
	setTimeout: counted("setTimeout of node:timers", setTimer),
};

/** A runtime with all of them. */
const NODE = {
	setImmediate: counted("setImmediate", setImmediate),
	setTimeout: counted("setTimeout", setTimer),
	MessageChannel: CountedChannel,
	process: { ...process, getBuiltinModule: () => nodeTimers },
};

const throwing = () => {
	throw new Error("A Node.js API is used");
};
const fake = <Start extends object>(start: Start) => Object.assign(() => undefined, start, { clock: {} });
const FAKE = { setImmediate: fake(setImmediate), setTimeout: fake(setTimer) };
const ALL_FAKE = { ...FAKE, process: { ...process, getBuiltinModule: () => FAKE } };

async function load(host: object): Promise<typeof NextTask> {
	for (const [name, value] of Object.entries({ ...NODE, ...host })) vi.stubGlobal(name, value);
	vi.resetModules();
	return import("../../../../src/tools/local-gateway/next-task.ts");
}

beforeEach(() => {
	started = [];
});
afterEach(() => vi.unstubAllGlobals());

describe("a task, and the timers that are due, in", () => {
	test.each<[host: string, lacks: object, task: string | undefined, timers: string | undefined]>([
		["Node", {}, "setImmediate", "setTimeout"],
		["jsdom of Jest", { setImmediate: undefined }, "setImmediate of node:timers", "setTimeout"],
		["a page", { setImmediate: undefined, process: undefined }, "setTimeout", "setTimeout"],
		["Workers", { WebSocketPair: class {} }, "setTimeout", "setTimeout"],
		[
			"the edge runtime of Next.js, where what is Node's throws",
			{ setImmediate: throwing, process: { ...process, getBuiltinModule: throwing } },
			"setTimeout",
			"setTimeout",
		],
		[
			"React Native",
			{ setImmediate: undefined, process: undefined, MessageChannel: undefined },
			"setTimeout",
			"setTimeout",
		],
		[
			"a test whose timers were fake before",
			FAKE,
			"setImmediate of node:timers",
			"setTimeout of node:timers",
		],
		["a test that fakes those of node:timers, too", ALL_FAKE, "MessageChannel", "MessageChannel"],
		["one without a channel", { ...ALL_FAKE, MessageChannel: undefined }, undefined, undefined],
	])("%s", async (_host, lacks, task, timers) => {
		const { nextTask, dueTimers } = await load(lacks);
		await nextTask();
		await dueTimers();
		expect(started).toEqual([task, timers].filter(Boolean));
	});
});

test("of many sends none waits for a timer", async () => {
	vi.stubGlobal("setTimeout", counted("setTimeout", setTimer));
	vi.resetModules();
	const testing: typeof Testing = await import("messaging-gateway/testing");
	await using local = testing.createLocalGateway({ clock: testing.createAdjustableClock({ frozen: true }) });
	const gateway = new MessagingGateway(local.clientOptions);
	for (const to of ["+15550000001", "+15550000002", "+15550000003"])
		await gateway.messages.sendText({ to, text: `Hello ${to}` });
	started = [];
	await local.settled();
	expect(local.sent.map(({ status }) => status)).toEqual(["read", "read", "read"]);
	expect(started).toEqual(["setTimeout"]);
});

test("what a receiver sends from a timer after its response is settled, too", async () => {
	const answers: Promise<unknown>[] = [];
	await using local = createLocalGateway({
		deliverTo: () => {
			if (answers.length === 0) setTimer(() => answers.push(answer()), 0);
			return new Response();
		},
	});
	const gateway = new MessagingGateway(local.clientOptions);
	const answer = () => gateway.messages.sendText({ to: "+15550000001", text: "You're welcome" });
	await local.contact("+15550000001").reply("Thanks");
	await local.settled();
	expect(answers).toHaveLength(1);
	expect(local.sent.map(({ status }) => status)).toEqual(["read"]);
});
