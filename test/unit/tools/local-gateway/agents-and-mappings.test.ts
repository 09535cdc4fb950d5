import type { LocalGateway } from "messaging-gateway/testing";
import { describe, expect, test } from "vitest";
import { type Outcomes, testOutcomes } from "../../../support/outcomes.ts";
import {
	AGENT,
	ALICE,
	BOB,
	type CallResult,
	call,
	createFrozenGateway,
	getMapping,
	outcomeOf,
	pathOf,
	START_MS,
	sendText,
} from "../../../support/signed-client.ts";
import {
	blocks,
	calls,
	goesOffline,
	goesOnline,
	maps,
	OTHER_AGENT,
	play,
	resets,
	responseTo,
	type Step,
	type Story,
	sends,
	sentenceOf,
	waits,
	writes,
} from "./steps.ts";

const THIRD = "+15550000003";
const CONTACTS = ["+15551110001", "+15551110002", "+15551110003", "+15551110004"] as const;

const NOBODY = { agents: [], rules: "off" } as const;
const ONE = { agents: [AGENT], rules: "off" } as const;
const TWO = { agents: [AGENT, OTHER_AGENT], rules: "off" } as const;

const registers = (agentNumber: string, fields = {}) => calls("POST", "/agent", { agentNumber, ...fields });
const unblocks = (agent: string) => calls("POST", pathOf("/agent", agent, "/unblock"));
const assigns = (agentNumber: string, userNumber = ALICE) =>
	calls("POST", "/agent/assign", { agentNumber, userNumber });
const reassigns = (toAgentNumber: string, fromAgentNumber?: string) =>
	calls("POST", "/agent/reassign", {
		userNumber: ALICE,
		toAgentNumber,
		...(fromAgentNumber && { fromAgentNumber }),
	});
const from = (agent: string, to = ALICE) => sends(to, "Hello", { from: agent });

/** What a response says of an agent, a mapping or a message: its agent, and what is special. */
async function summaryOf(story: Story): Promise<string> {
	const result = await responseTo(story);
	if (result.body.ok !== true) return sentenceOf(result);
	const { agent, mapping, message, previousAgentNumber, deleted } = result.body.data;
	const parts = [
		result.status,
		deleted && "deleted",
		agent && `${agent.agentNumber} ${agent.status} ${agent.blockedReason ?? ""}`,
		mapping && `${mapping.userNumber} to ${mapping.agentNumber}`,
		previousAgentNumber && `from ${previousAgentNumber}`,
		message && `by ${message.from}`,
	];
	return parts.filter(Boolean).join(" ").trim();
}

const SUMMARIES: Outcomes<Story> = {
	[`201 ${AGENT} online`]: { "an agent is registered": [NOBODY, registers(AGENT)] },
	"409 AGENT_EXISTS: An agent with this number is registered already.": {
		"the same agent once more": [NOBODY, registers(AGENT), registers(AGENT)],
		"an agent of the options": [ONE, registers(AGENT)],
	},
	[`200 ${AGENT} blocked Spam`]: {
		"an agent is blocked": [ONE, blocks(AGENT)],
		"an agent is blocked again": [ONE, blocks(AGENT), blocks(AGENT)],
		"a blocked agent goes online": [ONE, blocks(AGENT), goesOnline, calls("GET", pathOf("/agent", AGENT))],
	},
	[`200 ${AGENT} online`]: {
		"an agent is unblocked": [ONE, blocks(AGENT), unblocks(AGENT)],
		"an agent that was not blocked is unblocked": [ONE, unblocks(AGENT)],
	},
	[`200 ${AGENT} offline`]: {
		"an agent that went offline": [ONE, goesOffline, calls("GET", pathOf("/agent", AGENT))],
	},
	"403 AGENT_BLOCKED: The agent is blocked: unblock it, or choose another one.": {
		"a message from a blocked agent": [ONE, blocks(AGENT), from(AGENT)],
		"a message to a contact of a blocked agent": [ONE, sends(), blocks(AGENT), sends()],
		"a new assignment to a blocked agent": [TWO, blocks(AGENT), assigns(AGENT)],
		"an assignment of another agent's contact to a blocked one": [
			TWO,
			assigns(OTHER_AGENT),
			blocks(AGENT),
			assigns(AGENT),
		],
		"a reassignment to a blocked agent": [TWO, assigns(AGENT), blocks(OTHER_AGENT), reassigns(OTHER_AGENT)],
		"a reassignment to the same agent, which is blocked": [
			TWO,
			assigns(AGENT),
			blocks(AGENT),
			reassigns(AGENT),
		],
		"a mapping to a blocked agent": [
			TWO,
			blocks(OTHER_AGENT),
			calls("POST", "/mapping", { userNumber: ALICE, agentNumber: OTHER_AGENT }),
		],
	},
	"503 NO_AGENT_AVAILABLE: No unblocked agent is online: bring one online, unblock one, or register one.": {
		"a message to a new contact, with the only agent blocked": [ONE, blocks(AGENT), sends()],
		"a message to a new contact, with the only agent offline": [ONE, goesOffline, sends()],
		"a mapping without an agent": [NOBODY, maps()],
	},
	"409 MAPPING_EXISTS: Another agent handles this number: reassign it.": {
		"an assignment to another agent": [TWO, assigns(AGENT), assigns(OTHER_AGENT)],
	},
	"409 MAPPING_EXISTS: The number is mapped already: update or reassign it.": {
		"a second mapping": [ONE, maps(), maps()],
		"a mapping of a contact that was written to": [ONE, sends(), maps()],
	},
	"409 ASSIGNMENT_CONFLICT: fromAgentNumber isn't the agent of this number.": {
		"a reassignment from another agent": [TWO, assigns(OTHER_AGENT), reassigns(AGENT, AGENT)],
	},
	[`200 ${ALICE} to ${AGENT}`]: {
		"an assignment": [TWO, assigns(AGENT)],
		"an update of a mapping": [
			TWO,
			assigns(AGENT),
			calls("PATCH", pathOf("/mapping", ALICE), { maxConsecutiveMessages: 2 }),
		],
		"a reset of a mapping": [TWO, assigns(AGENT), resets],
		"the same assignment once more": [TWO, assigns(AGENT), assigns(AGENT)],
		"the same assignment to an agent that is blocked meanwhile": [
			TWO,
			assigns(AGENT),
			blocks(AGENT),
			assigns(AGENT),
		],
	},
	[`200 ${ALICE} to ${OTHER_AGENT} from ${AGENT}`]: {
		"a reassignment": [TWO, assigns(AGENT), reassigns(OTHER_AGENT)],
		"the same reassignment once more": [TWO, assigns(AGENT), reassigns(OTHER_AGENT), reassigns(OTHER_AGENT)],
		"a reassignment from its agent": [TWO, assigns(AGENT), reassigns(OTHER_AGENT, AGENT)],
	},
	[`200 ${ALICE} to ${AGENT} from ${AGENT}`]: {
		"a reassignment to the same agent": [ONE, maps(), reassigns(AGENT)],
	},
	[`201 ${ALICE} to ${AGENT}`]: {
		"a mapping to the online agent with the fewest": [TWO, maps(BOB), assigns(OTHER_AGENT, THIRD), maps()],
	},
	[`201 ${ALICE} to ${OTHER_AGENT}`]: {
		"a mapping while the first agent has one": [TWO, maps(BOB), maps()],
		"a mapping while the first agent is offline": [TWO, goesOffline, maps()],
		"a mapping while the first agent is blocked": [TWO, blocks(AGENT), maps()],
	},
	[`202 by ${AGENT}`]: {
		"a message to a new contact": [TWO, sends()],
		"a message to a third contact": [TWO, sends(CONTACTS[0]), sends(CONTACTS[1]), sends()],
		"a message from an agent that is not the contact's": [TWO, assigns(OTHER_AGENT), from(AGENT)],
		"a message to an agent that was unblocked": [ONE, blocks(AGENT), unblocks(AGENT), sends()],
		"a message to the contact whose mapping was deleted": [
			ONE,
			sends(),
			calls("DELETE", pathOf("/mapping", ALICE)),
			sends(),
		],
	},
	[`202 by ${OTHER_AGENT}`]: {
		"a message to a second contact": [TWO, sends(CONTACTS[0]), sends()],
		"a message to the contact of the second agent": [TWO, assigns(OTHER_AGENT), sends()],
		"a message to it, after one from another agent": [
			TWO,
			assigns(OTHER_AGENT),
			from(AGENT),
			sends(ALICE, "Another"),
		],
		"a message after the contact's reassignment": [TWO, assigns(AGENT), reassigns(OTHER_AGENT), sends()],
	},
	"200 deleted": { "a mapping is deleted": [ONE, sends(), calls("DELETE", pathOf("/mapping", ALICE))] },
};

describe("the last call of", () => testOutcomes(SUMMARIES, summaryOf));

test("an agent has all its fields, and null for a name that it lacks", async () => {
	const local = createFrozenGateway(NOBODY);
	const agent = {
		agentNumber: AGENT,
		name: "Front desk",
		status: "online",
		blockedReason: null,
		mappingCount: 0,
		lastSeenAt: START_MS,
		createdAt: START_MS,
	};
	expect(await outcomeOf(registers(AGENT, { name: "Front desk" })(local))).toEqual([201, { agent }]);
	expect(await outcomeOf(calls("GET", pathOf("/agent", AGENT))(local))).toEqual([200, { agent }]);
	expect(await outcomeOf(registers(OTHER_AGENT)(local))).toMatchObject([201, { agent: { name: null } }]);
	expect(await outcomeOf(calls("POST", pathOf("/agent", OTHER_AGENT, "/block"))(local))).toMatchObject([
		200,
		{ agent: { status: "blocked", blockedReason: null } },
	]);
});

test("an agent was last seen when it went offline, and when it came back", async () => {
	const { local, last } = await play([ONE, waits(1), goesOffline, calls("GET", pathOf("/agent", AGENT))]);
	expect((last as CallResult).body.data.agent).toMatchObject({
		createdAt: START_MS,
		lastSeenAt: START_MS + 1_000,
	});
	await local.clock.advance(1_000);
	local.agent(AGENT).goOnline();
	expect((await call(local, "GET", pathOf("/agent", AGENT))).body.data.agent.lastSeenAt).toBe(
		START_MS + 2_000,
	);
});

/** How many mappings the two agents have. */
const COUNTS: Outcomes<readonly Step[]> = {
	"0, 0": {
		"before any": [],
		"after its deletion": [sends(), calls("DELETE", pathOf("/mapping", ALICE))],
	},
	"1, 0": {
		"after a mapping": [maps()],
		"after an assignment, twice": [assigns(AGENT), assigns(AGENT)],
		"after a message from another agent": [assigns(AGENT), from(OTHER_AGENT)],
		"after a reassignment to the same agent": [assigns(AGENT), reassigns(AGENT)],
	},
	"0, 1": {
		"after a reassignment": [assigns(AGENT), reassigns(OTHER_AGENT)],
		"after the same reassignment twice": [assigns(AGENT), reassigns(OTHER_AGENT), reassigns(OTHER_AGENT)],
	},
	"2, 1": { "after three contacts": CONTACTS.slice(0, 3).map((contact) => sends(contact)) },
};

describe("the agents have so many mappings:", () =>
	testOutcomes(COUNTS, async (steps) => {
		const { local } = await play([TWO, ...steps]);
		const counts = [AGENT, OTHER_AGENT].map(
			async (agent) => (await call(local, "GET", pathOf("/agent", agent))).body.data.agent.mappingCount,
		);
		return (await Promise.all(counts)).join(", ");
	}));

describe("a list in pages:", () => {
	/** The last digits of a list's numbers, a page after a slash. */
	async function pagesOf(local: LocalGateway, path: string): Promise<string> {
		const { nextCursor, agents, mappings } = (await call(local, "GET", path)).body.data;
		const numbers: string[] =
			agents?.map(({ agentNumber }: { agentNumber: string }) => agentNumber) ??
			mappings.map(({ userNumber }: { userNumber: string }) => userNumber);
		const page = numbers.map((number) => number.at(-1)).join();
		if (nextCursor === null) return page;
		const next = `${path.replace(/&?cursor=[^&]*/, "")}&cursor=${encodeURIComponent(nextCursor)}`;
		return `${page} / ${await pagesOf(local, next)}`;
	}

	const AGENTS: Story = [
		TWO,
		registers(THIRD),
		(local) => local.agent(OTHER_AGENT).goOffline(),
		blocks(THIRD),
	];
	const MAPPINGS: Story = [TWO, ...CONTACTS.slice(0, 3).map((contact) => sends(contact))];

	testOutcomes<readonly [Story, path: string]>(
		{
			"1,2,3": {
				"all agents, in the order of their registration": [AGENTS, "/agent?"],
				"as many agents as there are": [AGENTS, "/agent?limit=3"],
			},
			"1,2 / 3": { "agents, two at a time": [AGENTS, "/agent?limit=2"] },
			1: { "agents online": [AGENTS, "/agent?status=online"] },
			2: {
				"agents offline": [AGENTS, "/agent?status=offline"],
				"mappings of one agent": [MAPPINGS, `/mapping?agentNumber=${encodeURIComponent(OTHER_AGENT)}`],
			},
			3: { "blocked agents": [AGENTS, "/agent?status=blocked"] },
			"3,2,1": { "all mappings, the newest first": [MAPPINGS, "/mapping?"] },
			"3,2 / 1": { "mappings, two at a time": [MAPPINGS, "/mapping?limit=2"] },
			"3 / 1": {
				"mappings of one agent, one at a time": [
					MAPPINGS,
					`/mapping?limit=1&agentNumber=${encodeURIComponent(AGENT)}`,
				],
			},
		},
		async ([story, path]) => pagesOf((await play(story)).local, path),
	);

	test("50 on a page by default", async () => {
		const agents = Array.from({ length: 51 }, (_, at) => `+1555000${1_000 + at}`);
		const { data } = (await call(createFrozenGateway({ agents }), "GET", "/agent")).body;
		expect(data).toMatchObject({ agents: { length: 50 }, nextCursor: expect.any(String) });
	});

	test("a mapping that is new between two pages is on neither", async () => {
		const { local } = await play(MAPPINGS);
		const { nextCursor } = (await call(local, "GET", "/mapping?limit=2")).body.data;
		await sendText(local, CONTACTS[3]);
		expect(await pagesOf(local, `/mapping?cursor=${nextCursor}`)).toBe("1");
	});
});

test("a new mapping has all its fields", async () => {
	const mapping = {
		agentNumber: AGENT,
		userNumber: ALICE,
		createdAt: START_MS,
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
	expect(await outcomeOf(maps()(createFrozenGateway(ONE)))).toEqual([201, { mapping }]);
});

test("a mapping counts what is sent and received, and when; deleted, it starts again", async () => {
	const { local } = await play([ONE, writes(), waits(1), sends(), waits(1), writes(), waits(1), writes()]);
	expect(await getMapping(local, ALICE)).toMatchObject({
		outbound: 1,
		inbound: 3,
		receivedAt: START_MS,
		lastReceivedAt: START_MS + 3_000,
		respondedAt: START_MS + 2_000,
		lastRespondedAt: START_MS + 3_000,
	});
	await call(local, "DELETE", pathOf("/mapping", ALICE));
	await sendText(local, ALICE, "Again");
	expect(await getMapping(local, ALICE)).toMatchObject({ outbound: 1, inbound: 0, receivedAt: null });
});

test("a reading has a mapping's times in seconds, and nothing else of it changes", async () => {
	const steps = [writes(), sends(), waits(1), writes()];
	const mappingWith = async (...readings: "mapping timestamps are in seconds"[]) =>
		getMapping((await play([{ ...ONE, readings }, ...steps])).local, ALICE);
	const inMs: Record<string, unknown> = await mappingWith();
	const inSeconds = Object.entries(inMs).map(([name, value]) => [
		name,
		name.endsWith("At") && value !== null ? Number(value) / 1_000 : value,
	]);
	expect(await mappingWith("mapping timestamps are in seconds")).toEqual(Object.fromEntries(inSeconds));
	expect(inMs).toMatchObject({ receivedAt: START_MS, lastWarningSentAt: null });
});
