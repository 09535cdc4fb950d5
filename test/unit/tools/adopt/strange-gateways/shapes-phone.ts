/** Gateways in the shapes of public APIs that send from a phone line. */
import {
	AGENTS,
	CONTACTS,
	LINE,
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
	Rejection,
	route,
	type StrangeShape,
} from "./strange-gateway.ts";

const iso = (ms: number): string => new Date(ms).toISOString();

const sendblueMessage = (message: StrangeMessage) => ({
	accountEmail: "team@example.com",
	content: message.text,
	is_outbound: message.outbound,
	status: message.status.toUpperCase(),
	error_code: null,
	error_message: null,
	message_handle: message.id,
	guid: message.guid,
	date_sent: iso(message.at),
	date_updated: iso(message.at + 1000),
	from_number: message.from,
	number: message.outbound ? message.to : message.from,
	to_number: message.to,
	was_downgraded: false,
	media_url: message.media[0] ?? "",
	message_type: "message",
	group_id: null,
});

const SENDBLUE_MESSAGE = {
	accountEmail: "string",
	content: "string",
	is_outbound: "boolean",
	status: "enum QUEUED|SENT|DELIVERED|READ|ERROR",
	error_code: "integer?",
	error_message: "string?",
	message_handle: "string Identifier of the message",
	// The document forgets `guid`, and has a date that is not sent.
	date_created: "string:date-time",
	date_updated: "string:date-time",
	from_number: "string",
	number: "string The contact's number",
	to_number: "string",
	was_downgraded: "boolean",
	media_url: "string",
	message_type: "string",
	group_id: "string?",
};

/** One flat route for each kind, the sending line required, words of its own for reactions; Swagger UI's initializer. */
export const sendblue: StrangeShape = {
	tapsBy: "id",
	mount: "/api",
	signing: { body: "spaced", path: "mountless" },
	document: {
		version: "3.0.3",
		at: "/openapi/v1.json",
		page: "swagger",
		prefix: "paths",
		schemas: { Message: SENDBLUE_MESSAGE },
	},
	from: LINE,
	routes: [
		route(
			"POST /send-message",
			{
				sum: "Send a message",
				body: {
					"number!": "string E.164 number of the recipient",
					"from_number!": "string One of your lines",
					content: "string Text of the message",
					media_url: "string",
					send_style: "enum celebration|lasers",
					status_callback: "string",
				},
				ok: "$Message",
				status: 202,
			},
			({ body, account }) => {
				const from = needLine(body, "from_number", AGENTS);
				const to = needPhone(body, "number");
				const media = body.media_url ? [String(body.media_url)] : [];
				if (!body.content && media.length === 0)
					throw new Rejection(400, "INVALID", [{ field: "content", issue: "required", message: "give it" }]);
				return {
					status: 202,
					data: sendblueMessage(
						account.send(media.length > 0 ? "media" : "text", to, String(body.content ?? ""), media, from),
					),
				};
			},
		),
		route(
			"POST /send-reaction",
			{
				sum: "React to a message",
				body: {
					"message_handle!": "string",
					"reaction!": "enum love|like|dislike|laugh|emphasize|question",
					"from_number!": "string",
					part_index: "integer",
				},
				ok: { status: "string", message_handle: "string", reaction: "string" },
			},
			({ body, account }) => {
				needLine(body, "from_number", AGENTS);
				const message = orMissing(account.find("id", need(body, "message_handle")));
				account.act({
					kind: "tapback",
					to: account.otherEnd(message),
					message: message.id,
					reaction: need(body, "reaction"),
					isOn: true,
				});
				return { data: { status: "OK", message_handle: message.id, reaction: body.reaction } };
			},
		),
		route(
			"POST /send-typing-indicator",
			{
				sum: "Send a typing indicator",
				body: { "number!": "string E.164", "from_number!": "string" },
				ok: { number: "string", status: "string", error_message: "string?" },
			},
			({ body, account }) => {
				needLine(body, "from_number", AGENTS);
				account.act({ kind: "typing", to: needPhone(body, "number"), isOn: true });
				return { data: { number: body.number, status: "SENT", error_message: null } };
			},
		),
		route(
			"POST /mark-read",
			{
				sum: "Mark a conversation as read",
				body: { "number!": "string", "from_number!": "string" },
				ok: { message: "string", result: "string" },
			},
			({ body, account }) => {
				needLine(body, "from_number", AGENTS);
				account.act({ kind: "read", to: needPhone(body, "number") });
				return { data: { message: "done", result: "OK" } };
			},
		),
		route(
			"GET /evaluate-service",
			{
				sum: "Check which service a number can use",
				query: { "number!": "string" },
				ok: { number: "string", service: "enum iMessage|SMS" },
			},
			({ query }) => ({ data: { number: query.get("number"), service: "iMessage" } }),
		),
		route(
			"GET /v2/messages/{message_handle}",
			{ sum: "Get one message", ok: "$Message" },
			({ params, account }) => ({
				data: sendblueMessage(orMissing(account.find("id", params["message_handle"]))),
			}),
		),
		route(
			"GET /v2/messages",
			{
				sum: "List messages",
				query: {
					number: "string Messages with this contact",
					limit: "integer",
					offset: "integer",
					from_date: "string:date-time",
				},
				ok: {
					messages: ["$Message"],
					pagination: { total: "integer", limit: "integer", offset: "integer", hasMore: "boolean" },
				},
			},
			({ query, account }) => {
				const all = query.has("number") ? account.with(String(query.get("number"))) : account.messages;
				const [offset, limit] = [Number(query.get("offset") ?? 0), numberOf(query, "limit", 2)];
				const { items, next } = cut(all, offset, limit);
				return {
					data: {
						messages: items.map(sendblueMessage),
						pagination: { total: all.length, limit, offset, hasMore: next !== null },
					},
				};
			},
		),
		route(
			"GET /v2/contacts",
			{
				sum: "List contacts",
				query: { limit: "integer", offset: "integer" },
				ok: {
					contacts: [
						{
							phone: "string",
							assigned_line: "string",
							sent: "integer",
							received: "integer",
							last_activity: "string:date-time",
						},
					],
					total: "integer",
				},
			},
			({ query }) => {
				const { items } = cut(CONTACTS, Number(query.get("offset") ?? 0), numberOf(query, "limit", 2));
				const write = (contact: StrangeContact) => ({
					phone: contact.number,
					assigned_line: contact.agent,
					sent: contact.outbound,
					received: contact.inbound,
					last_activity: iso(contact.lastAt),
				});
				return { data: { contacts: items.map(write), total: CONTACTS.length } };
			},
		),
		route(
			"GET /lines",
			{
				sum: "List your lines",
				ok: {
					lines: [
						{
							line_number: "string",
							label: "string",
							state: "enum ACTIVE|DOWN|SUSPENDED",
							created_at: "string:date-time",
						},
					],
				},
			},
			() => ({
				data: {
					lines: AGENTS.map(({ number, name, status, createdAt }) => ({
						line_number: number,
						label: name,
						state: { online: "ACTIVE", offline: "DOWN", blocked: "SUSPENDED" }[status],
						created_at: iso(createdAt),
					})),
				},
			}),
		),
		route(
			"GET /account/webhooks",
			{ sum: "Get webhooks", ok: { receive: "string", outbound: "string" } },
			() => ({ data: { receive: WEBHOOKS.inbound, outbound: WEBHOOKS.status } }),
		),
	],
	truth: {
		"messages.sendText": { route: "POST /send-message", places: { from_number: LINE } },
		"messages.sendAttachments": { route: "POST /send-message", places: { from_number: LINE } },
		"messages.tapback": {
			route: "POST /send-reaction",
			places: { message_handle: "messageGuid", from_number: LINE },
		},
		"messages.typing": { route: "POST /send-typing-indicator", places: { from_number: LINE, number: "to" } },
		"messages.markRead": { route: "POST /mark-read", places: { from_number: LINE, number: "to" } },
		"messages.checkCapability": { route: "GET /evaluate-service" },
		"messages.get": { route: "GET /v2/messages/{message_handle}", places: { message_handle: "messageId" } },
		"analytics.listMessages": { route: "GET /v2/messages", places: { number: "toNumber" } },
		"analytics.listContacts": { route: "GET /v2/contacts" },
		"agents.list": { route: "GET /lines" },
		"settings.getWebhooks": { route: "GET /account/webhooks" },
	},
};

const rfc = (ms: number): string => new Date(ms).toUTCString().replace("GMT", "+0000");
const twilioMessage = (message: StrangeMessage) => ({
	sid: message.id,
	account_sid: "AC0001",
	body: message.text,
	from: message.from,
	to: message.to,
	direction: message.outbound ? "outbound-api" : "inbound",
	status: message.status === "read" && !message.outbound ? "received" : message.status,
	num_media: String(message.media.length),
	num_segments: "1",
	date_created: rfc(message.at),
	date_sent: rfc(message.at + 2000),
	error_code: null,
	uri: `/2010-04-01/Accounts/AC0001/Messages/${message.id}.json`,
});
const TWILIO_MESSAGE = {
	sid: "string",
	account_sid: "string",
	body: "string",
	from: "string",
	to: "string",
	direction: "enum inbound|outbound-api|outbound-call|outbound-reply",
	status: "enum queued|sending|sent|delivered|read|failed|received",
	num_media: "string",
	num_segments: "string",
	date_created: "string:date-time-rfc-2822",
	date_sent: "string:date-time-rfc-2822",
	error_code: "integer?",
	uri: "string",
};

/** The account in each path, capital names in requests, lists with URLs of the next page, RFC 2822 times. */
export const twilio: StrangeShape = {
	mount: "/2010-04-01",
	signing: { secret: "hex", query: "sorted" },
	document: {
		version: "3.0.3",
		at: "/docs/api.yaml",
		form: "yaml",
		page: "redoc",
		prefix: "server",
		schemas: { Message: TWILIO_MESSAGE },
	},
	routes: [
		route(
			"POST /Accounts/{AccountSid}/Messages.json",
			{
				id: "CreateMessage",
				sum: "Send a message from the account used to make the request",
				body: {
					"To!": "string The recipient's phone number in E.164 format",
					From: "string The sender's phone number",
					Body: "string The text content of the outgoing message",
					MediaUrl: ["string:uri"],
					StatusCallback: "string:uri",
				},
				ok: "$Message",
				status: 201,
			},
			({ params, body, account }) => {
				if (params["AccountSid"] !== "AC0001") throw new Rejection(404, "NO_ACCOUNT");
				const media = body.MediaUrl ?? [];
				if (!body.Body && media.length === 0) need(body, "Body");
				const from = body.From === undefined ? LINE : needLine(body, "From", AGENTS);
				return {
					status: 201,
					data: twilioMessage(
						account.send(
							media.length > 0 ? "media" : "text",
							needPhone(body, "To"),
							body.Body ?? "",
							media,
							from,
						),
					),
				};
			},
		),
		route(
			"GET /Accounts/{AccountSid}/Messages/{Sid}.json",
			{ id: "FetchMessage", sum: "Fetch a single Message", ok: "$Message" },
			({ params, account }) => ({ data: twilioMessage(orMissing(account.find("id", params["Sid"]))) }),
		),
		route(
			"GET /Accounts/{AccountSid}/Messages.json",
			{
				id: "ListMessage",
				sum: "Retrieve a list of Message resources",
				query: {
					To: "string Filter by recipient",
					From: "string Filter by sender",
					PageSize: "integer",
					Page: "integer",
					PageToken: "string",
				},
				ok: { messages: ["$Message"], next_page_uri: "string?", page: "integer", page_size: "integer" },
			},
			({ query, account }) => {
				const all = account.messages.filter(
					({ to, from }) =>
						(!query.has("To") || to === query.get("To")) &&
						(!query.has("From") || from === query.get("From")),
				);
				const [page, size] = [Number(query.get("Page") ?? 0), numberOf(query, "PageSize", 2)];
				const { items, next } = cut(all, page * size, size);
				return {
					data: {
						messages: items.map(twilioMessage),
						next_page_uri:
							next === null
								? null
								: `/2010-04-01/Accounts/AC0001/Messages.json?PageSize=${size}&Page=${page + 1}&PageToken=PT${next}`,
						page,
						page_size: size,
					},
				};
			},
		),
		route(
			"GET /Accounts/{AccountSid}/IncomingPhoneNumbers.json",
			{
				id: "ListIncomingPhoneNumber",
				sum: "Retrieve a list of incoming-phone-number resources belonging to the account",
				query: { PageSize: "integer", Page: "integer" },
				ok: {
					incoming_phone_numbers: [
						{
							sid: "string",
							phone_number: "string",
							friendly_name: "string",
							status: "string",
							date_created: "string",
						},
					],
					next_page_uri: "string?",
					page: "integer",
					page_size: "integer",
				},
			},
			({ query }) => {
				const [page, size] = [Number(query.get("Page") ?? 0), numberOf(query, "PageSize", 2)];
				const { items, next } = cut(AGENTS, page * size, size);
				const write = ({ id, number, name, status, createdAt }: StrangeAgent) => ({
					sid: `PN${id}`,
					phone_number: number,
					friendly_name: name,
					status: status === "online" ? "in-use" : status,
					date_created: rfc(createdAt),
				});
				return {
					data: {
						incoming_phone_numbers: items.map(write),
						next_page_uri: next === null ? null : `/2010-04-01/x?Page=${page + 1}`,
						page,
						page_size: size,
					},
				};
			},
		),
	],
	truth: {
		"messages.sendText": {
			route: "POST /Accounts/{AccountSid}/Messages.json",
			places: { AccountSid: "AC0001", To: "to", Body: "text" },
		},
		"messages.sendAttachments": {
			route: "POST /Accounts/{AccountSid}/Messages.json",
			places: { AccountSid: "AC0001", To: "to", Body: "text" },
		},
		"messages.get": {
			route: "GET /Accounts/{AccountSid}/Messages/{Sid}.json",
			places: { AccountSid: "AC0001", Sid: "messageId" },
		},
		"agents.list": {
			route: "GET /Accounts/{AccountSid}/IncomingPhoneNumbers.json",
			places: { AccountSid: "AC0001" },
		},
	},
};

const linqMessage = (message: StrangeMessage) => ({
	id: message.id,
	chat_id: message.chat,
	is_from_me: message.outbound,
	from_handle: { handle: message.from, service: "iMessage" },
	to_handles: [{ handle: message.to, service: "iMessage" }],
	parts: [
		...(message.text === "" ? [] : [{ type: "text", value: message.text }]),
		...message.media.map((url) => ({ type: "media", url })),
	],
	delivery_status: message.status,
	created_at: iso(message.at),
	sent_at: iso(message.at + 3000),
});
const LINQ_MESSAGE = {
	"id!": "string:uuid",
	"chat_id!": "string",
	"is_from_me!": "boolean",
	from_handle: { handle: "string", service: "string" },
	to_handles: [{ handle: "string", service: "string" }],
	parts: [{ type: "enum text|media", value: "string", url: "string" }],
	delivery_status: "enum queued|sent|delivered|read|failed",
	created_at: "string:date-time",
	sent_at: "string?:date-time",
};

/** Chats before messages, parts instead of a text, cursors; a 3.1 document through Scalar, signed with the query. */
export const linq: StrangeShape = {
	tapsBy: "id",
	chats: "by_id",
	mount: "/api/partner/v3",
	signing: { query: "included", body: "raw" },
	document: {
		version: "3.1.0",
		at: "/api/partner/v3/openapi.json",
		page: "scalar",
		pageAt: "/api/partner/v3/docs",
		prefix: "server",
		schemas: { Message: LINQ_MESSAGE },
	},
	from: LINE,
	routes: [
		route(
			"POST /chats",
			{
				sum: "Create a chat and send the first message",
				body: {
					"from!": "string Your Linq number",
					"to!": ["string Recipient handles"],
					"message!": {
						"parts!": [{ "type!": "enum text|media", value: "string", url: "string:uri" }],
						idempotency_key: "string",
					},
				},
				ok: { chat: { id: "string", message: "$Message" } },
				status: 201,
			},
			({ body, account }) => {
				const from = needLine(body, "from", AGENTS);
				const to = needPhone(body, "to.0");
				const parts: { type: string; value?: string; url?: string }[] = Array.isArray(body.message?.parts)
					? body.message.parts
					: [];
				if (parts.length === 0)
					throw new Rejection(400, "INVALID", [
						{ field: "message.parts", issue: "required", message: "give it" },
					]);
				const text = parts.find(({ type }) => type === "text")?.value ?? "";
				const media = parts.flatMap(({ type, url }) => (type === "media" && url ? [url] : []));
				const message = account.send(media.length > 0 ? "media" : "text", to, text, media, from);
				return { status: 201, data: { chat: { id: message.chat, message: linqMessage(message) } } };
			},
		),
		route(
			"GET /messages/{messageId}",
			{ sum: "Get a message by ID", ok: "$Message" },
			({ params, account }) => ({ data: linqMessage(orMissing(account.find("id", params["messageId"]))) }),
		),
		route(
			"POST /messages/{messageId}/reactions",
			{
				sum: "Add or remove a reaction to a message",
				body: {
					"operation!": "enum add|remove",
					"type!": "enum love|like|dislike|laugh|emphasize|question|custom",
					custom_emoji: "string",
					part_index: "integer",
				},
				ok: { status: "string", message: "string" },
				status: 202,
			},
			({ params, body, account }) => {
				const message = orMissing(account.find("id", params["messageId"]));
				account.act({
					kind: "tapback",
					to: account.otherEnd(message),
					message: message.id,
					reaction: need(body, "type"),
					isOn: need(body, "operation") === "add",
				});
				return { status: 202, data: { status: "accepted", message: "Reaction queued" } };
			},
		),
		route(
			"POST /chats/{chatId}/typing",
			{ sum: "Start typing indicator", status: 204 },
			({ params, account }) => {
				account.act({ kind: "typing", to: chatOwner(params["chatId"]), isOn: true });
				return { status: 204 };
			},
		),
		route(
			"DELETE /chats/{chatId}/typing",
			{ sum: "Stop typing indicator", status: 204 },
			({ params, account }) => {
				account.act({ kind: "typing", to: chatOwner(params["chatId"]), isOn: false });
				return { status: 204 };
			},
		),
		route("POST /chats/{chatId}/read", { sum: "Mark chat as read", status: 204 }, ({ params, account }) => {
			account.act({ kind: "read", to: chatOwner(params["chatId"]) });
			return { status: 204 };
		}),
		route(
			"POST /capability/check_imessage",
			{
				sum: "Check iMessage capability",
				body: { "address!": "string Phone number or email", from: "string" },
				ok: { address: "string", available: "boolean" },
			},
			({ body }) => ({ data: { address: need(body, "address"), available: true } }),
		),
		route(
			"GET /phone_numbers",
			{
				sum: "List phone numbers",
				ok: {
					phone_numbers: [
						{ id: "string", phone_number: "string", type: "string", capabilities: { sms: "boolean" } },
					],
				},
			},
			() => ({
				data: {
					phone_numbers: AGENTS.map(({ id, number }) => ({
						id: String(id),
						phone_number: number,
						type: "APPLE_ID",
						capabilities: { sms: true },
					})),
				},
			}),
		),
		route(
			"GET /chats/{chatId}/messages",
			{
				sum: "List messages of a chat",
				query: { cursor: "string", limit: "integer" },
				ok: { messages: ["$Message"], next_cursor: "string?" },
			},
			({ params, query, account }) => {
				const { items, next } = cut(
					account.with(chatOwner(params["chatId"])),
					Number(query.get("cursor") ?? 0),
					numberOf(query, "limit", 2),
				);
				return {
					data: { messages: items.map(linqMessage), next_cursor: next === null ? null : String(next) },
				};
			},
		),
	],
	truth: {
		"messages.sendText": { route: "POST /chats", places: { from: LINE } },
		"messages.sendAttachments": { route: "POST /chats", places: { from: LINE } },
		"messages.tapback": {
			route: "POST /messages/{messageId}/reactions",
			places: { messageId: "messageGuid" },
		},
		"messages.get": { route: "GET /messages/{messageId}" },
		"messages.checkCapability": { route: "POST /capability/check_imessage", places: { address: "toNumber" } },
		"messages.typing": { route: "POST /chats/{chatId}/typing", places: { chatId: "groupId" } },
		"messages.markRead": { route: "POST /chats/{chatId}/read", places: { chatId: "groupId" } },
	},
};

function chatOwner(chat: string | undefined): string {
	return orMissing(CONTACTS.find(({ number }) => `chat-${number.slice(-4)}` === chat)).number;
}
