import { inspect } from "node:util";
import type { ConnectionError } from "messaging-gateway";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { catchRejection } from "../../../support/catch-error.ts";
import { PAGE, stubHost } from "../../../support/hosts.ts";
import { BY_RETRY_CLASS } from "../../../support/operations.ts";
import { type Outcomes, testOutcomes } from "../../../support/outcomes.ts";
import { scriptGateway } from "../../../support/scripted-gateway.ts";
import { networkError } from "../../../support/wire.ts";

afterEach(() => void vi.unstubAllGlobals());

async function fail(error: unknown): Promise<ConnectionError> {
	const { gateway } = scriptGateway([() => Promise.reject(error)], {
		maxRetries: 0,
		dangerouslyAllowBrowser: true,
	});
	return (await catchRejection(BY_RETRY_CLASS.never.call(gateway))) as ConnectionError;
}

/** Chromium, Safari and Firefox, then a page under happy-dom. */
const BLOCKED = [
	"Failed to fetch",
	"Load failed",
	"NetworkError when attempting to fetch resource.",
	'Cross-Origin Request Blocked: The Same Origin Policy disallows reading the remote resource at "https://gateway.example/".',
];

const SEND = "POST /message/text";
const UNKNOWN =
	". Before you send it again, check the conversation: messaging-gateway/docs/errors.md#unknown";
const FOREIGN_SIGNAL = `Not sent: ${SEND} didn't leave, because fetch rejects an AbortSignal of another environment, such as jsdom: take both from the same one`;
const OTHER_UNDICI = `Not sent: ${SEND} didn't leave, because fetch rejects a dispatcher of another undici: take both from the same one`;
const BLOCKED_BY_BROWSER = `The message may have been sent: ${SEND} got no response that this page may read. The browser's console says why, such as CORS${UNKNOWN}`;
const BROKEN = `The message may have been sent: ${SEND} got no response: the connection broke. \`npx messaging-gateway doctor\` shows why${UNKNOWN}`;

/** The sentence of a send whose fetch throws this. What the transport said stands in no output, and in one property. */
async function sentenceOf(thrown: unknown): Promise<string> {
	const error = await fail(thrown);
	const said = (((thrown as Error).cause ?? thrown) as Error).message;
	expect(error).toMatchObject({
		outcome: error.message.startsWith("Not sent: ") ? "not_sent" : "unknown",
		transportMessage: said,
	});
	for (const printed of [error.message, JSON.stringify(error), inspect(error, { depth: 9 })])
		expect(printed).not.toContain(said);
	return error.message;
}

const said = (...words: string[]): Record<string, Error> =>
	Object.fromEntries(words.map((message) => [message, new TypeError(message)]));
const BLOCKED_ERRORS = said(...BLOCKED);

const MISTAKES: Outcomes<unknown> = {
	[FOREIGN_SIGNAL]: said(
		'RequestInit: Expected signal ("AbortSignal {}") to be an instance of AbortSignal.',
		'RequestInit: Expected signal ("{\n  aborted: false\n}") to be an instance of AbortSignal.',
		"Failed to construct 'Request': 'signal' of 'RequestInit' (Argument 2) is not of type AbortSignal",
		"signal is not of type AbortSignal.",
		"Failed to execute 'fetch' on 'Window': member signal is not of type AbortSignal.",
		"Expected signal to be an instanceof AbortSignal",
	),
	[OTHER_UNDICI]: {
		"no dispatcher": new TypeError("fetch failed", {
			cause: new TypeError("agent.dispatch is not a function"),
		}),
		"an Agent": networkError("UND_ERR_INVALID_ARG", "invalid onRequestStart method"),
	},
	[`Not sent: ${SEND} didn't leave, because fetch rejects it (UND_ERR_NOT_SUPPORTED): transportMessage says why`]:
		{
			"a header that undici rejects": networkError("UND_ERR_NOT_SUPPORTED", "expect header not supported"),
		},
	[`Not sent: ${SEND} didn't leave, because fetch rejects it (UND_ERR_INVALID_ARG): transportMessage says why`]:
		{
			"a method that only begins like a dispatcher's": networkError(
				"UND_ERR_INVALID_ARG",
				"invalid onRequestStart method of yours",
			),
		},
	[`Not sent: ${SEND} didn't leave, because fetch rejects it: transportMessage says why`]: {
		"a port that fetch blocks": new TypeError("fetch failed", { cause: new Error("bad port") }),
	},
	[BROKEN]: {
		...BLOCKED_ERRORS,
		"words that only end like those of undici": new Error("the agent.dispatch is not a function"),
	},
};

describe("a transport that is used in a wrong way", () => testOutcomes(MISTAKES, sentenceOf));

describe("in a browser", () => {
	beforeEach(() => stubHost(PAGE));
	testOutcomes({ [BLOCKED_BY_BROWSER]: BLOCKED_ERRORS }, sentenceOf);
});

test("in a host that freezes the class of errors", async () => {
	const { name } = Error.prototype;
	Object.defineProperty(Error.prototype, "name", { writable: false });
	const error = await fail(networkError("ECONNREFUSED")).finally(() =>
		Object.defineProperty(Error.prototype, "name", { value: name, writable: true }),
	);
	expect(error).toMatchObject({ outcome: "not_sent", cause: { name: "Error", code: "ECONNREFUSED" } });
});

test("a transport without words has no message", async () => {
	expect((await fail(undefined)).transportMessage).toBeUndefined();
});
