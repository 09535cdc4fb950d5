import { type ClientOptions, ConnectionError, type CustomFetch, MessagingGateway } from "messaging-gateway";
import { Agent, RetryAgent, request as undiciRequest } from "undici";
import { describe, expect, test } from "vitest";
import { catchRejection } from "../support/catch-error.ts";
import { holdClosedPort } from "../support/closed-port.ts";
import { reply, startServer, type TestServer } from "../support/http-server.ts";
import { MESSAGE, REQUEST_ID, USER } from "../support/wire.ts";

const accepted = reply(202, {
	ok: true,
	data: { message: MESSAGE },
	meta: { requestId: REQUEST_ID, timestamp: "2026-01-01T00:00:00.000Z" },
});

/** The error of a send that the client itself does not repeat. */
async function failToSend(baseUrl: string, options: ClientOptions = {}): Promise<ConnectionError> {
	const gateway = new MessagingGateway({
		baseUrl,
		appId: "app-1",
		appSecret: "secret-1",
		maxRetries: 0,
		logLevel: "off",
		...options,
	});
	const error = await catchRejection(gateway.messages.sendText({ to: USER, text: "Hello" }));
	if (!(error instanceof ConnectionError)) throw error;
	return error;
}

/** The platform's `fetch` with more in its second argument than the client gives. */
function fetchWith(further: { headers?: Record<string, string> } & Record<string, unknown>): CustomFetch {
	return (url, init) => fetch(url, { ...init, ...further, headers: { ...init.headers, ...further.headers } });
}

/** Connects to these addresses, whatever the name. */
function resolvingTo(...addresses: readonly string[]): Agent {
	const found = addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
	return new Agent({ connect: { lookup: (_name, _options, done) => done(null, found) } });
}

describe("nothing left: not_sent, with the platform's fetch", () => {
	test.each<[title: string, options: ClientOptions, said: RegExp]>([
		[
			"a header of the connection",
			{ fetch: fetchWith({ headers: { Expect: "100-continue" } }) },
			/expect header/,
		],
		["another one", { fetch: fetchWith({ headers: { Upgrade: "h2c" } }) }, /upgrade header/],
		["a third one", { fetch: fetchWith({ headers: { "Keep-Alive": "timeout=5" } }) }, /keep-alive header/],
		["a dispatcher that is none", { fetch: fetchWith({ dispatcher: {} }) }, /dispatch is not a function/],
		[
			"an AbortSignal of another environment",
			{ fetch: fetchWith({ signal: Object.assign(new EventTarget(), { aborted: false }) }) },
			/to be an instance of AbortSignal/,
		],
	])("%s", async (_title, options, said) => {
		await using server = await startServer(accepted);
		const error = await failToSend(server.url, options);
		expect(error).toMatchObject({ outcome: "not_sent", transportMessage: expect.stringMatching(said) });
		expect(server.received).toHaveLength(0);
	});

	test("every address of a name, none of which has anything at that port", async () => {
		await using closed = await holdClosedPort();
		const { port } = new URL(closed.url);
		const dispatcher = resolvingTo("127.0.0.1", "::1");
		const error = await failToSend(`http://gateway.test:${port}`, { fetch: fetchWith({ dispatcher }) });
		expect(error).toMatchObject({ outcome: "not_sent", cause: { name: "AggregateError" } });
		expect(error.transportMessage).toMatch(/connect E\w+ 127\.0\.0\.1:\d+.*; connect E\w+ ::1:\d+/);
	});

	test.each(["http://gateway.invalid", "http://[100::1]", "http://127.0.0.1:1"])("%s", async (baseUrl) => {
		expect(await failToSend(baseUrl)).toMatchObject({ outcome: "not_sent" });
	});
});

/** Takes one request, breaks its connection, and listens no more. */
function takeOneRequest(): Promise<TestServer> {
	const starting = startServer((response) => {
		void starting.then((server) => server[Symbol.asyncDispose]());
		response.destroy();
	});
	return starting;
}

describe("a transport that repeats sends by itself, and fails before the last one: unknown", () => {
	const repeating = new RetryAgent(new Agent(), { methods: ["POST"], minTimeout: 1, maxRetries: 2 });

	test.each<[title: string, fetch: CustomFetch]>([
		["undici's RetryAgent", fetchWith({ dispatcher: repeating })],
		[
			"undici's RetryAgent under a fetch of one's own",
			async (url, { body = null, headers }) => {
				const response = await undiciRequest(url, { method: "POST", headers, body, dispatcher: repeating });
				return new Response(await response.body.text(), { status: response.statusCode });
			},
		],
	])("%s", async (_title, repeatingFetch) => {
		await using server = await takeOneRequest();
		const error = await failToSend(server.url, { fetch: repeatingFetch });
		expect(error).toMatchObject({ outcome: "unknown", cause: { code: "ECONNREFUSED" } });
		expect(server.received).toHaveLength(1);
	});
});
