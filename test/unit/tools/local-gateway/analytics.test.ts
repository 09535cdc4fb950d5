import { createAdjustableClock } from "messaging-gateway/testing";
import { expect, test } from "vitest";
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

const OTHER = "+15550000002";

async function createBusyGateway() {
	const local = createFrozenGateway({
		clock: createAdjustableClock({ frozen: true, startMs: 1_000_000 }),
		agents: [AGENT, OTHER],
		rules: "off",
	});
	await sendText(local, ALICE, "1", { from: AGENT });
	await local.clock.advance(1_000);
	await local.contact(ALICE).reply("2", { to: AGENT });
	await local.clock.advance(1_000);
	await sendText(local, ALICE, "3", { from: OTHER });
	await sendText(local, BOB, "4", { from: AGENT });
	await sendText(local, FAILING, "5", { from: AGENT });
	await local.settled();
	return local;
}

test("a conversation, the newest first, by agent and time, in pages", async () => {
	const local = await createBusyGateway();
	const list = async (query = "") => {
		const path = pathOf("/analytics/conversation", ALICE, `?${query}`);
		const { messages, nextCursor } = (await call(local, "GET", path)).body.data;
		return [messages.map(({ text }: { text: string }) => text).join(), nextCursor];
	};
	expect(await list()).toEqual(["3,2,1", null]);
	expect(await list(`agentNumber=${encodeURIComponent(AGENT)}`)).toEqual(["2,1", null]);
	expect(await list("after=1001000")).toEqual(["3,2", null]);
	expect(await list("before=1001000")).toEqual(["1", null]);
	const [page, cursor] = await list("limit=2");
	expect(page).toBe("3,2");
	expect(await list(`limit=2&cursor=${cursor}`)).toEqual(["1", null]);
});

test("contacts and their counts, the newest first", async () => {
	const local = await createBusyGateway();
	const { contacts } = (await call(local, "GET", "/analytics/contacts")).body.data;
	const numbers = contacts.map(({ userNumber }: { userNumber: string }) => userNumber);
	expect(numbers).toEqual([FAILING, BOB, ALICE]);
	expect(contacts[2]).toEqual({
		userNumber: ALICE,
		agentNumber: AGENT,
		outbound: 2,
		inbound: 1,
		lastMessageAt: 1_002_000,
	});
	const ofOther = await call(local, "GET", `/analytics/contacts?agentNumber=${encodeURIComponent(OTHER)}`);
	expect(ofOther.body.data).toEqual({ contacts: [], nextCursor: null });
});

test("what a number sent and received", async () => {
	const local = await createBusyGateway();
	const stats = async (number: string, query = "") =>
		(await call(local, "GET", pathOf("/analytics/number", number, `?${query}`))).body.data;
	expect(await stats(AGENT)).toEqual({
		number: AGENT,
		outbound: 3,
		inbound: 1,
		contacts: 3,
		byStatus: { read: 2, failed: 1 },
		responseRate: 1 / 3,
	});
	expect(await stats(AGENT, "before=1001000")).toMatchObject({ outbound: 1, inbound: 0, responseRate: 0 });
	expect(await stats(AGENT, "after=2000000")).toMatchObject({ outbound: 0, byStatus: {}, responseRate: 0 });
});

test("the queue: messages that wait for their agent, are being sent, or failed", async () => {
	const local = await createBusyGateway();
	local.agent(OTHER).goOffline();
	await sendText(local, BOB, "6", { from: OTHER });
	await local.clock.advance(500);
	await sendText(local, BOB, "7", { from: OTHER });
	await sendText(local, BOB, "8", { from: AGENT });
	const status = async (query = "") => (await call(local, "GET", `/queue/status?${query}`)).body.data;
	expect(await status()).toEqual({
		pending: 2,
		processing: 1,
		failed: 1,
		oldestPendingAgeMs: 500,
		agents: [
			{ agentNumber: AGENT, pending: 0, processing: 1, failed: 1 },
			{ agentNumber: OTHER, pending: 2, processing: 0, failed: 0 },
		],
	});
	expect(await status(`agentNumber=${encodeURIComponent(AGENT)}`)).toMatchObject({
		pending: 0,
		oldestPendingAgeMs: null,
		agents: [{ agentNumber: AGENT }],
	});
});
