/**
 * What an input field may be called on the wire, in lower case without separators: each list is better than the next, and
 * two places of one list are a question, not a choice.
 */
export interface FieldNames {
	readonly names: readonly string[][];
	/** Words in a place's description or surroundings that speak against it. */
	readonly not?: RegExp;
	readonly type?: "string" | "number" | "boolean";
}

const row = (words: string): string[] => words.split(" ");

/** Each noun alone, and with what a number may be called behind it. */
const numbersOf = (nouns: string): string[] =>
	row(nouns).flatMap((noun) => [
		noun,
		...row("number phone phonenumber handle address").map((what) => noun + what),
	]);

/** Nouns for who sends, and for who receives. */
const SENDERS = "from sender agent line device source originator fromagent fromdevice fromline sending";
const CONTACTS_OF_GATEWAY = "user contact customer enduser peer client";

/** Words of whoever sends, where the receiver is looked for. */
const OF_SENDER =
	/\b(agents?|senders?|sends|sending|from|own|registered|lines?|devices?|origin(ating|ator)?|instances?|accounts?)\b/i;
const OF_CONTACT = /\b(recipients?|receivers?|receives?|destination|contacts?|customers?|users?|messaged)\b/i;

/** Names that may be anybody's. */
export const ANYBODY = row(
	"number phone phonenumber mobile mobilenumber msisdn handle address phoneno tel telephone",
);

const TO: FieldNames = {
	names: [
		[...numbersOf("to recipient destination dest receiver"), ...row("recipients sendto tonumbers")],
		// A user or a client alone may be anybody's, also by an id.
		numbersOf(CONTACTS_OF_GATEWAY).filter((name) => name !== "user" && name !== "client"),
		ANYBODY,
	],
	not: OF_SENDER,
	type: "string",
};

const AGENT: FieldNames = {
	names: [numbersOf("agent line device sender from"), ANYBODY],
	not: OF_CONTACT,
	type: "string",
};

const MESSAGE_GUID: FieldNames = {
	names: [
		row(
			"messageguid targetmessageguid selectedmessageguid originalmessageguid messageid targetmessageid originalmessageid messageuuid targetguid msgguid msgid messagehandle uptomessageguid uptomessageid upto lastmessageguid lastmessageid lastreadmessageguid lastreadmessageid",
		),
		row("guid target targetid"),
		row("id uuid sid"),
	],
	type: "string",
};

const time = (names: string): FieldNames => ({ names: [row(names)], not: /\bcursor\b/i });

/** By the name of our field. */
const FIELDS: Readonly<Record<string, FieldNames>> = {
	to: TO,
	toNumber: TO,
	userNumber: TO,
	from: {
		names: [numbersOf(SENDERS), ANYBODY],
		not: OF_CONTACT,
		type: "string",
	},
	text: {
		names: [
			row("text messagetext textbody plaintext"),
			row("body messagebody message msg"),
			row("content caption"),
		],
		not: /\b(html|base64|subject)\b/i,
		type: "string",
	},
	groupId: {
		names: [
			row("groupid groupguid group"),
			row("chatguid chatid conversationid threadid roomid chat conversation"),
		],
		type: "string",
	},
	participants: { names: [row("participants members"), row("recipients to numbers handles")] },
	groupName: { names: [row("groupname groupsubject grouptitle"), row("subject title")], type: "string" },
	effect: {
		names: [row("effect effectid sendeffect effectname sendstyle expressivesendstyleid messageeffect")],
		type: "string",
	},
	replyToGuid: {
		names: [
			row(
				"replytoguid replytomessageguid replyto replytoid replytomessageid quotedmessageid inreplyto inreplytoguid inreplytoid repliedmessageguid",
			),
		],
		type: "string",
	},
	statusCallback: {
		names: [
			row(
				"statuscallback statuscallbackurl statuswebhook statuswebhookurl deliverycallback deliverycallbackurl statusurl dlrurl",
			),
			row("callbackurl callback webhookurl webhook notifyurl"),
		],
		not: /\binbound\b/i,
		type: "string",
	},
	messageGuid: MESSAGE_GUID,
	messageId: {
		names: [
			row("messageid messageuuid messagesid msgid smsid"),
			row("id uuid sid"),
			row("messageguid messagehandle guid"),
		],
		type: "string",
	},
	reaction: {
		names: [row("reaction reactiontype tapback tapbacktype reactionname emoji"), row("type kind name value")],
		type: "string",
	},
	partIndex: { names: [row("partindex part messagepart partid partnumber")], type: "number" },
	durationMs: {
		names: [
			row(
				"durationms duration durationseconds seconds timeoutms timeout timeoutseconds ttl durationsec durations",
			),
		],
		type: "number",
	},
	agentNumber: AGENT,
	number: AGENT,
	toAgentNumber: {
		names: [
			[...numbersOf("toagent newagent targetagent todevice newdevice toline newline"), "newnumber"],
			numbersOf("agent device line"),
		],
		type: "string",
	},
	fromAgentNumber: {
		names: [
			numbersOf("fromagent currentagent oldagent expectedagent fromdevice currentdevice olddevice fromline"),
		],
		type: "string",
	},
	name: { names: [row("name label displayname alias agentname nickname title")], type: "string" },
	maxConsecutiveMessages: {
		names: [
			row(
				"maxconsecutivemessages maxconsecutive consecutivelimit maxconsecutivecount consecutivemessagelimit maxunanswered",
			),
		],
		type: "number",
	},
	reason: { names: [row("reason blockreason blockedreason comment note")], type: "string" },
	inboundWebhookUrl: {
		names: [
			row("inboundwebhookurl inboundwebhook inboundurl incomingwebhookurl incomingurl inboundcallbackurl"),
		],
		type: "string",
	},
	statusWebhookUrl: {
		names: [row("statuswebhookurl statuswebhook statusurl deliverywebhookurl statuscallbackurl")],
		type: "string",
	},
	limit: {
		names: [row("limit pagesize perpage size take count maxresults pagelimit first itemsperpage maxitems")],
	},
	status: { names: [row("status state")], type: "string" },
	after: time(
		"after since from fromdate startdate start startat starttime sincems fromtime afterms sent_after",
	),
	before: time("before until to todate enddate end endat endtime untilms totime beforems"),
};

/** Words that say of a place whom it names. */
export const WHOSE = {
	sender: OF_SENDER,
	contact: OF_CONTACT,
	/** What is certainly about who sends. */
	surelySender: /\b(agents?|senders?|sends|sending|originat\w+|writes)\b/i,
};

/** Names that stand for the next page, by how it is found. */
export const PAGING = {
	cursor: row(
		"cursor nextcursor pagetoken nextpagetoken aftercursor startingafter pageafter pagecursor continuationtoken nexttoken startafter after",
	),
	offset: row("offset skip start startindex"),
	page: row("page pagenumber pageno pageindex pagenum currentpage"),
};

/** Names of values that each request has anew. */
export const UNIQUE = row(
	"idempotencykey idempotencyid idempotencytoken clientmessageid clientid clientref clientreference requestid externalid tempguid clientguid xidempotencykey xrequestid dedupekey deduplicationid clientmsgid transactionid",
);

/** What the fields of an operation may be called; a field without a row has its own name. */
export function namesOfField(field: string): FieldNames {
	return FIELDS[field] ?? { names: [[field.toLowerCase()]] };
}
