import { ANYBODY, namesOfField } from "../plan/field-names.ts";
import type { EventKind } from "./event-types.ts";

/** What a field of an event may be called, in lower case without separators; each list is better than the next. */
export interface EventFieldNames {
	readonly names: readonly (readonly string[])[];
	readonly type: "string" | "number" | "time" | "boolean" | "list" | "anything";
	/** The table of its values. */
	readonly values?: string;
	/** Words in its description or surroundings that speak against it. */
	readonly not?: RegExp;
}

const row = (words: string): string[] => words.split(" ");

/** Each noun alone, and with what a number may be called behind it. */
const numbersOf = (nouns: string): string[] =>
	row(nouns).flatMap((noun) => [
		noun,
		...row("number phone phonenumber handle address msisdn").map((what) => noun + what),
	]);

/** Words of whoever the gateway belongs to, and of whoever writes to it. */
const OUR_WORDS = /\b(agents?|our|own|your|registered|business|lines?|devices?|inbox|accounts?)\b/i;
const CONTACT_WORDS =
	/\b(contacts?|customers?|end[ -]?users?|people|persons?|who (wrote|sent|reacted)|subscribers?)\b/i;
const OTHER_MESSAGE =
	/\b(original|quoted|quote|repl(y|ied)|parent|target|link|preview|related|associated)\b/i;
const OTHER_ID = /\b(events?|webhooks?|deliver(y|ies)|notifications?|requests?|accounts?|chats?|threads?)\b/i;

/** Names of the end from which something was sent, and of the end that got it. */
const SENT_FROM = numbersOf("from sender source originator");
const SENT_TO = numbersOf("to recipient destination dest receiver");
const OUR_END = numbersOf("agent line device business channel ouragent account inbox");
const THEIR_END = numbersOf("contact customer user client peer author enduser participant");

const string = (names: readonly (readonly string[])[], not?: RegExp): EventFieldNames => ({
	names,
	type: "string",
	...(not && { not }),
});

const MESSAGE_IDS = row("messageid messageuuid messagesid msgid messagehandle smsid smssid mmsid");

/** Fields that all kinds have. */
const SHARED: Readonly<Record<string, EventFieldNames>> = {
	messageId: string([MESSAGE_IDS, row("id uuid sid guid")], OTHER_ID),
	messageGuid: string([row("messageguid msgguid guid")], OTHER_MESSAGE),
	groupId: string([row("groupid groupguid groupchatid group")]),
	chatGuid: string([row("chatguid chatid conversationid threadid chat conversation roomid")]),
	participants: { names: [row("participants members recipients handles")], type: "list" },
	timestamp_ms: {
		names: [
			row(
				"timestampms timestamp receivedat sentat occurredat datereceived datesent deliveredat doneat datecreated createdat created date time ts statusat updatedat happenedat eventtime eventtimestamp",
			),
		],
		type: "time",
	},
	nativeMessageNumber: string([row("nativemessagenumber")]),
};

const ACCOUNT = string([
	row("accountid account accountsid orgid organizationid workspaceid tenantid teamid appid"),
]);
const { not: NO_TEXT, names: TEXTS } = namesOfField("text");
const TEXT: EventFieldNames = {
	names: TEXTS,
	type: "string",
	not: new RegExp(`${NO_TEXT?.source ?? "$^"}|${OTHER_MESSAGE.source}`, "i"),
};
const ATTACHMENTS: EventFieldNames = { names: [row("attachments media files mediaurls")], type: "list" };
const OUTBOUND: EventFieldNames = {
	names: [row("outbound isoutbound isfromme fromme direction inbound isinbound isincoming incoming")],
	type: "boolean",
	values: "outbound",
};

/** In what a contact wrote, and in what was sent to one. */
const FROM_CONTACT = {
	from: string([SENT_FROM, THEIR_END, ANYBODY], OUR_WORDS),
	to: string([SENT_TO, OUR_END], CONTACT_WORDS),
};
const TO_CONTACT = {
	from: string([SENT_FROM, OUR_END], CONTACT_WORDS),
	to: string([SENT_TO, THEIR_END, ANYBODY], OUR_WORDS),
};

/** By our name, those first that would be wrong in the place of another. */
export const EVENT_FIELDS: Readonly<Record<EventKind, Readonly<Record<string, EventFieldNames>>>> = {
	inbound_message: {
		...FROM_CONTACT,
		...SHARED,
		text: TEXT,
		attachments: ATTACHMENTS,
		outbound: OUTBOUND,
		accountId: ACCOUNT,
	},
	inbound_reaction: {
		...FROM_CONTACT,
		originalMessageGuid: string([
			row(
				"originalmessageguid originalmessageid targetmessageguid targetmessageid targetguid targetid associatedmessageguid reactedmessageid reactedtomessageid parentmessageid inreplyto reactedtoid",
			),
			row("messageguid messageid messageuuid msgid messagehandle messagesid"),
		]),
		originalText: string([
			row("originaltext originalmessagetext targettext messagetext originalbody originalmessagebody"),
		]),
		reaction: {
			names: [
				row("reaction reactiontype tapback tapbacktype reactionname emoji reactionemoji reactionvalue"),
			],
			type: "string",
			values: "reaction",
		},
		...SHARED,
		messageId: string([row("reactionid reactionguid reactionuuid tapbackid"), row("id uuid guid")], OTHER_ID),
		outbound: OUTBOUND,
		accountId: ACCOUNT,
	},
	status: {
		...TO_CONTACT,
		status: {
			names: [row("status deliverystatus messagestatus state smsstatus deliverystate")],
			type: "string",
			values: "messageStatus",
		},
		...SHARED,
		text: TEXT,
		attachments: ATTACHMENTS,
		status_callback: string([row("statuscallback statuscallbackurl callbackurl")]),
		outbound: OUTBOUND,
		error: {
			names: [row("error errormessage failurereason failedreason reason errorcode errors")],
			type: "anything",
		},
	},
};

export { ANYBODY, CONTACT_WORDS, OTHER_MESSAGE };
