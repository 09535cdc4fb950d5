import { defineProfile, MessagingGateway } from "messaging-gateway";
import {
	createLocalGateway,
	type LocalGatewayOptions,
	type ReadingName,
	readings,
} from "messaging-gateway/testing";
import { describe, expect, test } from "vitest";
import { CHOICES } from "../../../../src/tools/local-gateway/readings/choices-by-reading.ts";
import { resolveSettings } from "../../../../src/tools/local-gateway/settings.ts";
import { ALICE, call, createFrozenGateway, sendText } from "../../../support/signed-client.ts";
import { createReceivingGateway } from "./receiving-gateway.ts";

const NAMES = readings.map(({ name }) => name);

const UNKNOWN = "All names are in docs/readings.md, and in `readings` of messaging-gateway/testing";

describe.each(readings)("$name", ({ name, options }) => {
	const { eventFields: _, rules, webhooks, ...choices } = CHOICES[name];
	const { baseUrl, profile } = choices;

	test("its name sets what it chooses, and nothing else", () => {
		// The secrets of the local gateway are texts: the profile says how they are written.
		const { appSecret, webhookSecret, secrets } = resolveSettings({ profile });
		const usual = { ...resolveSettings({}), appSecret, webhookSecret, secrets };
		expect(resolveSettings({ readings: [name] })).toEqual({
			...usual,
			...choices,
			basePath: baseUrl === undefined ? "" : new URL(baseUrl).pathname,
			rules: { ...usual.rules, ...rules },
			webhooks: { ...usual.webhooks, ...webhooks, encode: expect.any(Function) },
			encodeResponse: expect.any(Function),
		});
	});

	test("its options are its name, and the profile and the base URL if they differ", () => {
		expect(options).toStrictEqual({
			readings: [name],
			...(baseUrl === undefined ? {} : { baseUrl }),
			...(profile === undefined ? {} : { profile }),
		});
	});

	test("its name gives clients the same as its options", () => {
		const [byName, byOptions] = [{ readings: [name] }, options].map((given) => {
			const { fetch, clock, ...others } = createLocalGateway(given).clientOptions;
			return others;
		});
		expect(byName).toStrictEqual(byOptions);
		expect(byName?.profile).toEqual(profile);
	});
});

describe("several readings", () => {
	test("apply together", async () => {
		const { local, received } = createReceivingGateway(
			{ readings: ["retries have the first timestamp", "webhooks arrive twice at once"] },
			500,
		);
		await local.contact(ALICE).reply("Hi");
		await local.settled();
		expect(received.map(({ at }) => at)).toEqual([0, 0, 1_000, 1_000]);
		expect(new Set(received.map(({ headers }) => headers.get("X-SVC-Timestamp"))).size).toBe(1);
	});

	test("have one profile, with which a client works", async () => {
		const local = createLocalGateway({
			readings: ["the query is signed", "X-Timestamp is in seconds", "a duplicate gets 429"],
		});
		expect(local.clientOptions.profile).toEqual({
			signing: { query: "included", timestamp: "seconds" },
			duplicates: { status: 429 },
		});
		const gateway = new MessagingGateway(local.clientOptions);
		expect((await gateway.mappings.list({ limit: 1 })).mappings).toEqual([]);
	});

	test("change a payload one after the other, each field and each event", async () => {
		const { local, received } = createReceivingGateway({
			readings: [
				"accountId is a number",
				"attachments in events are URLs",
				"attachments without a text have a null",
				"reactions have other values",
				"events and responses have additional fields",
				"there are additional types of events",
			],
		});
		await local.contact(ALICE).reply("", { attachments: [{ url: "https://files.example/map.png" }] });
		await local.settled();
		const message = {
			type: "inbound_message",
			accountId: 4711,
			text: null,
			attachments: ["https://files.example/0"],
			region: "eu",
		};
		const bodies = received.map(({ body }) => JSON.parse(body));
		expect(bodies).toMatchObject([message, { type: "message_changed", message }]);
		expect(bodies[0]).not.toHaveProperty("reaction");
	});

	test("change a response in their order", async () => {
		const [first, last] = ["setWebhooks has an empty response", "every success is a 200"] as const;
		const statusOf = async (...names: ReadingName[]) =>
			(await call(createFrozenGateway({ readings: names }), "POST", "/settings/webhooks", {})).status;
		expect([await statusOf(first, last), await statusOf(last, first)]).toEqual([200, 204]);
	});

	test("may be named twice", async () => {
		const name = "there are additional types of events";
		const { local, received } = createReceivingGateway({ readings: [name, name] });
		await local.contact(ALICE).reply("Hi");
		await local.settled();
		expect(received).toHaveLength(2);
	});

	const CONTRADICTIONS: ReadingName[][] = [
		["attachments in events are URLs", "attachments in events are base64"],
		["attachments in events are URLs", "attachments in events are nested objects"],
		["attachments in events are base64", "attachments in events are nested objects"],
		["a duplicate has its info elsewhere", "a duplicate has only a code"],
		["the decoded path is signed", "the base path is not signed"],
	];

	/** A body is written in one form, and a secret in one encoding. */
	const ALTERNATIVES = [
		NAMES.filter((name) => CHOICES[name].profile?.signing?.canonicalBody !== undefined),
		NAMES.filter((name) => CHOICES[name].profile?.signing?.secret !== undefined),
		NAMES.filter((name) => CHOICES[name].profile?.events?.secret !== undefined),
	];

	test("of which two contradict each other are an error that names both", () => {
		const pairs = NAMES.flatMap((name, at) => NAMES.slice(at + 1).map((other) => [name, other] as const));
		const isAccepted = (names: readonly ReadingName[]) => {
			try {
				return resolveSettings({ readings: names }) !== undefined;
			} catch {
				return false;
			}
		};
		const alternatives = ALTERNATIVES.flatMap((names) =>
			names.flatMap((name, at) => names.slice(at + 1).map((other) => [name, other])),
		);
		expect(alternatives).toHaveLength(7 * 3 + 1 + 1);
		const rejected = pairs.filter((pair) => !isAccepted(pair));
		expect(rejected.toSorted()).toEqual([...CONTRADICTIONS, ...alternatives].toSorted());
		for (const pair of rejected) {
			for (const names of [pair, pair.toReversed()]) {
				const message = `readings: "${names[0]}" and "${names[1]}" contradict each other: use one of them`;
				expect(() => createLocalGateway({ readings: names })).toThrow(
					expect.objectContaining({ code: "configuration", message }),
				);
			}
		}
	});
});

describe("your own options", () => {
	test.each<[string, LocalGatewayOptions, object]>([
		[
			"win where both set the same",
			{ readings: ["the consecutive limit only warns"], rules: { consecutive: "off" } },
			{ rules: { consecutive: "off" } },
		],
		[
			"win also as a list",
			{ readings: ["webhooks are not retried"], webhooks: { retryDelaysMs: [7] } },
			{ webhooks: { retryDelaysMs: [7] } },
		],
		[
			"win in the profile and as the base URL",
			{
				readings: ["the base path is not signed"],
				baseUrl: "https://gateway.example",
				profile: { signing: { path: "decoded" } },
			},
			{ baseUrl: "https://gateway.example", basePath: "", profile: { signing: { path: "decoded" } } },
		],
		[
			"leave what a reading sets beside them",
			{
				readings: ["a reply clears every window", "webhooks arrive twice at once"],
				rules: { maxConsecutiveMessages: 2, duplicateWindowSeconds: { account: 0 } },
				webhooks: { order: "none" },
			},
			{
				rules: { maxConsecutiveMessages: 2, replyClears: "all", windowSeconds: { contact: 300, account: 0 } },
				webhooks: { copies: 2, order: "none" },
			},
		],
		[
			"leave it in the profile, too",
			{
				readings: ["a duplicate gets 429"],
				profile: { operations: { "messages.sendText": { path: "/texts" } }, duplicates: { code: "TWICE" } },
			},
			{
				profile: {
					operations: { "messages.sendText": { path: "/texts" } },
					duplicates: { status: 429, code: "TWICE" },
				},
			},
		],
		[
			"count only if they are set",
			{ readings: ["webhooks arrive twice at once"], webhooks: { copies: undefined }, profile: undefined },
			{ webhooks: { copies: 2 } },
		],
		[
			"turn the rules off, and not what happens without an agent",
			{
				readings: ["the consecutive limit only warns", "a 503 comes after a message was queued"],
				rules: "off",
			},
			{
				rules: {
					consecutive: "off",
					windowSeconds: { contact: 0, agent: 0, account: 0 },
					withoutAgent: "queue",
				},
			},
		],
		[
			"leave the rules of a reading on",
			{ readings: ["the consecutive limit only warns"], rules: "on" },
			{ rules: { consecutive: "warn" } },
		],
	])("%s", (_, options, settings) => {
		expect(resolveSettings(options)).toMatchObject(settings);
	});

	test("may be frozen, and stay as they are, as the readings do", () => {
		const profile = defineProfile({ duplicates: { code: "TWICE" } });
		const { profile: merged } = resolveSettings({ readings: ["a duplicate gets 429"], profile });
		expect(merged).toEqual({ duplicates: { code: "TWICE", status: 429 } });
		expect(profile).toEqual({ duplicates: { code: "TWICE" } });
		expect(CHOICES["a duplicate gets 429"]).toEqual({ profile: { duplicates: { status: 429 } } });
	});

	test("encode gets what the readings made, and has the last word", async () => {
		const { local, received } = createReceivingGateway({
			readings: ["there are additional types of events", "accountId is a number"],
			webhooks: { encode: ({ type, accountId }) => (type === "message_changed" ? [] : [[type, accountId]]) },
		});
		await local.contact(ALICE).reply("Hi");
		await local.settled();
		expect(received.map(({ body }) => JSON.parse(body))).toEqual([["inbound_message", 4711]]);
	});
});

describe("a name that is not known", () => {
	test.each<[misspelt: string, nearest: ReadingName]>([
		["webhooks are not retryed", "webhooks are not retried"],
		["Webhooks are never retried", "webhooks are not retried"],
		["each retry has new event id", "each retry has a new event id"],
		["query is signed", "the query is signed"],
		["THE QUERY IS SIGNED", "the query is signed"],
		["a duplicate gets a 429", "a duplicate gets 429"],
		["attachments in events are urls", "attachments in events are URLs"],
	])("%j is an error that suggests %j", (misspelt, nearest) => {
		expect(() => createWithNames(["the query is signed", misspelt])).toThrow(
			expect.objectContaining({
				code: "configuration",
				message: `readings[1]: there is no reading "${misspelt}". Did you mean "${nearest}"? ${UNKNOWN}`,
			}),
		);
	});

	test.each(["", "?", "zzz", "constructor", "9".repeat(200)])("%j is like none", (name) => {
		const message = `readings[0]: there is no reading of this name. ${UNKNOWN}`;
		expect(() => createWithNames([name])).toThrow(expect.objectContaining({ message }));
	});

	test("each name is suggested for itself with a letter less", () => {
		for (const name of NAMES)
			expect(() => createWithNames([name.slice(1)])).toThrow(`Did you mean "${name}"?`);
	});

	test.each([
		["webhooks are not retried", "readings must be a list of names"],
		[{}, "readings must be a list of names"],
		[null, "readings must be a list of names"],
		[readings, "readings[0] must be the name of a reading"],
	])("%s is no list of names", (given, message) => {
		expect(() => createWithNames(given)).toThrow(
			expect.objectContaining({ code: "configuration", message: expect.stringContaining(message) }),
		);
	});
});

function createWithNames(given: unknown): unknown {
	return Reflect.apply(createLocalGateway, undefined, [{ readings: given }]);
}

describe("what only readings choose is no option", () => {
	test.each<[path: string, use: string]>([
		["rules.duplicateOf", 'readings: ["only the last message makes a duplicate"]'],
		["rules.accountWindow", 'readings: ["the account\'s window is for other contacts"]'],
		["rules.replyClears", 'readings: ["a reply clears every window"]'],
		["rules.blockedAttempts", 'readings: ["blocked attempts extend a window"]'],
		["rules.compareText", 'readings: ["whitespace makes another message"]'],
		["rules.withoutAgent", 'readings: ["a 503 comes after a message was queued"]'],
		["webhooks.retryAfter", 'readings: ["a retry waits for Retry-After"]'],
		["webhooks.retryTimestamp", 'readings: ["retries have the first timestamp"]'],
		["webhooks.retryEventId", 'readings: ["each retry has a new event id"]'],
		["webhooks.eventId", 'readings: ["events of a message share an id"]'],
		["webhooks.ownTapbacks", 'readings: ["own tapbacks are delivered"]'],
		["unknownFields", 'readings: ["unknown request fields are ignored"]'],
		["mappingTimestamps", 'readings: ["mapping timestamps are in seconds"]'],
		["keptConnections", 'readings: ["kept connections are cut"]'],
	])("%s: use %s", (path, use) => {
		const [name = "", member] = path.split(".");
		const options = { [name]: member === undefined ? "seconds" : { [member]: "first" } };
		expect(() => createLocalGateway(options)).toThrow(
			expect.objectContaining({
				code: "configuration",
				message: `Unknown option ${member === undefined ? `"${name}"` : `"${member}" of ${name}`}: use ${use}, or leave it out for the default`,
			}),
		);
	});

	test.each([
		["undefined, as of a forgotten return", () => undefined],
		["null", () => null],
		["the payload alone", (payload: object) => payload],
		["a list with a text", () => ["text"]],
	])("webhooks.encode that returns %s is a mistake", async (_what, encode) => {
		const options: object = { webhooks: { encode } };
		const { local } = createReceivingGateway(options);
		await expect(async () => {
			await local.contact(ALICE).reply("Hi");
			await local.settled();
		}).rejects.toThrow("webhooks.encode must return a list of payloads");
	});

	test("encodeResponse: use a reading that changes responses, or a fault", () => {
		const options: object = { encodeResponse: () => ({ status: 200, body: "" }) };
		const message =
			'Unknown option "encodeResponse": use one of the readings "events and responses have additional fields", ' +
			'"a mapping without a window has a null", "every success is a 200", "setWebhooks has an empty response", ' +
			'"health is plain text", "error codes have other names", "errors have no requestId", or ' +
			'profile.operations["…"].response for a shape of your own, or ' +
			"local.faults.respond({ status, body }) for one response";
		expect(() => createLocalGateway(options)).toThrow(expect.objectContaining({ message }));
	});

	test("each public option that readings set is one all the same", () => {
		const options = {
			rules: { consecutive: "warn" },
			webhooks: {
				retryDelaysMs: [],
				order: "none",
				copies: 2,
				statusCallback: "additional",
				encode: () => [],
			},
		} as const;
		expect(() => createLocalGateway(options)).not.toThrow();
	});
});

test("a gateway in process keeps its readings over a reset", async () => {
	const local = createFrozenGateway({ readings: ["whitespace makes another message"] });
	local.reset();
	await sendText(local, ALICE, "One");
	expect((await sendText(local, ALICE, "One ")).status).toBe(202);
});
