import type { OperationId } from "../../../library/catalogue/index.ts";

/** What a field of a result may be called on the wire, and what it holds. */
interface ResultName {
	readonly names: readonly string[];
	readonly type: "string" | "id" | "number" | "time" | "boolean" | "list" | "object";
	/** The table of its values. */
	readonly values?: string;
	/** What it is if the response lacks it. */
	readonly otherwise?: { readonly input: string } | { readonly value: unknown };
}

/** The object, or the item of the list, that a result is about. */
export interface ResultShape {
	/** Where it is in our data; for a page, in an item. */
	readonly under: string;
	/** What it may be called on the wire. */
	readonly names: readonly string[];
	readonly fields: Readonly<Record<string, ResultName>>;
	/** Without them the response is another. */
	readonly needs: readonly string[];
}

const row = (words: string): string[] => words.split(" ");
const field = (type: ResultName["type"], names: string, more: Partial<ResultName> = {}): ResultName => ({
	names: row(names),
	type,
	...more,
});
const NONE = { otherwise: { value: null } };
const AGENT_NAMES =
	"agentnumber agentphone agentphonenumber devicenumber agent sender sendernumber linenumber device line from";

const MESSAGE: ResultShape["fields"] = {
	messageId: field("id", "messageid id messageuuid uuid messagesid sid msgid smsid"),
	status: field("string", "status state deliverystatus messagestatus", { values: "messageStatus" }),
	text: field("string", "text body message content messagetext messagebody"),
	from: field("string", "from fromnumber sender sendernumber agentnumber source fromphone"),
	to: field(
		"string",
		"to tonumber recipient recipientnumber destination receiver usernumber contactnumber tophone phone",
	),
	groupId: field("string", "groupid groupguid", NONE),
	attachments: field("list", "attachments media files", { otherwise: { value: [] } }),
	status_callback: field("string", "statuscallback statuscallbackurl callbackurl", NONE),
	outbound: field("boolean", "outbound isoutbound isfromme fromme direction", { values: "outbound" }),
	nativeMessageNumber: field("string", "nativemessagenumber"),
	participants: field("list", "participants members"),
	chatGuid: field("string", "chatguid chatid conversationid threadid", NONE),
	messageGuid: field("string", "messageguid guid msgguid", NONE),
	timestamp_ms: field(
		"time",
		"timestampms timestamp createdat sentat datecreated created date queuedat acceptedat submittedat time ts",
	),
	error: field("string", "error errormessage failurereason failedreason errorcode", NONE),
};

const AGENT: ResultShape["fields"] = {
	agentNumber: field(
		"string",
		"agentnumber agentphone agentphonenumber devicenumber linenumber sendernumber phonenumber number phone handle line msisdn",
	),
	name: field("string", "name label displayname alias agentname nickname", NONE),
	status: field("string", "status state connectionstatus", { values: "agentStatus" }),
	blockedReason: field("string", "blockedreason blockreason reason", NONE),
	mappingCount: field(
		"number",
		"mappingcount mappings contactcount contacts mappingscount contactscount load",
	),
	lastSeenAt: field(
		"time",
		"lastseenat lastseen seenat lastactiveat lastactive lastheartbeat lastheartbeatat lastonlineat",
		NONE,
	),
	createdAt: field("time", "createdat created registeredat since addedat datecreated insertedat created_on"),
};

const MAPPING: ResultShape["fields"] = {
	agentNumber: field("string", AGENT_NAMES),
	userNumber: field(
		"string",
		"usernumber userphone user contactnumber contact customernumber customer tonumber to recipient number phone phonenumber handle",
	),
	createdAt: field("time", "createdat created", NONE),
	respondedAt: field("time", "respondedat firstrespondedat", NONE),
	lastRespondedAt: field("time", "lastrespondedat lastresponse lastresponseat", NONE),
	receivedAt: field("time", "receivedat firstreceivedat", NONE),
	lastReceivedAt: field("time", "lastreceivedat lastreceived", NONE),
	outbound: field("number", "outbound outboundcount sent sentcount messagessent"),
	inbound: field("number", "inbound inboundcount received receivedcount messagesreceived"),
	consecutiveCount: field("number", "consecutivecount consecutive unanswered"),
	lastWarningSentAt: field("time", "lastwarningsentat lastwarningat", NONE),
	maxConsecutiveMessages: field("number", "maxconsecutivemessages maxconsecutive consecutivelimit"),
};

const message: ResultShape = {
	under: "message",
	names: row("message msg sms"),
	fields: MESSAGE,
	needs: ["messageId"],
};
/** What a send was is known from the call, where the response does not repeat it. */
const sent = (text: ResultName["otherwise"]): ResultShape => ({
	...message,
	fields: {
		...MESSAGE,
		...Object.fromEntries(
			Object.entries({
				status: { value: "queued" },
				text,
				from: { input: "from" },
				to: { input: "to" },
				groupId: { input: "groupId" },
				outbound: { value: true },
				participants: { input: "participants" },
			}).flatMap(([name, otherwise]) => {
				const known = MESSAGE[name];
				return known === undefined || otherwise === undefined
					? []
					: [[name, { ...known, otherwise }] as const];
			}),
		),
	},
});
const agent: ResultShape = {
	under: "agent",
	names: row("agent device line"),
	fields: AGENT,
	needs: ["agentNumber"],
};
const mapping: ResultShape = {
	under: "mapping",
	names: row("mapping assignment"),
	fields: MAPPING,
	needs: ["agentNumber"],
};
const items = (shape: ResultShape, names: string): ResultShape => ({
	...shape,
	under: "",
	names: row(names),
});
const echo = (names: readonly string[], type: ResultName["type"] = "string"): ResultShape["fields"] =>
	Object.fromEntries(
		names.map((name) => [name, field(type, name.toLowerCase(), { otherwise: { input: name } })]),
	);
const plain = (fields: ResultShape["fields"], needs: readonly string[] = []): ResultShape => ({
	under: "",
	names: [],
	fields,
	needs,
});
const webhooks = plain({
	inboundWebhookUrl: field("string", "inboundwebhookurl inboundwebhook inboundurl incomingwebhookurl", NONE),
	statusWebhookUrl: field("string", "statuswebhookurl statuswebhook statusurl statuscallbackurl", NONE),
});

/** What each operation results in; those of the specification keep its shapes. */
export const RESULT_SHAPES: Readonly<Partial<Record<OperationId, ResultShape>>> = {
	"messages.sendText": sent({ input: "text" }),
	"messages.sendAttachments": sent({ input: "text" }),
	"messages.sendVoiceNote": sent({ value: "" }),
	"messages.get": message,
	"messages.tapback": plain(echo(["messageGuid", "reaction", "action"])),
	"messages.typing": plain({
		chatGuid: field("string", "chatguid chatid", { otherwise: { value: "" } }),
		...echo(["state"]),
		expiresAt: field("time", "expiresat expires until", NONE),
	}),
	"messages.markRead": plain({
		chatGuid: field("string", "chatguid chatid conversationid", { otherwise: { value: "" } }),
		markedAt: field("time", "markedat readat seenat timestamp at"),
	}),
	"messages.checkCapability": plain(
		{
			number: field("string", "number tonumber phone phonenumber handle address", {
				otherwise: { input: "toNumber" },
			}),
			native: field(
				"boolean",
				"native isnative imessage isimessage supported capable available supportsimessage imessagecapable nativesupported service type",
				{ values: "native" },
			),
			service: field("string", "service channel type", { values: "service" }),
			checkedAt: field("time", "checkedat lastchecked checked timestamp"),
		},
		["native"],
	),
	"agents.register": agent,
	"agents.get": agent,
	"agents.block": agent,
	"agents.unblock": agent,
	"agents.list": items(agent, "agents devices lines items data results records rows list senders content"),
	"agents.assign": mapping,
	"agents.reassign": mapping,
	"mappings.get": mapping,
	"mappings.create": mapping,
	"mappings.update": mapping,
	"mappings.reset": mapping,
	"mappings.list": items(mapping, "mappings items data results assignments records rows list content"),
	"mappings.delete": plain({ deleted: field("boolean", "deleted removed", { otherwise: { value: true } }) }),
	"settings.getWebhooks": webhooks,
	"analytics.listMessages": items(
		message,
		"messages items data results history records rows list entries content",
	),
	"analytics.listContacts": {
		under: "",
		names: row("contacts items data results records rows list content"),
		needs: ["userNumber"],
		fields: {
			userNumber: field(
				"string",
				"usernumber userphone contactnumber contact number phone phonenumber handle address msisdn customer",
			),
			agentNumber: field("string", AGENT_NAMES),
			outbound: field("number", "outbound outboundcount sent sentcount messagessent"),
			inbound: field("number", "inbound inboundcount received receivedcount messagesreceived"),
			lastMessageAt: field(
				"time",
				"lastmessageat lastmessage lastactivityat lastactivity lastcontactedat",
				NONE,
			),
		},
	},
	"analytics.getNumberStats": plain(
		{
			number: field("string", "number agentnumber phone phonenumber line", {
				otherwise: { input: "number" },
			}),
			outbound: field("number", "outbound outboundcount sent sentcount messagessent totalsent"),
			inbound: field("number", "inbound inboundcount received receivedcount messagesreceived totalreceived"),
			contacts: field("number", "contacts contactcount uniquecontacts contactscount"),
			byStatus: field("object", "bystatus statuses statuscounts", { otherwise: { value: {} } }),
			responseRate: field("number", "responserate replyrate responseratio"),
		},
		["outbound"],
	),
	"queue.getStatus": plain(
		{
			pending: field("number", "pending waiting queued backlog pendingcount depth enqueued"),
			processing: field("number", "processing active inprogress running inflight sending processingcount"),
			failed: field("number", "failed failures errored dead failedcount errors"),
			oldestPendingAgeMs: field("number", "oldestpendingagems oldestagems", NONE),
			agents: field("list", "agents byagent", { otherwise: { value: [] } }),
		},
		["pending"],
	),
};
