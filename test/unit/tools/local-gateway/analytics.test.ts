import { createAdjustableClock, type LocalGateway } from "messaging-gateway/testing";
import { describe, expect, test } from "vitest";
import { testOutcomes } from "../../../support/outcomes.ts";
import {
	AGENT,
	ALICE,
	BOB,
	call,
	createFrozenGateway,
	FAILING,
	pathOf,
	sendText,
} from "../../../support/signed-client.ts";
import { OTHER_AGENT } from "./steps.ts";

const of = (agent: string) => `agentNumber=${encodeURIComponent(agent)}`;

/** Three texts with a contact from second 1,000 on, then one to another, and one that fails. */
async function createBusyGateway(): Promise<LocalGateway> {
	const local = createFrozenGateway({
		clock: createAdjustableClock({ frozen: true, startMs: 1_000_000 }),
		agents: [AGENT, OTHER_AGENT],
		rules: "off",
	});
	await sendText(local, ALICE, "1", { from: AGENT });
	await local.clock.advance(1_000);
	await local.contact(ALICE).reply("2", { to: AGENT });
	await local.clock.advance(1_000);
	await sendText(local, ALICE, "3", { from: OTHER_AGENT });
	await sendText(local, BOB, "4", { from: AGENT });
	await sendText(local, FAILING, "5", { from: AGENT });
	await local.settled();
	return local;
}

async function read(path: string) {
	return (await call(await createBusyGateway(), "GET", path)).body.data;
}

describe("a conversation is", () =>
	testOutcomes<string>(
		{
			"3,2,1": { "all of it, the newest first": "" },
			"2,1": { "that with one agent": of(AGENT) },
			"3,2": { "that from a time on": "after=1001000" },
			1: { "that before a time": "before=1001000" },
			2: { "that between two times": "after=1000001&before=1002000" },
			"3,2 / 1": { "two at a time": "limit=2" },
		},
		async (query) => {
			const local = await createBusyGateway();
			const pages: string[] = [];
			let cursor: string | null = "";
			while (cursor !== null) {
				const path: string = `?${query}${cursor === "" ? "" : `&cursor=${cursor}`}`;
				const { data } = (await call(local, "GET", pathOf("/analytics/conversation", ALICE, path))).body;
				pages.push(data.messages.map(({ text }: { text: string }) => text).join());
				cursor = data.nextCursor;
			}
			return pages.join(" / ");
		},
	));

test("contacts and their counts, the newest first", async () => {
	const { contacts } = await read("/analytics/contacts");
	expect(contacts.map(({ userNumber }: { userNumber: string }) => userNumber)).toEqual([FAILING, BOB, ALICE]);
	expect(contacts[2]).toEqual({
		userNumber: ALICE,
		agentNumber: AGENT,
		outbound: 2,
		inbound: 1,
		lastMessageAt: 1_002_000,
	});
	const page = { contacts: { length: 2 }, nextCursor: expect.any(String) };
	expect(await read("/analytics/contacts?limit=2")).toMatchObject(page);
	expect(await read(`/analytics/contacts?${of(OTHER_AGENT)}`)).toEqual({ contacts: [], nextCursor: null });
});

test.each<[when: string, number: string, query: string, stats: object]>([
	[
		"in all",
		AGENT,
		"",
		{ outbound: 3, inbound: 1, contacts: 3, byStatus: { read: 2, failed: 1 }, responseRate: 1 / 3 },
	],
	[
		"before a time",
		AGENT,
		"before=1001000",
		{ outbound: 1, inbound: 0, contacts: 3, byStatus: { read: 1 }, responseRate: 0 },
	],
	[
		"from the reply on, which is none to what came after it",
		AGENT,
		"after=1001000",
		{ outbound: 2, inbound: 1, contacts: 3, byStatus: { read: 1, failed: 1 }, responseRate: 0 },
	],
	[
		"when there was nothing",
		AGENT,
		"after=2000000",
		{ outbound: 0, inbound: 0, contacts: 3, byStatus: {}, responseRate: 0 },
	],
	[
		"of another agent",
		OTHER_AGENT,
		"",
		{ outbound: 1, inbound: 0, contacts: 0, byStatus: { read: 1 }, responseRate: 0 },
	],
])("what a number sent and received %s", async (_when, number, query, stats) => {
	expect(await read(pathOf("/analytics/number", number, `?${query}`))).toEqual({ number, ...stats });
});

test("the queue: messages that wait for their agent, are being sent, or failed", async () => {
	const local = await createBusyGateway();
	const status = async (query = "") => (await call(local, "GET", `/queue/status?${query}`)).body.data;
	expect(await status()).toMatchObject({ pending: 0, processing: 0, failed: 1, oldestPendingAgeMs: null });
	local.agent(OTHER_AGENT).goOffline();
	await sendText(local, BOB, "6", { from: OTHER_AGENT });
	await local.clock.advance(500);
	await sendText(local, BOB, "7", { from: OTHER_AGENT });
	await sendText(local, BOB, "8", { from: AGENT });
	const ofAgent = { agentNumber: AGENT, pending: 0, processing: 1, failed: 1 };
	const ofOther = { agentNumber: OTHER_AGENT, pending: 2, processing: 0, failed: 0 };
	expect(await status()).toEqual({
		pending: 2,
		processing: 1,
		failed: 1,
		oldestPendingAgeMs: 500,
		agents: [ofAgent, ofOther],
	});
	const { agentNumber: _, ...counts } = ofAgent;
	expect(await status(of(AGENT))).toEqual({ ...counts, oldestPendingAgeMs: null, agents: [ofAgent] });
});
