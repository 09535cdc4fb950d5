import { describe, expect, test } from "vitest";
import { readHints } from "../../../../src/tools/adopt/plan/read-hints.ts";
import { type Adoption, adoptGateway } from "../../../../src/tools/cli/adopt/adopt-gateway.ts";
import { AGENT_NUMBER, type ForeignShapes } from "../../../support/foreign-account.ts";
import {
	FOREIGN_APP,
	FOREIGN_SECRET,
	type ForeignGatewayOptions,
	startForeignGateway,
} from "../../../support/foreign-gateway.ts";

const TO = "+15551239876";

interface Answers {
	/** What the user says to the list of sends; `undefined` without `--to`. */
	readonly consent?: boolean;
	readonly settings?: readonly string[];
}

async function adopt(options: ForeignGatewayOptions, { consent, settings = [] }: Answers = {}) {
	await using gateway = await startForeignGateway({ mapping: "present", ...options });
	const access = {
		baseUrl: gateway.baseUrl,
		appId: FOREIGN_APP,
		appSecret: FOREIGN_SECRET,
		profile: undefined,
	};
	const adoption = await adoptGateway(access, {
		hints: readHints(settings, undefined, (problem) => new RangeError(problem)),
		eventHints: { kinds: {}, maps: undefined },
		saved: [],
		openapi: undefined,
		probeBody: false,
		probeNumber: undefined,
		to: consent === undefined ? undefined : TO,
		confirm: async () => consent === true,
		onStep: () => {},
	});
	return { adoption, sent: gateway.sent(), seen: gateway.seen };
}

/** What is said of an operation: how certain it is, and why. */
function lineOf({ operations }: Adoption, id: string): string {
	const found = operations.find((operation) => operation.id === id);
	if (found === undefined) throw new RangeError(`${id} isn't in the plan`);
	const { certainty, proof, questions, notes } = found;
	return [certainty, proof, questions[0]?.message, ...notes].filter((part) => part !== undefined).join("; ");
}

describe("what a read proves", () => {
	const one = "likely; seen, one page: its paging isn't proven";
	test.each<[outcome: string, ForeignShapes]>([
		[one, {}],
		[one, { agents: "items" }],
		[one, { agents: "items", times: "seconds" }],
		[one, { agents: "nested", times: "iso" }],
		["open; assumed: no document says so; not seen: its list is empty", { agents: "empty" }],
		["open; 200 without the envelope of section 2.1: a custom fetch must convert it", { envelope: "bare" }],
	])("agents.list is %s for %j", async (outcome, shapes) => {
		const { adoption, sent, seen } = await adopt({ shapes });
		expect(lineOf(adoption, "agents.list")).toBe(outcome);
		expect([sent, new Set(seen.map(({ method }) => method))]).toEqual([0, new Set(["GET"])]);
	});

	test("what the gateway lacks is open, with its response", async () => {
		const { adoption } = await adopt({ shapes: {} });
		expect(lineOf(adoption, "queue.getStatus")).toBe("open; GET /queue/status gets 404 NO_ROUTE");
		expect(lineOf(adoption, "mappings.get")).toBe("certain; seen");
	});

	test("a flag names another path, whose response is read as it comes", async () => {
		const settings = ['agents.list="GET /agent"'.replaceAll('"', "")];
		const { adoption } = await adopt({ shapes: { agents: "items" } }, { settings });
		expect(lineOf(adoption, "agents.list")).toBe("likely; seen, one page: its paging isn't proven");
	});
});

describe("what a send proves, once the user agrees", () => {
	const seen = "certain; accepted, and messages.get shows the same";
	test.each<[outcome: string, ForeignShapes]>([
		[seen, {}],
		[seen, { names: "snake" }],
		[seen, { names: "short", nesting: "deep" }],
		[seen, { nesting: "flat", times: "iso" }],
		[seen, { times: "seconds" }],
		[seen, { ids: "number" }],
		[seen, { accepted: 200 }],
		[seen, { textField: "body" }],
		["open; POST /message/text gets 404 NO_ROUTE", { path: "/v2/texts" }],
		["open; POST /message/text gets 400: zzz required", { textField: "zzz" }],
		["open; 202 without the envelope of section 2.1: a custom fetch must convert it", { envelope: "bare" }],
		[
			"likely; accepted, but messages.get shows another text or number",
			{ changeMessage: (message) => ({ ...message, to: "+15550001111" }) },
		],
		[
			"certain; accepted, and messages.get shows the same",
			{ changeMessage: ({ participants: _, ...message }) => message },
		],
	])("messages.sendText is %s for %j", async (outcome, shapes) => {
		const { adoption, sent } = await adopt({ shapes }, { consent: true });
		expect(lineOf(adoption, "messages.sendText")).toBe(outcome);
		expect(sent).toBe(outcome.startsWith("open; POST") ? 0 : 1);
	});

	test("a renamed field leaves the others in their places", async () => {
		const { adoption } = await adopt({ shapes: { textField: "body" } }, { consent: true });
		expect(adoption.profile["operations"]).toMatchObject({
			"messages.sendText": {
				map: {
					request: { to: "to", body: "text", groupId: "groupId", effect: "effect", from: "from" },
				},
			},
		});
	});

	test.each<[NonNullable<ForeignShapes["actions"]>, profile: object]>([
		["ours", {}],
		["empty_200", { emptyResponses: true }],
		["empty_204", { emptyResponses: true }],
	])("with actions that respond as %s", async (actions, profile) => {
		const { adoption } = await adopt({ shapes: { actions } }, { consent: true });
		const lines = ["typing", "markRead", "tapback"].map((name) => lineOf(adoption, `messages.${name}`));
		expect(lines).toEqual([
			"likely; start accepted, stop accepted",
			"likely; accepted",
			"likely; add accepted, remove accepted",
		]);
		expect(adoption.profile).toMatchObject(profile);
	});

	const DUPLICATE = "the same text again gets 409, and is a DuplicateMessageError";
	test.each<[sentence: string, duplicates: object | undefined, NonNullable<ForeignShapes["duplicate"]>]>([
		[DUPLICATE, undefined, "details"],
		[
			"the same text again gets 409, with its DuplicateInfo at duplicate",
			{ status: 409, infoPath: "duplicate" },
			"top",
		],
		[
			'the same text again gets 429, and no DuplicateMessageError; if TOO_SOON stands for nothing else, add "duplicates": { "status": 429, "code": "TOO_SOON", "infoPath": null }',
			undefined,
			"bare_429",
		],
		["a duplicate is reported in a success: no error is thrown", undefined, "in_success"],
		["the same text was accepted again: no duplicate was reported", undefined, "silent"],
	])("%s", async (sentence, duplicates, duplicate) => {
		const { adoption } = await adopt({ shapes: { duplicate } }, { consent: true });
		expect(adoption.sent?.sentences).toEqual([sentence]);
		expect(adoption.profile["duplicates"]).toEqual(duplicates);
	});

	test.each([undefined, false])("nothing is sent or posted if the user says %s", async (consent) => {
		const { adoption, sent, seen } = await adopt({ shapes: {} }, consent === undefined ? {} : { consent });
		expect([sent, adoption.sent]).toEqual([0, undefined]);
		expect(new Set(seen.map(({ method }) => method))).toEqual(new Set(["GET"]));
		const routes = adoption.sends.map(({ request: { method, url } }) => `${method} ${new URL(url).pathname}`);
		// What was declined is not offered again.
		if (consent === false) return expect(routes).toEqual([]);
		expect(routes).toEqual([
			"POST /message/text",
			"POST /message/text",
			"POST /message/attachment",
			"POST /message/voice",
			"POST /message/tapback",
			"POST /message/tapback",
			"POST /message/typing",
			"POST /message/typing",
			"POST /message/read",
		]);
	});
});

test.each<[ForeignGatewayOptions]>([
	[{ secret: "another secret" }],
	[{ failing: "page" }],
	[{ isForbidden: true, secret: "another secret" }],
])("%j: no read is tried, and nothing is sent", async (options) => {
	const { adoption, sent } = await adopt({ shapes: {}, ...options }, { consent: true });
	expect([sent, adoption.sends]).toEqual([0, []]);
	expect(adoption.operations.filter(({ proof }) => proof !== undefined)).toEqual([]);
});

test("nothing that is found has a number, a text, a secret or an id", async () => {
	const { adoption } = await adopt(
		{
			shapes: {
				names: "short",
				changeMessage: (message) => ({ ...message, [TO.slice(1)]: AGENT_NUMBER }),
			},
		},
		{ consent: true },
	);
	const { sends: _, ...found } = adoption;
	const shown = JSON.stringify(found);
	for (const secret of [TO.slice(1), AGENT_NUMBER.slice(1), FOREIGN_SECRET, FOREIGN_APP, "Test "])
		expect(shown).not.toContain(secret);
});
