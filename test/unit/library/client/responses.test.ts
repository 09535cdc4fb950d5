import {
	type ApiError,
	AuthenticationError,
	BadRequestError,
	ConflictError,
	ConnectionError,
	DuplicateMessageError,
	type DuplicatesProfile,
	type MessagingGateway,
	NotFoundError,
	PermissionDeniedError,
	RateLimitError,
	ResponseShapeError,
	ServerError,
	UnexpectedStatusError,
	UnprocessableEntityError,
} from "messaging-gateway";
import { describe, expect, test } from "vitest";
import { catchRejection } from "../../../support/catch-error.ts";
import { type Step, scriptGateway } from "../../../support/scripted-gateway.ts";
import { isNodeHttp } from "../../../support/transport.ts";
import {
	brokenBody,
	DUPLICATE,
	errorResponse,
	html,
	json,
	MAPPING,
	networkError,
	ok,
	REQUEST_ID,
	text,
	USER,
} from "../../../support/wire.ts";

const get = (gateway: MessagingGateway) => gateway.mappings.get(USER);

/** The error of a call whose only attempt gets this response. */
async function errorOf(response: Response, call: (gateway: MessagingGateway) => PromiseLike<unknown> = get) {
	const { gateway } = scriptGateway([response], { maxRetries: 0 });
	return (await catchRejection(Promise.resolve(call(gateway)))) as ApiError;
}

describe("a success status with a body that cannot be used", () => {
	const mapping = { ...MAPPING, outbound: null };
	type Case = [title: string, response: () => Response, issue: { path: string; message: string }];

	async function expectMisfit(response: () => Response, issue: Case[2]): Promise<ApiError> {
		const error = await errorOf(response());
		expect(error).toBeInstanceOf(ResponseShapeError);
		expect(error).toMatchObject({
			code: "unexpected_response",
			status: response().status,
			attempts: 1,
			operationId: "mappings.get",
			issues: [issue],
		});
		expect(error.message).toMatch(/^GET \/mapping\/\{toNumber\} got 20\d( \(request .{36}\))?, but /);
		return error;
	}

	const NO_ENVELOPE = { path: "ok", message: "must be true, as in the gateway's envelope" };

	test.each<Case>([
		["an empty body", () => text(200, ""), { path: "", message: "the body is empty" }],
		["whitespace", () => text(200, " \n"), { path: "", message: "the body is empty" }],
		["no body at all", () => new Response(null, { status: 204 }), { path: "", message: "the body is empty" }],
		[
			"half of the JSON",
			() => text(200, '{"ok":true,"da'),
			{ path: "", message: "the body is JSON that is cut off" },
		],
	])("%s is not the gateway's envelope either, and may be the gateway's", async (_title, ...rest) => {
		const error = await expectMisfit(...rest);
		expect(error.outcome).toBe("unknown");
		expect(error.message).not.toContain("Something other");
	});

	test.each<Case>([
		["an HTML page", () => html(200), { path: "", message: "the body is a web page" }],
		["words", () => text(200, "fine"), { path: "", message: "the body isn't JSON" }],
		["a text", () => json(200, "fine"), { path: "", message: "the body isn't a JSON object" }],
		["a number", () => json(200, 7), { path: "", message: "the body isn't a JSON object" }],
		["null", () => json(200, null), { path: "", message: "the body isn't a JSON object" }],
		["an array", () => json(200, []), { path: "", message: "the body isn't a JSON object" }],
		["no ok", () => json(200, { data: { mapping: MAPPING } }), NO_ENVELOPE],
		["ok as a text", () => json(200, { ok: "true", data: {} }), NO_ENVELOPE],
		["ok: false and nothing else", () => json(200, { ok: false }), NO_ENVELOPE],
	])(
		"%s is not the gateway's envelope: its outcome is unknown, and the error names the sender",
		async (_title, ...rest) => {
			const error = await expectMisfit(...rest);
			expect(error.outcome).toBe("unknown");
			expect(error.message).toContain("Something other than the gateway seems to have responded");
		},
	);

	test.each<Case>([
		["no data", () => json(200, { ok: true, meta: {} }), { path: "data", message: "is missing" }],
		["data that is null", () => ok(null), { path: "", message: "must be an object" }],
		[
			"a null where a number was",
			() => ok({ mapping }),
			{ path: "mapping.outbound", message: "must be a number" },
		],
	])("the gateway's envelope with %s was accepted", async (_title, ...rest) => {
		const error = await expectMisfit(...rest);
		expect(error.outcome).toBe("accepted");
		expect(error.message).not.toContain("Something other");
	});

	test("a body over the limit is not read, whether it is announced or not", async () => {
		const announced = text(200, "x".repeat(101));
		announced.headers.set("Content-Length", "101");
		for (const response of [announced, text(200, "x".repeat(101))]) {
			const { gateway } = scriptGateway([response], { maxResponseBytes: 100 });
			const error = (await catchRejection(get(gateway))) as ResponseShapeError;
			expect(error).toBeInstanceOf(ResponseShapeError);
			expect(error).toMatchObject({ status: 200, outcome: "unknown" });
			expect(error.issues).toEqual([{ path: "", message: "the body is larger than maxResponseBytes" }]);
			expect(error.readBody()).toBeUndefined();
		}
	});

	test("a success envelope over the limit was accepted", async () => {
		const body = JSON.stringify({ ok: true, data: { mapping: MAPPING } });
		const { gateway } = scriptGateway([text(200, body)], { maxResponseBytes: body.length - 1 });
		expect(await catchRejection(get(gateway))).toMatchObject({ status: 200, outcome: "accepted" });
	});

	test("a body of exactly the limit is read", async () => {
		const body = JSON.stringify({ ok: true, data: { mapping: MAPPING } });
		const { gateway } = scriptGateway([text(200, body)], { maxResponseBytes: body.length });
		expect(await get(gateway)).toEqual({ mapping: MAPPING });
	});

	test.skipIf(isNodeHttp)(
		"a connection that breaks within the body is a ConnectionError with outcome accepted",
		async () => {
			const error = await errorOf(brokenBody(200));
			expect(error).toBeInstanceOf(ConnectionError);
			expect(error).toMatchObject({ code: "connection_failed", outcome: "accepted" });
			expect(error.message).toContain("got 200, but the connection broke during the response");
		},
	);
});

describe("what a success may look like", () => {
	test.each<[title: string, response: () => Response]>([
		["without meta", () => json(200, { ok: true, data: { mapping: MAPPING } })],
		["with meta of another shape", () => json(200, { ok: true, data: { mapping: MAPPING }, meta: [1] })],
		["as text/plain", () => text(200, JSON.stringify({ ok: true, data: { mapping: MAPPING } }))],
		[
			"after a byte order mark",
			() => text(200, `\ufeff${JSON.stringify({ ok: true, data: { mapping: MAPPING } })}`),
		],
		["with 201", () => ok({ mapping: MAPPING }, { status: 201 })],
		[
			"with an error beside ok: true",
			() => json(200, { ok: true, data: { mapping: MAPPING }, error: { code: "X" } }),
		],
	])("%s", async (_title, response) => {
		const { gateway } = scriptGateway([response()]);
		expect(await get(gateway)).toEqual({ mapping: MAPPING });
	});

	test("unknown fields stay, at every depth", async () => {
		const data = { mapping: { ...MAPPING, mood: "good", duplicate: { ...DUPLICATE, since: 1 } }, note: [1] };
		const { gateway } = scriptGateway([ok(data)]);
		expect(await get(gateway)).toEqual(data);
	});
});

describe("a failure status", () => {
	const classes = [
		[400, BadRequestError, "bad_request", "rejected"],
		[401, AuthenticationError, "authentication_failed", "rejected"],
		[403, PermissionDeniedError, "permission_denied", "rejected"],
		[404, NotFoundError, "not_found", "rejected"],
		[409, ConflictError, "conflict", "rejected"],
		[408, UnexpectedStatusError, "unexpected_status", "unknown"],
		[418, UnexpectedStatusError, "unexpected_status", "rejected"],
		[422, UnprocessableEntityError, "unprocessable", "rejected"],
		[429, RateLimitError, "rate_limited", "rejected"],
		[500, ServerError, "server_error", "unknown"],
		[503, ServerError, "server_error", "unknown"],
		[599, ServerError, "server_error", "unknown"],
	] as const;

	const bodies: [title: string, response: (status: number) => Response, gatewayCode: string | undefined][] = [
		["an error envelope", (status) => errorResponse(status), "SOME_CODE"],
		["an HTML page", (status) => html(status), undefined],
		["no body", (status) => text(status, ""), undefined],
		["half of an envelope", (status) => text(status, '{"ok":false,"error":{"co'), undefined],
		["an array", (status) => json(status, [1]), undefined],
		["null", (status) => json(status, null), undefined],
		["an error that is null", (status) => json(status, { ok: false, error: null }), undefined],
		[
			"a code that is null",
			(status) => json(status, { ok: false, error: { code: null, message: null } }),
			undefined,
		],
		[
			"a code that is a sentence, which could hold anything",
			(status) => json(status, { ok: false, error: { code: "no mapping for +15551234567", message: "" } }),
			undefined,
		],
		["a success envelope", (status) => json(status, { ok: true, data: {} }), undefined],
		["a broken connection", (status) => brokenBody(status), undefined],
	];

	describe.each(classes)("%i", (status, ErrorClass, code, outcome) => {
		test.each(bodies)("with %s", async (_title, response, gatewayCode) => {
			const error = await errorOf(response(status));
			expect(error).toBeInstanceOf(ErrorClass);
			expect(error.constructor).toBe(ErrorClass);
			expect(error).toMatchObject({ code, status, outcome, gatewayCode, attempts: 1, details: undefined });
			expect(error.message).toContain(`GET /mapping/{toNumber} got ${status}`);
		});
	});

	test("ok: false on 200 is an error that proves nothing", async () => {
		const error = await errorOf(errorResponse(200, { code: "NOPE" }));
		expect(error).toBeInstanceOf(UnexpectedStatusError);
		expect(error).toMatchObject({ status: 200, outcome: "unknown", gatewayCode: "NOPE" });
	});

	test("the request id comes from the header if the body has none", async () => {
		const error = await errorOf(text(502, "", { "X-Request-Id": REQUEST_ID }));
		expect(error.requestId).toBe(REQUEST_ID);
		expect(error.message).toContain(`(request ${REQUEST_ID})`);
		expect((await errorOf(text(502, "", { "X-Request-Id": "r-42" }))).requestId).toBe("r-42");
	});

	test("a 404 without an envelope reports whether the path is assumed", async () => {
		const assumed = await errorOf(html(404), (gateway) => gateway.agents.list());
		expect(assumed.message).toContain('profile.operations["agents.list"].path');
		expect((await errorOf(html(404))).message).not.toContain("profile");
		expect((await errorOf(errorResponse(404), (gateway) => gateway.agents.list())).message).not.toContain(
			"profile",
		);
	});

	test.each<[title: string, response: Response, said: string | undefined]>([
		["a 404 without an envelope", html(404), "the path doesn't exist"],
		["a 405 without an envelope", text(405, ""), "the path doesn't accept the method"],
		[
			"a 405 of the gateway",
			errorResponse(405, { code: "METHOD_NOT_ALLOWED" }),
			"the path doesn't accept the method",
		],
		["a 404 of an unknown path", errorResponse(404, { code: "NOT_FOUND" }), "the path doesn't exist"],
		["a 404 of a missing mapping", errorResponse(404, { code: "MAPPING_NOT_FOUND" }), undefined],
		["a 400 without an envelope", html(400), undefined],
	])("%s: the message with the path of the base URL", async (_title, response, said) => {
		const baseUrl = "https://gateway.example/api/v1/";
		for (const call of [get, (gateway: MessagingGateway) => gateway.agents.list()]) {
			const { gateway } = scriptGateway([response], { maxRetries: 0, baseUrl });
			const { message } = (await catchRejection(Promise.resolve(call(gateway)))) as Error;
			if (said === undefined) expect(message).not.toContain("/api/v1");
			else expect(message).toContain(`: ${said}. Check it, and baseUrl, whose path is "/api/v1"`);
		}
	});
});

describe("the end of an error message", () => {
	const DOCTOR = ". `npx messaging-gateway doctor` shows why";

	test.each<[title: string, step: Step]>([
		["a 401", errorResponse(401)],
		["a 401 that names the clock", errorResponse(401, { details: { reason: "timestamp" } })],
		["a 401 of something else", text(401, "")],
		["a 404 without an envelope", html(404)],
		["a 404 of an unknown path", errorResponse(404, { code: "NOT_FOUND" })],
		["an HTML page", html(500)],
		["an HTML page as a success", html(200)],
		["a redirect", text(302, "", { Location: "/login" })],
		["a refused connection", networkError("ECONNREFUSED")],
		["a broken connection", networkError("ECONNRESET")],
		["a body that breaks off", brokenBody(200)],
	])("names the command that shows why: %s", async (_title, step) => {
		for (const call of [get, (gateway: MessagingGateway) => gateway.agents.list()]) {
			const { gateway } = scriptGateway([step], { maxRetries: 0 });
			const { message } = (await catchRejection(Promise.resolve(call(gateway)))) as Error;
			expect(message.endsWith(DOCTOR)).toBe(true);
		}
	});

	test.each<[title: string, response: Response]>([
		["an invalid field", errorResponse(400)],
		["a missing mapping", errorResponse(404)],
		["a limit", errorResponse(429)],
		["data of another shape", ok({ mapping: 1 })],
	])("does not if the command would find nothing: %s", async (_title, response) => {
		expect((await errorOf(response)).message).not.toContain("doctor");
	});
});

describe("details", () => {
	const field = { field: "text", issue: "too_long", message: "is too long" };
	test.each<[title: string, details: unknown, expected: unknown, fieldErrors: unknown]>([
		["an array of field errors", [field], [field], [field]],
		["an object", { limit: 5 }, { limit: 5 }, []],
		["nothing", undefined, undefined, []],
		["null", null, undefined, []],
		["a text", "bad", undefined, []],
		[
			"an array with other things",
			[field, null, "x", { field: 1 }],
			[field, { field: "", issue: "", message: "" }],
			[field, { field: "", issue: "", message: "" }],
		],
	])("%s", async (_title, details, expected, fieldErrors) => {
		const error = await errorOf(errorResponse(400, { details }));
		expect(error).toBeInstanceOf(BadRequestError);
		expect(error.details).toEqual(expected);
		expect(error.fieldErrors).toEqual(fieldErrors);
	});

	test.each([409, 403, 422])(
		"a DuplicateInfo with %i is a DuplicateMessageError, whatever the code",
		async (status) => {
			const error = (await errorOf(
				errorResponse(status, { code: "ANYTHING", details: DUPLICATE }),
			)) as DuplicateMessageError;
			expect(error).toBeInstanceOf(DuplicateMessageError);
			expect(error).toMatchObject({
				code: "duplicate_message",
				status,
				outcome: "rejected",
				retryAfterMs: 12_500,
			});
			expect(error.duplicate).toEqual(DUPLICATE);
		},
	);

	test.each<[status: number, kind: new (...args: never[]) => Error]>([
		[409, ConflictError],
		[404, NotFoundError],
	])("a DuplicateInfo of a %i with isDuplicate: false is not a duplicate", async (status, kind) => {
		const details = { ...DUPLICATE, isDuplicate: false };
		const error = await errorOf(errorResponse(status, { details }));
		expect(error.constructor).toBe(kind);
		expect(error).toMatchObject({ details, retryAfterMs: undefined, outcome: "rejected" });
	});

	describe("with a profile of duplicates", () => {
		const rejectWith = async (status: number, envelope: object, duplicates: DuplicatesProfile) => {
			const { gateway } = scriptGateway([json(status, envelope)], { profile: { duplicates } });
			return catchRejection(gateway.messages.sendText({ to: USER, text: "Hello" }));
		};
		const rejection = (fields: object) => ({ ok: false, error: { message: "no", ...fields } });

		test("a code marks a duplicate without info", async () => {
			const duplicates = { code: "DUP", infoPath: null };
			const marked = await rejectWith(422, rejection({ code: "DUP" }), duplicates);
			expect(marked).toBeInstanceOf(DuplicateMessageError);
			expect(marked).toMatchObject({ duplicate: undefined, status: 422 });
			for (const [status, code] of [[422, "OTHER"] as const, [500, "DUP"] as const]) {
				const other = await rejectWith(status, rejection({ code }), duplicates);
				expect(other).not.toBeInstanceOf(DuplicateMessageError);
			}
		});

		test("info that says isDuplicate: false is none, whatever the code says", async () => {
			const details = { ...DUPLICATE, isDuplicate: false };
			const error = await rejectWith(409, rejection({ code: "DUP", details }), { code: "DUP" });
			expect(error).toBeInstanceOf(ConflictError);
		});
	});

	test("the code alone makes no duplicate", async () => {
		const error = await errorOf(
			errorResponse(409, { code: "DUPLICATE_MESSAGE", details: { isDuplicate: true } }),
		);
		expect(error).toBeInstanceOf(ConflictError);
	});
});

test("a response without a stream is read whole", async () => {
	const body = JSON.stringify({ ok: true, data: { agents: [], nextCursor: null } });
	const response = { status: 200, headers: new Headers(), body: undefined, text: async () => body };
	const read = (maxResponseBytes: number) =>
		scriptGateway([], { maxResponseBytes, fetch: async () => response as never }).gateway.agents.list();
	expect(await read(body.length)).toEqual({ agents: [], nextCursor: null });
	expect(await catchRejection(read(body.length - 1))).toMatchObject({ code: "unexpected_response" });
});
