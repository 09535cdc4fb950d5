import { stripVTControlCharacters } from "node:util";
import { BadRequestError, ConfigurationError, RateLimitError } from "messaging-gateway";
import { LocalControlError } from "messaging-gateway/testing";
import { afterEach, describe, expect, test, vi } from "vitest";
import { CommandFailure, createErrorReport, usageError } from "../../../../src/tools/cli/failure.ts";
import { Terminal } from "../../../../src/tools/cli/terminal.ts";
import { type Outcomes, testOutcomes } from "../../../support/outcomes.ts";

const HOSTILE = "no\u001b[2J\u009b2J\nsuch field";
const SHOWN = "no\\u001b[2J\\u009b2J\\u000asuch field";

/** What the error of a gateway knows that says this of the request and of its text. */
const saying = (message: string) => ({
	operationId: "messages.sendText",
	outcome: "rejected" as const,
	attempts: 1,
	clockOffsetMs: undefined,
	status: 400,
	body: undefined,
	requestId: "r-1",
	gatewayCode: "BAD",
	gatewayMessage: message,
	details: [{ field: "text", issue: "bad", message }],
	retryAfterMs: undefined,
});
const rejection = (message: string) =>
	new BadRequestError("POST /message/text failed with 400", saying(message));

afterEach(() => vi.restoreAllMocks());

describe("an error with strings from the gateway", () => {
	test("reports the gateway's details, and only those that there are", () => {
		expect(Object.entries(createErrorReport(rejection(HOSTILE)).details)).toEqual([
			["name", "BadRequestError"],
			["code", "bad_request"],
			["outcome", "rejected"],
			["status", 400],
			["gatewayCode", "BAD"],
			["gatewayMessage", HOSTILE],
			["requestId", "r-1"],
			["fieldErrors", [{ field: "text", issue: "bad", message: HOSTILE }]],
		]);
	});

	test("masks what the gateway's words may repeat of a request", () => {
		const said = "+1 555-123-4567 has 16 chats: see https://a.example/b?c, key sk_live_4f5a9c0d1e2b3f4a5b6c";
		const shown = "<number> has 16 chats: see <URL> key <id>";
		expect(createErrorReport(rejection(said)).details).toMatchObject({
			gatewayMessage: shown,
			fieldErrors: [{ field: "text", message: shown }],
		});
	});
});

/** An error of the system, as Node has it. */
const systemError = Object.assign(new Error(`listen EADDRINUSE ${HOSTILE}`), { code: "EADDRINUSE" });
const bug = (stack: string) => Object.assign(new TypeError("private"), { stack });

/** What the command writes of an error, and its exit code. */
const REPORTS: Outcomes<readonly [error: unknown, isJson?: boolean]> = {
	"2: error: no port\n": { "a usage error": [usageError("no port")] },
	"2: error: no port\nGive one.\n": { "a usage error with its hint": [usageError("no port", "Give one.")] },
	"1: error: it failed\n": { "a failure": [new CommandFailure("it failed")] },
	"3: error: it failed\n": {
		"a failure with a code of its own": [new CommandFailure("it failed", undefined, 3)],
	},
	"2: error: no\\u001b[2J\\u009b2J\nsuch field\n": {
		"control characters in a message of several lines": [usageError(HOSTILE)],
	},
	"2: error: no\nno\\u001b[2J\\u009b2J\nsuch field\n": {
		"control characters in a hint of several lines": [usageError("no", HOSTILE)],
	},
	"2: error: Set --base-url\nSet --app-id\n": {
		"words of the library": [usageError("Set baseUrl", "Set appId")],
	},
	"2: error: --base-url is missing\n  outcome: not_sent\n": {
		"an option that is wrong": [new ConfigurationError("baseUrl is missing")],
	},
	"2: error: a flag is wrong\n": {
		"a value of a flag that the control rejects": [
			new LocalControlError("invalid_action", "a flag is wrong"),
		],
		"a list of a flag that the control rejects": [new LocalControlError("invalid_query", "a flag is wrong")],
	},
	"1: error: no gateway responded\n": {
		"a control that cannot be reached": [new LocalControlError("unreachable", "no gateway responded")],
	},
	[`1: error: POST /message/text failed with 400
  outcome: rejected
  code: BAD
  the gateway says: ${SHOWN}
  fields: - field: text, issue: bad, message: ${SHOWN}
  request: r-1
`]: { "what a gateway says, without its control characters": [rejection(HOSTILE)] },
	[`1: error: it failed
  outcome: rejected
  code: BAD
  the gateway says: no
  fields: - field: text, issue: bad, message: no
  request: r-1
Look there.
`]: {
		"a failure with the error of a gateway as its cause": [
			new CommandFailure("it failed", "Look there.", 1, { cause: rejection("no") }),
		],
	},
	[`1: error: 429 BAD (r-1)
  outcome: rejected
  the gateway says: slowly
  try again in: 2 min
`]: {
		"how long to wait, and no code and id that the message has": [
			new RateLimitError("429 BAD (r-1)", { ...saying("slowly"), details: undefined, retryAfterMs: 119_001 }),
		],
	},
	"1: error: listen EADDRINUSE no\\u001b[2J\\u009b2J\nsuch field\n": {
		"an error of the system": [systemError],
	},
	"1: error: this is a bug in messaging-gateway, please report it: TypeError\n  at x\n": {
		"any other error, which is a bug": [bug("TypeError\n  at x")],
	},
	"1: error: this is a bug in messaging-gateway, please report it: 5\n": { "a thrown number": [5] },
	[`2: ${JSON.stringify({ ok: false, error: { message: "no port", hint: "Give one." } })}\n`]: {
		"JSON of a usage error": [usageError("no port", "Give one."), true],
	},
	[`1: ${JSON.stringify({ ok: false, error: { message: "Set baseUrl" } })}\n`]: {
		"JSON with the library's words, for machines": [new CommandFailure("Set baseUrl"), true],
	},
	'1: {"ok":false,"error":{"message":"listen EADDRINUSE no\\u001b[2J\\u009b2J\\nsuch field","code":"EADDRINUSE"}}\n':
		{
			"JSON of an error of the system": [systemError, true],
		},
};

describe("the command reports", () =>
	testOutcomes(REPORTS, ([error, isJson = false]) => {
		const written = [process.stderr, process.stdout].map((stream) =>
			vi.spyOn(stream, "write").mockReturnValue(true),
		);
		const exitCode = new Terminal({ isJson }).reportError(error);
		const [toPeople = "", toMachines = ""] = written.map(({ mock }) =>
			mock.calls.map(([piece]) => stripVTControlCharacters(String(piece))).join(""),
		);
		vi.restoreAllMocks();
		expect(isJson ? toPeople : toMachines).toBe("");
		return `${exitCode}: ${toPeople}${toMachines}`;
	}));
