import { beforeEach, describe, expect, test } from "vitest";
import { checkInput } from "../../../../src/tools/control/check-input.ts";
import { CONTROL_VERSION_HEADER } from "../../../../src/tools/control/contract.ts";
import { createControlRoutes } from "../../../../src/tools/control/http/create-control-routes.ts";
import { LOOPBACK_HOSTS } from "../../../../src/tools/control/http/hosts.ts";
import {
	createControlDocument,
	type OperationDescription,
} from "../../../../src/tools/control/openapi/create-control-document.ts";
import { CONTROL_OPERATIONS } from "../../../../src/tools/control/operations.ts";
import type { ParameterObject } from "../../../../src/tools/openapi/document.ts";
import { createWatchedGateway, type WatchedGateway } from "../../../support/controlled-gateway.ts";
import { createSchemaChecker, jsonSchemaOf, resolveReference } from "../../../support/openapi-schemas.ts";
import { ALICE, BOB, FAILING } from "../../../support/signed-client.ts";

const ORIGIN = "http://localhost:8080";
const TOKEN = "a-token-of-this-test";

const document = createControlDocument();
const check = createSchemaChecker(document);
const OPERATIONS = Object.entries(document.paths).flatMap(([path, item]) =>
	Object.entries(item).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
);

let world: WatchedGateway;

beforeEach(() => {
	world = createWatchedGateway();
});

async function ask(path: string, init: RequestInit = {}): Promise<Response> {
	const describe = async () => document;
	const routes = createControlRoutes(world.control, { token: TOKEN, hosts: LOOPBACK_HOSTS, describe });
	const headers = { Authorization: `Bearer ${TOKEN}`, ...init.headers };
	const response = await routes(new Request(ORIGIN + path, { ...init, headers }));
	if (response === undefined) throw new Error("not a control route");
	return response;
}

/** Where a response differs from what the document says of its operation. */
async function differences(operation: OperationDescription, response: Response): Promise<string[]> {
	const described = operation.responses[response.status];
	if (described === undefined) return [`${response.status} is not described`];
	const { content, headers, ...more } = resolveReference(document, described);
	const missing = Object.keys(headers).filter((name) => !response.headers.has(name));
	const type = response.headers.get("Content-Type")?.split(";")[0] ?? "";
	if (content[type] === undefined && content["*/*"] === undefined) return [`${type} is not described`];
	if (type !== "application/json") return missing;
	const body = await response.json();
	const codes = more["x-error-codes"] ?? [];
	const unknown = codes.length > 0 && !codes.includes(body.error.code) ? [body.error.code] : [];
	return [...missing, ...unknown, ...check(jsonSchemaOf(content) ?? { not: {} }, body)];
}

function operationOf(id: string): OperationDescription {
	const found = OPERATIONS.find(({ operation }) => operation.operationId === id);
	if (found === undefined) throw new Error(`the document has no ${id}`);
	return found.operation;
}

/** Chats with tapbacks, a group, a file, failures of every kind, and faults. */
async function live(): Promise<void> {
	const { gateway, local, control } = world;
	await gateway.messages.sendText({ to: ALICE, text: "Hello" });
	await gateway.messages.sendText({ to: FAILING, text: "Hello, anybody" });
	await gateway.messages.sendText({ participants: [ALICE, BOB], groupName: "Friends", text: "Hello, both" });
	await gateway.messages.sendText({ to: ALICE, text: "Hello" }).catch(() => undefined);
	await gateway.agents.get("+15550009999").catch(() => undefined);
	await local.settled();
	const attachments = [{ name: "a.png", mimeType: "image/png", data: "AAEC" }];
	await control.act({ type: "reply", from: ALICE, text: "Hi", attachments });
	await control.act({ type: "react", from: ALICE, reaction: "love" });
	await control.act({ type: "webhook_fault", fault: { kind: "wrong_signature" } });
	await control.act({ type: "reply", from: BOB, text: "Hi" });
	await local.settled();
	const [delivery] = control.deliveries({ limit: 1 }).items;
	await control.act({ type: "redeliver", eventId: delivery?.eventId ?? "", body: "{}" });
	await local.settled();
	await control.act({ type: "request_fault", fault: { kind: "drop", when: "before" }, times: "always" });
	await gateway.health.check().catch(() => undefined);
	await gateway.messages.startTyping({ to: BOB }).catch(() => undefined);
}

/** A path of an operation whose parameters name something that there is. */
function pathTo(path: string): string {
	const [request] = world.control.requests({ failed: true, search: "agents.get" }).items;
	const attachment = world.control.messages({ search: "a.png" }).items[0]?.attachments[0]?.["id"];
	const id = path.includes("attachments") ? attachment : request?.requestId;
	return path.replace("{id}", String(id));
}

describe("routes", () => {
	test("are more than a few, each once", () => {
		const ids = OPERATIONS.map(({ operation }) => operation.operationId);
		expect(ids.length).toBeGreaterThan(12);
		expect(new Set(ids).size).toBe(ids.length);
	});

	test.each(OPERATIONS)("$method $path is served, and responds as described", async (given) => {
		const { path, method, operation } = given;
		await live();
		const body = method === "POST" ? JSON.stringify({ type: "settle" }) : null;
		const response = await ask(pathTo(path), { method, body });
		expect(response.status).toBe(200);
		expect(await differences(operation, response)).toEqual([]);
		if (!response.bodyUsed) await response.body?.cancel();
	});

	test.each(OPERATIONS)("no other method of $path is served: the document has none", async (given) => {
		const other = given.method === "GET" ? "POST" : "GET";
		expect((await ask(pathTo(given.path), { method: other })).status).toBe(405);
	});

	test("what the document does not have is not served", async () => {
		for (const path of ["/_local/", "/_local/message", "/_local/requests/1/2", "/_local/openapi_json"]) {
			expect((await ask(path)).status).toBe(404);
		}
	});
});

describe("errors are described, with their codes", () => {
	test.each([
		["listMessages", "/_local/messages?limit=0", {}],
		["listDeliveries", "/_local/deliveries?page=1", {}],
		["listRequests", "/_local/requests?failed=1", {}],
		["getRequest", "/_local/requests/unknown", {}],
		["getRequestTest", "/_local/requests/unknown/test", {}],
		["getAttachment", "/_local/attachments/unknown", {}],
		["act", "/_local/actions", { method: "POST", body: "{}" }],
		[
			"act",
			"/_local/actions",
			{ method: "POST", body: JSON.stringify({ type: "react", from: ALICE, reaction: "love" }) },
		],
		["act", "/_local/actions", { method: "POST", body: '{"type":"redeliver","eventId":"evt_x"}' }],
		["getClock", "/_local/clock", { headers: { Authorization: "Bearer none" } }],
		["getSnapshot", "/_local/snapshot", { headers: { Host: "elsewhere.example" } }],
	])("%s of %s", async (id, path, init) => {
		const response = await ask(path, init);
		expect(response.ok).toBe(false);
		expect(await differences(operationOf(id), response)).toEqual([]);
	});

	test("an internal one, too", async () => {
		world = { ...world, control: { ...world.control, time: () => JSON.parse("") } };
		expect(await differences(operationOf("getClock"), await ask("/_local/clock"))).toEqual([]);
	});
});

describe("parameters of lists", () => {
	const parameters: ParameterObject[] = operationOf("listMessages").parameters;
	const statusOf = async (name: string, value: string): Promise<number> =>
		(await ask(`/_local/messages?${new URLSearchParams({ [name]: value })}`)).status;

	test.each(parameters)("$name is read as described", async ({ name, schema }) => {
		for (const value of ["1", "500", "501", "9007199254740992", "0", "-1", "1.5", "true", "false", "other"]) {
			const meant = schema.type === "string" ? value : JSON.parse(value === "other" ? '"other"' : value);
			const isDescribed = check(schema, meant).length === 0;
			expect([value, await statusOf(name, value)]).toEqual([value, isDescribed ? 200 : 400]);
		}
	});

	test("others are rejected", async () => expect(await statusOf("offset", "1")).toBe(400));
});

const checkAction = (value: unknown) => checkInput(CONTROL_OPERATIONS.act.input, value, "invalid_action");

describe("actions", () => {
	const schema = jsonSchemaOf(operationOf("act").requestBody?.content) ?? { not: {} };
	const isAccepted = (action: unknown): Promise<boolean> =>
		checkAction(action).then(
			() => true,
			() => false,
		);

	test("are all that there are", async () => {
		const error: Error = await checkAction({}).then(
			() => new Error("accepted"),
			(reason) => reason,
		);
		const known = /one of (.+)\.$/.exec(error.message)?.[1]?.split(", ");
		const { mapping } = schema["discriminator"] as { mapping: Record<string, string> };
		expect(Object.keys(mapping)).toEqual(known);
	});

	test.each([
		{
			type: "reply",
			from: ALICE,
			text: "Hi",
			attachments: [{ name: "a", mimeType: "image/png", data: "AA==" }],
		},
		{ type: "react", from: ALICE, reaction: "love", messageGuid: "guid" },
		{ type: "read", from: ALICE },
		{ type: "advance_clock", ms: 1_000 },
		{ type: "redeliver", eventId: "evt_1", body: "{}" },
		{ type: "agent_online", agentNumber: ALICE, isOnline: false },
		{ type: "destinations", inboundWebhookUrl: "", statusWebhookUrl: null },
		{ type: "request_fault", fault: { kind: "respond", status: 503 }, operationId: "health.check", times: 2 },
		{ type: "request_fault", fault: { kind: "skew", ms: -1_000 } },
		{ type: "webhook_fault", fault: { kind: "delay", ms: 5 }, times: "always" },
		{ type: "webhook_fault", fault: { kind: "out_of_order" } },
		{ type: "clear_faults" },
		{ type: "settle" },
		{ type: "reset" },
	])("$type is described as it is accepted", async (action) => {
		expect([await isAccepted(action), check(schema, action)]).toEqual([true, []]);
		const changed = [
			{ ...action, extra: 1 },
			...Object.keys(action).map((name) => ({ ...action, [name]: [[]] })),
		];
		for (const wrong of changed) {
			expect([wrong, await isAccepted(wrong), check(schema, wrong).length > 0]).toEqual([wrong, false, true]);
		}
	});
});

test("every response has the header of the version, which the document names", async () => {
	const header = document.components.headers[CONTROL_VERSION_HEADER];
	const { headers } = await ask("/_local/clock");
	expect(header?.schema).toEqual({ const: headers.get(CONTROL_VERSION_HEADER) });
	expect(document.info.version).toBe(headers.get(CONTROL_VERSION_HEADER));
});
