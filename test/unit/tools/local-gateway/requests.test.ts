import { MessagingGateway } from "messaging-gateway";
import { createLocalGateway } from "messaging-gateway/testing";
import { describe, expect, test } from "vitest";
import {
	AGENT,
	ALICE,
	BOB,
	call,
	outcomeOf,
	parse,
	pathOf,
	sendText,
	signedRequest,
} from "../../../support/signed-client.ts";

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

describe("envelopes", () => {
	test("a success carries data, an id and the time", async () => {
		const local = createLocalGateway();
		const { status, headers, body } = await call(local, "GET", "/settings/webhooks");
		expect(status).toBe(200);
		expect(body).toEqual({
			ok: true,
			data: { inboundWebhookUrl: null, statusWebhookUrl: null },
			meta: { requestId: expect.stringMatching(UUID), timestamp: expect.any(String) },
		});
		expect(new Date(body.meta.timestamp).toISOString()).toBe(body.meta.timestamp);
		expect(headers.get("X-Request-Id")).toBe(body.meta.requestId);
		expect(headers.get("Date")).toMatch(/ GMT$/);
	});

	test("a failure carries a code, a message and the same id", async () => {
		const local = createLocalGateway();
		const { status, headers, body } = await call(local, "GET", pathOf("/mapping", ALICE));
		expect(status).toBe(404);
		expect(body).toEqual({
			ok: false,
			error: {
				code: "MAPPING_NOT_FOUND",
				message: expect.not.stringContaining(ALICE),
				requestId: headers.get("X-Request-Id"),
			},
		});
	});
});

describe("routes", () => {
	test("an unknown path is 404, also outside the base path", async () => {
		const local = createLocalGateway({ baseUrl: "http://gateway.localhost/api" });
		for (const path of ["/api/nothing", "/agent", "/api/mapping/", "/apiagent"]) {
			const { status, body } = await parse(await local.fetch(new Request(`http://gateway.localhost${path}`)));
			expect([status, body.error.code]).toEqual([404, "NOT_FOUND"]);
		}
		expect((await call(local, "GET", "/agent")).status).toBe(200);
	});

	test("a wrong method is 405 and names the right ones", async () => {
		const local = createLocalGateway();
		const { status, headers, body } = await call(local, "PUT", "/mapping/x");
		expect([status, body.error.code]).toEqual([405, "METHOD_NOT_ALLOWED"]);
		expect(headers.get("Allow")?.split(", ").sort()).toEqual(["DELETE", "GET", "PATCH"]);
	});

	test("a literal segment wins over a parameter", async () => {
		const local = createLocalGateway();
		const { body } = await call(local, "POST", "/agent/assign", { agentNumber: AGENT, userNumber: ALICE });
		expect(body.data.mapping.agentNumber).toBe(AGENT);
	});

	test("a path that is not UTF-8 is 400", async () => {
		const { status, body } = await call(createLocalGateway(), "GET", "/mapping/%ff");
		expect(status).toBe(400);
		expect(body.error.details).toEqual([
			{ field: "toNumber", issue: "invalid", message: "must be percent-encoded UTF-8" },
		]);
	});
});

describe("what does not exist is 404", () => {
	const mapped = { agentNumber: AGENT, userNumber: ALICE };
	const NOBODY = "+15550000099";
	const tapback = { messageGuid: "nope", reaction: "love", action: "add" };

	test.each<[code: string, method: string, path: string, body?: object]>([
		["AGENT_NOT_FOUND", "GET", pathOf("/agent", NOBODY)],
		["AGENT_NOT_FOUND", "POST", pathOf("/agent", NOBODY, "/block")],
		["AGENT_NOT_FOUND", "POST", pathOf("/agent", NOBODY, "/unblock")],
		["AGENT_NOT_FOUND", "POST", "/agent/assign", { ...mapped, agentNumber: NOBODY }],
		["AGENT_NOT_FOUND", "POST", "/agent/reassign", { toAgentNumber: NOBODY, userNumber: ALICE }],
		["AGENT_NOT_FOUND", "POST", "/mapping", { agentNumber: NOBODY, userNumber: BOB }],
		["AGENT_NOT_FOUND", "GET", pathOf("/analytics/number", NOBODY)],
		["AGENT_NOT_FOUND", "POST", "/message/text", { to: ALICE, text: "Hi", from: NOBODY }],
		["MAPPING_NOT_FOUND", "GET", pathOf("/mapping", BOB)],
		["MAPPING_NOT_FOUND", "PATCH", pathOf("/mapping", BOB), { maxConsecutiveMessages: 2 }],
		["MAPPING_NOT_FOUND", "POST", pathOf("/mapping", BOB, "/reset")],
		["MAPPING_NOT_FOUND", "DELETE", pathOf("/mapping", BOB)],
		["MAPPING_NOT_FOUND", "POST", "/agent/reassign", { toAgentNumber: AGENT, userNumber: BOB }],
		["MAPPING_NOT_FOUND", "POST", "/message/typing", { to: BOB, state: "start" }],
		["MAPPING_NOT_FOUND", "POST", "/message/read", { to: BOB }],
		["MAPPING_NOT_FOUND", "GET", pathOf("/analytics/conversation", BOB)],
		["GROUP_NOT_FOUND", "POST", "/message/text", { groupId: "nope", text: "Hi" }],
		["GROUP_NOT_FOUND", "POST", "/message/typing", { groupId: "nope", state: "start" }],
		["GROUP_NOT_FOUND", "POST", "/message/read", { groupId: "nope" }],
		["MESSAGE_NOT_FOUND", "GET", "/message/nope"],
		["MESSAGE_NOT_FOUND", "POST", "/message/tapback", tapback],
	])("%s: %s %s %j", async (code, method, path, body) => {
		const local = createLocalGateway();
		await call(local, "POST", "/mapping", mapped);
		expect(await outcomeOf(call(local, method, path, body))).toEqual([404, code]);
	});
});

describe("fields", () => {
	async function fieldErrors(method: string, path: string, body?: unknown) {
		const response = await call(createLocalGateway(), method, path, body);
		expect([response.status, response.body.error.code]).toEqual([400, "VALIDATION_ERROR"]);
		return response.body.error.details.map(({ field, issue }: Record<string, string>) => [field, issue]);
	}

	test.each<[string, unknown, string[][]]>([
		["a missing field", { to: ALICE }, [["text", "required"]]],
		["an empty text", { to: ALICE, text: "" }, [["text", "invalid"]]],
		["a long text", { to: ALICE, text: "x".repeat(18_997) }, [["text", "invalid"]]],
		["a number without a plus", { to: "15551234567", text: "x" }, [["to", "invalid"]]],
		["no target", { text: "x" }, [["", "invalid"]]],
		["two targets", { to: ALICE, groupId: "g", text: "x" }, [["", "invalid"]]],
		["an unknown field", { to: ALICE, text: "x", colour: "red" }, [["colour", "unknown_field"]]],
		["our own name", { to: ALICE, text: "x", statusCallback: "x" }, [["statusCallback", "unknown_field"]]],
		["a wire name", { to: ALICE, text: "x", status_callback: "x" }, [["status_callback", "invalid"]]],
		[
			"no https",
			{ to: ALICE, text: "x", status_callback: "http://a.example" },
			[["status_callback", "invalid"]],
		],
		["one participant", { participants: [ALICE, ALICE], text: "x" }, [["participants", "invalid"]]],
		["an array", [], [["", "invalid"]]],
		[
			"several",
			{ to: "55", colour: 1 },
			[
				["to", "invalid"],
				["text", "required"],
				["colour", "unknown_field"],
			],
		],
	])("%s", async (_name, body, expected) => {
		expect(await fieldErrors("POST", "/message/text", body)).toEqual(expect.arrayContaining(expected));
	});

	test("in a query, numbers are read as numbers", async () => {
		expect((await call(createLocalGateway(), "GET", "/agent?limit=1")).status).toBe(200);
		for (const query of ["limit=0", "limit=101", "limit=x", "limit=1&limit=2", "cursor=x"]) {
			expect(await fieldErrors("GET", `/agent?${query}`)).toEqual([[query.split("=")[0], "invalid"]]);
		}
		expect(await fieldErrors("GET", "/agent?colour=red")).toEqual([["colour", "unknown_field"]]);
	});

	test("emoji count as two code units each", async () => {
		expect((await sendText(createLocalGateway(), ALICE, "🎉".repeat(9_498))).status).toBe(202);
		expect((await sendText(createLocalGateway(), ALICE, "🎉".repeat(9_499))).status).toBe(400);
	});

	test("URLs and cursors have no limit of length, which the specification does not show; ids have one", async () => {
		const long = "x".repeat(5_000);
		const url = `https://receiver.example/${long}`;
		const local = createLocalGateway();
		const { messages, settings } = new MessagingGateway(local.clientOptions);
		await settings.setWebhooks({ inboundWebhookUrl: url, statusWebhookUrl: url });
		expect(await settings.getWebhooks()).toEqual({ inboundWebhookUrl: url, statusWebhookUrl: url });
		const { message } = await messages.sendText({ to: ALICE, text: "Hello", statusCallback: url });
		expect(message.status_callback).toBe(url);
		// No page starts there, but the length is not the reason.
		const { body } = await call(local, "GET", `/analytics/contacts?cursor=${long}`);
		expect(JSON.stringify(body)).not.toContain("must be at most");
		await expect(messages.sendText({ groupId: long, text: "Hello" })).rejects.toMatchObject({ status: 400 });
	});
});

describe("a body larger than the limits allow", () => {
	/** Sends megabytes, and counts those that are read. */
	async function sendMegabytes(limits: object) {
		const local = createLocalGateway({ profile: { limits } });
		let megabytes = 0;
		async function* body() {
			for (; megabytes < 200; megabytes++) yield new Uint8Array(1_000_000);
		}
		const { headers, url } = signedRequest(local, "POST", "/message/text", {});
		const response = await local.handle({ method: "POST", url, headers, body: body() });
		return { local, outcome: await outcomeOf(parse(response)), megabytes };
	}

	test("is 413, and is not read to its end", async () => {
		const limits = { attachments: 1, attachmentBytes: 3_000_000, textLength: 1_000 };
		const { outcome, megabytes } = await sendMegabytes(limits);
		expect(outcome).toEqual([413, "ATTACHMENT_TOO_LARGE"]);
		// Base64 of the attachment, the text, and a megabyte for the rest.
		expect(megabytes).toBe(5);
	});

	test("a limit that is undefined is the assumed one", async () => {
		const { local, outcome, megabytes } = await sendMegabytes({
			textLength: undefined,
			attachmentBytes: undefined,
		});
		expect((await sendText(local, ALICE, "x".repeat(18_997))).status).toBe(400);
		expect(outcome[0]).toBe(413);
		expect(megabytes).toBeLessThan(200);
	});
});

test("a body that is not JSON is 400 if no signature is checked before", async () => {
	const local = createLocalGateway();
	async function* body() {
		yield new TextEncoder().encode("{not json");
	}
	const url = `${local.baseUrl}/health`;
	const response = await local.handle({ method: "GET", url, headers: new Headers(), body: body() });
	expect(response.status).toBe(400);
	expect((await response.json()).error.details).toEqual([
		{ field: "", issue: "invalid", message: "the body must be JSON" },
	]);
});

test("requests are recorded as received, without the signature", async () => {
	const local = createLocalGateway();
	await sendText(local, ALICE);
	await call(local, "GET", "/agent?limit=1");
	await local.fetch(new Request(`${local.baseUrl}/nothing`));
	expect(local.requests).toMatchObject([
		{
			method: "POST",
			path: "/message/text",
			query: "",
			body: `{"text":"Hello","to":"${ALICE}"}`,
			operationId: "messages.sendText",
			status: 202,
			headers: { authorization: "HMAC ***", "x-app-id": "local-app" },
		},
		{ method: "GET", path: "/agent", query: "?limit=1", body: "", operationId: "agents.list", status: 200 },
		{ method: "GET", path: "/nothing", status: 404 },
	]);
	expect(local.requests[2]).not.toHaveProperty("operationId");
});

describe("browsers", () => {
	test("a preflight needs no signature and is not recorded", async () => {
		const local = createLocalGateway();
		const response = await local.fetch(new Request(`${local.baseUrl}/mapping/x`, { method: "OPTIONS" }));
		expect(response.status).toBe(204);
		expect(Object.fromEntries(response.headers)).toMatchObject({
			"access-control-allow-origin": "*",
			"access-control-allow-methods": "GET, PATCH, DELETE",
			"access-control-allow-headers": "Authorization, Content-Type, X-App-Id, X-Nonce, X-Timestamp",
		});
		expect(local.requests).toEqual([]);
	});

	test("a preflight of an unknown path is 404", async () => {
		const local = createLocalGateway();
		expect((await local.fetch(new Request(`${local.baseUrl}/x`, { method: "OPTIONS" }))).status).toBe(404);
	});

	test("responses of all kinds may be read, with the headers that matter", async () => {
		const local = createLocalGateway();
		local.faults.respond({ status: 429, retryAfterSeconds: 3 });
		for (const expected of [429, 200, 404]) {
			const path = expected === 404 ? "/nothing" : "/agent";
			const { status, headers } = await call(local, "GET", path);
			expect(status).toBe(expected);
			expect(headers.get("Access-Control-Allow-Origin")).toBe("*");
			expect(headers.get("Access-Control-Expose-Headers")).toBe("Date, Retry-After, X-Request-Id");
		}
	});
});
