import { describe, expect, test } from "vitest";
import { catchRejection } from "../../../support/catch-error.ts";
import { type Outcomes, testOutcomes } from "../../../support/outcomes.ts";
import { scriptGateway } from "../../../support/scripted-gateway.ts";
import { isNodeHttp } from "../../../support/transport.ts";
import {
	brokenBody,
	DUPLICATE,
	errorResponse,
	html,
	json,
	MAPPING,
	ok,
	text,
	USER,
} from "../../../support/wire.ts";
import { endingOf, type Played } from "./call-ending.ts";

const data = { mapping: MAPPING };
const envelope = JSON.stringify({ ok: true, data });
const DATA = JSON.stringify(data);

/** What came, for a read whose response is documented. */
const came = (steps: Played["steps"], options?: Played["options"]): Played => ({ steps, options });
const sized = (response: Response, maxResponseBytes: number) => came(response, { maxResponseBytes });

function announced(bytes: string): Response {
	return text(200, bytes, { "Content-Length": String(bytes.length) });
}

/** As libraries without streams of the web give it. */
function withoutStream(maxResponseBytes: number): Played {
	const response = { status: 200, headers: new Headers(), body: undefined, text: async () => envelope };
	return { steps: [], options: { maxResponseBytes, fetch: async () => response as never } };
}

/** A response whose body is read while the connection breaks: the transport over node:http reports it otherwise. */
const broken = (outcomes: Outcomes<Played>): Outcomes<Played> => (isNodeHttp ? {} : outcomes);

const SUCCESSES: Outcomes<Played> = {
	[DATA]: {
		"with meta": came(ok(data)),
		"without meta": came(json(200, { ok: true, data })),
		"with meta of another shape": came(json(200, { ok: true, data, meta: [1] })),
		"as text/plain": came(text(200, envelope)),
		"as HTML, by its header": came(text(200, envelope, { "Content-Type": "text/html" })),
		"after a byte order mark": came(text(200, `\ufeff${envelope}`)),
		"with 201": came(ok(data, { status: 201 })),
		"with 299": came(ok(data, { status: 299 })),
		"with an error beside ok: true": came(json(200, { ok: true, data, error: { code: "X" } })),
		"as large as maxResponseBytes": sized(text(200, envelope), envelope.length),
		"as large as it announces, and as maxResponseBytes": sized(announced(envelope), envelope.length),
		"without a stream": withoutStream(envelope.length),
	},
	[JSON.stringify({ mapping: { ...MAPPING, mood: "good", deep: { since: 1 } }, note: [1] })]: {
		"with unknown fields, at every depth": came(
			ok({ mapping: { ...MAPPING, mood: "good", deep: { since: 1 } }, note: [1] }),
		),
	},
	"ResponseShapeError unexpected_response 200, unknown: the body is empty": {
		"an empty body": came(text(200, "")),
		whitespace: came(text(200, " \n")),
	},
	"ResponseShapeError unexpected_response 204, unknown: the body is empty": {
		"no body at all": came(new Response(null, { status: 204 })),
	},
	"ResponseShapeError unexpected_response 200, unknown: the body is JSON that is cut off": {
		"half of the envelope": came(text(200, '{"ok":true,"da')),
		"half of a list": came(text(200, " [1,")),
	},
	"ResponseShapeError unexpected_response 200, unknown: the body is a web page": {
		"an HTML page": came(html(200)),
		"a page by its first tag": came(text(200, "<!doctype html>")),
	},
	"ResponseShapeError unexpected_response 200, unknown: the body isn't JSON": {
		words: came(text(200, "fine")),
		"words and a page in them": came(text(200, "fine <html>")),
	},
	"ResponseShapeError unexpected_response 200, unknown: the body isn't a JSON object": {
		"a text": came(json(200, "fine")),
		"a number": came(json(200, 7)),
		null: came(json(200, null)),
		"an array": came(json(200, [])),
	},
	"ResponseShapeError unexpected_response 200, unknown: ok must be true, as in the gateway's envelope": {
		"no ok": came(json(200, { data })),
		"ok as a text": came(json(200, { ok: "true", data })),
		"ok: false and nothing else": came(json(200, { ok: false })),
		"an error without ok": came(json(200, { error: { code: "ODD" } })),
	},
	"ResponseShapeError unexpected_response 200, accepted: data is missing": {
		"an envelope without data": came(json(200, { ok: true, meta: {} })),
	},
	"ResponseShapeError unexpected_response 200, accepted: must be an object": {
		"data that is null": came(ok(null)),
	},
	"ResponseShapeError unexpected_response 200, accepted: mapping.outbound must be a number": {
		"a null in the place of a number": came(ok({ mapping: { ...MAPPING, outbound: null } })),
	},
	"ResponseShapeError unexpected_response 200, unknown: the body is larger than maxResponseBytes": {
		"larger than maxResponseBytes, and announced": sized(announced("x".repeat(101)), 100),
		"larger than maxResponseBytes, which nothing announced": sized(text(200, "x".repeat(101)), 100),
		"larger than maxResponseBytes, without a stream": withoutStream(envelope.length - 1),
	},
	"ResponseShapeError unexpected_response 200, accepted: the body is larger than maxResponseBytes": {
		"an envelope larger than maxResponseBytes": sized(text(200, envelope), envelope.length - 1),
	},
	...broken({
		"ConnectionError connection_failed, accepted": {
			"an envelope within which the connection breaks": came(() => brokenBody(200)),
		},
	}),
};

describe("a success status", () => {
	testOutcomes(SUCCESSES, endingOf);

	test("an error has the body that cannot be used, unless it is too large", async () => {
		const bodies = [100, 99].map(async (maxResponseBytes) => {
			const { gateway } = scriptGateway([text(200, "x".repeat(100))], { maxResponseBytes });
			return Object(await catchRejection(gateway.mappings.get(USER))).readBody();
		});
		expect(await Promise.all(bodies)).toEqual(["x".repeat(100), undefined]);
	});
});

/** Bodies that say nothing of their own about a failure, in each of which one thing is not as in an error envelope. */
const BODIES: Readonly<Record<string, (status: number) => Response>> = {
	"an HTML page": html,
	"no body": (status) => text(status, ""),
	"half of an envelope": (status) => text(status, '{"ok":false,"error":{"co'),
	"an array": (status) => json(status, [1]),
	null: (status) => json(status, null),
	"an error that is null": (status) => json(status, { ok: false, error: null }),
	"a code that is null": (status) => json(status, { ok: false, error: { code: null, message: null } }),
	"a code that is a sentence, which could hold anything": (status) =>
		json(status, { ok: false, error: { code: "no mapping for +15551234567", message: "" } }),
	"a success envelope": (status) => json(status, { ok: true, data: {} }),
	"a broken connection": brokenBody,
};

/** Every body under a status: only an error envelope adds its code. */
const failing = (kind: string, status: number, outcome: string): Outcomes<Played> => ({
	[`${kind} ${status} SOME_CODE, ${outcome}`]: { "an error envelope": came(errorResponse(status)) },
	[`${kind} ${status}, ${outcome}`]: Object.fromEntries(
		Object.entries(BODIES).map(([body, respond]) => [body, came(() => respond(status))]),
	),
});

const FAILURES: Outcomes<Played> = {
	...failing("BadRequestError bad_request", 400, "rejected"),
	...failing("AuthenticationError authentication_failed", 401, "rejected"),
	...failing("PermissionDeniedError permission_denied", 403, "rejected"),
	...failing("NotFoundError not_found", 404, "rejected"),
	...failing("UnexpectedStatusError unexpected_status", 408, "unknown"),
	...failing("ConflictError conflict", 409, "rejected"),
	...failing("UnexpectedStatusError unexpected_status", 418, "rejected"),
	...failing("UnprocessableEntityError unprocessable", 422, "rejected"),
	...failing("RateLimitError rate_limited", 429, "rejected"),
	...failing("ServerError server_error", 500, "unknown"),
	...failing("ServerError server_error", 503, "unknown"),
	...failing("ServerError server_error", 599, "unknown"),
	"UnexpectedStatusError unexpected_status 300, unknown": {
		"the first status after a success": came(html(300)),
	},
	"UnexpectedStatusError unexpected_status 306, unknown": {
		"the last before redirects that repeat": came(html(306)),
	},
	"UnexpectedStatusError unexpected_status 307, rejected": { "a redirect that repeats": came(html(307)) },
	"UnexpectedStatusError unexpected_status 308, rejected": { "a redirect that repeats": came(html(308)) },
	"UnexpectedStatusError unexpected_status 309, unknown": { "the first after them": came(html(309)) },
	"UnexpectedStatusError unexpected_status 399, unknown": { "the last before a 4xx": came(html(399)) },
	"UnexpectedStatusError unexpected_status 499, unknown": {
		"a client that hung up, says a proxy": came(html(499)),
	},
	"UnexpectedStatusError unexpected_status 200 NOPE, unknown": {
		"ok: false on 200": came(errorResponse(200, { code: "NOPE" })),
	},
	"ServerError server_error 503 NOT_QUEUED, rejected": {
		"a code that the profile names as a rejection": came(errorResponse(503, { code: "NOT_QUEUED" }), {
			profile: { rejectionCodes: ["NOT_QUEUED"] },
		}),
	},
	"ServerError server_error 503 QUEUED, unknown": {
		"a code that the profile does not name": came(errorResponse(503, { code: "QUEUED" }), {
			profile: { rejectionCodes: ["NOT_QUEUED"] },
		}),
	},
	"ServerError server_error 503, unknown": {
		"no code, where the profile names some": came(html(503), { profile: { rejectionCodes: ["NOT_QUEUED"] } }),
	},
};

describe("a failure status", () => testOutcomes(FAILURES, endingOf));

/** The details of a rejection as an error has them: whole, and as field errors. */
async function detailsOf(details: unknown): Promise<string> {
	const { gateway } = scriptGateway([errorResponse(400, { details })]);
	const error = Object(await catchRejection(gateway.mappings.get(USER)));
	return JSON.stringify([error.details ?? null, error.fieldErrors]);
}

const field = { field: "text", issue: "too_long", message: "is too long" };

describe("details", () => {
	testOutcomes(
		{
			[JSON.stringify([[field], [field]])]: {
				"an array of field errors": [field],
				"with other things in it": [field, null, "x"],
				"with more members": [{ ...field, value: "private" }],
			},
			'[[{"field":"","issue":"","message":""}],[{"field":"","issue":"","message":""}]]': {
				"a field error of other types": [{ field: 1, issue: 2, message: null }],
				"a field error without members": [{}],
			},
			'[{"limit":5},[]]': { "an object": { limit: 5 } },
			"[[],[]]": { "an empty array": [] },
			"[null,[]]": { nothing: undefined, null: null, "a text": "bad" },
		},
		detailsOf,
	);
});

/** How a send ends that is rejected with this, and what its error has of a duplicate. */
async function rejectedSend({ steps, options }: Played): Promise<string> {
	let seen: unknown;
	const ending = await endingOf({
		steps,
		options,
		call: (gateway) => {
			const call = gateway.messages.sendText({ to: USER, text: "Hello" });
			call.catch((error) => (seen = error));
			return call;
		},
	});
	const { duplicate, retryAfterMs } = Object(seen);
	return `${ending}, ${JSON.stringify({ duplicate, retryAfterMs })}`;
}

const INFO = `{"duplicate":${JSON.stringify(DUPLICATE)},"retryAfterMs":12500}`;
const other = { ...DUPLICATE, isDuplicate: false };
const byCode = (status: number, code: string) =>
	came(errorResponse(status, { code }), { profile: { duplicates: { code: "DUP", infoPath: null } } });
const waits = (headers: Record<string, string>, details: unknown = undefined) =>
	came(errorResponse(409, { details, headers }));

const DUPLICATES: Outcomes<Played> = {
	...Object.fromEntries(
		[403, 409, 422].map((status) => [
			`DuplicateMessageError duplicate_message ${status} ANYTHING, rejected, ${INFO}`,
			{
				"a DuplicateInfo, whatever the code": came(
					errorResponse(status, { code: "ANYTHING", details: DUPLICATE }),
				),
			},
		]),
	),
	"DuplicateMessageError duplicate_message 422 DUP, rejected, {}": {
		"the code of the profile, without info": byCode(422, "DUP"),
	},
	[`DuplicateMessageError duplicate_message 409 SOME_CODE, rejected, ${INFO.replace("12500", "2000")}`]: {
		"a DuplicateInfo with a Retry-After, which wins": waits({ "Retry-After": "2" }, DUPLICATE),
	},
	[`DuplicateMessageError duplicate_message 409 SOME_CODE, rejected, ${INFO.replace("12.5", "1e+308").replace("12500", String(Number.MAX_SAFE_INTEGER))}`]:
		{ "a time beyond all numbers": waits({}, { ...DUPLICATE, timeRemaining: 1e308 }) },
	"ConflictError conflict 409 SOME_CODE, rejected, {}": {
		"a DuplicateInfo with isDuplicate: false": waits({}, other),
		"half of a DuplicateInfo": waits({}, { isDuplicate: true }),
	},
	"ConflictError conflict 409 DUPLICATE_MESSAGE, rejected, {}": {
		"a code like that of duplicates": came(errorResponse(409, { code: "DUPLICATE_MESSAGE" })),
	},
	"NotFoundError not_found 404 SOME_CODE, rejected, {}": {
		"a 404 with isDuplicate: false": came(errorResponse(404, { details: other })),
	},
	"UnprocessableEntityError unprocessable 422 OTHER, rejected, {}": {
		"another code than the profile's": byCode(422, "OTHER"),
	},
	"ServerError server_error 500 DUP, unknown, {}": { "the profile's code with a 500": byCode(500, "DUP") },
	"ConflictError conflict 409 DUP, rejected, {}": {
		"info with isDuplicate: false, whatever the profile's code says": came(
			errorResponse(409, { code: "DUP", details: other }),
			{ profile: { duplicates: { code: "DUP" } } },
		),
	},
	'ConflictError conflict 409 SOME_CODE, rejected, {"retryAfterMs":2000}': {
		"another conflict that may pass": waits({ "Retry-After": "2" }),
	},
};

describe("a rejected send", () => testOutcomes(DUPLICATES, rejectedSend));

/** The request id that an error has. */
async function requestIdOf(response: Response): Promise<string> {
	const { gateway } = scriptGateway([response], { maxRetries: 0 });
	return String(Object(await catchRejection(gateway.mappings.get(USER))).requestId);
}

const named = (requestId: unknown) =>
	json(502, { ok: false, error: { requestId } }, { "X-Request-Id": "h-1" });

describe("the request id", () => {
	testOutcomes(
		{
			"e-1": {
				"of the error, before that of the header": named("e-1"),
				"of meta, before that of the error": json(502, {
					meta: { requestId: "e-1", timestamp: "" },
					error: { requestId: "e-2" },
				}),
			},
			"h-1": {
				"of the header, without a body": text(502, "", { "X-Request-Id": "h-1" }),
				"of the header, where the error's is no id": named("no id"),
				"of the header, where the error's begins with something else": named(" e-1"),
				"of the header, where the error's is a number": named(7),
				"of the header, where the error's is too long": named("a".repeat(129)),
				"of the header, where meta has no time": json(
					502,
					{ meta: { requestId: "e-1" } },
					{ "X-Request-Id": "h-1" },
				),
			},
			["a".repeat(128)]: { "of 128 characters": named("a".repeat(128)) },
			undefined: { "of nothing": text(502, "") },
		},
		requestIdOf,
	);
});
