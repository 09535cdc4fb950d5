import { createAdjustableClock, createLocalGateway, type LocalGateway } from "messaging-gateway/testing";
import { describe, expect, test } from "vitest";
import { AGENT, ALICE, BOB, call, getMapping, sendText } from "./signed-client.ts";

const OTHER = "+15550000002";
const NOBODY = "+15550000099";

const at = (path: string, number: string, rest = "") => `${path}/${encodeURIComponent(number)}${rest}`;

function createGateway(agents: string[] = [AGENT, OTHER]) {
	return createLocalGateway({ clock: createAdjustableClock({ frozen: true }), agents, rules: "off" });
}

/** The status and either the code or the data. */
async function outcome(response: ReturnType<typeof call>) {
	const { status, body } = await response;
	return [status, body.ok ? body.data : body.error.code];
}

async function getAgent(local: LocalGateway, number: string) {
	return (await call(local, "GET", at("/agent", number))).body.data.agent;
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
		expect(await outcome(call(local, "POST", "/agent", fields))).toEqual([201, { agent }]);
		expect(await outcome(call(local, "POST", "/agent", fields))).toEqual([409, "AGENT_EXISTS"]);
		expect(await outcome(call(local, "GET", at("/agent", AGENT)))).toEqual([200, { agent }]);
		expect((await call(local, "POST", "/agent", { agentNumber: OTHER })).body.data.agent.name).toBeNull();
	});

	test("are listed in the order of their registration, by status, in pages", async () => {
		const local = createGateway();
		await call(local, "POST", "/agent", { agentNumber: "+15550000003" });
		local.agent(OTHER).goOffline();
		await call(local, "POST", at("/agent", "+15550000003", "/block"), { reason: "Spam" });
		const list = async (query: string) => {
			const { agents, nextCursor } = (await call(local, "GET", `/agent?${query}`)).body.data;
			return [
				agents.map(({ agentNumber }: { agentNumber: string }) => agentNumber.at(-1)).join(),
				nextCursor,
			];
		};
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
			const { body } = await call(local, "POST", at("/agent", AGENT, "/block"), { reason: "Spam" });
			expect(body.data.agent).toMatchObject({ status: "blocked", blockedReason: "Spam" });
		}
		const { status, body } = await sendText(local, ALICE);
		expect([status, body.error.code]).toEqual([503, "NO_AGENT_AVAILABLE"]);
		expect(body.error.message).toContain("unblock one");
		expect(await outcome(sendText(local, ALICE, "Hi", { from: AGENT }))).toEqual([403, "AGENT_BLOCKED"]);
		for (let times = 0; times < 2; times++) {
			const { body } = await call(local, "POST", at("/agent", AGENT, "/unblock"));
			expect(body.data.agent).toMatchObject({ status: "online", blockedReason: null });
		}
		expect((await sendText(local, ALICE)).status).toBe(202);
		await call(local, "POST", at("/agent", AGENT, "/block"));
		expect(await outcome(sendText(local, ALICE, "Hi"))).toEqual([403, "AGENT_BLOCKED"]);
	});

	test("that are unknown are 404", async () => {
		const local = createGateway();
		await call(local, "POST", "/mapping", { userNumber: ALICE });
		for (const response of [
			call(local, "GET", at("/agent", NOBODY)),
			call(local, "POST", at("/agent", NOBODY, "/block")),
			call(local, "POST", at("/agent", NOBODY, "/unblock")),
			call(local, "POST", "/agent/assign", { agentNumber: NOBODY, userNumber: ALICE }),
			call(local, "POST", "/agent/reassign", { toAgentNumber: NOBODY, userNumber: ALICE }),
			call(local, "POST", "/mapping", { userNumber: BOB, agentNumber: NOBODY }),
			call(local, "GET", at("/analytics/number", NOBODY)),
			sendText(local, ALICE, "Hi", { from: NOBODY }),
		]) {
			expect(await outcome(response)).toEqual([404, "AGENT_NOT_FOUND"]);
		}
	});
});

describe("assign and reassign", () => {
	test("the same assignment has the same result; another one is a conflict", async () => {
		const local = createGateway();
		const assign = (agentNumber: string) =>
			outcome(call(local, "POST", "/agent/assign", { agentNumber, userNumber: ALICE }));
		const first = await assign(AGENT);
		expect(first).toMatchObject([200, { mapping: { agentNumber: AGENT, userNumber: ALICE } }]);
		expect(await assign(AGENT)).toEqual(first);
		expect(await assign(OTHER)).toEqual([409, "MAPPING_EXISTS"]);
		await call(local, "POST", at("/agent", AGENT, "/block"));
		expect(await assign(AGENT)).toEqual(first);
		const other = { agentNumber: AGENT, userNumber: BOB };
		expect(await outcome(call(local, "POST", "/agent/assign", other))).toEqual([403, "AGENT_BLOCKED"]);
	});

	test("the same reassignment has the same result, and counts move once", async () => {
		const local = createGateway();
		await call(local, "POST", "/agent/assign", { agentNumber: AGENT, userNumber: ALICE });
		const reassign = (fields: object) =>
			outcome(call(local, "POST", "/agent/reassign", { userNumber: ALICE, ...fields }));
		const first = await reassign({ toAgentNumber: OTHER });
		expect(first).toMatchObject([200, { mapping: { agentNumber: OTHER }, previousAgentNumber: AGENT }]);
		expect(await reassign({ toAgentNumber: OTHER })).toEqual(first);
		expect(await getAgent(local, AGENT)).toMatchObject({ mappingCount: 0 });
		expect(await getAgent(local, OTHER)).toMatchObject({ mappingCount: 1 });
		expect(await reassign({ toAgentNumber: AGENT, fromAgentNumber: AGENT })).toEqual([
			409,
			"ASSIGNMENT_CONFLICT",
		]);
		expect(await reassign({ toAgentNumber: AGENT, fromAgentNumber: OTHER })).toMatchObject([200, {}]);
		await call(local, "POST", at("/agent", OTHER, "/block"));
		expect(await reassign({ toAgentNumber: OTHER })).toEqual([403, "AGENT_BLOCKED"]);
	});

	test("to the same agent, previousAgentNumber is that agent", async () => {
		const local = createGateway([AGENT]);
		await call(local, "POST", "/mapping", { userNumber: ALICE });
		const { body } = await call(local, "POST", "/agent/reassign", {
			userNumber: ALICE,
			toAgentNumber: AGENT,
		});
		expect(body.data.previousAgentNumber).toBe(AGENT);
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
		await call(local, "POST", "/agent/assign", { agentNumber: OTHER, userNumber: ALICE });
		expect((await sendText(local, ALICE)).body.data.message.from).toBe(OTHER);
		expect((await sendText(local, ALICE, "Hi", { from: AGENT })).body.data.message.from).toBe(AGENT);
		expect(await getMapping(local, ALICE)).toMatchObject({ agentNumber: OTHER, outbound: 2 });
	});

	test("are created once", async () => {
		const local = createGateway([]);
		expect(await outcome(call(local, "POST", "/mapping", { userNumber: ALICE }))).toEqual([
			503,
			"NO_AGENT_AVAILABLE",
		]);
		await call(local, "POST", "/agent", { agentNumber: AGENT });
		expect((await call(local, "POST", "/mapping", { userNumber: ALICE })).body.data.mapping).toEqual({
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
		});
		expect(await outcome(call(local, "POST", "/mapping", { userNumber: ALICE }))).toEqual([
			409,
			"MAPPING_EXISTS",
		]);
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
		const list = async (query: string) => {
			const { mappings, nextCursor } = (await call(local, "GET", `/mapping?${query}`)).body.data;
			return [mappings.map(({ userNumber }: { userNumber: string }) => userNumber.at(-1)).join(), nextCursor];
		};
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
		expect(await outcome(call(local, "DELETE", at("/mapping", ALICE)))).toEqual([200, { deleted: true }]);
		expect(await getAgent(local, AGENT)).toMatchObject({ mappingCount: 0 });
		await sendText(local, ALICE, "Again");
		expect(await getMapping(local, ALICE)).toMatchObject({ outbound: 1 });
	});

	test.each<[string, string, object?]>([
		["GET", at("/mapping", ALICE)],
		["PATCH", at("/mapping", ALICE), { maxConsecutiveMessages: 2 }],
		["POST", at("/mapping", ALICE, "/reset")],
		["DELETE", at("/mapping", ALICE)],
		["POST", "/agent/reassign", { userNumber: ALICE, toAgentNumber: AGENT }],
		["POST", "/message/typing", { to: ALICE, state: "start" }],
		["POST", "/message/read", { to: ALICE }],
		["GET", at("/analytics/conversation", ALICE)],
	])("%s %s is 404 without one", async (method, path, body) => {
		expect(await outcome(call(createGateway(), method, path, body))).toEqual([404, "MAPPING_NOT_FOUND"]);
	});
});
