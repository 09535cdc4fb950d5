import { stripVTControlCharacters } from "node:util";
import { MessagingGateway } from "messaging-gateway";
import { diagnose } from "messaging-gateway/doctor";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { createPageLog, logChanges } from "../../../../src/tools/cli/dev/log-changes.ts";
import { Terminal } from "../../../../src/tools/cli/terminal.ts";
import type { ControlledGatewayOptions } from "../../../../src/tools/control/create-controlled-gateway.ts";
import { createWatchedGateway, type WatchedGateway } from "../../../support/controlled-gateway.ts";
import { type Outcomes, testOutcomes } from "../../../support/outcomes.ts";
import { ALICE } from "../../../support/signed-client.ts";

/** Its messages fail before they are sent. */
const FAILING = "+15550001001";
const TEXT = "a text of the application";

/** What is written to standard output. */
let written: string[];

beforeEach(() => {
	written = [];
	vi.spyOn(process.stdout, "write").mockImplementation((piece) => {
		written.push(stripVTControlCharacters(String(piece)));
		return true;
	});
});
afterEach(() => vi.restoreAllMocks());

/** A gateway whose changes are logged. */
interface LoggedGateway extends WatchedGateway {
	/** Ends the log with its summary. */
	end(): void;
}

/** What happens, in what gateway, and who reads of it: people, or machines with JSON. */
type Story = readonly [
	act: (world: LoggedGateway) => unknown,
	options?: ControlledGatewayOptions,
	terminal?: { readonly isJson?: boolean; readonly columns?: number },
];

function createLoggedGateway([, options, terminal = {}]: Story): LoggedGateway {
	const world = createWatchedGateway(options);
	const { isJson = false, columns } = terminal;
	const end = logChanges(new Terminal({ isJson, columns: () => columns }), world.control, world.clock);
	return { ...world, end };
}

/**
 * All that is logged once everything has settled, with names in the place of times and ids, and a number after lines that
 * repeat. Nothing of a text, a contact or another control character than a line end is in it.
 */
async function logOf(story: Story): Promise<string> {
	const world = createLoggedGateway(story);
	await story[0](world);
	await world.local.settled();
	const log = written.join("");
	for (const hidden of [TEXT, ALICE, ALICE.slice(1), FAILING]) expect(log).not.toContain(hidden);
	expect(log.replaceAll("\n", "")).not.toMatch(/\p{Cc}/u);
	return counted(
		log
			.replace(/^\d\d:\d\d:\d\d/gm, "TIME")
			.replace(/\bevt_\w+/g, "EVENT")
			.replace(/\b[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}\b/g, "MESSAGE")
			.replace(/\b[\da-f]{8}\b/g, "REQUEST")
			.trimEnd()
			.split("\n"),
	);
}

/** Lines, each once, with how often it stands there in a row. */
function counted(lines: readonly string[]): string {
	const starts = lines.flatMap((line, at) => (line === lines[at - 1] ? [] : [at]));
	const runs = starts.map((start, at) => {
		const times = (starts[at + 1] ?? lines.length) - start;
		return times === 1 ? lines[start] : `${lines[start]} (${times} times)`;
	});
	return shown(...runs);
}

const shown = (...lines: readonly unknown[]): string => lines.join("\n");

const send = ({ gateway }: LoggedGateway, text = TEXT) => gateway.messages.sendText({ to: ALICE, text });
const sendFailing = ({ gateway }: LoggedGateway) => gateway.messages.sendText({ to: FAILING, text: TEXT });
const receive = async ({ local }: LoggedGateway) => {
	await local.contact(ALICE).reply("Hi");
	await local.settled();
};
const ignore = () => undefined;
const times = async (count: number, act: (at: number) => unknown) => {
	for (let at = 0; at < count; at++) await act(at);
};
/** Shows which lines were written before. */
const mark = () => process.stdout.write("LATER\n");

const failing: ControlledGatewayOptions = { deliverTo: () => new Response(null, { status: 503 }) };
const withoutUrl: ControlledGatewayOptions = { deliverTo: undefined };
const respondingWith = (...responses: (() => Response)[]): ControlledGatewayOptions => ({
	deliverTo: () => responses.shift()?.() ?? new Response(),
});
const refuse = () => {
	throw new TypeError("fetch failed", { cause: Object.assign(new Error(), { code: "ECONNREFUSED" }) });
};

const SERVER_FAILED = shown(
	"               The receiver failed with 503 before or in its handler.",
	"               Read the receiver's log at this time: the gateway doesn't see the error.",
);
const DUPLICATE = shown(
	"               The duplicate rule blocked the message: the same one was sent to this contact and by this account, and stays blocked for another 5 min.",
	"               Let the contact reply and move the clock by 1 min, send another text, or turn the rules off.",
);
const NO_URL = shown(
	"               No webhook URL is registered for messages and reactions, so the event waits here.",
	"               Register the URL of your webhook handler, then deliver the event.",
);
const SENT = "TIME  202  ← messages.sendText             0 ms  REQUEST ";
const LISTED = "TIME  200  ← agents.list                   0 ms  REQUEST";
const FAILED_ATTEMPTS = shown(
	"TIME  503  → inbound_message               0 ms  EVENT",
	SERVER_FAILED,
	"TIME  503  → inbound_message               0 ms  EVENT (5 times)",
	"TIME  ---  → inbound_message                     EVENT  given up after 6 attempts",
);

const REQUESTS: Outcomes<Story> = {
	[LISTED]: { "one that succeeds": [({ gateway }) => gateway.agents.list()] },
	[shown(
		"TIME  409  ← messages.sendText             0 ms  REQUEST  DUPLICATE_MESSAGE",
		DUPLICATE,
		`${SENT} read`,
	)]: {
		"a send that a rule blocks, and why": [
			async (world) => {
				await send(world);
				await send(world).catch(ignore);
			},
			withoutUrl,
		],
	},
	[shown(
		"TIME  401  ← agents.list                   0 ms  REQUEST  UNAUTHORIZED",
		"               The signature matches no secret of this gateway: the client has another App Secret, or the request was changed after it was signed.",
		"               Copy the App Secret of this gateway to the client.",
	)]: {
		"a wrong secret": [
			({ local }) => {
				const options = { ...local.clientOptions, appSecret: "another", maxRetries: 0 };
				return new MessagingGateway({ ...options, logLevel: "off" }).agents.list().catch(ignore);
			},
		],
	},
	[shown(
		"TIME  400  ← mappings.update               0 ms  REQUEST  VALIDATION_ERROR",
		"               The request is invalid: maxConsecutiveMessages must be at least 1.",
		"               Correct the fields and send again: nothing was sent.",
	)]: {
		"an invalid field": [
			({ gateway }) =>
				gateway.request("PATCH", `/mapping/${ALICE}`, { body: { maxConsecutiveMessages: 0 } }).catch(ignore),
		],
	},
	[shown(
		`TIME  404  ← GET /no/such/%1b[2J/${"x".repeat(38)}…      0 ms  REQUEST  NOT_FOUND`,
		`               No operation has the path /no/such/%1b[2J/${"x".repeat(99)}.`,
		"               Call the operation with a method of the client; `npx messaging-gateway call` lists them.",
	)]: {
		"an unknown path, which is cut": [
			({ local }) => local.fetch(new Request(`${local.baseUrl}/no/such/%1b[2J/${"x".repeat(99)}`)),
		],
	},
	[shown(
		"TIME  405  ← PURGE /mapping/+…             0 ms  REQUEST  METHOD_NOT_ALLOWED",
		"               The path /mapping/+… has no PURGE.",
		"               Call the operation with a method of the client, which knows its HTTP method.",
	)]: {
		"an unknown method, without the number in the path": [
			({ local }) => local.fetch(new Request(`${local.baseUrl}/mapping/${ALICE}`, { method: "PURGE" })),
		],
	},
	[shown(
		"TIME  ---  ← agents.list                   0 ms  REQUEST",
		"               A fault broke the connection, so the client got no response.",
		"               End the fault, or let the client try again once its times are over.",
	)]: {
		"a connection that breaks": [
			({ local, gateway }) => {
				local.faults.dropConnection({ when: "after" });
				return gateway.agents.list().catch(ignore);
			},
		],
	},
	"": { "none of the doctor's": [({ gateway }) => diagnose(gateway)] },
	'{"request":"mappings.get","status":404,"code":"MAPPING_NOT_FOUND","durationMs":0,"cause":"not_found","reason":"No agent is mapped to this number: create a mapping, or send first.","fix":"Check the number or the id: it may be of another gateway, or of before a reset."}':
		{
			"JSON for machines": [({ gateway }) => gateway.mappings.get(ALICE).catch(ignore), {}, { isJson: true }],
		},
	[shown(
		"TIME  404  ← mappings.get                  0 ms  REQUEST  MAPPING_NOT_FOUND",
		"               No agent is mapped to this number: create a mapping, or send",
		"               first.",
		"               Check the number or the id: it may be of another gateway, or of",
		"               before a reset.",
	)]: {
		"reasons that are wrapped to the width of a terminal": [
			({ gateway }) => gateway.mappings.get(ALICE).catch(ignore),
			{},
			{ columns: 80 },
		],
	},
};

describe("a request is a line", () => testOutcomes(REQUESTS, logOf));

const DELIVERIES: Outcomes<Story> = {
	[shown(
		"TIME  503  → inbound_message               0 ms  EVENT",
		SERVER_FAILED,
		"TIME  ---  → inbound_message               0 ms  EVENT",
		"               Nobody listens at http://receiver.localhost.",
		"               Start your application, or register the URL where it listens.",
		"TIME  200  → inbound_message               0 ms  EVENT",
	)]: {
		"each attempt, and why it failed": [
			receive,
			respondingWith(() => new Response(null, { status: 503 }), refuse),
		],
	},
	[FAILED_ATTEMPTS]: { "the reason once, and that it is given up": [receive, failing] },
	[shown(
		FAILED_ATTEMPTS,
		"TIME  503  → inbound_message               0 ms  EVENT",
		"TIME  ---  → inbound_message                     EVENT  given up after 7 attempts",
	)]: {
		"a redelivery, which is one more attempt": [
			async (world) => {
				await receive(world);
				const { eventId = "" } = world.local.deliveries[0] ?? {};
				await world.control.act({ type: "redeliver", eventId });
			},
			failing,
		],
	},
	[shown(
		'{"message":"MESSAGE","outbound":false,"status":"received"}',
		'{"webhook":"inbound_message","eventId":"EVENT","status":503,"durationMs":0,"cause":"server_failed","reason":"The receiver failed with 503 before or in its handler.","fix":"Read the receiver\'s log at this time: the gateway doesn\'t see the error."} (6 times)',
		'{"webhook":"inbound_message","eventId":"EVENT","state":"failed","attempts":6}',
	)]: { "JSON for machines, with the reason each time": [receive, failing, { isJson: true }] },
	[shown("TIME  ---  → inbound_message                     EVENT  kept", NO_URL)]: {
		"an event without a webhook URL": [receive, withoutUrl],
	},
	[shown(
		'{"message":"MESSAGE","outbound":false,"status":"received"}',
		'{"webhook":"inbound_message","eventId":"EVENT","state":"kept","cause":"no_webhook_url","reason":"No webhook URL is registered for messages and reactions, so the event waits here.","fix":"Register the URL of your webhook handler, then deliver the event."}',
	)]: { "JSON for machines, without a webhook URL": [receive, withoutUrl, { isJson: true }] },
};

describe("an attempt is a line", () => testOutcomes(DELIVERIES, logOf));

const SENDS: Outcomes<Story> = {
	[`${SENT} read → 3×200`]: { "its statuses and their webhooks": [send] },
	[`${SENT} read`]: { "its statuses, without a webhook URL": [send, withoutUrl] },
	[`${SENT} failed`]: { "a failure, at once": [sendFailing, withoutUrl] },
	[shown(`${SENT} delivered → 2×200`, "LATER", "TIME  200  → status                        0 ms  EVENT")]: {
		"what has come after five seconds, and then a line for each webhook": [
			async (world) => {
				await send(world);
				await world.clock.advance(5_000);
				mark();
			},
			{ delays: { readMs: 10_000 } },
		],
	},
	[shown(`${SENT} queued`, "LATER", "TIME  ---  a message                             MESSAGE  failed")]: {
		"a failure after its line, which is one more": [
			async (world) => {
				await sendFailing(world);
				await world.clock.advance(5_000);
				mark();
			},
			{ ...withoutUrl, delays: { sentMs: 10_000 } },
		],
	},
	[shown(
		`${SENT} read → 503`,
		SERVER_FAILED,
		`${SENT} read → 503`,
		"TIME  ---  → status                              EVENT  given up after 6 attempts (6 times)",
	)]: {
		"why webhooks fail, once in a row, and what is given up": [
			(world) => times(2, (at) => send(world, `text ${at}`)),
			{ ...failing, rules: "off" },
		],
	},
	[shown(
		'{"message":"MESSAGE","outbound":true,"status":"queued"}',
		'{"request":"messages.sendText","status":202,"durationMs":0}',
		'{"message":"MESSAGE","outbound":true,"status":"sent"}',
		'{"message":"MESSAGE","outbound":true,"status":"delivered"}',
		'{"message":"MESSAGE","outbound":true,"status":"read"}',
		'{"webhook":"inbound_reaction","eventId":"EVENT","state":"kept","cause":"no_webhook_url","reason":"No webhook URL is registered for messages and reactions, so the event waits here.","fix":"Register the URL of your webhook handler, then deliver the event."}',
	)]: {
		"for machines, each change, and none twice": [
			async (world) => {
				await send(world);
				await world.local.settled();
				await world.local.contact(ALICE).react("love");
			},
			withoutUrl,
			{ isJson: true },
		],
	},
};

describe("a send is one line", () => {
	testOutcomes(SENDS, logOf);

	test("that a terminal shows while it lasts, and only there", async () => {
		const world = createLoggedGateway([send, withoutUrl, { columns: 80 }]);
		await send(world);
		await world.clock.advance(50);
		expect(written.at(-1)).toMatch(/← messages.sendText .* delivered$/);
		await world.local.settled();
		expect(written.at(-1)).toMatch(/ read\n$/);
	});
});

const list = ({ gateway }: LoggedGateway) => gateway.agents.list();
const sendMany = async (world: LoggedGateway) => {
	await times(60, (at) => send(world, `text ${at}`));
	await world.local.settled();
	world.end();
};

const LOG_LISTS_THEM = "               `npx messaging-gateway log --failed` lists what failed.";
const NO_MAPPING = shown(
	"               No agent is mapped to this number: create a mapping, or send first.",
	"               Check the number or the id: it may be of another gateway, or of before a reset.",
);

const MANY: Outcomes<Story> = {
	[shown(
		`${SENT} read → 3×200 (50 times)`,
		"TIME  ...  ← messages.sendText         10 more in 1 s:  10×read",
		"messages: 60 sent, 0 received",
		"webhooks: 180 delivered, 0 failed",
	)]: { "are counted, with how they ended": [sendMany, { rules: "off" }] },
	[shown(
		`${LISTED} (50 times)`,
		"TIME  404  ← mappings.get                  0 ms  REQUEST  MAPPING_NOT_FOUND",
		NO_MAPPING,
		"TIME  ...  ← agents.list               10 more in 1 s:  10×200",
		"TIME  ...  ← mappings.get              19 more in 1 s:  19×404",
		LOG_LISTS_THEM,
		"failed most: ← mappings.get, 20 times",
		NO_MAPPING,
	)]: {
		"hide no kind of failure: its first is a line, the others are counted": [
			async (world) => {
				await times(60, () => list(world));
				await times(20, () => world.gateway.mappings.get(ALICE).catch(ignore));
				world.end();
			},
		],
	},
	[shown(
		`${SENT} read → 503`,
		SERVER_FAILED,
		`${SENT} read → 503 (49 times)`,
		"TIME  ...  ← messages.sendText         10 more in 5 s:  10×read → 503",
		LOG_LISTS_THEM,
		"TIME  ---  → status                              EVENT  given up after 6 attempts",
		"TIME  ...  → status                    59 more in 5 s:  59×given up",
		LOG_LISTS_THEM,
		"TIME  ...  → status                    60 more in 5 s:  60×given up",
		LOG_LISTS_THEM,
		"TIME  ...  → status                    60 more in 1 s:  60×given up",
		LOG_LISTS_THEM,
		"messages: 60 sent, 0 received",
		"webhooks: 0 delivered, 180 failed",
		"failed most: → status, 1080 times",
		SERVER_FAILED,
	)]: { "count a send whose webhooks fail apart": [sendMany, { ...failing, rules: "off" }] },
	[shown(
		`${LISTED} (50 times)`,
		"TIME  ...  ← agents.list               10 more in 5 s:  10×200",
		"TIME  ...  ← agents.list               1 more in 5 s:  1×200",
		LISTED,
	)]: {
		"are counted until a period has few again, and then each is written": [
			async (world) => {
				await times(60, () => list(world));
				await world.clock.advance(5_000);
				await list(world);
				await world.clock.advance(5_000);
				await list(world);
			},
		],
	},
	[shown(
		`${LISTED} (50 times)`,
		"TIME  404  ← mappings.get                  0 ms  REQUEST  MAPPING_NOT_FOUND",
		NO_MAPPING,
		"TIME  ...  ← agents.list               1 more in 5 s:  1×200",
		`${LISTED} (50 times)`,
		"TIME  404  ← mappings.get                  0 ms  REQUEST  MAPPING_NOT_FOUND",
		NO_MAPPING,
	)]: {
		"tell a failure again once a period had few lines": [
			async (world) => {
				const { clock, gateway } = world;
				const fillPeriod = async () => {
					await times(50, () => list(world));
					await gateway.mappings.get(ALICE).catch(ignore);
				};
				await fillPeriod();
				await clock.advance(5_000);
				await list(world);
				await clock.advance(5_000);
				await fillPeriod();
			},
		],
	},
};

describe("more lines than people can read", () => {
	testOutcomes(MANY, logOf);

	test("about more subjects than a few are counted together", async () => {
		const log = await logOf([
			async ({ local, end }) => {
				await times(200, (at) => local.fetch(new Request(`${local.baseUrl}/no/such/path-${at}x`)));
				end();
			},
		]);
		expect(log.match(/ 404 {2}← GET /g)).toHaveLength(50);
		expect(log.match(/ ← GET .* 1 more in 1 s: {2}1×404$/gm)).toHaveLength(8);
		expect(log).toMatch(/ others +142 more in 1 s: {2}142×404$/m);
	});

	test("are a line that changes at the end of a terminal", async () => {
		const world = createLoggedGateway([list, withoutUrl, { columns: 80 }]);
		await times(60, () => list(world));
		await world.clock.advance(100);
		expect(written.at(-1)).toMatch(/ ← agents.list +10 more in 1 s: {2}10×200$/);
		await list(world);
		await world.clock.advance(100);
		expect(written.at(-1)).toMatch(/ 11 more in 1 s: {2}11×200$/);
	});
});

/** A send, an event, and the end. */
const sendAndReceive = async (world: LoggedGateway) => {
	await send(world);
	await world.local.settled();
	await receive(world);
	world.end();
};

const SUMMARIES: Outcomes<Story> = {
	"messages: 1 sent, 1 received\nwebhooks: 4 delivered, 0 failed": { "webhooks delivered": [sendAndReceive] },
	"messages: 1 sent, 1 received\nwebhooks: 0 delivered, 0 failed, 4 kept until there is a URL": {
		"no webhook URL": [sendAndReceive, withoutUrl],
	},
	[shown(
		"messages: 1 sent, 1 received",
		"webhooks: 0 delivered, 4 failed",
		"failed most: → status, 18 times",
		SERVER_FAILED,
	)]: { "a receiver that fails, and why": [sendAndReceive, failing] },
	[shown("messages: 1 sent, 0 received", "failed most: ← messages.sendText, once", DUPLICATE)]: {
		"a request that fails, and why": [
			async (world) => {
				await send(world);
				await send(world).catch(ignore);
				world.end();
			},
			withoutUrl,
		],
	},
	'{"summary":{"messages":{"sent":0,"received":1},"webhooks":{"delivered":0,"failed":1,"kept":0},"failedMost":{"what":"→ inbound_message","times":6,"cause":"server_failed","reason":"The receiver failed with 503 before or in its handler.","fix":"Read the receiver\'s log at this time: the gateway doesn\'t see the error."}}}':
		{
			"an object for machines": [
				async (world) => {
					await receive(world);
					world.end();
				},
				failing,
				{ isJson: true },
			],
		},
	"": { "nothing, if nothing happened": [({ end }) => end()] },
};

describe("the summary has", () =>
	testOutcomes(SUMMARIES, async (story) => {
		await logOf(story);
		return (written.at(-1) ?? "").trimEnd();
	}));

describe("a page of another site", () => {
	const WHY = shown(
		"               Only pages of this machine may call this gateway. The page's browser reports CORS.",
		"               Open the page under http://localhost, with any port; an extension needs `listen` of messaging-gateway/testing/node.",
	);

	test("is a line for each origin, with what to do", () => {
		const log = createPageLog(new Terminal({ isJson: false }));
		for (const origin of ["https://app.example", "https://app.example", "null"]) log(origin);
		expect(written.map((line) => line.replace(/^\d\d:\d\d:\d\d/, "TIME").replace(/ +\n/, "\n"))).toEqual([
			`${shown("TIME  403  ← a page of https://app.example", WHY)}\n`,
			`${shown("TIME  403  ← a page of null", WHY)}\n`,
		]);
	});

	test("is JSON for machines, and cannot fill the terminal", () => {
		const log = createPageLog(new Terminal({ isJson: true }));
		for (let at = 0; at < 50; at++) log(`https://${at}.example`);
		expect(written).toHaveLength(20);
		expect(JSON.parse(written[0] ?? "")).toEqual({ page: "https://0.example", status: 403 });
	});
});
