/** Gateways as single teams write them, each with the habits of its framework. */
import {
	AGENTS,
	CONTACTS,
	LINE,
	QUEUE,
	STATS,
	type StrangeAgent,
	type StrangeContact,
	type StrangeMessage,
	WEBHOOKS,
} from "./account.ts";
import {
	cut,
	need,
	needLine,
	needPhone,
	numberOf,
	orMissing,
	route,
	type StrangeShape,
	specMapping,
} from "./strange-gateway.ts";

const iso = (ms: number): string => new Date(ms).toISOString();
const seconds = (ms: number): number => ms / 1000;

const springPage = (items: readonly unknown[], all: number, page: number, size: number) => ({
	content: items,
	pageable: { pageNumber: page, pageSize: size },
	totalElements: all,
	totalPages: Math.ceil(all / size),
	number: page,
	size,
	first: page === 0,
	last: (page + 1) * size >= all,
	numberOfElements: items.length,
});
const SPRING_PAGE = {
	totalElements: "integer",
	totalPages: "integer",
	number: "integer",
	size: "integer",
	first: "boolean",
	last: "boolean",
	numberOfElements: "integer",
};
const springMessage = (message: StrangeMessage) => ({
	id: message.id,
	guid: message.guid,
	body: message.text,
	sender: message.from,
	recipient: message.to,
	direction: message.outbound ? "OUTBOUND" : "INBOUND",
	deliveryState: message.status.toUpperCase(),
	createdAt: iso(message.at),
	modifiedAt: iso(message.at + 9000),
});
const springAgent = ({ id, number, name, status, contacts, seenAt, createdAt }: StrangeAgent) => ({
	id,
	msisdn: number,
	displayName: name,
	state: status.toUpperCase(),
	assignedContacts: contacts,
	lastHeartbeat: iso(seenAt),
	registeredAt: iso(createdAt),
});

/** Spring: pages from 0, enums in capitals, `/v3/api-docs` behind a config; the document calls `msisdn` `phoneNumber`. */
export const spring: StrangeShape = {
	mount: "/gateway",
	signing: { body: "no_nulls", query: "included" },
	document: {
		version: "3.0.3",
		at: "/gateway/v3/api-docs",
		page: "config",
		pageAt: "/gateway/docs",
		prefix: "server",
		schemas: {
			MessageDto: {
				id: "string:uuid",
				guid: "string",
				body: "string",
				sender: "string",
				recipient: "string",
				direction: "enum INBOUND|OUTBOUND",
				deliveryState: "enum QUEUED|SENT|DELIVERED|READ|FAILED",
				createdAt: "string:date-time",
				modifiedAt: "string:date-time",
			},
			AgentDto: {
				id: "integer",
				phoneNumber: "string",
				displayName: "string",
				state: "enum ONLINE|OFFLINE|BLOCKED",
				assignedContacts: "integer",
				lastHeartbeat: "string:date-time",
				registeredAt: "string:date-time",
			},
			MappingDto: {
				agentMsisdn: "string",
				customerMsisdn: "string",
				createdAt: "string:date-time",
				outboundCount: "integer",
				inboundCount: "integer",
				consecutiveCount: "integer",
				maxConsecutive: "integer",
			},
		},
	},
	routes: [
		route(
			"POST /messages/text",
			{
				id: "sendText",
				tag: "message-controller",
				body: { "recipient!": "string", "body!": "string", sender: "string", callbackUrl: "string" },
				ok: "$MessageDto",
				status: 202,
			},
			({ body, account }) => {
				const from = body.sender ? needLine(body, "sender", AGENTS) : LINE;
				return {
					status: 202,
					data: springMessage(
						account.send("text", needPhone(body, "recipient"), need(body, "body"), [], from),
					),
				};
			},
		),
		route(
			"POST /messages/media",
			{
				id: "sendMedia",
				tag: "message-controller",
				body: { "recipient!": "string", body: "string", "mediaUrls!": ["string:uri"] },
				ok: "$MessageDto",
				status: 202,
			},
			({ body, account }) => {
				const urls: string[] = Array.isArray(body.mediaUrls) ? body.mediaUrls : [need(body, "mediaUrls")];
				return {
					status: 202,
					data: springMessage(
						account.send("media", needPhone(body, "recipient"), String(body.body ?? ""), urls),
					),
				};
			},
		),
		route(
			"GET /messages/{id}",
			{ id: "findMessage", tag: "message-controller", ok: "$MessageDto" },
			({ params, account }) => ({ data: springMessage(orMissing(account.find("id", params["id"]))) }),
		),
		route(
			"PUT /messages/{guid}/reaction",
			{
				id: "react",
				tag: "message-controller",
				body: { "reaction!": "enum LOVE|LIKE|DISLIKE|LAUGH|EMPHASIZE|QUESTION", "active!": "boolean" },
				ok: { guid: "string", reaction: "string", active: "boolean" },
			},
			({ params, body, account }) => {
				const message = orMissing(account.find("guid", params["guid"]));
				account.act({
					kind: "tapback",
					to: account.otherEnd(message),
					message: message.guid,
					reaction: need(body, "reaction").toLowerCase(),
					isOn: body.active === true,
				});
				return { data: { guid: message.guid, reaction: body.reaction, active: body.active } };
			},
		),
		route(
			"GET /agents",
			{
				id: "listAgents",
				tag: "agent-controller",
				query: { page: "integer", size: "integer", sort: "string" },
				ok: { content: ["$AgentDto"], ...SPRING_PAGE },
			},
			({ query }) => {
				const [page, size] = [Number(query.get("page") ?? 0), numberOf(query, "size", 2)];
				return {
					data: springPage(cut(AGENTS, page * size, size).items.map(springAgent), AGENTS.length, page, size),
				};
			},
		),
		route(
			"GET /agents/{msisdn}",
			{ id: "findAgent", tag: "agent-controller", ok: "$AgentDto" },
			({ params }) => ({
				data: springAgent(orMissing(AGENTS.find(({ number }) => number === params["msisdn"]))),
			}),
		),
		route(
			"POST /agents/{msisdn}/block",
			{ id: "blockAgent", tag: "agent-controller", body: { reason: "string" }, ok: "$AgentDto" },
			({ params, account }) => {
				account.change(`block ${params["msisdn"]}`);
				return { data: springAgent(orMissing(AGENTS.find(({ number }) => number === params["msisdn"]))) };
			},
		),
		route(
			"GET /mappings",
			{
				id: "listMappings",
				tag: "mapping-controller",
				query: { page: "integer", size: "integer", agentMsisdn: "string" },
				ok: { content: ["$MappingDto"], ...SPRING_PAGE },
			},
			({ query }) => {
				const all = CONTACTS.filter(
					({ agent }) => !query.has("agentMsisdn") || agent === query.get("agentMsisdn"),
				);
				const [page, size] = [Number(query.get("page") ?? 0), numberOf(query, "size", 2)];
				const write = (contact: StrangeContact) => ({
					agentMsisdn: contact.agent,
					customerMsisdn: contact.number,
					createdAt: iso(contact.createdAt),
					outboundCount: contact.outbound,
					inboundCount: contact.inbound,
					consecutiveCount: contact.streak,
					maxConsecutive: contact.most,
				});
				return { data: springPage(cut(all, page * size, size).items.map(write), all.length, page, size) };
			},
		),
		route(
			"GET /conversations/{msisdn}/messages",
			{
				id: "conversation",
				tag: "conversation-controller",
				query: { page: "integer", size: "integer" },
				ok: { content: ["$MessageDto"], ...SPRING_PAGE },
			},
			({ params, query, account }) => {
				const all = account.with(params["msisdn"] ?? "");
				const [page, size] = [Number(query.get("page") ?? 0), numberOf(query, "size", 2)];
				return {
					data: springPage(cut(all, page * size, size).items.map(springMessage), all.length, page, size),
				};
			},
		),
		route(
			"GET /queue",
			{
				id: "queue",
				tag: "queue-controller",
				ok: { waiting: "integer", inProgress: "integer", dead: "integer", oldestWaitingSeconds: "integer" },
			},
			() => ({
				data: {
					waiting: QUEUE.pending,
					inProgress: QUEUE.processing,
					dead: QUEUE.failed,
					oldestWaitingSeconds: QUEUE.oldestMs / 1000,
				},
			}),
		),
		route(
			"GET /settings/webhooks",
			{
				id: "webhooks",
				tag: "settings-controller",
				ok: { inboundWebhookUrl: "string", statusWebhookUrl: "string" },
			},
			() => ({ data: { inboundWebhookUrl: WEBHOOKS.inbound, statusWebhookUrl: WEBHOOKS.status } }),
		),
	],
	truth: {
		"messages.sendText": { route: "POST /messages/text" },
		"messages.sendAttachments": { route: "POST /messages/media" },
		"messages.get": { route: "GET /messages/{id}" },
		"messages.tapback": {
			route: "PUT /messages/{guid}/reaction",
			places: { guid: "messageGuid", reaction: "reaction" },
		},
		"agents.list": { route: "GET /agents" },
		"agents.get": { route: "GET /agents/{msisdn}" },
		"agents.block": { route: "POST /agents/{msisdn}/block" },
		"mappings.list": { route: "GET /mappings" },
		"analytics.listMessages": { route: "GET /conversations/{msisdn}/messages" },
		"queue.getStatus": { route: "GET /queue" },
		"settings.getWebhooks": { route: "GET /settings/webhooks" },
	},
};

const snakeMessage = (message: StrangeMessage) => ({
	message_id: message.serial,
	client_id: message.id,
	guid: message.guid,
	chat_guid: message.chat,
	text: message.text,
	from_number: message.from,
	to_number: message.to,
	is_outgoing: message.outbound,
	status: message.status,
	created: seconds(message.at),
});

/** FastAPI: snake case, integer ids, seconds, bare arrays with a `Link` header; the document says ids are UUIDs. */
export const fastapi: StrangeShape = {
	idsAre: "serial",
	voices: "bytes",
	signing: { body: "python" },
	document: {
		version: "3.1.0",
		at: "/openapi.json",
		page: "inline",
		prefix: "paths",
		schemas: {
			MessageOut: {
				message_id: "string:uuid",
				client_id: "string:uuid",
				guid: "string",
				chat_guid: "string",
				text: "string",
				from_number: "string",
				to_number: "string",
				is_outgoing: "boolean",
				status: "string",
				created: "string:date-time",
			},
			AgentOut: {
				agent_id: "integer",
				phone: "string",
				name: "string?",
				status: "string",
				contact_count: "integer",
				last_seen: "integer?",
				created: "integer",
			},
		},
	},
	routes: [
		route(
			"POST /v1/messages/",
			{
				id: "create_message_v1_messages__post",
				sum: "Create Message",
				body: {
					"to_number!": "string",
					"text!": "string",
					from_number: "string?",
					status_callback: "string?",
				},
				ok: "$MessageOut",
				status: 201,
			},
			({ body, account }) => ({
				status: 201,
				data: snakeMessage(account.send("text", needPhone(body, "to_number"), need(body, "text"))),
			}),
		),
		route(
			"POST /v1/messages/voice",
			{
				id: "create_voice_v1_messages_voice_post",
				sum: "Create Voice",
				body: { "to_number!": "string", "audio_base64!": "string:byte", mime_type: "string" },
				ok: "$MessageOut",
				status: 201,
			},
			({ body, account }) => ({
				status: 201,
				data: snakeMessage(
					account.send("voice", needPhone(body, "to_number"), "", [need(body, "audio_base64")]),
				),
			}),
		),
		route(
			"GET /v1/messages/{message_id}",
			{
				id: "read_message_v1_messages__message_id__get",
				sum: "Read Message",
				path: { message_id: "integer" },
				ok: "$MessageOut",
			},
			({ params, account }) => ({
				data: snakeMessage(orMissing(account.find("serial", params["message_id"]))),
			}),
		),
		route(
			"GET /v1/messages/",
			{
				id: "list_messages_v1_messages__get",
				sum: "List Messages",
				query: { phone: "string", skip: "integer", limit: "integer" },
				ok: ["$MessageOut"],
			},
			({ query, account }) => {
				const all = query.has("phone") ? account.with(String(query.get("phone"))) : account.messages;
				const { items, next } = cut(all, Number(query.get("skip") ?? 0), numberOf(query, "limit", 2));
				return {
					data: items.map(snakeMessage),
					headers: next === null ? {} : { Link: `</v1/messages/?skip=${next}&limit=2>; rel="next"` },
				};
			},
		),
		route(
			"GET /v1/agents/",
			{
				id: "list_agents_v1_agents__get",
				sum: "List Agents",
				query: { skip: "integer", limit: "integer" },
				ok: ["$AgentOut"],
			},
			({ query }) => {
				const { items, next } = cut(AGENTS, Number(query.get("skip") ?? 0), numberOf(query, "limit", 2));
				const write = ({ id, number, name, status, contacts, seenAt, createdAt }: StrangeAgent) => ({
					agent_id: id,
					phone: number,
					name,
					status,
					contact_count: contacts,
					last_seen: seconds(seenAt),
					created: seconds(createdAt),
				});
				return {
					data: items.map(write),
					headers: next === null ? {} : { Link: `</v1/agents/?skip=${next}&limit=2>; rel="next"` },
				};
			},
		),
		route(
			"POST /v1/typing",
			{
				id: "typing_v1_typing_post",
				sum: "Typing",
				body: { "to_number!": "string", "on!": "boolean" },
				ok: { on: "boolean" },
			},
			({ body, account }) => {
				account.act({ kind: "typing", to: needPhone(body, "to_number"), isOn: body.on === true });
				return { data: { on: body.on === true } };
			},
		),
		route(
			"GET /v1/stats/{phone}",
			{
				id: "stats_v1_stats__phone__get",
				sum: "Stats",
				ok: {
					phone: "string",
					sent: "integer",
					received: "integer",
					contacts: "integer",
					by_status: { delivered: "integer", failed: "integer" },
					response_rate: "number",
				},
			},
			({ params }) => ({
				data: {
					phone: params["phone"],
					sent: STATS.outbound,
					received: STATS.inbound,
					contacts: STATS.contacts,
					by_status: { delivered: STATS.delivered, failed: STATS.failed },
					response_rate: STATS.rate * 100,
				},
			}),
		),
		route(
			"GET /v1/capability/{phone}",
			{
				id: "capability_v1_capability__phone__get",
				sum: "Capability",
				ok: { phone: "string", imessage: "boolean", checked: "integer" },
			},
			({ params }) => ({ data: { phone: params["phone"], imessage: true, checked: 1767600000 } }),
		),
	],
	truth: {
		"messages.sendText": { route: "POST /v1/messages/" },
		"messages.sendVoiceNote": { route: "POST /v1/messages/voice" },
		"messages.get": { route: "GET /v1/messages/{message_id}", places: { message_id: "messageId" } },
		"messages.typing": { route: "POST /v1/typing", places: { to_number: "to" } },
		"messages.checkCapability": { route: "GET /v1/capability/{phone}" },
		"analytics.listMessages": { route: "GET /v1/messages/", places: { phone: "toNumber" } },
		"analytics.getNumberStats": { route: "GET /v1/stats/{phone}", places: { phone: "number" } },
		"agents.list": { route: "GET /v1/agents/" },
	},
};

const resource = (type: string, id: string | number, attributes: object) => ({
	type,
	id: String(id),
	attributes,
});
const apiMessage = (message: StrangeMessage) =>
	resource("messages", message.id, {
		"message-guid": message.guid,
		text: message.text,
		"sender-number": message.from,
		"recipient-number": message.to,
		outbound: message.outbound,
		status: message.status,
		"sent-at": iso(message.at),
	});

/** JSON:API: everything in attributes, names with dashes, `page[number]` and links. */
export const jsonapi: StrangeShape = {
	mount: "/jsonapi",
	signing: { query: "included", path: "decoded" },
	document: {
		version: "3.0.3",
		at: "/jsonapi/openapi.json",
		page: "embedded",
		pageAt: "/jsonapi/docs",
		prefix: "server",
	},
	routes: [
		route(
			"POST /messages",
			{
				sum: "Send a message",
				body: {
					"data!": {
						"type!": "enum messages",
						"attributes!": { "recipient-number!": "string", "text!": "string", "sender-number": "string" },
					},
				},
				ok: {
					data: {
						type: "string",
						id: "string",
						attributes: {
							"message-guid": "string",
							text: "string",
							"sender-number": "string",
							"recipient-number": "string",
							outbound: "boolean",
							status: "string",
							"sent-at": "string:date-time",
						},
					},
				},
				status: 201,
			},
			({ body, account }) => ({
				status: 201,
				data: {
					data: apiMessage(
						account.send(
							"text",
							needPhone(body, "data.attributes.recipient-number"),
							need(body, "data.attributes.text"),
						),
					),
				},
			}),
		),
		route(
			"GET /messages/{id}",
			{
				sum: "A message",
				ok: {
					data: {
						type: "string",
						id: "string",
						attributes: {
							"message-guid": "string",
							text: "string",
							"sender-number": "string",
							"recipient-number": "string",
							outbound: "boolean",
							status: "string",
							"sent-at": "string:date-time",
						},
					},
				},
			},
			({ params, account }) => ({ data: { data: apiMessage(orMissing(account.find("id", params["id"]))) } }),
		),
		route(
			"GET /agents",
			{
				sum: "Agents",
				query: { "page[number]": "integer", "page[size]": "integer" },
				ok: {
					data: [
						{
							type: "string",
							id: "string",
							attributes: {
								"agent-number": "string",
								name: "string",
								status: "string",
								"created-at": "string:date-time",
							},
						},
					],
					links: { next: "string?" },
				},
			},
			({ query }) => {
				const [page, size] = [
					Math.max(1, Number(query.get("page[number]") ?? 1)),
					numberOf(query, "page[size]", 2),
				];
				const { items, next } = cut(AGENTS, (page - 1) * size, size);
				return {
					data: {
						data: items.map(({ id, number, name, status, createdAt }) =>
							resource("agents", id, { "agent-number": number, name, status, "created-at": iso(createdAt) }),
						),
						links: { next: next === null ? null : `/jsonapi/agents?page[number]=${page + 1}` },
					},
				};
			},
		),
		route(
			"GET /contacts",
			{
				sum: "Contacts",
				query: { "page[number]": "integer", "page[size]": "integer" },
				ok: {
					data: [
						{
							type: "string",
							id: "string",
							attributes: {
								"user-number": "string",
								"agent-number": "string",
								outbound: "integer",
								inbound: "integer",
								"last-message-at": "string:date-time",
							},
						},
					],
					links: { next: "string?" },
				},
			},
			({ query }) => {
				const [page, size] = [
					Math.max(1, Number(query.get("page[number]") ?? 1)),
					numberOf(query, "page[size]", 2),
				];
				const { items, next } = cut(CONTACTS, (page - 1) * size, size);
				return {
					data: {
						data: items.map((contact) =>
							resource("contacts", contact.number, {
								"user-number": contact.number,
								"agent-number": contact.agent,
								outbound: contact.outbound,
								inbound: contact.inbound,
								"last-message-at": iso(contact.lastAt),
							}),
						),
						links: { next: next === null ? null : "x" },
					},
				};
			},
		),
	],
	truth: {
		"messages.sendText": { route: "POST /messages" },
		"messages.get": { route: "GET /messages/{id}" },
		"agents.list": { route: "GET /agents" },
		"analytics.listContacts": { route: "GET /contacts" },
	},
};

/** Words of its own for everything: parcels, handsets, people; cursors in a header. */
export const outbox: StrangeShape = {
	mount: "/api",
	signing: { body: "go", secret: "hex", empty: "{}" },
	document: {
		version: "2.0",
		at: "/api/swagger.json",
		page: "swagger",
		pageAt: "/api/docs",
		prefix: "server",
	},
	routes: [
		route(
			"POST /outbox",
			{
				sum: "Drops a note into the outbox",
				body: {
					"addressee!": "string phone of the person who gets the note",
					"note!": "string what the note says",
					handset: "string phone of the handset that sends it",
				},
				ok: { ticket: "string", addressee: "string", note: "string", stage: "string", dropped_ms: "integer" },
				status: 201,
			},
			({ body, account }) => {
				const sent = account.send("text", needPhone(body, "addressee"), need(body, "note"));
				return {
					status: 201,
					data: {
						ticket: sent.id,
						addressee: sent.to,
						note: sent.text,
						stage: "WAITING",
						dropped_ms: sent.at,
					},
				};
			},
		),
		route(
			"GET /outbox/{ticket}",
			{
				sum: "A note",
				ok: { ticket: "string", addressee: "string", note: "string", stage: "string", dropped_ms: "integer" },
			},
			({ params, account }) => {
				const sent = orMissing(account.find("id", params["ticket"]));
				return {
					data: {
						ticket: sent.id,
						addressee: sent.to,
						handset: sent.from,
						note: sent.text,
						stage: "WAITING",
						dropped_ms: sent.at,
					},
				};
			},
		),
		route(
			"GET /handsets",
			{
				sum: "All handsets",
				ok: {
					handsets: [{ phone: "string", owner: "string", alive: "boolean", people: "integer" }],
					cursor: "string",
				},
			},
			({ query }) => {
				const { items, next } = cut(AGENTS, Number(query.get("cursor") ?? 0), 2);
				return {
					data: {
						handsets: items.map(({ number, name, status, contacts }) => ({
							phone: number,
							owner: name,
							alive: status === "online",
							people: contacts,
						})),
						cursor: next === null ? "" : String(next),
					},
				};
			},
		),
		route(
			"GET /people",
			{
				sum: "Everyone who was ever written to",
				ok: {
					people: [
						{ phone: "string", handset: "string", to_them: "integer", from_them: "integer", last: "integer" },
					],
				},
			},
			() => ({
				data: {
					people: CONTACTS.map((contact) => ({
						phone: contact.number,
						handset: contact.agent,
						to_them: contact.outbound,
						from_them: contact.inbound,
						last: contact.lastAt,
					})),
				},
			}),
		),
		route(
			"GET /backlog",
			{ sum: "How much waits", ok: { waiting: "integer", moving: "integer", lost: "integer" } },
			() => ({ data: { waiting: QUEUE.pending, moving: QUEUE.processing, lost: QUEUE.failed } }),
		),
	],
	truth: {
		"messages.sendText": { route: "POST /outbox", places: { addressee: "to", note: "text" } },
		"messages.get": { route: "GET /outbox/{ticket}", places: { ticket: "messageId" } },
		"agents.list": { route: "GET /handsets" },
		"analytics.listContacts": { route: "GET /people" },
		"queue.getStatus": { route: "GET /backlog" },
	},
};

/** Another language, and lists in the style of Hydra with URLs as ids. */
export const portuguese: StrangeShape = {
	signing: { body: "php" },
	document: { version: "3.0.3", at: "/docs.json", page: "redoc", prefix: "paths" },
	routes: [
		route(
			"POST /mensagens",
			{
				sum: "Envia uma mensagem",
				body: {
					"telefone!": "string Telefone do destinatário",
					"mensagem!": "string Texto da mensagem",
					remetente: "string",
				},
				ok: {
					id: "string",
					telefone: "string",
					mensagem: "string",
					situacao: "string",
					criadoEm: "string:date-time",
				},
				status: 201,
			},
			({ body, account }) => {
				const sent = account.send("text", needPhone(body, "telefone"), need(body, "mensagem"));
				return {
					status: 201,
					data: {
						id: sent.id,
						telefone: sent.to,
						mensagem: sent.text,
						situacao: "na fila",
						criadoEm: iso(sent.at),
					},
				};
			},
		),
		route(
			"GET /mensagens/{id}",
			{
				sum: "Consulta uma mensagem",
				ok: {
					id: "string",
					telefone: "string",
					mensagem: "string",
					situacao: "string",
					criadoEm: "string:date-time",
				},
			},
			({ params, account }) => {
				const sent = orMissing(account.find("id", params["id"]));
				return {
					data: {
						id: sent.id,
						telefone: sent.to,
						remetente: sent.from,
						mensagem: sent.text,
						situacao: "na fila",
						criadoEm: iso(sent.at),
					},
				};
			},
		),
		route(
			"GET /agentes",
			{
				sum: "Lista os agentes",
				query: { pagina: "integer" },
				ok: {
					"hydra:member": [{ "@id": "string", telefone: "string", nome: "string" }],
					"hydra:totalItems": "integer",
				},
			},
			({ query }) => {
				const { items } = cut(AGENTS, (Math.max(1, Number(query.get("pagina") ?? 1)) - 1) * 2, 2);
				return {
					data: {
						"hydra:member": items.map(({ id, number, name }) => ({
							"@id": `/agentes/${id}`,
							telefone: number,
							nome: name,
						})),
						"hydra:totalItems": AGENTS.length,
					},
				};
			},
		),
	],
	truth: {
		"messages.sendText": { route: "POST /mensagens", places: { telefone: "to", mensagem: "text" } },
		"messages.get": { route: "GET /mensagens/{id}" },
		"agents.list": { route: "GET /agentes" },
	},
};

/** One endpoint for everything, with a method in the body. */
export const rpc: StrangeShape = {
	document: { version: "3.0.3", at: "/openapi.json", page: "inline" },
	routes: [
		route(
			"POST /rpc",
			{
				sum: "Calls a method",
				body: {
					"jsonrpc!": "enum 2.0",
					"method!": "enum message.send|message.get|agent.list|agent.block|queue.flush",
					params: { to: "string", text: "string", id: "string" },
					id: "string",
				},
				ok: { result: "string", id: "string" },
			},
			({ body, account }) => {
				if (body.method === "message.send")
					return {
						data: {
							result: account.send("text", needPhone(body, "params.to"), need(body, "params.text")).id,
						},
					};
				if (body.method === "agent.list") return { data: { result: AGENTS.map(({ number }) => number) } };
				account.change(String(body.method));
				return { data: { result: "done" } };
			},
		),
	],
	truth: { "messages.sendText": { route: "POST /rpc", places: { method: "message.send", jsonrpc: "2.0" } } },
};

/** No document: the specification and a few routes that only fit by our assumptions, with other names. */
export const undocumented: StrangeShape = {
	signing: { query: "included" },
	routes: [
		route("POST /message/text", undefined, ({ body, account }) => {
			const sent = account.send("text", needPhone(body, "to"), need(body, "text"));
			return {
				status: 202,
				data: {
					message: {
						id: sent.id,
						to: sent.to,
						from: sent.from,
						body: sent.text,
						state: sent.status,
						created_at: iso(sent.at),
					},
				},
			};
		}),
		route("GET /message/{messageId}", undefined, ({ params, account }) => {
			const sent = orMissing(account.find("id", params["messageId"]));
			return {
				data: {
					message: {
						id: sent.id,
						to: sent.to,
						from: sent.from,
						body: sent.text,
						state: sent.status,
						created_at: iso(sent.at),
					},
				},
			};
		}),
		route("GET /mapping", undefined, () => ({
			data: { mappings: CONTACTS.map(specMapping), nextCursor: null },
		})),
		route("GET /agent", undefined, ({ query }) => {
			const { items, next } = cut(AGENTS, Number(query.get("cursor") ?? 0), numberOf(query, "limit", 2));
			return {
				data: {
					agents: items.map(({ number, name, status, contacts, seenAt, createdAt }) => ({
						agentNumber: number,
						name,
						status,
						blockedReason: null,
						mappingCount: contacts,
						lastSeenAt: seenAt,
						createdAt,
					})),
					nextCursor: next === null ? null : String(next),
				},
			};
		}),
	],
	truth: {
		"messages.sendText": { route: "POST /message/text" },
		"messages.get": { route: "GET /message/{messageId}" },
		"mappings.list": { route: "GET /mapping" },
		"agents.list": { route: "GET /agent" },
	},
};
