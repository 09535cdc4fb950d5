import { inspect } from "node:util";
import type { ConnectionError } from "messaging-gateway";
import { afterEach, expect, test, vi } from "vitest";
import { catchRejection } from "../../../support/catch-error.ts";
import { PAGE, stubHost } from "../../../support/hosts.ts";
import { BY_RETRY_CLASS } from "../../../support/operations.ts";
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

test.each<[said: string, error: unknown, outcome: string, message: string]>([
	...[
		'RequestInit: Expected signal ("AbortSignal {}") to be an instance of AbortSignal.',
		'RequestInit: Expected signal ("{\n  aborted: false\n}") to be an instance of AbortSignal.',
		"Failed to construct 'Request': 'signal' of 'RequestInit' (Argument 2) is not of type AbortSignal",
		"signal is not of type AbortSignal.",
		"Failed to execute 'fetch' on 'Window': member signal is not of type AbortSignal.",
		"Expected signal to be an instanceof AbortSignal",
	].map((said): [string, unknown, string, string] => [said, new TypeError(said), "not_sent", FOREIGN_SIGNAL]),
	...[
		new TypeError("fetch failed", { cause: new TypeError("agent.dispatch is not a function") }),
		networkError("UND_ERR_INVALID_ARG", "invalid onRequestStart method"),
	].map((error): [string, unknown, string, string] => [
		(error.cause as Error).message,
		error,
		"not_sent",
		OTHER_UNDICI,
	]),
	...[
		networkError("UND_ERR_NOT_SUPPORTED", "expect header not supported"),
		new TypeError("fetch failed", { cause: new Error("bad port") }),
	].map((error): [string, unknown, string, string] => {
		const { message, code } = error.cause as Error & { code?: string };
		const why = `because fetch rejects it${code === undefined ? "" : ` (${code})`}: transportMessage says why`;
		return [message, error, "not_sent", `Not sent: ${SEND} didn't leave, ${why}`];
	}),
	...BLOCKED.map((said): [string, unknown, string, string] => [said, new TypeError(said), "unknown", BROKEN]),
])("%s", async (said, raw, outcome, message) => {
	const error = await fail(raw);
	expect(error).toMatchObject({ outcome, message, transportMessage: said });
	for (const printed of [error.message, JSON.stringify(error), inspect(error, { depth: 9 })])
		expect(printed).not.toContain(said);
});

test.each(BLOCKED)("in a browser: %s", async (said) => {
	stubHost(PAGE);
	expect(await fail(new TypeError(said))).toMatchObject({
		outcome: "unknown",
		message: BLOCKED_BY_BROWSER,
		transportMessage: said,
	});
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
