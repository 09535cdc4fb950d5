import { defineProfile, MessagingGateway, type Profile } from "messaging-gateway";
import { describe, expect, test } from "vitest";
import { listAgents } from "../../../../src/library/catalogue/agents.ts";
import { sendText } from "../../../../src/library/catalogue/sends.ts";
import { readResponse } from "../../../../src/library/client/response.ts";
import { chooseSteps, compareGateway } from "../../../../src/tools/doctor/shapes/compare-gateway.ts";
import { compareResponse } from "../../../../src/tools/doctor/shapes/compare-response.ts";
import { writeProfile } from "../../../../src/tools/doctor/shapes/profile-source.ts";
import { runProfileSource } from "../../../support/diagnosed.ts";
import { AGENT_NUMBER, type ForeignShapes } from "../../../support/foreign-account.ts";
import {
	FOREIGN_APP,
	FOREIGN_SECRET,
	type ForeignGateway,
	type ForeignGatewayOptions,
	startForeignGateway,
} from "../../../support/foreign-gateway.ts";
import { typeErrorsOf } from "../../../support/type-errors.ts";

const TO = "+15551239876";
const TEXT = "a text that nobody may read";

const SENDS = ["messages.sendText", "messages.get"] as const;
const ACTIONS = [...SENDS, "messages.typing", "messages.markRead", "messages.tapback"] as const;

type Only = Parameters<typeof chooseSteps>[0];

async function compareWith(gateway: ForeignGateway, only: Only, profile: Profile = {}, text = TEXT) {
	const result = await compareGateway({
		profile,
		client: new MessagingGateway({
			baseUrl: gateway.baseUrl,
			appId: FOREIGN_APP,
			appSecret: FOREIGN_SECRET,
			profile,
			maxRetries: 0,
			logLevel: "off",
			responseValidation: { documented: "off", provisional: "off" },
		}),
		steps: chooseSteps(only, true),
		to: TO,
		text,
		sleep: async () => {},
	});
	const source = writeProfile(
		{ signing: undefined, operations: result.remedies },
		Object.keys(profile).length === 0 ? undefined : { profile, file: "profile.mjs" },
	);
	return { ...result, source };
}

type Compared = Awaited<ReturnType<typeof compareWith>>;

interface CompareOptions extends ForeignGatewayOptions {
	readonly profile?: Profile;
}

async function compare(
	shapes: ForeignShapes,
	only: Only = SENDS,
	{ profile, ...options }: CompareOptions = {},
) {
	await using gateway = await startForeignGateway({ shapes, ...options });
	const result = await compareWith(gateway, only, profile);
	return { ...result, sent: gateway.sent() };
}

/** The calls by name, with their verdict. */
function verdictsOf({ comparisons }: Compared): string[] {
	return comparisons.map(({ operation, detail, verdict }) =>
		[operation, ...(detail === undefined ? [] : [`(${detail})`]), verdict].join(" "),
	);
}

function differencesOf({ comparisons }: Compared, operation: string): string[] {
	const found = comparisons.find((comparison) => comparison.operation === operation);
	return (found?.differences ?? []).map(({ kind, message }) => `${kind}: ${message}`);
}

test("a gateway that is as assumed fits", async () => {
	const result = await compare({}, ["agents.list", ...ACTIONS]);
	expect(verdictsOf(result)).toEqual([
		"agents.list fits",
		"messages.sendText fits",
		"messages.get fits",
		"messages.sendText (the same text again) fits",
		"messages.typing (start) fits",
		"messages.typing (stop) fits",
		"messages.markRead fits",
		"messages.tapback (add) fits",
		"messages.tapback (remove) fits",
	]);
	expect(result.source).toBeUndefined();
	expect(result.sent).toBe(1);
});

test.each<[string, ForeignShapes, differences: readonly string[]]>([
	[
		"other names",
		{ names: "short" },
		["messageId is called id", "status is called state", "text is missing", "from is called sender"],
	],
	["fields in data itself", { nesting: "flat" }, ["has its fields in data itself"]],
	["one level deeper", { nesting: "deep" }, ["has its fields in data.result.item"]],
	["ids as numbers", { ids: "number" }, ["messageId is a number (integer) instead of a string"]],
	["seconds", { times: "seconds" }, ["timestamp_ms is in seconds instead of milliseconds"]],
	["date-times", { times: "iso" }, ["timestamp_ms is a string (date-time) instead of a number"]],
	[
		"all of it",
		{ names: "short", nesting: "deep", ids: "number", times: "seconds" },
		[
			"has its fields in data.result.item",
			"messageId is called id, and is a number (integer) instead of a string",
			"timestamp_ms is called sentAt, and is in seconds instead of milliseconds",
		],
	],
])(
	"a message with %s: what differs, and what comes after it is called all the same",
	async (_name, shapes, differences) => {
		const result = await compare(shapes);
		expect(verdictsOf(result)).toEqual([
			"messages.sendText differs",
			"messages.get differs",
			"messages.sendText (the same text again) fits",
		]);
		const found = differencesOf(result, "messages.sendText").join("\n");
		for (const difference of differences)
			expect(found).toMatch(new RegExp(`: message[. ]${difference.replace(/[().]/g, "\\$&")}$`, "m"));
		expect(result.source).toBeUndefined();
	},
);

test("the source of a profile is valid TypeScript in the strictest project", async () => {
	const { source = "" } = await compare({ names: "snake", actions: "empty_204", duplicate: "top" }, [
		"agents.list",
		"mappings.list",
		...ACTIONS,
	]);
	expect(source).toContain("operations");
	expect(typeErrorsOf(source)).toEqual([]);
});

test("a list under another name, with other names in its items", async () => {
	const result = await compare({ agents: "items", times: "seconds" }, ["agents.list"]);
	expect(differencesOf(result, "agents.list")).toEqual([
		"other_field: agents is called items",
		"other_field: agents[].agentNumber is called phone",
		"other_field: agents[].createdAt is in seconds instead of milliseconds",
		"other_field: nextCursor is called next_cursor",
	]);
});

test("a large response is searched in part", async () => {
	const many = Object.fromEntries(Array.from({ length: 2_000 }, (_, at) => [`k${at % 900}x${at}`, {}]));
	const findIn = async (before: object) => {
		const changeMessage = (message: object) => ({ ...before, result: { item: message } });
		return differencesOf(await compare({ nesting: "flat", changeMessage }), "messages.sendText");
	};
	const nested = "other_field: message has its fields in data.result.item";
	expect(await findIn({})).toContain(nested);
	expect(await findIn(many)).not.toContain(nested);
});

test("items after the first are checked as well", async () => {
	const profile = defineProfile({
		operations: {
			"agents.list": {
				response: {
					decode: (data) => {
						const [agent] = Object(data).agents;
						return { ...Object(data), agents: [agent, { ...agent, agentNumber: 4711 }] };
					},
				},
			},
		},
	});
	const result = await compare({}, ["agents.list"], { profile });
	expect(verdictsOf(result)).toEqual(["agents.list differs"]);
	expect(differencesOf(result, "agents.list")).toEqual([
		"other_field: agents.1.agentNumber must be a string",
	]);
	expect(result.source).toBeUndefined();
});

test("an empty list shows nothing of its items", async () => {
	const result = await compare({ agents: "empty" }, ["agents.list"]);
	expect(verdictsOf(result)).toEqual(["agents.list unseen"]);
	expect(differencesOf(result, "agents.list")).toEqual([
		"empty_list: agents is empty, so its items were not seen",
	]);
});

test("another name in the request: the rejection names it", async () => {
	const result = await compare({ textField: "body" }, ["messages.sendText"]);
	expect(differencesOf(result, "messages.sendText")).toEqual([
		"request_rejected: 400 INVALID: the gateway does not accept these fields; it names body",
	]);
	expect(result.sent).toBe(0);
	expect(result.source).toBeUndefined();
});

test("another path: the operation is missing, and the profile has a place for its path", async () => {
	const result = await compare({ path: "/v2/messages" });
	expect(result.sent).toBe(0);
	expect(verdictsOf(result)).toEqual(["messages.sendText differs"]);
	expect(differencesOf(result, "messages.sendText")).toEqual([
		"missing_path: 404 NO_ROUTE, as for a path that does not exist: the operation is elsewhere, or missing",
	]);
	expect(result.skipped.map(({ reason }) => reason)).toEqual([
		"needs an accepted text, and none was accepted",
		"needs an accepted text, and none was accepted",
	]);
	expect(result.source).toContain('// method: "POST", path: "/…",');
	expect(runProfileSource(result.source)).toMatchObject({ operations: { "messages.sendText": {} } });
});

test.each(["html", "problem"] as const)("another path, and errors as %s", async (errors) => {
	const result = await compare({ path: "/v2/messages" }, ["messages.sendText"], { errors });
	expect(differencesOf(result, "messages.sendText")).toEqual([
		"missing_path: 404, as for a path that does not exist: the operation is elsewhere, or missing",
		expect.stringMatching(/^error_envelope: the error is .* instead of the envelope of section 2\.2/),
	]);
});

test("the path of a profile is used, and kept in the profile that fixes the rest", async () => {
	const shapes: ForeignShapes = { path: "/v2/messages", duplicate: "top" };
	const profile = defineProfile({ operations: { "messages.sendText": { path: "/v2/messages" } } });
	const result = await compare(shapes, ["messages.sendText", "mappings.list"], { profile });
	expect(result.sent).toBe(1);
	expect(runProfileSource(result.source, profile)).toEqual({
		duplicates: { status: 409, infoPath: "duplicate" },
		operations: { "messages.sendText": { path: "/v2/messages" }, "mappings.list": {} },
	});
});

describe("a profile in use", () => {
	/** As a user writes it: another name, and another level. */
	const profile = defineProfile({
		vendor: { headerPrefix: "Acme" },
		operations: {
			"agents.list": { path: "/agent" },
			"messages.sendText": {
				request: { encode: ({ text, ...rest }) => ({ ...rest, content: text }) },
				response: { decode: (data) => ({ message: { ...Object(data)[0], text: "decoded by the user" } }) },
			},
		},
	});
	const shapes: ForeignShapes = {
		nesting: "flat",
		textField: "content",
		changeMessage: ({ text, status, ...message }) => [{ ...message, state: status }],
	};

	test("is judged by what its decoder returns", async () => {
		const first = await compare(shapes, ["messages.sendText"], { profile });
		expect(differencesOf(first, "messages.sendText")).toEqual([
			"other_field: message.status is called state",
			"other_field: compared is what response.decode of the profile returns",
		]);
		expect(first.source).toBeUndefined();
	});

	test("is kept in the one that is written, which is valid TypeScript in the strictest project", async () => {
		const elsewhere: ForeignShapes = { path: "/elsewhere", actions: "empty_204" };
		const { source = "" } = await compare(elsewhere, ["mappings.list", "messages.markRead"], { profile });
		const next = runProfileSource(source, profile);
		expect(next).toMatchObject({
			vendor: { headerPrefix: "Acme" },
			operations: {
				"agents.list": { path: "/agent" },
				"messages.sendText": { response: { decode: expect.any(Function) } },
			},
		});
		const declared = 'import { type Profile } from "messaging-gateway"; declare const present: Profile;';
		expect(typeErrorsOf(source.replace('import present from "./profile.mjs";', declared))).toEqual([]);
	});

	test("a decoder that throws is reported, and nothing is written over it", async () => {
		const decode = () => {
			throw new Error(TEXT);
		};
		const broken = defineProfile({ operations: { "messages.sendText": { response: { decode } } } });
		const first = await compare({}, ["messages.sendText"], { profile: broken });
		expect(differencesOf(first, "messages.sendText")).toEqual([
			"other_field: response.decode of the profile throws for this response: fix it",
		]);
		expect(first.source).toBeUndefined();
	});

	test.each<[string, ForeignShapes]>([
		["fields that are nowhere", { names: "short", changeMessage: ({ groupId, text, ...rest }) => rest }],
		["another path", { path: "/v2/messages" }],
		["another name in requests", { textField: "body", names: "snake" }],
		["no bodies", { actions: "empty_204", duplicate: "bare_429" }],
	])("%s: comparing again and again comes to an end", async (_name, shapes) => {
		await using gateway = await startForeignGateway({ shapes });
		let profile: Profile = {};
		for (let run = 0; run < 3; run += 1) {
			const { source } = await compareWith(gateway, ["agents.list", ...ACTIONS], profile, `${TEXT} ${run}`);
			if (source === undefined) return;
			profile = runProfileSource(source, profile);
		}
		expect.unreachable("a profile is written each time");
	});
});

test("three sends are accepted without an id: what is needed is said as it is", async () => {
	const result = await compare({ changeMessage: ({ messageId, ...rest }) => rest }, SENDS);
	expect(result.skipped).toEqual([
		{
			operation: "messages.get",
			reason: "needs the messageId of an accepted text, and no response named one",
		},
	]);
	// Repeating a text needs no id.
	expect(result.comparisons.map(({ detail }) => detail)).toContain("the same text again");
});

test("a field of an item is where it says", async () => {
	const result = await compare({ agents: "nested" }, ["agents.list"]);
	expect(differencesOf(result, "agents.list")).toEqual([
		"other_field: agents[].createdAt is at data.agents[].times.createdAt",
	]);
});

test.each<[string, ForeignShapes["changeMessage"], difference: string]>([
	["a field that is nowhere", ({ groupId, ...rest }) => rest, "missing_field: message.groupId is missing"],
	[
		"a name in another case is preferred to another name",
		({ text, ...rest }) => ({ ...rest, body: text, Text: text }),
		"other_field: message.text is called Text",
	],
	[
		"an HTTP status is no status of a message, which is elsewhere",
		({ status, ...rest }) => ({ ...rest, status: 200, state: status }),
		"other_field: message.status is called state",
	],
	[
		"or of another type",
		(message) => ({ ...message, status: 200 }),
		"other_field: message.status is a number (integer) instead of a string",
	],
])("%s", async (_title, changeMessage, difference) => {
	const result = await compare({ ...(changeMessage && { changeMessage }) }, ["messages.sendText"]);
	expect(differencesOf(result, "messages.sendText")).toEqual([difference]);
});

test.each(["empty_204", "empty_200"] as const)("actions that respond with %s", async (actions) => {
	const result = await compare({ actions }, ACTIONS);
	const read = result.comparisons.find(({ operation }) => operation === "messages.markRead");
	expect(read).toMatchObject({ verdict: "differs", isFixedByProfile: false, response: "<empty>" });
	expect(read?.differences[0]?.kind).toBe("empty_body");
	expect(runProfileSource(result.source)).toEqual({ emptyResponses: true });
	const again = await compare({ actions }, ACTIONS, { profile: runProfileSource(result.source) });
	expect(verdictsOf(again).filter((verdict) => !verdict.endsWith(" fits"))).toEqual([]);
});

test("another status of a success is a remark", async () => {
	const result = await compare({ accepted: 200 }, ["messages.sendText"]);
	expect(result.comparisons[0]).toMatchObject({ verdict: "fits" });
	expect(differencesOf(result, "messages.sendText")).toEqual([
		"other_status: 200 instead of 202, which the client accepts too",
	]);
});

test("a success without an envelope is beyond a profile", async () => {
	const result = await compare({ envelope: "bare" }, ["messages.sendText"]);
	expect(result.comparisons[0]).toMatchObject({ verdict: "differs", isFixedByProfile: false });
	expect(differencesOf(result, "messages.sendText").at(-1)).toMatch(
		/^other_envelope: the body is not the success envelope of section 2\.1: ok must be true\. A profile cannot/,
	);
});

describe("the same text again", () => {
	const againOf = ({ comparisons }: Compared) =>
		comparisons.find(({ detail }) => detail === "the same text again");

	test.each<[NonNullable<ForeignShapes["duplicate"]>, string, RegExp]>([
		["top", "differs", /^duplicate: 409 REPEATED: .* its fields are at duplicate instead of error\.details$/],
		["bare_429", "differs", /^duplicate: 429 TOO_SOON: .* the response has no DuplicateInfo$/],
		["in_success", "differs", /^duplicate: the duplicate is reported in a success.*\nother_status/],
		["silent", "unseen", /^duplicate: the same text was accepted again: no duplicate was reported$/],
	])("reported as %s", async (duplicate, verdict, differences) => {
		const again = againOf(await compare({ duplicate }));
		expect(again?.verdict).toBe(verdict);
		expect((again?.differences ?? []).map(({ kind, message }) => `${kind}: ${message}`).join("\n")).toMatch(
			differences,
		);
	});

	test.each<[NonNullable<ForeignShapes["duplicate"]>, object]>([
		["top", { status: 409, infoPath: "duplicate" }],
		["bare_429", { status: 429, code: "TOO_SOON", infoPath: null }],
	])("reported as %s fits with the profile that is written", async (duplicate, duplicates) => {
		const profile = runProfileSource((await compare({ duplicate })).source);
		expect(profile).toEqual({ duplicates });
		expect(againOf(await compare({ duplicate }, SENDS, { profile }))?.verdict).toBe("fits");
	});
});

test("a body in another canonical form: the signature is rejected, and doctor is named", async () => {
	const result = await compare({}, ["messages.sendText"], { canonical: "escaped" });
	// Only a body beyond ASCII is written differently.
	expect(verdictsOf(result)).toContain("messages.sendText fits");
	const other = await compare({}, ["messages.sendText"], { canonical: "spaced" });
	expect(differencesOf(other, "messages.sendText")).toEqual([
		"signature_rejected: 401 BAD_SIGNATURE: the signature is rejected: run doctor --probe-body",
	]);
});

test("a gateway that is down: what failed, without a response", async () => {
	const gateway = await startForeignGateway();
	await gateway[Symbol.asyncDispose]();
	const { comparisons } = await compareWith(gateway, ["agents.list"]);
	expect(comparisons).toMatchObject([{ verdict: "differs", differences: [{ kind: "no_response" }] }]);
});

test.each<ForeignShapes>([
	{ names: "short", nesting: "deep", ids: "number", agents: "items" },
	{ names: "snake", times: "iso", duplicate: "top" },
	{ envelope: "bare" },
])("nothing that is reported holds a number, a text, an id or a secret: %j", async (shapes) => {
	const result = await compare(shapes, undefined, { mapping: "present" });
	const shown = JSON.stringify([result.comparisons, result.skipped, result.source]);
	expect(shown).toContain("<phone number>");
	const hidden = [
		TO,
		TO.slice(1),
		AGENT_NUMBER,
		TEXT,
		FOREIGN_SECRET,
		FOREIGN_APP,
		"4711",
		"guid-",
		"a1b2",
		"+1555",
	];
	for (const word of hidden) expect(shown).not.toContain(word);
	expect(shown).not.toMatch(/[0-9a-f]{8}-[0-9a-f]{4}-|https?:|\d{5}/);
});

test("without sends only reads are chosen, and operations that change the account never", () => {
	const readers = chooseSteps(undefined, false);
	expect(readers.length).toBeGreaterThan(8);
	expect(readers.filter(({ isSend }) => isSend)).toEqual([]);
	const all = chooseSteps(undefined, true).map(({ operation }) => operation);
	expect(all).toContain("messages.sendText");
	expect(all.filter((id) => /register|ssign|lock|create|update|reset|delete|setWebhooks/.test(id))).toEqual(
		[],
	);
});

test("keys of a response that could be numbers or texts are not shown", async () => {
	const hostile = {
		"+15551234567": { text: "Hello", from: "+15550001111" },
		'a"); process.exit(); ("': "Hello",
		"See you at eight": [{ agentNumber: "+15550001111" }],
		n15551234567: "Hello",
		__proto__: "Hello",
	};
	const body = `{"ok":true,"data":${JSON.stringify(hostile).replace("{", '{"__proto__":{"text":"Hello"},')},"meta":{}}`;
	const received = { status: 202, statusText: "", headers: new Headers(), roundTripMs: 0, receivedAt: 0 };
	const read = readResponse({ ...received, body: new TextEncoder().encode(body) }, 0);
	for (const operation of [sendText, listAgents]) {
		const call = { operation, override: undefined, profile: {}, read };
		const { comparison } = await compareResponse(call, undefined);
		const shown = JSON.stringify(comparison);
		expect(comparison.verdict).toBe("differs");
		expect(shown).toContain("<key ");
		expect(shown).not.toMatch(/1555|process|eight|Hello|__proto__/);
	}
});
