import { readdirSync, readFileSync } from "node:fs";
import type { RequestMap } from "messaging-gateway/maps";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { readRoutes } from "../../../../src/tools/adopt/document/read-routes.ts";
import { planOperations } from "../../../../src/tools/adopt/plan/plan-operations.ts";
import type { PlannedOperation } from "../../../../src/tools/adopt/plan/plan-types.ts";
import { readHints } from "../../../../src/tools/adopt/plan/read-hints.ts";

const FOLDER = new URL("../../../support/gateway-documents/", import.meta.url);

/** How many operations of each document work without a line; all others that it has are open. */
const LIKELY: Readonly<Record<string, number>> = {
	"aspnet.yaml": 6,
	"chats.yaml": 3,
	"crm.yaml": 2,
	"enums.yaml": 3,
	"fastapi.yaml": 7,
	"fleet.yaml": 4,
	"folders.yaml": 4,
	"gin.yaml": 5,
	"laravel.yaml": 4,
	"nest.yaml": 8,
	"one-endpoint.yaml": 0,
	"portuguese.yaml": 0,
	"rails.yaml": 5,
	"rpc.yaml": 6,
	"spring.yaml": 8,
	"wordless.yaml": 5,
};

function planOf(file: string, settings: readonly string[] = []) {
	const document = parse(readFileSync(new URL(file, FOLDER), "utf8"));
	const hints = readHints(settings, undefined, (problem) => new RangeError(problem));
	const truth: Readonly<Record<string, string>> = document["x-truth"];
	return { truth, plan: planOperations(readRoutes(document), { basePath: "", hints }) };
}

function sourceName(source: RequestMap[string]): string {
	if (typeof source === "string") return source;
	if ("value" in source) return String(source.value);
	if ("from" in source) return source.from;
	if ("each" in source) return `${source.each}.url`;
	return "uuid";
}

/** A plan as `x-truth` says it: the route, and which of our fields is at which place. */
function describePlan({ method, path, profile }: PlannedOperation): string[] {
	const request: RequestMap = profile?.routes?.[0]?.request ?? profile?.map?.request ?? {};
	return [
		`${method}`,
		`${path}`,
		...Object.entries(request).map(([place, source]) => `${place}=${sourceName(source)}`),
	];
}

test("every document has its row", () => {
	expect(readdirSync(FOLDER).sort()).toEqual(Object.keys(LIKELY));
});

test.each(Object.entries(LIKELY))("%s: %i operations are likely, none of them wrong", (file, count) => {
	const { truth, plan } = planOf(file);
	const likely = plan.filter(({ certainty, source }) => certainty === "likely" && source === "document");
	for (const planned of likely) {
		const isSame = planned.profile?.map?.request === undefined && planned.profile?.routes === undefined;
		const expected = (truth[planned.id] ?? "not there").split(" ");
		// Without a map the names are ours.
		const wanted = expected.filter((part) => !isSame || !/^[?{]?(\w+)\}?=\1$/.test(part));
		expect(describePlan(planned), planned.id).toEqual(expect.arrayContaining(wanted));
	}
	expect(likely).toHaveLength(count);
	expect(plan.filter(({ certainty }) => certainty === "certain")).toEqual([]);
});

test("each open operation that the document has says what is missing, with its flag", () => {
	const { plan } = planOf("nest.yaml");
	const question = (id: string) => plan.find((planned) => planned.id === id)?.questions[0];
	expect(question("messages.markRead")).toEqual({
		message: "number: the contact, or the sending agent?",
		flag: "--set messages.markRead.number=to",
	});
	expect(question("agents.register")).toEqual({
		message: "not in the document",
		flag: '--set agents.register="METHOD /path"',
	});
});

test.each([
	["nest.yaml", "messages.markRead", ["messages.markRead.number=to"], "{number}=to"],
	["gin.yaml", "messages.sendText", ["defaults.from=+15550000001"], "from=from"],
	["wordless.yaml", "messages.sendText", ["messages.sendText.phone=to"], "phone=to"],
	[
		"spring.yaml",
		"messages.sendAttachments",
		["messages.sendAttachments.type=IMAGE"],
		"image.link=attachments.url",
	],
	[
		"portuguese.yaml",
		"messages.sendText",
		["messages.sendText=POST /mensagens", "messages.sendText.telefone=to", "messages.sendText.texto=text"],
		"telefone=to",
	],
])("%s: %s is answered by %j", (file, id, settings, part) => {
	const planned = planOf(file, settings).plan.find((each) => each.id === id);
	expect(planned?.questions).toEqual([]);
	expect(planned && describePlan(planned)).toContain(part);
});

test("two routes that fit equally are a question", () => {
	const schema = { type: "object", properties: { to: { type: "string" }, text: { type: "string" } } };
	const post = { requestBody: { content: { "application/json": { schema } } } };
	const hints = readHints([], undefined, (problem) => new RangeError(problem));
	const routes = readRoutes({ openapi: "3.0.0", paths: { "/messages": { post }, "/texts": { post } } });
	const [planned] = planOperations(routes, { basePath: "", hints });
	expect(planned).toMatchObject({
		certainty: "open",
		questions: [{ message: "POST /messages or POST /texts?" }],
	});
});

test("routes of removing and stopping are routes of their operation", () => {
	const routesOf = (file: string, id: string) =>
		planOf(file).plan.find((each) => each.id === id)?.profile?.routes;
	const named = [
		routesOf("gin.yaml", "messages.tapback"),
		routesOf("rpc.yaml", "messages.tapback"),
		routesOf("gin.yaml", "messages.typing"),
	];
	expect(
		named
			.map((routes) => routes?.[1])
			.map((route) => `${route?.method} ${route?.path} ${JSON.stringify(route?.when)}`),
	).toEqual([
		'DELETE /v1/sms/{id}/reaction {"action":"remove"}',
		'POST /rpc/messages.unreact {"action":"remove"}',
		'DELETE /v1/chats/{chatId}/typing {"state":"stop"}',
	]);
	expect(routesOf("rails.yaml", "messages.tapback")?.[1]?.request).toMatchObject({
		"tapback.kind": { map: { love: "-love" } },
	});
});

/** Where the contact of a text goes in a route with these fields: a place, or a question. */
function contactAmong(fields: Readonly<Record<string, object>>, path = "/messages"): string {
	const schema = {
		type: "object",
		required: Object.keys(fields),
		properties: { ...fields, text: { type: "string" } },
	};
	const parameters = (path.match(/\w+(?=\})/g) ?? []).map((name) => ({
		name,
		in: "path",
		required: true,
		schema: { type: "string" },
	}));
	const post = { parameters, requestBody: { content: { "application/json": { schema } } } };
	const hints = readHints(["defaults.from=+15550000001"], undefined, (problem) => new RangeError(problem));
	const plan = planOperations(readRoutes({ openapi: "3.0.0", paths: { [path]: { post }, "/health": {} } }), {
		basePath: "",
		hints,
	});
	const { certainty, profile } = plan.find(({ id }) => id === "messages.sendText") ?? {};
	const request: RequestMap = profile?.map?.request ?? { to: "to" };
	return certainty === "open"
		? "open"
		: (Object.keys(request).find((place) => request[place] === "to") ?? "none");
}

test("what belongs to another object is neither a name of a group nor an attachment", () => {
	const preview = { type: "object", properties: { title: { type: "string" }, url: { type: "string" } } };
	const properties = { to: { type: "string" }, text: { type: "string" }, link_preview: preview };
	const schema = { type: "object", required: ["to", "text"], properties };
	const post = { requestBody: { content: { "application/json": { schema } } } };
	const hints = readHints([], undefined, (problem) => new RangeError(problem));
	const routes = readRoutes({ openapi: "3.0.0", paths: { "/messages": { post } } });
	const likely = planOperations(routes, { basePath: "", hints }).filter(
		({ certainty, source }) => certainty === "likely" && source === "document",
	);
	expect(likely.map(({ id, profile }) => [id, profile?.map?.request])).toEqual([
		["messages.sendText", { to: "to", text: "text" }],
	]);
});

const text = (description = "") => ({ type: "string", description });

test.each<[string, Record<string, object>, string?]>([
	["to", { to: text() }],
	["number", { number: text() }],
	["phone", { phone: text(), from: text() }],
	[
		"to[].phone",
		{ to: { type: "array", items: { type: "object", required: ["phone"], properties: { phone: text() } } } },
	],
	[
		"contact.phone",
		{
			contact: { type: "object", required: ["phone"], properties: { phone: text() } },
			device: { type: "object", required: ["phone"], properties: { phone: text() } },
		},
	],
	["userNumber", { userNumber: text(), agentNumber: text() }],
	["recipient", { recipient: text("The recipient, from your contacts"), line: text() }],
	["{phone}", {}, "/contacts/{phone}/messages"],
	["to", { to: text() }, "/lines/{number}/messages"],
	["open", { number: text(), phone: text() }],
	["open", { to: text(), recipient: text() }],
	["open", { number: text("Registered number of the agent that sends") }],
	["open", { recipient: text("The agent that receives the job") }],
	["open", { phone: text(), leadId: text() }],
	["open", { phone: text(), chatId: text() }],
	["open", { user: text("id of the user who writes") }],
	["open", { userPhone: text("Phone of the user, who sends it") }],
	["open", { to: { type: "string", format: "date-time" } }],
	["open", { to: { type: "integer" } }],
	["open", { phone: { type: "integer" } }],
	["open", {}, "/lines/{number}/messages"],
	["open", { receiver: { type: "string", format: "uuid" } }],
	["open", { contact: text("id of the contact") }],
])("a text to the contact goes to: %s in %j", (place, fields, path) => {
	expect(contactAmong(fields, path)).toBe(place);
});

test("a base path that the document repeats hides no word of its routes", () => {
	const schema = {
		type: "object",
		required: ["from_number"],
		properties: { from_number: { type: "string" } },
	};
	const post = { requestBody: { content: { "application/json": { schema } } }, responses: {} };
	const paths = { "/api/mark-read": { post }, "/api/mapping/{toNumber}": { get: { responses: {} } } };
	const hints = readHints([], undefined, (problem) => new RangeError(problem));
	const plan = planOperations(readRoutes({ openapi: "3.0.0", paths }), { basePath: "/api", hints });
	expect(plan.find(({ id }) => id === "mappings.update")?.questions[0]?.message).toBe("not in the document");
	const asked = plan.find(({ id }) => id === "messages.markRead");
	expect(asked?.path).toBe("/mark-read");
});

test("an id that is an integer is one in a path", () => {
	const id = { name: "id", in: "path", required: true, schema: { type: "integer" } };
	const message = { type: "object", properties: { id: { type: "integer" }, text: { type: "string" } } };
	const content = { "application/json": { schema: message } };
	const get = { parameters: [id], responses: { 200: { description: "ok", content } } };
	const hints = readHints([], undefined, (problem) => new RangeError(problem));
	const plan = planOperations(readRoutes({ openapi: "3.0.0", paths: { "/messages/{id}": { get } } }), {
		basePath: "",
		hints,
	});
	expect(plan.find(({ id: each }) => each === "messages.get")?.profile?.map).toMatchObject({
		request: { "{id}": "messageId" },
		response: { fields: { "message.messageId": { at: "id", text: true } } },
	});
});

test.each(["messages.sendText.id=VALUE", "defaults.from=NUMBER", "agents.list=METHOD /path"])(
	"--set %s has no answer yet",
	(setting) => {
		const read = () => readHints([setting], undefined, (problem) => new RangeError(problem));
		expect(read).toThrow("put your own in place of");
	},
);
