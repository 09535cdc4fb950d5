import type { LocalGateway } from "messaging-gateway/testing";
import { describe, expect, test } from "vitest";
import {
	AGENT,
	ALICE,
	BOB,
	call,
	createFrozenGateway,
	getMapping,
	outcomeOf,
	pathOf,
	sendText,
} from "../../../support/signed-client.ts";

const OTHER = "+15550000002";

function createGateway(agents: string[] = [AGENT, OTHER]) {
	return createFrozenGateway({ agents, rules: "off" });
}

/** The outcome of a POST. */
const post = (local: LocalGateway, path: string, body?: object) => outcomeOf(call(local, "POST", path, body));
const block = (local: LocalGateway, agent: string) =>
	post(local, pathOf("/agent", agent, "/block"), { reason: "Spam" });

async function getAgent(local: LocalGateway, number: string) {
	return (await call(local, "GET", pathOf("/agent", number))).body.data.agent;
}

/** A page of a list, as the last digits of its numbers, and the cursor of the next one. */
async function listNumbers(local: LocalGateway, path: string) {
	const { nextCursor, agents, mappings } = (await call(local, "GET", path)).body.data;
	const numbers = agents?.map(({ agentNumber }: { agentNumber: string }) => agentNumber);
	const users = mappings?.map(({ userNumber }: { userNumber: string }) => userNumber);
	return [(numbers ?? users).map((number: string) => number.at(-1)).join(), nextCursor];
}

describe("agents", () => {
	test("are registered once, and online", async () => {
		const local = createGateway([]);
		const fields = { agentNumber: AGENT, name: "Front desk" };
		const agent = {
			...fields,
			status: "online",
			blockedReason: null,
			mappingCount: 0,
			lastSeenAt: local.clock.now(),
			createdAt: local.clock.now(),
		};
		expect(await post(local, "/agent", fields)).toEqual([201, { agent }]);
		expect(await post(local, "/agent", fields)).toEqual([409, "AGENT_EXISTS"]);
		expect(await getAgent(local, AGENT)).toEqual(agent);
		expect(await post(local, "/agent", { agentNumber: OTHER })).toMatchObject([
			201,
			{ agent: { name: null } },
		]);
	});

	test("are listed in the order of their registration, by status, in pages", async () => {
		const local = createGateway();
		await post(local, "/agent", { agentNumber: "+15550000003" });
		local.agent(OTHER).goOffline();
		await block(local, "+15550000003");
		const list = (query: string) => listNumbers(local, `/agent?${query}`);
		expect(await list("")).toEqual(["1,2,3", null]);
		expect(await list("limit=3")).toEqual(["1,2,3", null]);
		expect(await list("status=offline")).toEqual(["2", null]);
		expect(await list("status=blocked")).toEqual(["3", null]);
		const [page, cursor] = await list("limit=2");
		expect(page).toBe("1,2");
		expect(await list(`limit=2&cursor=${cursor}`)).toEqual(["3", null]);
	});

	test("are blocked and unblocked, again and again", async () => {
		const local = createGateway([AGENT]);
		for (let times = 0; times < 2; times++) {
			const agent = { status: "blocked", blockedReason: "Spam" };
			expect(await block(local, AGENT)).toMatchObject([200, { agent }]);
		}
		const { status, body } = await sendText(local, ALICE);
		expect([status, body.error.code]).toEqual([503, "NO_AGENT_AVAILABLE"]);
		expect(body.error.message).toContain("unblock one");
		expect(await outcomeOf(sendText(local, ALICE, "Hi", { from: AGENT }))).toEqual([403, "AGENT_BLOCKED"]);
		for (let times = 0; times < 2; times++) {
			const agent = { status: "online", blockedReason: null };
			expect(await post(local, pathOf("/agent", AGENT, "/unblock"))).toMatchObject([200, { agent }]);
		}
		expect((await sendText(local, ALICE)).status).toBe(202);
		await block(local, AGENT);
		expect(await outcomeOf(sendText(local, ALICE, "Hi"))).toEqual([403, "AGENT_BLOCKED"]);
	});
});

describe("assign and reassign", () => {
	test("the same assignment has the same result; another one is a conflict", async () => {
		const local = createGateway();
		const assign = (agentNumber: string, userNumber = ALICE) =>
			post(local, "/agent/assign", { agentNumber, userNumber });
		const first = await assign(AGENT);
		expect(first).toMatchObject([200, { mapping: { agentNumber: AGENT, userNumber: ALICE } }]);
		expect(await assign(AGENT)).toEqual(first);
		expect(await assign(OTHER)).toEqual([409, "MAPPING_EXISTS"]);
		await block(local, AGENT);
		expect(await assign(AGENT)).toEqual(first);
		expect(await assign(AGENT, BOB)).toEqual([403, "AGENT_BLOCKED"]);
	});

	test("the same reassignment has the same result, and counts move once", async () => {
		const local = createGateway();
		await post(local, "/agent/assign", { agentNumber: AGENT, userNumber: ALICE });
		const reassign = (toAgentNumber: string, fields = {}) =>
			post(local, "/agent/reassign", { userNumber: ALICE, toAgentNumber, ...fields });
		const first = await reassign(OTHER);
		expect(first).toMatchObject([200, { mapping: { agentNumber: OTHER }, previousAgentNumber: AGENT }]);
		expect(await reassign(OTHER)).toEqual(first);
		expect(await getAgent(local, AGENT)).toMatchObject({ mappingCount: 0 });
		expect(await getAgent(local, OTHER)).toMatchObject({ mappingCount: 1 });
		expect(await reassign(AGENT, { fromAgentNumber: AGENT })).toEqual([409, "ASSIGNMENT_CONFLICT"]);
		expect(await reassign(AGENT, { fromAgentNumber: OTHER })).toMatchObject([200, {}]);
		await block(local, OTHER);
		expect(await reassign(OTHER)).toEqual([403, "AGENT_BLOCKED"]);
	});

	test("to the same agent, previousAgentNumber is that agent", async () => {
		const local = createGateway([AGENT]);
		await post(local, "/mapping", { userNumber: ALICE });
		const again = await post(local, "/agent/reassign", { userNumber: ALICE, toAgentNumber: AGENT });
		expect(again).toMatchObject([200, { previousAgentNumber: AGENT }]);
	});
});

describe("mappings", () => {
	test("a new contact goes to the online agent with the fewest", async () => {
		const local = createGateway();
		for (const [contact, agent] of [
			["+15551110001", AGENT],
			["+15551110002", OTHER],
			["+15551110003", AGENT],
		] as const) {
			expect((await sendText(local, contact)).body.data.message.from).toBe(agent);
		}
		expect(await getAgent(local, AGENT)).toMatchObject({ mappingCount: 2 });
	});

	test("the mapping determines the sender, unless from does", async () => {
		const local = createGateway();
		await post(local, "/agent/assign", { agentNumber: OTHER, userNumber: ALICE });
		expect((await sendText(local, ALICE)).body.data.message.from).toBe(OTHER);
		expect((await sendText(local, ALICE, "Hi", { from: AGENT })).body.data.message.from).toBe(AGENT);
		expect(await getMapping(local, ALICE)).toMatchObject({ agentNumber: OTHER, outbound: 2 });
	});

	test("are created once", async () => {
		const local = createGateway([]);
		const create = () => post(local, "/mapping", { userNumber: ALICE });
		expect(await create()).toEqual([503, "NO_AGENT_AVAILABLE"]);
		await post(local, "/agent", { agentNumber: AGENT });
		const mapping = {
			agentNumber: AGENT,
			userNumber: ALICE,
			createdAt: local.clock.now(),
			respondedAt: null,
			lastRespondedAt: null,
			receivedAt: null,
			lastReceivedAt: null,
			outbound: 0,
			inbound: 0,
			consecutiveCount: 0,
			lastWarningSentAt: null,
			maxConsecutiveMessages: 5,
		};
		expect(await create()).toEqual([201, { mapping }]);
		expect(await create()).toEqual([409, "MAPPING_EXISTS"]);
	});

	test("count what is sent and received, and when", async () => {
		const local = createGateway();
		const startMs = local.clock.now();
		await local.contact(ALICE).reply("First");
		await local.clock.advance(1_000);
		await sendText(local, ALICE);
		for (const text of ["Second", "Third"]) {
			await local.clock.advance(1_000);
			await local.contact(ALICE).reply(text);
		}
		expect(await getMapping(local, ALICE)).toMatchObject({
			outbound: 1,
			inbound: 3,
			receivedAt: startMs,
			lastReceivedAt: startMs + 3_000,
			respondedAt: startMs + 2_000,
			lastRespondedAt: startMs + 3_000,
		});
	});

	test("are listed, the newest first, of one agent or of all", async () => {
		const local = createGateway();
		for (const last of [1, 2, 3]) await sendText(local, `+1555111000${last}`);
		const list = (query: string) => listNumbers(local, `/mapping?${query}`);
		expect(await list("")).toEqual(["3,2,1", null]);
		expect(await list(`agentNumber=${encodeURIComponent(OTHER)}`)).toEqual(["2", null]);
		const [page, cursor] = await list("limit=2");
		expect(page).toBe("3,2");
		await sendText(local, "+15551110004");
		expect(await list(`cursor=${cursor}`)).toEqual(["1", null]);
	});

	test("are deleted, and start again", async () => {
		const local = createGateway([AGENT]);
		await sendText(local, ALICE);
		const deleted = await outcomeOf(call(local, "DELETE", pathOf("/mapping", ALICE)));
		expect(deleted).toEqual([200, { deleted: true }]);
		expect(await getAgent(local, AGENT)).toMatchObject({ mappingCount: 0 });
		await sendText(local, ALICE, "Again");
		expect(await getMapping(local, ALICE)).toMatchObject({ outbound: 1 });
	});
});
