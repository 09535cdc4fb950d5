/** Other names of our fields that gateways of this kind use, in lower case and without separators. */
const OTHER_NAMES: Readonly<Record<string, readonly string[]>> = {
	messageId: ["id", "uuid", "msgid", "smsid", "jobid"],
	text: ["body", "content", "message"],
	from: ["sender", "source", "fromnumber"],
	to: ["recipient", "destination", "tonumber", "phonenumber"],
	status: ["state", "deliverystatus"],
	status_callback: ["callback", "callbackurl", "statuscallbackurl"],
	timestamp_ms: ["timestamp", "ts", "createdat", "sentat", "time", "date"],
	attachments: ["media", "files"],
	outbound: ["isoutbound"],
	participants: ["members", "recipients"],
	error: ["errormessage", "failure", "reason"],
	chatGuid: ["chatid", "conversationid"],
	messageGuid: ["guid"],
	reaction: ["tapback", "emoji"],
	expiresAt: ["expires", "until"],
	markedAt: ["readat"],
	checkedAt: ["checked"],
	native: ["isnative", "available", "supported", "capable"],
	service: ["channel", "network", "type"],
	number: ["phonenumber", "phone", "msisdn", "tonumber"],
	agentNumber: ["agent", "agentphone", "agentphonenumber", "phone", "phonenumber", "number"],
	userNumber: ["user", "userphone", "contact", "contactnumber", "phone", "phonenumber", "number", "tonumber"],
	name: ["label", "displayname"],
	blockedReason: ["blockreason"],
	mappingCount: ["mappings", "contacts", "contactcount"],
	lastSeenAt: ["lastseen", "seenat"],
	createdAt: ["created", "registeredat"],
	lastMessageAt: ["lastmessage", "lastactivityat"],
	outboundCount: ["sent"],
	pending: ["queued", "waiting"],
	processing: ["active", "running", "inprogress"],
	nextCursor: ["next", "cursor", "nextpage", "nextpagetoken"],
	inboundWebhookUrl: ["inbound", "inboundurl"],
	statusWebhookUrl: ["status", "statusurl"],
	messages: ["items", "results", "list", "data"],
	agents: ["items", "results", "list", "data"],
	mappings: ["items", "results", "list", "data"],
	contacts: ["items", "results", "list", "data"],
};

/** A name in lower case and without separators: `message_id` and `messageId` are the same. */
function toPlainName(name: string): string {
	return name.replace(/[_-]/g, "").toLowerCase();
}

/**
 * How well a key of a response names a field of ours: 3 for the same name, 2 if only case and separators differ, 1 for a
 * usual other name, otherwise 0.
 */
export function similarity(field: string, key: string): 0 | 1 | 2 | 3 {
	if (field === key) return 3;
	const plain = toPlainName(key);
	if (plain === toPlainName(field)) return 2;
	// The specification replaces the vendor's word in this one.
	if (field === "nativeMessageNumber" && plain.endsWith("messagenumber")) return 1;
	return (OTHER_NAMES[field] ?? []).includes(plain) ? 1 : 0;
}

/** Whether a key is a plain name, so that it can be shown and pasted: a key with many digits could be a number. */
export function isPlainKey(key: string): boolean {
	return /^[A-Za-z_$][\w$]{0,63}$/.test(key) && !/\d{4}/.test(key) && key !== "__proto__";
}
