/** Gateways in the shapes of public APIs of channels: one route for all kinds, numbers without a plus, integers as ids. */
import { AGENTS, CONTACTS, LINE, type StrangeAgent, type StrangeMessage } from "./account.ts";
import {
	cut,
	need,
	needPhone,
	numberOf,
	orMissing,
	Rejection,
	route,
	type StrangeShape,
} from "./strange-gateway.ts";

const bare = (number: string): string => number.slice(1);
const seconds = (ms: number): number => ms / 1000;
const iso = (ms: number): string => new Date(ms).toISOString();
const EMOJI: Record<string, string> = {
	"❤️": "love",
	"👍": "like",
	"👎": "dislike",
	"😂": "laugh",
	"‼️": "emphasize",
	"❓": "question",
};

/** Everything is one POST with a `type`, whose object has the content; the sender is in the path. */
export const whatsapp: StrangeShape = {
	tapsBy: "id",
	mount: "/v19.0",
	signing: { body: "php" },
	document: {
		version: "3.0.3",
		at: "/docs/openapi.yaml",
		form: "yaml",
		page: "redoc",
		pageAt: "/v19.0/docs",
		prefix: "paths",
	},
	routes: [
		route(
			"POST /{phone_number_id}/messages",
			{
				id: "sendMessage",
				sum: "Send a message",
				path: { phone_number_id: "string Id of the phone number that sends" },
				body: {
					"messaging_product!": "enum whatsapp",
					recipient_type: "enum individual|group",
					to: "string WhatsApp id or phone number of the customer",
					type: "enum text|image|audio|reaction",
					text: { body: "string", preview_url: "boolean" },
					image: { link: "string:uri", caption: "string" },
					audio: { link: "string:uri" },
					reaction: { message_id: "string", emoji: "string" },
					status: "enum read",
					message_id: "string",
				},
				ok: {
					messaging_product: "string",
					contacts: [{ input: "string", wa_id: "string" }],
					messages: [{ id: "string", message_status: "string" }],
				},
			},
			({ params, body, account }) => {
				if (params["phone_number_id"] !== "811") throw new Rejection(404, "NO_PHONE");
				if (need(body, "messaging_product") !== "whatsapp") throw new Rejection(400, "INVALID");
				if (body.status === "read") {
					account.act({
						kind: "read",
						to: account.otherEnd(orMissing(account.find("id", need(body, "message_id")))),
					});
					return { data: { success: true } };
				}
				const to = needPhone(body, "to", true);
				const kind = need(body, "type");
				if (kind === "reaction") {
					const message = orMissing(account.find("id", need(body, "reaction.message_id")));
					const emoji = String(body.reaction.emoji ?? "");
					account.act({
						kind: "tapback",
						to,
						message: message.id,
						reaction: EMOJI[emoji] ?? emoji,
						isOn: emoji !== "",
					});
					return {
						data: {
							messaging_product: "whatsapp",
							contacts: [{ input: body.to, wa_id: bare(to) }],
							messages: [{ id: `wamid.${message.serial}` }],
						},
					};
				}
				const sent =
					kind === "text"
						? account.send("text", to, need(body, "text.body"))
						: account.send(kind === "audio" ? "voice" : "media", to, body[kind]?.caption ?? "", [
								need(body, `${kind}.link`),
							]);
				return {
					data: {
						messaging_product: "whatsapp",
						contacts: [{ input: body.to, wa_id: bare(to) }],
						messages: [{ id: sent.id, message_status: "accepted" }],
					},
				};
			},
		),
		route(
			"GET /{business_id}/phone_numbers",
			{
				id: "listPhoneNumbers",
				sum: "Phone numbers of a business account",
				query: { limit: "integer", after: "string", before: "string" },
				ok: {
					data: [{ id: "string", display_phone_number: "string", verified_name: "string", status: "string" }],
					paging: { cursors: { before: "string", after: "string" }, next: "string" },
				},
			},
			({ query }) => {
				const { items, next } = cut(AGENTS, Number(query.get("after") ?? 0), numberOf(query, "limit", 2));
				const write = ({ id, number, name, status }: StrangeAgent) => ({
					id: String(id),
					display_phone_number: `+${number.slice(1, 2)} ${number.slice(2, 5)}-${number.slice(5)}`,
					verified_name: name,
					status: status === "online" ? "CONNECTED" : "FLAGGED",
				});
				// The last page still has its cursor.
				const cursors = { before: "b", after: String(next ?? AGENTS.length) };
				return {
					data: {
						data: items.map(write),
						paging: { cursors, ...(next !== null && { next: `https://graph.example/next?after=${next}` }) },
					},
				};
			},
		),
	],
	truth: {
		"messages.sendText": { route: "POST /{phone_number_id}/messages", places: { phone_number_id: "811" } },
		"messages.sendAttachments": {
			route: "POST /{phone_number_id}/messages",
			places: { phone_number_id: "811", type: "image" },
		},
		"messages.sendVoiceNote": {
			route: "POST /{phone_number_id}/messages",
			places: { phone_number_id: "811" },
		},
		"agents.list": { route: "GET /{business_id}/phone_numbers", places: { business_id: "77" } },
	},
};

const telegramMessage = (message: StrangeMessage) => ({
	message_id: message.serial,
	date: seconds(message.at),
	text: message.text,
	chat: { id: Number(bare(message.outbound ? message.to : message.from)), type: "private" },
	from: { id: Number(bare(message.from)), is_bot: message.outbound },
});
const TELEGRAM_MESSAGE = {
	message_id: "integer Unique message identifier",
	date: "integer Date the message was sent in Unix time",
	text: "string",
	chat: { id: "integer:int64", type: "string" },
	from: { id: "integer:int64", is_bot: "boolean" },
};

/** Methods as paths, every one of them by GET as well, also those that send; integers for ids and seconds for times. */
export const telegram: StrangeShape = {
	idsAre: "serial",
	mount: "/bot",
	signing: { unit: "s", body: "python" },
	document: {
		version: "3.0.3",
		at: "/bot/openapi.json",
		page: "inline",
		pageAt: "/bot/docs",
		prefix: "none",
		schemas: { Message: TELEGRAM_MESSAGE },
	},
	routes: (["POST", "GET"] as const).flatMap((method) => {
		const both = (call: { body: Record<string, unknown>; query: URLSearchParams }) =>
			method === "POST" ? call.body : Object.fromEntries(call.query);
		const chat = (given: Record<string, unknown>) =>
			needPhone({ chat_id: String(given["chat_id"] ?? "") }, "chat_id", true);
		const documented = (name: string, sum: string, body: Record<string, string>, ok: string) =>
			method === "POST" ? { id: name, sum, body, ok } : { id: `${name}Get`, sum, query: body, ok };
		return [
			route(
				`${method} /sendMessage`,
				documented(
					"sendMessage",
					"Use this method to send text messages",
					{
						"chat_id!": "integer:int64 Unique identifier for the target chat",
						"text!": "string Text of the message to be sent",
					},
					"$Message",
				),
				(call) => {
					const given = both(call);
					// It sends what it gets, an empty text too.
					return {
						data: telegramMessage(call.account.send("text", chat(given), String(given["text"] ?? ""))),
					};
				},
			),
			route(
				`${method} /sendPhoto`,
				documented(
					"sendPhoto",
					"Use this method to send photos",
					{ "chat_id!": "integer:int64 Target chat", "photo!": "string URL of the photo", caption: "string" },
					"$Message",
				),
				(call) => {
					const given = both(call);
					return {
						data: telegramMessage(
							call.account.send("media", chat(given), String(given["caption"] ?? ""), [need(given, "photo")]),
						),
					};
				},
			),
			route(
				`${method} /sendVoice`,
				documented(
					"sendVoice",
					"Use this method to send audio files as voice messages",
					{ "chat_id!": "integer:int64 Target chat", "voice!": "string URL of the audio" },
					"$Message",
				),
				(call) => {
					const given = both(call);
					return {
						data: telegramMessage(call.account.send("voice", chat(given), "", [need(given, "voice")])),
					};
				},
			),
			route(
				`${method} /sendChatAction`,
				documented(
					"sendChatAction",
					"Tell the user that something is happening",
					{ "chat_id!": "integer:int64 Target chat", "action!": "enum typing|upload_photo|record_voice" },
					"boolean",
				),
				(call) => {
					const given = both(call);
					if (need(given, "action") === "typing")
						call.account.act({ kind: "typing", to: chat(given), isOn: true });
					return { data: true };
				},
			),
			route(
				`${method} /readBusinessMessage`,
				documented(
					"readBusinessMessage",
					"Mark incoming message as read",
					{ "chat_id!": "integer:int64 Target chat", "message_id!": "integer" },
					"boolean",
				),
				(call) => {
					call.account.act({ kind: "read", to: chat(both(call)) });
					return { data: true };
				},
			),
			route(
				`${method} /deleteWebhook`,
				documented("deleteWebhook", "Remove webhook integration", {}, "boolean"),
				({ account }) => {
					account.change("deleteWebhook");
					return { data: true };
				},
			),
			route(
				`${method} /getUpdates`,
				documented(
					"getUpdates",
					"Receive incoming updates; confirms all with a lower offset",
					{ offset: "integer", limit: "integer" },
					"boolean",
				),
				({ account }) => {
					account.change("getUpdates");
					return { data: [] };
				},
			),
		];
	}),
	truth: {
		"messages.sendText": { route: "POST /sendMessage", places: { chat_id: "to", text: "text" } },
		"messages.sendAttachments": { route: "POST /sendPhoto", places: { chat_id: "to", photo: "attachments" } },
		"messages.sendVoiceNote": { route: "POST /sendVoice", places: { chat_id: "to", voice: "attachment" } },
		"messages.typing": { route: "POST /sendChatAction", places: { chat_id: "to", action: "typing" } },
	},
};

const vonageMessage = (message: StrangeMessage) => ({
	message_uuid: message.id,
	client_ref: message.guid,
	message_type: message.media.length > 0 ? "image" : "text",
	text: message.text,
	from: bare(message.from),
	to: bare(message.to),
	channel: "imessage",
	direction: message.outbound ? "outbound" : "inbound",
	status: message.status === "queued" ? "submitted" : message.status,
	timestamp: iso(message.at),
});
const VONAGE_MESSAGE = {
	message_uuid: "string",
	client_ref: "string",
	message_type: "string",
	text: "string",
	from: "string",
	to: "string",
	channel: "string",
	direction: "enum inbound|outbound",
	status: "enum submitted|sent|delivered|read|failed",
	timestamp: "string:date-time",
};

/** One POST with a type, HAL lists by page from 1, Swagger 2.0 at a usual address of its framework. */
export const vonage: StrangeShape = {
	mount: "/v1",
	signing: { body: "go", secret: "base64" },
	from: LINE,
	document: {
		version: "2.0",
		at: "/v2/api-docs",
		prefix: "server",
		isBare: true,
		schemas: { Message: VONAGE_MESSAGE },
	},
	routes: [
		route(
			"POST /messages",
			{
				id: "SendMessage",
				sum: "Send a message",
				body: {
					"message_type!": "enum text|image|audio",
					"channel!": "enum imessage",
					"to!": "string The phone number of the message recipient in E.164 without a leading +",
					"from!": "string The phone number of the message sender in E.164 without a leading +",
					text: "string",
					image: { "url!": "string", caption: "string" },
					audio: { "url!": "string" },
					client_ref: "string",
					webhook_url: "string",
				},
				ok: { message_uuid: "string" },
				status: 202,
			},
			({ body, account }) => {
				if (need(body, "channel") !== "imessage") throw new Rejection(422, "INVALID");
				const [to, from] = [needPhone(body, "to", true), needPhone(body, "from", true)];
				const kind = need(body, "message_type");
				const sent =
					kind === "text"
						? account.send("text", to, need(body, "text"), [], from)
						: account.send(
								kind === "audio" ? "voice" : "media",
								to,
								body[kind]?.caption ?? "",
								[need(body, `${kind}.url`)],
								from,
							);
				return { status: 202, data: { message_uuid: sent.id } };
			},
		),
		route(
			"GET /messages/{message_uuid}",
			{ id: "GetMessage", sum: "Retrieve one message", ok: "$Message" },
			({ params, account }) => ({
				data: vonageMessage(orMissing(account.find("id", params["message_uuid"]))),
			}),
		),
		route(
			"PATCH /messages/{message_uuid}",
			{ id: "UpdateMessage", sum: "Mark an inbound message as read", body: { "status!": "enum read" } },
			({ params, account }) => {
				account.act({
					kind: "read",
					to: account.otherEnd(orMissing(account.find("id", params["message_uuid"]))),
				});
				return { status: 200 };
			},
		),
		route(
			"GET /conversations/{number}/messages",
			{
				id: "ListConversation",
				sum: "Messages of a conversation with a customer",
				query: { page: "integer", page_size: "integer" },
				ok: {
					page: "integer",
					page_size: "integer",
					total_items: "integer",
					total_pages: "integer",
					_embedded: { messages: ["$Message"] },
					_links: { next: { href: "string" } },
				},
			},
			({ params, query, account }) => {
				const [page, size] = [Math.max(1, Number(query.get("page") ?? 1)), numberOf(query, "page_size", 2)];
				const all = account.with(`+${(params["number"] ?? "").replace("+", "")}`);
				const { items, next } = cut(all, (page - 1) * size, size);
				return {
					data: {
						page,
						page_size: size,
						total_items: all.length,
						total_pages: Math.ceil(all.length / size),
						_embedded: { messages: items.map(vonageMessage) },
						_links: next === null ? {} : { next: { href: `/v1/x?page=${page + 1}` } },
					},
				};
			},
		),
		route(
			"GET /numbers",
			{
				id: "ListNumbers",
				sum: "List the numbers that you own",
				query: { page: "integer", page_size: "integer" },
				ok: {
					count: "integer",
					_embedded: {
						numbers: [{ msisdn: "string", country: "string", label: "string", created_at: "integer" }],
					},
				},
			},
			({ query }) => {
				const [page, size] = [Math.max(1, Number(query.get("page") ?? 1)), numberOf(query, "page_size", 2)];
				const { items } = cut(AGENTS, (page - 1) * size, size);
				return {
					data: {
						count: AGENTS.length,
						_embedded: {
							numbers: items.map(({ number, name, createdAt }) => ({
								msisdn: bare(number),
								country: "US",
								label: name,
								created_at: seconds(createdAt),
							})),
						},
					},
				};
			},
		),
	],
	truth: {
		"messages.sendText": { route: "POST /messages", places: { channel: "imessage" } },
		"messages.sendAttachments": {
			route: "POST /messages",
			places: { channel: "imessage", message_type: "image" },
		},
		"messages.sendVoiceNote": { route: "POST /messages", places: { channel: "imessage" } },
		"messages.get": { route: "GET /messages/{message_uuid}" },
		"analytics.listMessages": { route: "GET /conversations/{number}/messages" },
		"agents.list": { route: "GET /numbers" },
	},
};

const birdMessage = (message: StrangeMessage) => ({
	id: message.id,
	conversationId: message.chat,
	platform: "imessage",
	to: message.to,
	from: message.from,
	channelId: "ch-1",
	type: message.media.length > 0 ? "image" : "text",
	content: message.media.length > 0 ? { image: { url: message.media[0] } } : { text: message.text },
	direction: message.outbound ? "sent" : "received",
	status: message.status === "queued" ? "accepted" : message.status,
	createdDatetime: iso(message.at),
	updatedDatetime: iso(message.at + 5000),
});
const BIRD_MESSAGE = {
	id: "string",
	conversationId: "string",
	platform: "string",
	to: "string",
	from: "string",
	channelId: "string",
	type: "enum text|image|audio",
	content: { text: "string", image: { url: "string" }, audio: { url: "string" } },
	direction: "enum received|sent",
	status: "enum accepted|pending|sent|delivered|read|failed",
	createdDatetime: "string:date-time",
	updatedDatetime: "string:date-time",
};

/** Content by type, lists with offset and totalCount, a 3.0 document in YAML that needs a signature. */
export const messagebird: StrangeShape = {
	mount: "/v1",
	document: {
		version: "3.0.3",
		at: "/v1/openapi.yaml",
		form: "yaml",
		page: "stoplight",
		pageAt: "/v1/docs",
		isLocked: true,
		prefix: "server",
		schemas: { Message: BIRD_MESSAGE },
	},
	routes: [
		route(
			"POST /send",
			{
				sum: "Sends a message to a recipient",
				body: {
					"to!": "string Phone number of the recipient",
					"from!": "string Channel id: ch-1",
					"type!": "enum text|image|audio",
					"content!": { text: "string", image: { url: "string" }, audio: { url: "string" } },
					reportUrl: "string",
				},
				ok: { id: "string", status: "string", fallback: { id: "string" } },
				status: 202,
			},
			({ body, account }) => {
				if (need(body, "from") !== "ch-1")
					throw new Rejection(422, "INVALID", [{ field: "from", issue: "unknown channel", message: "no" }]);
				const to = needPhone(body, "to");
				const kind = need(body, "type");
				const sent =
					kind === "text"
						? account.send("text", to, need(body, "content.text"))
						: account.send(kind === "audio" ? "voice" : "media", to, "", [need(body, `content.${kind}.url`)]);
				return { status: 202, data: { id: sent.id, status: "accepted" } };
			},
		),
		route("GET /messages/{messageId}", { sum: "Views a message", ok: "$Message" }, ({ params, account }) => ({
			data: birdMessage(orMissing(account.find("id", params["messageId"]))),
		})),
		route(
			"GET /contacts",
			{
				sum: "Lists contacts",
				query: { offset: "integer", limit: "integer" },
				ok: {
					offset: "integer",
					limit: "integer",
					count: "integer",
					totalCount: "integer",
					items: [
						{
							id: "string",
							msisdn: "integer:int64",
							href: "string",
							messages: { totalCount: "integer" },
							createdDatetime: "string:date-time",
						},
					],
				},
			},
			({ query }) => {
				const [offset, limit] = [Number(query.get("offset") ?? 0), numberOf(query, "limit", 2)];
				const { items } = cut(CONTACTS, offset, limit);
				return {
					data: {
						offset,
						limit,
						count: items.length,
						totalCount: CONTACTS.length,
						items: items.map(({ number, outbound, inbound, createdAt }) => ({
							id: `c-${number.slice(-3)}`,
							msisdn: Number(bare(number)),
							href: "x",
							messages: { totalCount: outbound + inbound },
							createdDatetime: iso(createdAt),
						})),
					},
				};
			},
		),
	],
	truth: {
		"messages.sendText": { route: "POST /send", places: { from: "ch-1" } },
		"messages.sendAttachments": { route: "POST /send", places: { from: "ch-1", type: "image" } },
		"messages.sendVoiceNote": { route: "POST /send", places: { from: "ch-1" } },
		"messages.get": { route: "GET /messages/{messageId}" },
	},
};
