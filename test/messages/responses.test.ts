import type { MessagingGateway, Profile } from "messaging-gateway";
import { describe } from "vitest";
import { type Outcomes, testOutcomes } from "../support/outcomes.ts";
import { type Step, scriptGateway } from "../support/scripted-gateway.ts";
import { DUPLICATE, errorResponse, html, ok, REQUEST_ID, text, USER } from "../support/wire.ts";

interface Failed {
	readonly step: Step;
	readonly call?: (gateway: MessagingGateway) => PromiseLike<unknown>;
	readonly profile?: Profile;
}

/** Calls of every kind: reads, whose paths the specification shows or which are assumed, a send, and another change. */
const getMapping = (gateway: MessagingGateway) => gateway.mappings.get(USER);
const listAgents = (gateway: MessagingGateway) => gateway.agents.list();
const sendText = (gateway: MessagingGateway) => gateway.messages.sendText({ to: USER, text: "Hello" });
const updateMapping = (gateway: MessagingGateway) =>
	gateway.mappings.update(USER, { maxConsecutiveMessages: 3 });

/** The whole sentence of a call's error whose only attempt gets this. */
async function sentenceOf({ step, call = getMapping, profile }: Failed): Promise<string> {
	const baseUrl = "https://gateway.example/api/v1/";
	const { gateway } = scriptGateway([step], { maxRetries: 0, baseUrl, profile });
	return Promise.resolve(call(gateway)).then(
		() => "no error",
		(error: Error) => error.message.replaceAll(REQUEST_ID, "ID"),
	);
}

const DOCTOR = "`npx messaging-gateway doctor` shows why";
const REASON = "error.gatewayMessage has the gateway's reason";
const FIX = `${REASON}: fix that, or ask the gateway's operator`;
const UNKNOWN = "Before you send it again, check the conversation: messaging-gateway/docs/errors.md#unknown";
const REDIRECT =
	"redirects aren't followed, because they would forward the signature. Set baseUrl to the final address";
const NO_PATH = 'the path doesn\'t exist. Check it, and baseUrl, whose path is "/api/v1"';
const NO_METHOD = 'the path doesn\'t accept the method. Check it, and baseUrl, whose path is "/api/v1"';
const RAW = "error.readBody() returns the raw body";
const FOREIGN = `Something other than the gateway seems to have responded, such as a login page or a proxy. ${RAW}`;
const AGAIN = "A read changes nothing, so try again later";
const CREDENTIALS = "Check the app id, the App Secret and this machine's clock";
const CLOCK = "the error names the timestamp, so compare this machine's clock with the gateway's";
const ASSUMED = 'If your gateway uses another path, set profile.operations["agents.list"].path';
const NONCE =
	"its nonce was used, so the gateway already has this request, and something on the way repeated it";
const DUPLICATE_PAGE = "Wait, or change the message: messaging-gateway/docs/errors.md#duplicate_message";
const SAME = "the same message went out recently, to this contact or to another";

const failed = (step: Step, call?: Failed["call"], profile?: Profile): Failed => ({
	step,
	...(call && { call }),
	...(profile && { profile }),
});
const coded = (status: number, code: string, call?: Failed["call"]) =>
	failed(errorResponse(status, { code }), call);
const fields = (...names: string[]) =>
	failed(
		errorResponse(400, { details: names.map((field) => ({ field, issue: "bad", message: "private" })) }),
		sendText,
	);
const attachments = Array.from({ length: 12 }, (_, at) => `attachments.${at}.url`);
const rejectedFields = (names: string) =>
	`Not sent: POST /message/attachment got 400 SOME_CODE (request ID)${names}. Correct the input: error.fieldErrors says why`;
const REJECTED = "Not sent: POST /message/text got 400 SOME_CODE (request ID)";
const GET = "GET /mapping/{toNumber} got";
const LIST = "GET /agent got";

/** The 0 that browsers report for a redirect. */
const opaque = { status: 0, statusText: "", headers: new Headers(), body: null, text: async () => "" };

const HINTS: Outcomes<Failed> = {
	[`${GET} 300: ${REDIRECT}. ${DOCTOR}`]: { "the first status of a redirect": failed(html(300)) },
	[`${GET} 302: ${REDIRECT}. ${DOCTOR}`]: {
		"a redirect": failed(text(302, "", { Location: "/login" })),
	},
	[`${GET} 399: ${REDIRECT}. ${DOCTOR}`]: { "the last status of a redirect": failed(html(399)) },
	[`${GET} a redirect: ${REDIRECT}. ${DOCTOR}`]: {
		"a redirect in a browser, whose status is 0": failed(() => opaque as never),
	},
	[`${GET} 304. ${FOREIGN}. ${DOCTOR}`]: {
		"what a cache answers": failed(new Response(null, { status: 304 })),
	},
	[`${GET} 400. ${FOREIGN}. ${DOCTOR}`]: { "a page of a 400": failed(html(400)) },
	[`${GET} 500. ${FOREIGN}. ${AGAIN}. ${DOCTOR}`]: { "a page of a 500": failed(html(500)) },
	[`${GET} 401. ${FOREIGN}. ${DOCTOR}`]: { "a 401 of something else": failed(text(401, "")) },
	[`${GET} 404: ${NO_PATH}. ${DOCTOR}`]: { "a page of a 404": failed(html(404)) },
	[`${GET} 404 NOT_FOUND (request ID): ${NO_PATH}. ${DOCTOR}`]: {
		"a 404 of an unknown path": coded(404, "NOT_FOUND"),
	},
	[`${GET} 405: ${NO_METHOD}. ${DOCTOR}`]: { "a 405 without an envelope": failed(text(405, "")) },
	[`${GET} 405 METHOD_NOT_ALLOWED (request ID): ${NO_METHOD}. ${DOCTOR}`]: {
		"a 405 of the gateway": coded(405, "METHOD_NOT_ALLOWED"),
	},
	[`${LIST} 404: ${NO_PATH}. ${ASSUMED}. ${DOCTOR}`]: {
		"a page of a 404, where the path is assumed": failed(html(404), listAgents),
	},
	[`${LIST} 405: ${NO_METHOD}. ${ASSUMED}. ${DOCTOR}`]: {
		"a 405 without an envelope, where the path is assumed": failed(html(405), listAgents),
	},
	"No agent is mapped to this number. Create a mapping, or send to it first. GET /mapping/{toNumber} got 404 MAPPING_NOT_FOUND (request ID)":
		{
			"a 404 of what is not there": coded(404, "MAPPING_NOT_FOUND"),
		},
	[`${GET} 404 SOME_CODE (request ID). ${FIX}`]: {
		"a 404 whose code says nothing more": coded(404, "SOME_CODE"),
	},
	[`${LIST} 404 SOME_CODE (request ID). ${FIX}`]: {
		"a 404 of what is not there, where the path is assumed": coded(404, "SOME_CODE", listAgents),
	},
	[`${GET} 400 NOT_FOUND (request ID). ${FIX}`]: {
		"the code of an unknown path under another status": coded(400, "NOT_FOUND"),
	},
	[`${GET} 401 SOME_CODE (request ID). ${CREDENTIALS}. ${DOCTOR}`]: {
		"a 401 of the gateway": failed(errorResponse(401)),
	},
	[`${GET} 401 SOME_CODE (request ID): ${CLOCK}. ${DOCTOR}`]: {
		"a 401 that names the timestamp": failed(errorResponse(401, { details: { reason: "timestamp" } })),
	},
	[`${GET} 403 SOME_CODE (request ID). ${FIX}`]: {
		"another status that names the timestamp": failed(
			errorResponse(403, { details: { reason: "timestamp" } }),
		),
		"a reason of the gateway": failed(errorResponse(403)),
	},
	[`${GET} 403. ${FIX}`]: {
		"a code that is no word, and an id that is none": failed(
			Response.json(
				{ ok: false, error: { code: "no-4711", message: "", requestId: "r-42" } },
				{ status: 403 },
			),
		),
	},
	[`${GET} 403 FORBIDDEN`]: {
		"no message of the gateway": failed(
			Response.json({ ok: false, error: { code: "FORBIDDEN" } }, { status: 403 }),
		),
	},
	[`${GET} 502 (request ID). ${FOREIGN}. ${AGAIN}. ${DOCTOR}`]: {
		"an id in a header": failed(text(502, "", { "X-Request-Id": REQUEST_ID })),
	},
	[`The message may have been sent: POST /message/text got 401 NONCE_USED (request ID): ${NONCE}. ${UNKNOWN}`]:
		{
			"a nonce that was used": coded(401, "NONCE_USED", sendText),
		},
	[`${REJECTED}: the gateway rejects "text". Correct the input: error.fieldErrors says why`]: {
		"a field": fields("text"),
		"a field twice, and others that are none": fields("text", "mood", "text", "text.length"),
	},
	[`${REJECTED}: the gateway rejects "text", "statusCallback". Correct the input: error.fieldErrors says why`]:
		{
			"two fields, one of which has another name on the wire": fields("text", "status_callback"),
		},
	[`${REJECTED}. Correct the input: error.fieldErrors says why`]: {
		"a field that is none, which could be a value": fields("15551234567"),
		"a word that only ends like one on the wire": fields("x.status_callback"),
	},
	[`${REJECTED}. ${FIX}`]: { "no fields": fields() },
	[rejectedFields(
		`: the gateway rejects ${attachments
			.slice(0, 10)
			.map((name) => `"${name}"`)
			.join(", ")}`,
	)]: {
		"more than ten fields": {
			...fields(...attachments),
			call: (gateway) =>
				gateway.messages.sendAttachments({ to: USER, attachments: [{ url: "https://files.example/a" }] }),
		},
	},
};

const REASONS: Outcomes<Failed> = {
	"Too many requests. Wait before the next one. GET /agent got 429 SOME_CODE (request ID)": {
		"a rate limit of a read": failed(errorResponse(429), listAgents),
	},
	"Not sent: too many requests. Allowed again in 2 s (retryAfterMs). POST /message/text got 429 SOME_CODE (request ID)":
		{
			"a rate limit of a send, with a time": failed(
				errorResponse(429, { headers: { "Retry-After": "1.5" } }),
				sendText,
			),
		},
	[`Not sent: ${SAME}. POST /message/text got 409 SOME_CODE (request ID). ${DUPLICATE_PAGE}`]: {
		"a duplicate without a time": failed(errorResponse(409), sendText, {
			duplicates: { code: "SOME_CODE", infoPath: null },
		}),
	},
	[`Not sent: ${SAME}. Allowed again in 13 s (retryAfterMs). POST /message/text got 409 SOME_CODE (request ID). ${DUPLICATE_PAGE}`]:
		{ "a duplicate": failed(errorResponse(409, { details: DUPLICATE }), sendText) },
	"Not sent: the agent is blocked. POST /message/text got 403 AGENT_BLOCKED (request ID)": {
		"a reason that the local gateway has, too": coded(403, "AGENT_BLOCKED", sendText),
	},
	"The agent is blocked. GET /mapping/{toNumber} got 403 AGENT_BLOCKED (request ID)": {
		"such a reason of a read": coded(403, "AGENT_BLOCKED"),
	},
	[`The message may have been sent: POST /message/text got 503 NO_AGENT_AVAILABLE (request ID): each agent is offline or blocked. Bring one online. ${UNKNOWN}`]:
		{ "such a reason of a send that may be out": coded(503, "NO_AGENT_AVAILABLE", sendText) },
	[`PATCH /mapping/{toNumber} got 403 SOME_CODE (request ID). ${FIX}`]: {
		"another change that was rejected": failed(errorResponse(403), updateMapping),
	},
	[`The call may have been carried out: PATCH /mapping/{toNumber} got 503 SOME_CODE (request ID). ${REASON}. Before you repeat it, check whether it was: messaging-gateway/docs/errors.md#unknown`]:
		{
			"another change that may be made": failed(errorResponse(503), updateMapping),
		},
	[`${GET} 403 (request ID). ${FIX}`]: {
		"a code like a name of objects": coded(403, "constructor"),
	},
};

const SHAPES: Outcomes<Failed> = {
	[`${GET} 200, but the body is a web page. ${FOREIGN}. ${DOCTOR}`]: { "a page": failed(html(200)) },
	[`${GET} 200, but the body isn't JSON. ${FOREIGN}. ${DOCTOR}`]: { words: failed(text(200, "fine")) },
	[`${GET} 200, but the body is JSON that is cut off. ${RAW}. ${DOCTOR}`]: {
		"half of the JSON": failed(text(200, ' {"ok":tr')),
	},
	[`${GET} 200, but the body is empty. ${RAW}. ${DOCTOR}`]: { nothing: failed(text(200, " ")) },
	[`${GET} 200 (request ID), but mapping is missing. ${RAW}`]: { "another shape": failed(ok({})) },
	[`${GET} 200 (request ID), but must be an object. ${RAW}`]: { "no object": failed(ok(7)) },
	[`The call was carried out: PATCH /mapping/{toNumber} got 200 (request ID), but data is missing. ${RAW}. ${DOCTOR}`]:
		{
			"a change, without data": failed(
				Response.json({ ok: true, meta: { requestId: REQUEST_ID, timestamp: "" } }),
				updateMapping,
			),
		},
	[`The message was sent: POST /message/text got 200, but data is missing. ${RAW}. ${DOCTOR}. Don't send it again`]:
		{
			"a send, without data": failed(Response.json({ ok: true }), sendText),
		},
};
describe("a failure status", () => testOutcomes(HINTS, sentenceOf));
describe("a reason that is known", () => testOutcomes(REASONS, sentenceOf));
describe("a success that cannot be used", () => testOutcomes(SHAPES, sentenceOf));
