/** Gateways and pages that lead astray: what must come out is an honest word, and nothing sent. */
import { stringify } from "yaml";
import { AGENTS, CONTACTS, LINE, QUEUE, type StrangeMessage } from "./account.ts";
import { type Json, writeDocument } from "./document.ts";
import {
	cut,
	need,
	needLine,
	needPhone,
	numberOf,
	orMissing,
	route,
	type StrangeShape,
} from "./strange-gateway.ts";

const iso = (ms: number): string => new Date(ms).toISOString();
const TEXT_DOC = {
	sum: "Send a text",
	body: { "to!": "string The recipient", "text!": "string" },
	ok: { messageId: "string", status: "string" },
	status: 202,
};
const plainMessage = (message: StrangeMessage) => ({
	messageId: message.id,
	status: message.status,
	text: message.text,
	from: message.from,
	to: message.to,
	timestamp_ms: message.at,
});
const MESSAGE = {
	messageId: "string",
	status: "string",
	text: "string",
	from: "string",
	to: "string",
	timestamp_ms: "integer",
};
const sendText = route("POST /messages", TEXT_DOC, ({ body, account }) => ({
	status: 202,
	data: plainMessage(account.send("text", needPhone(body, "to"), need(body, "text"))),
}));
const getMessage = route(
	"GET /messages/{messageId}",
	{ sum: "Get a message", ok: MESSAGE },
	({ params, account }) => ({ data: plainMessage(orMissing(account.find("id", params["messageId"]))) }),
);
const plainTruth = {
	"messages.sendText": { route: "POST /messages" },
	"messages.get": { route: "GET /messages/{messageId}" },
};
const usual = { version: "3.0.3", at: "/openapi.json", page: "inline" } as const;

const LOGIN =
	'<!doctype html><html><head><title>Sign in</title></head><body><form action="/login" method="post"><input name="email"><input name="password" type="password"></form><script src="/static/app.js"></script></body></html>';

/** Every path that there is not, `/docs` included, is a login page with status 200. */
export const login: StrangeShape = {
	fallback: ["text/html", LOGIN, 200],
	routes: [sendText, getMessage].map((each) => ({ ...each, doc: undefined })),
	truth: plainTruth,
};

/** A document of more than 5 MB. */
export const huge: StrangeShape = {
	document: { ...usual, change: (document) => ({ ...document, "x-padding": "p".repeat(5_300_000) }) },
	routes: [sendText, getMessage],
	truth: plainTruth,
};

/** References that lead to themselves, in schemas, parameters and path items. */
export const loop: StrangeShape = {
	document: {
		...usual,
		change: (document) => {
			document.components.schemas = {
				A: { $ref: "#/components/schemas/B" },
				B: { $ref: "#/components/schemas/A" },
				Tree: {
					type: "object",
					properties: {
						messageId: { type: "string" },
						parent: { $ref: "#/components/schemas/Tree" },
						children: { type: "array", items: { $ref: "#/components/schemas/Tree" } },
					},
					allOf: [{ $ref: "#/components/schemas/Tree" }],
				},
			};
			document.components.parameters = { P: { $ref: "#/components/parameters/P" } };
			document.paths["/loops"] = { $ref: "#/paths/~1loops" };
			document.paths["/messages"].post.parameters = [{ $ref: "#/components/parameters/P" }];
			document.paths["/messages"].post.responses["202"].content["application/json"].schema.properties.data = {
				$ref: "#/components/schemas/Tree",
			};
			document.paths["/agents"] = {
				get: {
					summary: "List agents",
					responses: {
						200: {
							description: "x",
							content: { "application/json": { schema: { $ref: "#/components/schemas/A" } } },
						},
					},
				},
			};
			return document;
		},
	},
	routes: [sendText, getMessage],
	truth: plainTruth,
};

const laughs = (document: Json): string => {
	const names = ["a", "b", "c", "d", "e", "f", "g", "h", "i"];
	const lines = names.map(
		(name, index) =>
			`${name}: &${name} [${Array.from({ length: 9 }, () => (index === 0 ? "lol" : `*${names[index - 1]}`)).join(", ")}]`,
	);
	return `${stringify(document)}x-laughs:\n${lines.map((line) => `  ${line}`).join("\n")}\n`;
};

/** YAML whose aliases would grow to billions. */
export const aliases: StrangeShape = {
	pages: {
		"/docs": ["text/html", '<redoc spec-url="/openapi.yaml"></redoc>'],
		"/openapi.yaml": [
			"application/yaml",
			laughs(JSON.parse(writeDocument({ version: "3.0.3", at: "" }, "", [sendText, getMessage]))),
		],
	},
	routes: [sendText, getMessage],
	truth: plainTruth,
};

const PETSTORE = writeDocument({ version: "3.0.3", at: "", title: "Swagger Petstore", prefix: "none" }, "", [
	route(
		"GET /pets",
		{
			sum: "List all pets",
			query: { limit: "integer" },
			ok: [{ id: "integer", name: "string", tag: "string" }],
		},
		() => ({}),
	),
	route("POST /pets", { sum: "Create a pet", body: { "name!": "string", tag: "string" } }, () => ({})),
	route(
		"GET /pets/{petId}",
		{ sum: "Info for a specific pet", ok: { id: "integer", name: "string" } },
		() => ({}),
	),
	route(
		"POST /store/order",
		{ sum: "Place an order", body: { petId: "integer", quantity: "integer" } },
		() => ({}),
	),
	route(
		"GET /user/{username}",
		{ sum: "Get user by user name", ok: { phone: "string", userStatus: "integer" } },
		() => ({}),
	),
]);

/** The page's first document is the example of another service. */
export const petstore: StrangeShape = {
	pages: {
		"/docs": ["text/html", "<script>SwaggerUIBundle({ url: '/petstore.json' })</script>"],
		"/petstore.json": ["application/json", PETSTORE],
	},
	routes: [sendText, getMessage],
	truth: plainTruth,
};

/** Sends on anything, and changes state on GET: each such GET looks like a read. */
export const eager: StrangeShape = {
	document: usual,
	routes: [
		route("POST /messages", TEXT_DOC, ({ body, account }) => ({
			status: 202,
			data: plainMessage(
				account.send("text", String(body.to ?? CONTACTS[1]?.number), String(body.text ?? "hello")),
			),
		})),
		route("GET /messages/{messageId}", { sum: "Get a message", ok: MESSAGE }, ({ params, account }) => ({
			data: plainMessage(orMissing(account.find("id", params["messageId"]))),
		})),
		...(
			[
				[
					"/queue/flush",
					"Flushes the queue",
					{ pending: "integer", processing: "integer", failed: "integer" },
				],
				[
					"/queue/next",
					"The next job of the queue",
					{ pending: "integer", processing: "integer", failed: "integer" },
				],
				[
					"/agents/refresh",
					"Agents, after a refresh",
					{ agents: [{ agentNumber: "string", name: "string" }] },
				],
				["/agents/{agentNumber}/block", "Agent", { agent: { agentNumber: "string" } }],
				["/agents/{agentNumber}/restart", "Agent", { agent: { agentNumber: "string", name: "string" } }],
				["/contacts/export", "Contacts", { contacts: [{ userNumber: "string", agentNumber: "string" }] }],
				["/mappings/rebalance", "Mappings", { mappings: [{ userNumber: "string", agentNumber: "string" }] }],
				[
					"/settings/webhooks/rotate",
					"Webhook settings",
					{ inboundWebhookUrl: "string", statusWebhookUrl: "string" },
				],
				["/conversation/{toNumber}/read", "Conversation", { messages: [MESSAGE] }],
				["/messages/{messageId}/resend", "Message", MESSAGE],
				[
					"/capability/{toNumber}/ping",
					"Capability, by a silent message",
					{ number: "string", native: "boolean" },
				],
			] as const
		).map(([path, sum, ok]) =>
			route(`GET ${path}`, { sum, ok }, ({ account }) => {
				account.change(`GET ${path}`);
				return { data: {} };
			}),
		),
	],
	truth: plainTruth,
};

/** Responds with 429 and Retry-After in between. */
export const limited: StrangeShape = {
	document: usual,
	limit: 12,
	routes: [sendText, getMessage],
	truth: plainTruth,
};

/** A cursor that always leads to page 1. */
export const repeating: StrangeShape = {
	document: usual,
	routes: [
		sendText,
		getMessage,
		route(
			"GET /agents",
			{
				sum: "List agents",
				query: { cursor: "string", limit: "integer" },
				ok: {
					agents: [
						{
							agentNumber: "string",
							name: "string",
							status: "string",
							mappingCount: "integer",
							lastSeenAt: "integer",
							createdAt: "integer",
						},
					],
					nextCursor: "string?",
				},
			},
			() => ({
				data: {
					agents: AGENTS.slice(0, 2).map(({ number, name, status, contacts, seenAt, createdAt }) => ({
						agentNumber: number,
						name,
						status,
						mappingCount: contacts,
						lastSeenAt: seenAt,
						createdAt,
					})),
					nextCursor: "again",
				},
			}),
		),
		route(
			"GET /contacts",
			{
				sum: "List contacts",
				query: { page: "integer" },
				ok: {
					contacts: [
						{
							userNumber: "string",
							agentNumber: "string",
							outbound: "integer",
							inbound: "integer",
							lastMessageAt: "integer",
						},
					],
					total: "integer",
				},
			},
			() => ({
				data: {
					contacts: CONTACTS.slice(0, 2).map(({ number, agent, outbound, inbound, lastAt }) => ({
						userNumber: number,
						agentNumber: agent,
						outbound,
						inbound,
						lastMessageAt: lastAt,
					})),
					total: CONTACTS.length,
				},
			}),
		),
	],
	truth: {
		...plainTruth,
		"agents.list": { route: "GET /agents" },
		"analytics.listContacts": { route: "GET /contacts" },
	},
};

/** Two fields fit the contact equally: which one the text goes to, only the operator knows. */
export const ambiguous: StrangeShape = {
	document: usual,
	routes: [
		route(
			"POST /messages",
			{
				sum: "Send a text",
				body: { "phone!": "string A phone number", "number!": "string A phone number", "text!": "string" },
				ok: { messageId: "string", status: "string" },
				status: 202,
			},
			({ body, account }) => ({
				status: 202,
				data: plainMessage(
					account.send(
						"text",
						needPhone(body, "number"),
						need(body, "text"),
						[],
						needLine(body, "phone", AGENTS),
					),
				),
			}),
		),
		getMessage,
		route(
			"POST /messages/read",
			{ sum: "Mark as read", body: { "a!": "string E.164", "b!": "string E.164" } },
			({ body, account }) => {
				account.act({ kind: "read", to: needPhone(body, "b") });
				return { data: {} };
			},
		),
		route(
			"GET /agents",
			{
				sum: "List agents",
				ok: {
					agents: [
						{
							number: "string",
							backupNumber: "string",
							name: "string",
							status: "string",
							mappingCount: "integer",
							createdAt: "integer",
						},
					],
				},
			},
			() => ({
				data: {
					agents: AGENTS.map(({ number, name, status, contacts, createdAt }, index) => ({
						number: AGENTS[2 - index]?.number,
						backupNumber: number,
						name,
						status,
						mappingCount: contacts,
						createdAt,
					})),
				},
			}),
		),
	],
	truth: {
		"messages.sendText": { route: "POST /messages", places: { phone: LINE, number: "to" } },
		"messages.get": plainTruth["messages.get"],
	},
};

const swappedMessage = (message: StrangeMessage) => ({
	messageId: message.id,
	status: message.status,
	text: message.text,
	from: message.to,
	to: message.from,
	timestamp_ms: message.at,
});

/** `to` is the gateway's own line and `from` the contact, in requests and in responses; only descriptions tell. */
export const swapped: StrangeShape = {
	document: usual,
	from: LINE,
	routes: [
		route(
			"POST /messages",
			{
				sum: "Send a text",
				body: {
					"from!": "string The customer's phone number, who receives the text",
					"to!": "string The agent's line that the conversation runs to",
					"text!": "string",
				},
				ok: MESSAGE,
				status: 202,
			},
			({ body, account }) => ({
				status: 202,
				data: swappedMessage(
					account.send("text", needPhone(body, "from"), need(body, "text"), [], needLine(body, "to", AGENTS)),
				),
			}),
		),
		route("GET /messages/{messageId}", { sum: "Get a message", ok: MESSAGE }, ({ params, account }) => ({
			data: swappedMessage(orMissing(account.find("id", params["messageId"]))),
		})),
		route(
			"GET /conversation/{toNumber}",
			{
				sum: "A conversation",
				query: { cursor: "string", limit: "integer" },
				ok: { messages: [{ ...MESSAGE, outbound: "boolean" }], nextCursor: "string?" },
			},
			({ params, query, account }) => {
				const { items, next } = cut(
					account.with(params["toNumber"] ?? ""),
					Number(query.get("cursor") ?? 0),
					numberOf(query, "limit", 2),
				);
				return {
					data: {
						messages: items.map((message) => ({ ...swappedMessage(message), outbound: message.outbound })),
						nextCursor: next === null ? null : String(next),
					},
				};
			},
		),
	],
	truth: {
		"messages.sendText": { route: "POST /messages", places: { from: "to", to: LINE } },
		"messages.get": plainTruth["messages.get"],
		"analytics.listMessages": { route: "GET /conversation/{toNumber}" },
	},
};

/** A message that is taken for another person: the gateway sends to the last contact, whatever `to` says. */
export const careless: StrangeShape = {
	document: usual,
	routes: [
		route("POST /messages", TEXT_DOC, ({ body, account }) => {
			needPhone(body, "to");
			return {
				status: 202,
				data: plainMessage(account.send("text", String(CONTACTS[2]?.number), need(body, "text"))),
			};
		}),
		getMessage,
		// Counts whose names say the opposite of what they are.
		route(
			"GET /queue",
			{
				sum: "Queue",
				ok: { queued: "integer", active: "integer", failed: "integer", oldest: "string:date-time" },
			},
			() => ({
				data: {
					queued: QUEUE.pending,
					active: QUEUE.processing,
					failed: QUEUE.failed,
					oldest: iso(Date.now() - QUEUE.oldestMs),
				},
			}),
		),
	],
	truth: { "messages.get": plainTruth["messages.get"], "queue.getStatus": { route: "GET /queue" } },
};
