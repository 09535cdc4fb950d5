import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type ClientOptions, MessagingGateway } from "messaging-gateway";
import { createLocalGateway, type LocalGatewayOptions } from "messaging-gateway/testing";
import { errorResponse, html, MESSAGE, networkError, ok, text } from "../support/wire.ts";
import { describeMessages, type MessageRow } from "./message-table.ts";

const credentials = { baseUrl: "https://gateway.example", appId: "app-1", appSecret: "secret-1" };
const TO = "+15551234567";
const HELLO = { to: TO, text: "Hello" };
const DOCTOR = "`npx messaging-gateway doctor` shows why";
const UNKNOWN = "Before you send it again, check the conversation: messaging-gateway/docs/errors.md#unknown";

/** A client of which a user in plain JavaScript may get an option wrong. */
function create(options: object = {}): MessagingGateway {
	return new MessagingGateway({ ...credentials, maxRetries: 0, logLevel: "off", ...options });
}

/** A send whose input a user in plain JavaScript may get wrong. */
function send(input: object = HELLO, options: object = {}): PromiseLike<unknown> {
	return create(options).messages.sendText(input as typeof HELLO);
}

function sendAttachments(...attachments: unknown[]): PromiseLike<unknown> {
	return create().messages.sendAttachments({ to: TO, attachments } as never);
}

/** The options of a client whose only attempt gets this response, or fails with this error. */
function answer(response: Response | Error): ClientOptions {
	return { fetch: async () => (response instanceof Error ? Promise.reject(response) : response) };
}

/** What a call of a client of the local gateway says. */
async function withLocal(
	run: (gateway: MessagingGateway, local: ReturnType<typeof createLocalGateway>) => unknown,
	options: LocalGatewayOptions = {},
	client: ClientOptions = {},
): Promise<unknown> {
	await using local = createLocalGateway({
		clock: { now: () => Date.now(), setTimer: () => () => undefined },
		...options,
	});
	return await run(
		new MessagingGateway({ ...local.clientOptions, maxRetries: 0, logLevel: "off", ...client }),
		local,
	);
}

/** A port at which nothing listens. */
async function closedPort(): Promise<number> {
	const server = createServer();
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	const { port } = server.address() as AddressInfo;
	await new Promise((resolve) => server.close(resolve));
	return port;
}

/** The line that a client logs while its call succeeds. */
async function logOf(
	call: (gateway: MessagingGateway) => PromiseLike<unknown>,
	options: ClientOptions,
): Promise<string> {
	const lines: string[] = [];
	const warn = (line: string): void => void lines.push(line);
	const logger = { debug: () => undefined, info: () => undefined, warn, error: warn };
	await call(create({ ...options, logger, logLevel: "warn" }));
	return lines.join("\n");
}

describeMessages("options", [
	[
		"nothing is configured",
		() => new MessagingGateway().messages.sendText(HELLO),
		"baseUrl, appId and appSecret are missing. Pass them to the client, or set MESSAGING_GATEWAY_BASE_URL, " +
			"MESSAGING_GATEWAY_APP_ID and MESSAGING_GATEWAY_APP_SECRET. No account yet? " +
			"`npx messaging-gateway dev --write-env .env` starts a gateway and writes them",
	],
	[
		"one value is missing",
		() => send(HELLO, { appId: undefined }),
		"appId is missing. Pass it to the client, or set MESSAGING_GATEWAY_APP_ID",
	],
	["baseURL", () => create({ baseURL: "x" }), 'Unknown option "baseURL". Did you mean "baseUrl"?'],
	[
		"two misspelt options",
		() => create({ base_url: "x", tiemoutMs: 5 }),
		'Unknown option "base_url". Did you mean "baseUrl"?\nUnknown option "tiemoutMs". Did you mean "timeoutMs"?',
	],
	[
		"an option like none",
		() => create({ colour: "x" }),
		'Unknown option "colour": remove it, or use baseUrl, appId, appSecret, signer, profile, fetch, timeoutMs, attemptTimeoutMs, maxRetries, maxResponseBytes, logger, logLevel, hooks, clock, headers, correctClockSkew, responseValidation, dangerouslyAllowBrowser',
	],
	...[
		["hex digits", "5f4dcc3b5aa765d61d8327deb882cf99"],
		["letters at random", "kTqZwVbXjRmLpYcHdNfGsAeUoIiKkWzQxTyBvMnP"],
		["small letters at random", "ktqzwvbxjrmlpychdnfgsaeuoiikkwzqxtybvmnp"],
		["base64url", "Zk3xQ-9vT_b8LmP2sWcJ7dYhUeRnKfGaXtVzBiOq0ME"],
		["a sentence", "my secret is hunter2"],
		["a number", "+15551234567"],
	].map(
		([what, key = ""]): MessageRow => [
			`${what} in place of a name`,
			() => create({ [key]: 5 }),
			"Unknown option (hidden, since a name may be a secret): remove it, or use baseUrl, appId, appSecret, signer, profile, fetch, timeoutMs, attemptTimeoutMs, maxRetries, maxResponseBytes, logger, logLevel, hooks, clock, headers, correctClockSkew, responseValidation, dangerouslyAllowBrowser",
		],
	),
	[
		"a misspelt hook",
		() => create({ hooks: { onRetri: () => undefined } }),
		'Unknown option "onRetri" of hooks. Did you mean "onRetry"?',
	],
	[
		"a misspelt option of a call",
		() => create().messages.sendText(HELLO, { timeout: 5 } as never),
		'Unknown option "timeout" of the call. Did you mean "timeoutMs"?',
	],
	[
		"several invalid options",
		() => create({ timeoutMs: "5s", maxRetries: -1, baseUrl: "gateway.example" }),
		"baseUrl must be an absolute http or https URL, such as https://gateway.example\n" +
			"timeoutMs must be a number above 0\nmaxRetries must be an integer of at least 0",
	],
	[
		"a secret and a signer",
		() => create({ signer: () => undefined }),
		"Give either appSecret or signer, not both",
	],
	[
		"a method without its object",
		() => {
			const { sendText } = create().messages;
			return sendText(HELLO);
		},
		"You called a method without its object. Call it on the client, as in gateway.messages.sendText(…)",
	],
]);

describeMessages("secrets, as people paste them", [
	["a line break", () => create({ appSecret: "secret-1\n" }), "appSecret has a line break in it: remove it"],
	[
		"a space",
		() => create({ appSecret: " secret-1" }),
		"appSecret has whitespace or an invisible character around it: remove it",
	],
	[
		"a space",
		() => create({ appSecret: " secret-1" }),
		"appSecret has whitespace or an invisible character around it: remove it",
	],
	["quotes", () => create({ appSecret: '"secret-1"' }), "appSecret has quotes around it: remove them"],
	[
		"the variable's name",
		() => create({ appSecret: "APP_SECRET=secret-1" }),
		"appSecret starts with a variable's name and =: pass what comes after the =",
	],
	[
		"a variable that was not set",
		() => create({ appSecret: "undefined" }),
		'appSecret is the string "undefined": set the variable it comes from',
	],
	[
		"a variable that wasn't expanded",
		() => create({ appSecret: "\u0024{APP_SECRET}" }),
		"appSecret is the name of a variable that wasn't expanded: pass its value",
	],
	[
		"a comment",
		() => create({ appSecret: "secret-1 # staging" }),
		"appSecret ends with a comment: remove it",
	],
	["a semicolon", () => create({ appSecret: "secret-1;" }), "appSecret ends with a semicolon: remove it"],
	[
		"a JSON object",
		() => create({ appSecret: '{"appSecret":"secret-1"}' }),
		"appSecret is a JSON object: pass only the string in it",
	],
]);

describeMessages("functions of the user", [
	[
		"a signer that throws",
		() => send(HELLO, { appSecret: undefined, signer: () => Promise.reject(new Error("private")) }),
		"Your signer threw, and nothing was sent. Its error is left out, since it may hold a secret: log it in the signer",
	],
	[
		"a secret function that throws",
		() => send(HELLO, { appSecret: () => Promise.reject(new Error("private")) }),
		"Your appSecret function threw, and nothing was sent. Its error is left out, since it may hold the secret: log it in the function",
	],
]);

describeMessages("inputs", [
	[
		"a text under another name",
		() => send({ to: TO, body: "Hello" }),
		'messages.sendText: text is required; the input has an unknown field: "body" (did you mean "text"?)',
	],
	[
		"two misspelt fields",
		() => send({ too: TO, txt: "Hello" }),
		"messages.sendText: text is required; the input has 2 unknown fields: " +
			'"too" (did you mean "to"?), "txt" (did you mean "text"?)',
	],
	[
		"a field like none",
		() => send({ ...HELLO, colour: "red" }),
		"messages.sendText: the input has an unknown field (hidden, since a name may be a secret): use to, groupId, participants, groupName, from, effect, replyToGuid, statusCallback, text",
	],
	["no text", () => send({ to: TO }), "messages.sendText: text is required"],
	["a number as the text", () => send({ to: TO, text: 5 }), "messages.sendText: text must be a string"],
	[
		"a number without its plus",
		() => send({ to: "15551234567", text: "Hello" }),
		"messages.sendText: to must be an e-mail address, a short code of 3 to 6 digits, or a number in E.164: " +
			"+ and 7 to 15 digits, such as +15551234567",
	],
	[
		"no target",
		() => send({ text: "Hello" }),
		"messages.sendText: the input must have exactly one of to, groupId, participants",
	],
	[
		"arguments in a row",
		() => create().messages.sendText(TO as never),
		"The input must be an object: write messages.sendText({ to, text })",
	],
	[
		"nothing to send",
		() => create().messages.send({ to: TO } as never),
		"text or attachments is required: an empty text or list counts as none",
	],
	[
		"a path as an attachment",
		() => sendAttachments("./photo.jpg"),
		"attachments.0 is a string: pass { url }, { data, name }, a File, or `await attachmentFromFile(path)` of messaging-gateway/node",
	],
	[
		"bytes as an attachment",
		() => sendAttachments(Uint8Array.of(1)),
		"attachments.0 is bytes without a name: pass { data, name }",
	],
]);

describeMessages("rejections of a send", [
	[
		"the same text twice",
		() =>
			withLocal(async ({ messages }) => {
				await messages.sendText(HELLO);
				return messages.sendText(HELLO);
			}),
		"Not sent: the same message went out recently, to this contact or to another. Allowed again in 300 s (retryAfterMs). " +
			"POST /message/text got 409 DUPLICATE_MESSAGE (request ID). Wait, or change the message: messaging-gateway/docs/errors.md#duplicate_message",
	],
	[
		"the same text to another contact",
		() =>
			withLocal(async ({ messages }) => {
				await messages.sendText(HELLO);
				return messages.sendText({ ...HELLO, to: "+15557654321" });
			}),
		"Not sent: the same message went out recently, to this contact or to another. Allowed again in 120 s (retryAfterMs). " +
			"POST /message/text got 409 DUPLICATE_MESSAGE (request ID). Wait, or change the message: messaging-gateway/docs/errors.md#duplicate_message",
	],
	[
		"too many messages without a reply",
		() =>
			withLocal(
				async ({ messages }) => {
					await messages.sendText(HELLO);
					return messages.sendText({ ...HELLO, text: "Are you there?" });
				},
				{ rules: { maxConsecutiveMessages: 1 } },
			),
		"Not sent: the contact hasn't replied to the last messages. Wait for a reply. " +
			"POST /message/text got 403 MAX_CONSECUTIVE_EXCEEDED (request ID)",
	],
	[
		"a rate limit",
		() =>
			send(HELLO, answer(errorResponse(429, { code: "RATE_LIMITED", headers: { "Retry-After": "100" } }))),
		"Not sent: too many requests. Allowed again in 100 s (retryAfterMs). POST /message/text got 429 RATE_LIMITED (request ID)",
	],
	[
		"a rate limit without a time",
		() => send(HELLO, answer(errorResponse(429, { code: "RATE_LIMITED" }))),
		"Not sent: too many requests. Wait before the next one. POST /message/text got 429 RATE_LIMITED (request ID)",
	],
	[
		"another App Secret",
		() => withLocal(({ messages }) => messages.sendText(HELLO), {}, { appSecret: "another" }),
		`Not sent: POST /message/text got 401 UNAUTHORIZED (request ID). Check the app id, the App Secret and this machine's clock. ${DOCTOR}`,
	],
	[
		"invalid fields",
		() =>
			send(
				HELLO,
				answer(
					errorResponse(400, {
						code: "VALIDATION_ERROR",
						details: [{ field: "to", issue: "x", message: "y" }],
					}),
				),
			),
		'Not sent: POST /message/text got 400 VALIDATION_ERROR (request ID): the gateway rejects "to". Correct the input: error.fieldErrors says why',
	],
	[
		"a code of the gateway's own",
		() => send(HELLO, answer(errorResponse(403, { code: "FORBIDDEN" }))),
		"Not sent: POST /message/text got 403 FORBIDDEN (request ID). error.gatewayMessage has the gateway's reason: fix that, or ask the gateway's operator",
	],
	[
		"a path that the gateway does not have",
		() => send(HELLO, { baseUrl: "https://gateway.example/v1", ...answer(text(404, "")) }),
		'Not sent: POST /message/text got 404: the path doesn\'t exist. Check it, and baseUrl, whose path is "/v1". ' +
			`If your gateway uses another path, set profile.operations["messages.sendText"].path. ${DOCTOR}`,
	],
	[
		"nothing that listens on this machine",
		async () => send(HELLO, { baseUrl: `http://127.0.0.1:${await closedPort()}` }),
		"Not sent: POST /message/text didn't reach the gateway (ECONNREFUSED): start `npx messaging-gateway dev`, or correct baseUrl. " +
			DOCTOR,
	],
	[
		"a host that there is not",
		() => send(HELLO, answer(networkError("ENOTFOUND"))),
		`Not sent: POST /message/text didn't reach the gateway (ENOTFOUND): check baseUrl and the network. ${DOCTOR}`,
	],
]);

describeMessages("a send that may have gone out", [
	[
		"a 503 of the gateway",
		() =>
			withLocal(({ messages }, { faults }) => {
				faults.respond({ status: 503 });
				return messages.sendText(HELLO);
			}),
		`The message may have been sent: POST /message/text got 503 SERVICE_UNAVAILABLE (request ID). error.gatewayMessage has the gateway's reason. ${UNKNOWN}`,
	],
	[
		"no agent",
		() => send(HELLO, answer(errorResponse(503, { code: "NO_AGENT_AVAILABLE" }))),
		"The message may have been sent: POST /message/text got 503 NO_AGENT_AVAILABLE (request ID): " +
			`each agent is offline or blocked. Bring one online. ${UNKNOWN}`,
	],
	[
		"a 502 of a proxy",
		() => send(HELLO, answer(html(502))),
		"The message may have been sent: POST /message/text got 502. Something other than the gateway seems to have responded, such as a login page or a proxy. " +
			`error.readBody() returns the raw body. ${DOCTOR}. ${UNKNOWN}`,
	],
	[
		"a connection that breaks",
		() => send(HELLO, answer(networkError("ECONNRESET"))),
		`The message may have been sent: POST /message/text got no response: the connection broke (ECONNRESET). ${DOCTOR}. ${UNKNOWN}`,
	],
	[
		"a time-out",
		() => send(HELLO, { attemptTimeoutMs: 5, fetch: () => new Promise(() => undefined) }),
		`The message may have been sent: POST /message/text took longer than attemptTimeoutMs, 5 ms. Raise attemptTimeoutMs, or check the network. ${DOCTOR}. ${UNKNOWN}`,
	],
	[
		"a login page",
		() => send(HELLO, answer(html(200))),
		"The message may have been sent: POST /message/text got 200, but the body is a web page. " +
			"Something other than the gateway seems to have responded, such as a login page or a proxy. " +
			`error.readBody() returns the raw body. ${DOCTOR}. ${UNKNOWN}`,
	],
	[
		"JSON that is cut off",
		() => send(HELLO, answer(text(202, '{"ok":true,"data":{"mess'))),
		"The message may have been sent: POST /message/text got 202, but the body is JSON that is cut off. " +
			`error.readBody() returns the raw body. ${DOCTOR}. ${UNKNOWN}`,
	],
]);

describeMessages("a send that was accepted", [
	[
		"a response of another shape, thrown",
		() => send(HELLO, { responseValidation: { provisional: "throw" }, ...answer(ok({ message: {} })) }),
		"The message was sent: POST /message/text got 200 (request ID), but message.messageId is missing. " +
			"error.readBody() returns the raw body. Don't send it again",
	],
	[
		"a response of another shape, logged",
		() => {
			const { nativeMessageNumber, chatGuid, ...message } = MESSAGE;
			return logOf(({ messages }) => messages.sendText(HELLO), answer(ok({ message })));
		},
		"messaging-gateway: The message was sent. Its response differs from the assumed shape: " +
			"message.nativeMessageNumber is missing; message.chatGuid is missing. " +
			'You get it unchanged; profile.operations["messages.sendText"].response can convert it',
	],
]);

describeMessages("reads", [
	[
		"a mapping that does not exist",
		() => withLocal(({ mappings }) => mappings.get(TO)),
		"No agent is mapped to this number. Create a mapping, or send to it first. GET /mapping/{toNumber} got 404 MAPPING_NOT_FOUND (request ID)",
	],
	[
		"a path that doesn't exist",
		() => withLocal((gateway) => gateway.request("GET", "/nope")),
		`GET /nope got 404 NOT_FOUND (request ID): the path doesn't exist. Check it, and baseUrl, whose path is "/". ${DOCTOR}`,
	],
	[
		"a rate limit",
		() =>
			create(
				answer(errorResponse(429, { code: "RATE_LIMITED", headers: { "Retry-After": "100" } })),
			).agents.list(),
		"Too many requests. Allowed again in 100 s (retryAfterMs). GET /agent got 429 RATE_LIMITED (request ID)",
	],
	[
		"a 503",
		() => create(answer(errorResponse(503, { code: "SERVICE_UNAVAILABLE" }))).agents.list(),
		"GET /agent got 503 SERVICE_UNAVAILABLE (request ID). error.gatewayMessage has the gateway's reason. A read changes nothing, so try again later",
	],
	[
		"a 503 with a time",
		() =>
			create(
				answer(errorResponse(503, { code: "SERVICE_UNAVAILABLE", headers: { "Retry-After": "30" } })),
			).agents.list(),
		"GET /agent got 503 SERVICE_UNAVAILABLE (request ID). error.gatewayMessage has the gateway's reason. A read changes nothing, so try again in 30 s (retryAfterMs)",
	],
	[
		"a 502 of a proxy",
		() => create(answer(html(502))).agents.list(),
		`GET /agent got 502. Something other than the gateway seems to have responded, such as a login page or a proxy. error.readBody() returns the raw body. A read changes nothing, so try again later. ${DOCTOR}`,
	],
	[
		"a time-out",
		() => create({ timeoutMs: 5, fetch: () => new Promise(() => undefined) }).agents.list(),
		`GET /agent took longer than timeoutMs, 5 ms. Raise timeoutMs, or check the network. ${DOCTOR}`,
	],
]);

describeMessages("another change", [
	[
		"a 503",
		() =>
			create(answer(errorResponse(503, { code: "SERVICE_UNAVAILABLE" }))).agents.register({
				agentNumber: "+15550000002",
			}),
		"The call may have been carried out: POST /agent got 503 SERVICE_UNAVAILABLE (request ID). error.gatewayMessage has the gateway's reason. Before you repeat it, check whether it was: messaging-gateway/docs/errors.md#unknown",
	],
]);
