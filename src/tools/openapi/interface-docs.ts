// biome-ignore-all format: written by `npm run docs`
/** The comments of interfaces, under an empty name, of their fields, and of the client's classes. */
const DOCS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
	"ActionDone": {
		"": "The response to a successful action.",
		"result": "The message of a `reply`."
	},
	"AdvanceClockAction": {
		"": "Time moves forward; resolves when all due tasks have run.",
		"ms": "Up to a year."
	},
	"Agent": {
		"": "A registered desktop agent.",
		"agentNumber": "The agent's phone number.",
		"blockedReason": "Why it is blocked, or `null`.",
		"createdAt": "When it was registered, in Unix milliseconds.",
		"lastSeenAt": "When it was last seen, in Unix milliseconds, or `null`.",
		"mappingCount": "How many numbers it handles.",
		"name": "A name for people, or `null`.",
		"status": "Whether it can send now."
	},
	"AgentData": {
		"": "`data` of the operations on one agent.",
		"agent": "The agent."
	},
	"AgentNumberInput": {
		"": "Names one agent.",
		"agentNumber": "The agent's number."
	},
	"AgentOnlineAction": {
		"": "An agent leaves the network or comes back."
	},
	"AgentQueue": {
		"": "One agent's share of the queue.",
		"agentNumber": "Number of the agent.",
		"failed": "Jobs that failed.",
		"pending": "Jobs that wait.",
		"processing": "Jobs that are being sent."
	},
	"Agents": {
		"": "Registers, assigns, blocks and inspects desktop agents."
	},
	"AgentsPage": {
		"": "A page of agents.",
		"agents": "The agents, in the order of their registration.",
		"nextCursor": "Where the next page starts, or `null` after the last one."
	},
	"Analytics": {
		"": "Reads conversations, contacts and statistics."
	},
	"AssignAgentInput": {
		"": "A user to map to an agent.",
		"agentNumber": "Number of the agent.",
		"userNumber": "Number of the user."
	},
	"AttachedFile": {
		"": "A file that a contact attaches.",
		"data": "The bytes in base64; up to 10 MB before encoding, unless the gateway has other `limits`."
	},
	"AttachmentByUrl": {
		"": "An attachment that the gateway fetches.",
		"mimeType": "Its media type.",
		"name": "A file name to show.",
		"url": "Where the gateway fetches it from."
	},
	"AttemptView": {
		"": "One attempt at a delivery, as it was sent.",
		"at": "When it began, in Unix milliseconds.",
		"check": "The result of verifying what was sent with this package.",
		"durationMs": "The time until the end of the response, or until the attempt failed, in milliseconds.",
		"error": "Why there was no response.",
		"isEdited": "Whether the sent body was edited.",
		"response": "The receiver's response, bounded and without secrets; absent if there was none.",
		"sentBody": "The body that was sent, if it was edited, or a fault changed it.",
		"status": "The status of the receiver's response.",
		"timestamp": "The signed timestamp, in Unix seconds."
	},
	"BlockAgentInput": {
		"": "Input of `agents.block`.",
		"agentNumber": "The agent's number.",
		"reason": "A reason for people."
	},
	"ByConversation": {
		"": "The input of an operation on one conversation.",
		"conversation": "The conversation's key: a contact's number or a group's id."
	},
	"ById": {
		"": "The input of an operation on one thing.",
		"id": "Its id."
	},
	"CapabilityData": {
		"": "`data` of `messages.checkCapability`.",
		"checkedAt": "When it was checked, in Unix milliseconds.",
		"native": "Whether it can use the native messaging network.",
		"number": "The number that was checked.",
		"service": "How a message would reach it."
	},
	"ClearFaultsAction": {
		"": "Ends all faults."
	},
	"ClientCredentials": {
		"": "The credentials of a client of the gateway."
	},
	"Contact": {
		"": "A contact, with counts of the messages between it and its agent.",
		"agentNumber": "Number of its agent.",
		"inbound": "Count of inbound messages.",
		"lastMessageAt": "Time of the last message, in Unix milliseconds, or `null`.",
		"outbound": "Count of outbound messages.",
		"userNumber": "Number of the contact."
	},
	"ContactsPage": {
		"": "A page of contacts.",
		"contacts": "The contacts, the newest first.",
		"nextCursor": "Where the next page starts, or `null` after the last one."
	},
	"ControlProblem": {
		"": "The error response of a control route."
	},
	"ConversationView": {
		"": "A conversation, without its messages.",
		"behaviour": "The behaviour of a magic number; absent for an ordinary contact.",
		"failedCount": "How many of its kept messages failed.",
		"groupName": "The name that a send gave the group last.",
		"key": "A contact's number or a group's id.",
		"lastMessage": "The last of its kept messages.",
		"messageCount": "How many of its messages are kept.",
		"readUpTo": "The agent's last read receipt: inbound messages up to this `sequence` are read.",
		"typingUntil": "When the agent stops typing, in the gateway's time; `null` when it is not typing, and `Number.MAX_SAFE_INTEGER` when only a stop or a message ends it.",
		"windows": "The windows that its messages opened. No change is reported when one expires: see `endsAt`."
	},
	"CreateMappingInput": {
		"": "A mapping to create.",
		"agentNumber": "Number of the agent; left out, the gateway chooses one that is online.",
		"maxConsecutiveMessages": "How many messages may be sent without a reply.",
		"userNumber": "Number of the user."
	},
	"DeletedData": {
		"": "`data` of `mappings.delete`.",
		"deleted": "Always `true`."
	},
	"DeliveryView": {
		"": "A webhook and the state of its delivery.",
		"body": "The raw body, as it was signed.",
		"eventId": "The id of the first attempt; the same for all, unless the option `webhooks.retryEventId` is `\"new\"`.",
		"headers": "The headers of the last attempt; empty before the first.",
		"kind": "The kind of event.",
		"messageId": "The message that it is about; for a reaction, the id in its payload.",
		"nextAttemptAt": "When the next attempt is due, in Unix milliseconds of the gateway's time; absent while none waits.",
		"sequence": "Its place in the order of all events.",
		"state": "`\"kept\"` while there is no URL to deliver it to; then `url` is empty.",
		"url": "The URL of the last attempt; before the first, the destination when the event was queued."
	},
	"DestinationsAction": {
		"": "Registers webhook URLs; an absent field stays as it is, `null` or an empty string unsets it."
	},
	"DuplicateInfo": {
		"": "State of a duplicate window (specification, section 2.4). The specification does not show how the signatures are computed, or when `isDuplicate` is set.",
		"currentMessageSignature": "By its name, the signature of the current message.",
		"isDuplicate": "By its name, whether a message was blocked as a duplicate.",
		"lastMessageSignature": "By its name, the signature of the last message.",
		"message": "Why the message was blocked, for people.",
		"timeRemaining": "Seconds left in the duplicate window."
	},
	"Empty": {
		"": "The input of an operation that takes none."
	},
	"EncodedAttachment": {
		"": "An attachment as it travels in a request.",
		"data": "The bytes in base64 (RFC 4648, section 4).",
		"mimeType": "Its media type.",
		"name": "A file name to show."
	},
	"ErrorBody": {
		"": "Why a request was rejected, or what failed.",
		"code": "The error's code. The specification does not show the set of codes: the known ones are ours.",
		"details": "One entry for each invalid field, or an object that depends on the error.",
		"message": "The error as a sentence.",
		"requestId": "The gateway's request id: a UUID."
	},
	"ErrorEnvelope": {
		"": "The body of an error response (specification, section 2.2).",
		"error": "What went wrong.",
		"ok": "`false` on error."
	},
	"FaultTimes": {
		"": "How many times a fault occurs; `\"always\"` is until it is cleared. Default: 1."
	},
	"FieldError": {
		"": "One invalid field, as a gateway's validation error lists it (specification, section 2.2).",
		"field": "The field's name. Its form is not shown; the local gateway writes a dotted path into the request.",
		"issue": "What is wrong. The values are not shown; those of the local gateway are codes, such as `required`.",
		"message": "What is wrong. Its form is not shown; the local gateway writes a phrase for people."
	},
	"GatewayTime": {
		"": "The gateway's time.",
		"now": "In Unix milliseconds.",
		"offsetMs": "How far it is ahead of the machine's."
	},
	"Health": {
		"": "Checks whether the gateway is up."
	},
	"InboundMessage": {
		"": "A message that a contact wrote (specification, section 6.2).",
		"accountId": "By its name, the id of the account.",
		"attachments": "The attachments. The specification does not show the shape of an item: it may be anything.",
		"chatGuid": "By its name, the chat's id.",
		"from": "The sending number.",
		"groupId": "The group's id, or `null` for an individual chat.",
		"messageGuid": "By its name, another id of the message.",
		"messageId": "The message's UUID.",
		"nativeMessageNumber": "By its name, a number on the native network; whose is not shown. The vendor may name the field differently.",
		"outbound": "`false` for an inbound message, `true` for a sent one (sections 6.2 and 6.4). For a reaction no value is shown; by its name, `true` for one of your own.",
		"participants": "By its name, the numbers in the chat.",
		"text": "The text.",
		"timestamp_ms": "Unix milliseconds.",
		"to": "The receiving number."
	},
	"InboundReaction": {
		"": "A reaction to a message (specification, section 6.3). Whether your own are delivered too is not shown: see `outbound`.",
		"accountId": "By its name, the id of the account.",
		"chatGuid": "By its name, the chat's id.",
		"from": "The sending number.",
		"groupId": "The group's id, or `null` for an individual chat.",
		"messageGuid": "By its name, another id of the message.",
		"messageId": "The message's UUID.",
		"nativeMessageNumber": "By its name, a number on the native network; whose is not shown. The vendor may name the field differently.",
		"originalMessageGuid": "The message reacted to; by its name, that message's `messageGuid`.",
		"originalText": "Text of the message reacted to.",
		"outbound": "`false` for an inbound message, `true` for a sent one (sections 6.2 and 6.4). For a reaction no value is shown; by its name, `true` for one of your own.",
		"participants": "By its name, the numbers in the chat.",
		"reaction": "The reaction; the full list of values is not shown, so unknown ones pass through.",
		"timestamp_ms": "Unix milliseconds.",
		"to": "The receiving number."
	},
	"Limits": {
		"": "The most that a gateway accepts in one request. The specification shows no limits.",
		"attachmentBytes": "The largest attachment sent in the request, in bytes before base64. Default: 10_000_000.",
		"attachments": "The most attachments of one message. Default: 10.",
		"pageSize": "The most items on one page. Default: 100.",
		"participants": "The most numbers in a new group. Default: 32.",
		"stringLength": "The longest id, name or other short string, in UTF-16 code units; URLs and cursors have no limit. Default: 1_024.",
		"textLength": "The longest text, in UTF-16 code units. Default: 18_996.",
		"typingMs": "The longest that a typing indicator shows, in milliseconds. Default: 300_000."
	},
	"ListAgentsInput": {
		"": "Which agents to list.",
		"cursor": "Where the page starts: `nextCursor` of the previous page.",
		"limit": "How many items a page holds. Default: 50.",
		"status": "Only those in this status."
	},
	"ListContactsInput": {
		"": "Which contacts to list.",
		"agentNumber": "Only those of this agent.",
		"cursor": "Where the page starts: `nextCursor` of the previous page.",
		"limit": "How many items a page holds. Default: 50."
	},
	"ListMappingsInput": {
		"": "Which mappings to list.",
		"agentNumber": "Only those of this agent.",
		"cursor": "Where the page starts: `nextCursor` of the previous page.",
		"limit": "How many items a page holds. Default: 50."
	},
	"ListMessagesInput": {
		"": "Input of `analytics.listMessages`.",
		"after": "Only from this time on, in Unix milliseconds, inclusive.",
		"agentNumber": "Only those that this agent sent or received.",
		"before": "Only before this time, in Unix milliseconds, exclusive.",
		"cursor": "Where the page starts: `nextCursor` of the previous page.",
		"limit": "How many items a page holds. Default: 50.",
		"toNumber": "The contact's number, in E.164."
	},
	"Mapping": {
		"": "Which agent handles a number, and the counters between them (specification, section 2.3). The specification shows neither the units and meanings of the timestamps nor the rules of the counters; timestamps are returned unchanged.",
		"agentNumber": "Phone number of the agent.",
		"consecutiveCount": "Count of consecutive messages; what resets it is not shown.",
		"createdAt": "By its name, when the mapping was created. Its unit is not shown.",
		"duplicate": "The duplicate window of this contact; `null` or absent while none is active.",
		"inbound": "Count of inbound messages.",
		"lastReceivedAt": "By its name, when the last message of the user arrived. Its unit is not shown.",
		"lastRespondedAt": "By its name, when the user last replied. Its unit is not shown.",
		"lastWarningSentAt": "By its name, when a warning was last sent. Its unit is not shown.",
		"maxConsecutiveMessages": "Threshold of `consecutiveCount`.",
		"outbound": "Count of outbound messages.",
		"receivedAt": "By its name, when the first message of the user arrived. Its unit is not shown.",
		"respondedAt": "By its name, when the user first replied. Its unit is not shown.",
		"userNumber": "Phone number of the user."
	},
	"MappingData": {
		"": "`data` of the mapping operations.",
		"mapping": "The mapping of the number."
	},
	"Mappings": {
		"": "Inspects and manages which agent handles which number."
	},
	"MappingsPage": {
		"": "A page of mappings.",
		"mappings": "The mappings, the newest first.",
		"nextCursor": "Where the next page starts, or `null` after the last one."
	},
	"MarkReadData": {
		"": "`data` of `messages.markRead`.",
		"chatGuid": "The chat.",
		"markedAt": "When the receipt was sent, in Unix milliseconds."
	},
	"MarkReadFields": {
		"": "Fields of `messages.markRead`.",
		"groupId": "The id of a group.",
		"messageGuid": "Up to which message; left out, the whole chat.",
		"to": "One contact's number, in E.164."
	},
	"Message": {
		"": "A message and its delivery status, with the fields of the status payload (specification, section 6.4).",
		"attachments": "The attachments.",
		"chatGuid": "By its name, the chat's id. Assumed: `null` until the message is sent.",
		"error": "Why it failed, or `null`.",
		"from": "The sending number.",
		"groupId": "The group's id, or `null` for an individual chat.",
		"messageGuid": "By its name, another id of the message. Assumed: `null` until it is sent.",
		"messageId": "The message's UUID.",
		"nativeMessageNumber": "By its name, a number on the native network; whose is not shown.",
		"outbound": "`true` for a sent message.",
		"participants": "By its name, the numbers in the chat.",
		"status": "The delivery status.",
		"status_callback": "The URL that receives this message's status updates, or `null` for the registered one.",
		"text": "The text; empty for a voice note or an attachment without text.",
		"timestamp_ms": "Unix milliseconds.",
		"to": "The receiving number; for a group, that of one participant."
	},
	"MessageData": {
		"": "`data` of the operations on one message.",
		"message": "The message; its status is `queued` after an accepted send."
	},
	"MessageIdInput": {
		"": "Names one message.",
		"messageId": "The message's UUID."
	},
	"MessagePreview": {
		"": "What a list shows of a message: its text is cut after 200 characters.",
		"attachments": "The attachments.",
		"outbound": "`true` for a sent message.",
		"sequence": "Its place in the order of all events.",
		"status": "The delivery status.",
		"text": "The text; empty for a voice note or an attachment without text.",
		"timestamp_ms": "Unix milliseconds."
	},
	"MessageView": {
		"": "A message with what happened to it in its chat. An item of `attachments` has a string `id` while its bytes are kept.",
		"attachments": "The attachments.",
		"chatGuid": "By its name, the chat's id. Assumed: `null` until the message is sent.",
		"conversationKey": "The conversation's key: a contact's number or a group's id.",
		"effect": "The effect that it arrives with.",
		"error": "Why it failed, or `null`.",
		"from": "The sending number.",
		"groupId": "The group's id, or `null` for an individual chat.",
		"messageGuid": "By its name, another id of the message. Assumed: `null` until it is sent.",
		"messageId": "The message's UUID.",
		"nativeMessageNumber": "By its name, a number on the native network; whose is not shown.",
		"outbound": "`true` for a sent message.",
		"participants": "By its name, the numbers in the chat.",
		"replyToGuid": "`messageGuid` of the message that it replies to.",
		"sequence": "Its place in the order of all events.",
		"status": "The delivery status.",
		"status_callback": "The URL that receives this message's status updates, or `null` for the registered one.",
		"tapbacks": "The tapbacks on it, the agent's and the contacts'.",
		"text": "The text; empty for a voice note or an attachment without text.",
		"timestamp_ms": "Unix milliseconds.",
		"to": "The receiving number; for a group, that of one participant."
	},
	"Messages": {
		"": "Sends messages, reactions, typing indicators and read receipts."
	},
	"MessagesPage": {
		"": "A page of a conversation.",
		"messages": "The messages, the newest first.",
		"nextCursor": "Where the next page starts, or `null` after the last one."
	},
	"NoInput": {
		"": "Input of operations without input."
	},
	"NumberStats": {
		"": "Counts of what an agent's number sent and received.",
		"byStatus": "Count of outbound messages by delivery status.",
		"contacts": "Count of contacts.",
		"inbound": "Count of inbound messages.",
		"number": "The agent's number.",
		"outbound": "Count of outbound messages.",
		"responseRate": "Share of the contacts written to that replied, from 0 to 1."
	},
	"NumberStatsInput": {
		"": "Input of `analytics.getNumberStats`.",
		"after": "Only from this time on, in Unix milliseconds, inclusive.",
		"before": "Only before this time, in Unix milliseconds, exclusive.",
		"number": "An agent's number."
	},
	"PageOfDeliveries": {
		"newer": "How many newer items match it.",
		"older": "How many older items match the query without its `before` and `after`."
	},
	"PageOfMessages": {
		"newer": "How many newer items match it.",
		"older": "How many older items match the query without its `before` and `after`."
	},
	"PageOfRequests": {
		"newer": "How many newer items match it.",
		"older": "How many older items match the query without its `before` and `after`."
	},
	"PageQuery": {
		"": "Which items of a list, all filters together.",
		"after": "Only items after this `sequence`, and the oldest of them instead of the newest.",
		"before": "Only items before this `sequence`.",
		"conversation": "Only messages or deliveries of this conversation; no request belongs to one.",
		"failed": "Only what failed: failed messages, rejected requests, and deliveries with a failed attempt.",
		"kind": "Only messages or deliveries of this kind.",
		"limit": "How many at most, up to 500. Default: 100.",
		"search": "Only items with this in a text, a number, an id or a body, in upper or lower case."
	},
	"Queue": {
		"": "Reports how many send jobs are pending."
	},
	"QueueStatus": {
		"": "Counts of the send jobs.",
		"agents": "The counts by agent.",
		"failed": "Jobs that failed.",
		"oldestPendingAgeMs": "How long the oldest pending job has waited, in milliseconds, or `null` if none is pending.",
		"pending": "Jobs that wait.",
		"processing": "Jobs that are being sent."
	},
	"QueueStatusInput": {
		"": "Which queue to report.",
		"agentNumber": "Only this agent's queue."
	},
	"ReactAction": {
		"": "A contact reacts to a message.",
		"from": "The contact's number.",
		"messageGuid": "Default: that of the last message that was sent to it.",
		"reaction": "The tapback, such as `love`, or an emoji."
	},
	"ReadAction": {
		"": "A contact reads its chat.",
		"from": "The contact's number."
	},
	"ReassignAgentInput": {
		"": "A user to hand over to another agent.",
		"fromAgentNumber": "Number of the expected current agent. With it the call is never retried, since the first attempt may change the agent.",
		"toAgentNumber": "Number of the agent that takes over.",
		"userNumber": "Number of the user."
	},
	"ReassignedData": {
		"": "`data` of `agents.reassign`.",
		"mapping": "The mapping as it is now.",
		"previousAgentNumber": "Number of the agent before."
	},
	"ReceiverResponseView": {
		"": "What a receiver responded beside the status.",
		"body": "The start of the body; empty if it is not text.",
		"bodyNote": "Why `body` is not the whole body."
	},
	"RedeliverAction": {
		"": "A webhook is delivered once more, with the same event id and without retries.",
		"body": "What is sent instead of the event's body; it is signed again, and the event keeps its own."
	},
	"RegisterAgentInput": {
		"": "An agent to register.",
		"agentNumber": "The agent's number.",
		"maxConsecutiveMessages": "The threshold that its new mappings get.",
		"name": "A name for people."
	},
	"ReplyAction": {
		"": "A contact writes.",
		"from": "The contact's number.",
		"groupId": "The group it writes in.",
		"text": "Up to 18,996 UTF-16 code units, unless the gateway has other `limits`; it may be empty if there are attachments.",
		"to": "The agent it writes to. Default: the agent of the chat."
	},
	"RequestDetails": {
		"": "A request with its headers and bodies.",
		"at": "When it arrived, in Unix milliseconds of the gateway's time.",
		"body": "Empty if there was none.",
		"durationMs": "The time until the response was ready, in milliseconds.",
		"error": "Why it was rejected, if the response has the documented error envelope.",
		"headers": "With lower-case names; `authorization` is masked.",
		"operationId": "Absent if no operation has this path and method.",
		"path": "The path, without the query.",
		"query": "The query with its question mark, or an empty string.",
		"requestId": "Unique to its response.",
		"responseBody": "`null` if there was none.",
		"sequence": "Its place in the order of all events: when it was over.",
		"signature": "Absent if the signature was not checked.",
		"status": "Absent if a fault broke the connection."
	},
	"RequestErrorView": {
		"": "Why a request was rejected.",
		"fields": "The invalid fields."
	},
	"RequestFaultAction": {
		"": "Injects a fault into the next requests.",
		"operationId": "Only requests of this operation."
	},
	"RequestView": {
		"": "A request of the application that is over.",
		"at": "When it arrived, in Unix milliseconds of the gateway's time.",
		"durationMs": "The time until the response was ready, in milliseconds.",
		"error": "Why it was rejected, if the response has the documented error envelope.",
		"operationId": "Absent if no operation has this path and method.",
		"path": "The path, without the query.",
		"requestId": "Unique to its response.",
		"sequence": "Its place in the order of all events: when it was over.",
		"status": "Absent if a fault broke the connection."
	},
	"ResetAction": {
		"": "Resets everything; the clock returns to the machine's time, unless the gateway was created with a clock."
	},
	"ResponseMeta": {
		"": "The `meta` of a success envelope (specification, section 2.1).",
		"requestId": "The gateway's request id: a UUID.",
		"timestamp": "When the gateway responded, as an ISO 8601 date and time."
	},
	"SendAttachmentsFields": {
		"": "Fields of `messages.sendAttachments` on the wire.",
		"attachments": "One attachment or more. How many there may be is not shown: see `profile.limits`.",
		"effect": "An effect to arrive with.",
		"from": "Number of the agent that sends. Default: the mapping's agent.",
		"groupId": "The id of a group that exists.",
		"groupName": "A name for the group that `participants` form.",
		"participants": "Two or more numbers; the same set of numbers is the same group.",
		"replyToGuid": "`messageGuid` of the message that this one replies to.",
		"statusCallback": "A URL for this message's status updates, instead of the registered one (`status_callback` on the wire).",
		"text": "A text to go with them.",
		"to": "One contact's number, in E.164."
	},
	"SendTextFields": {
		"": "Fields of `messages.sendText`.",
		"effect": "An effect to arrive with.",
		"from": "Number of the agent that sends. Default: the mapping's agent.",
		"groupId": "The id of a group that exists.",
		"groupName": "A name for the group that `participants` form.",
		"participants": "Two or more numbers; the same set of numbers is the same group.",
		"replyToGuid": "`messageGuid` of the message that this one replies to.",
		"statusCallback": "A URL for this message's status updates, instead of the registered one (`status_callback` on the wire).",
		"text": "The text. How long it may be is not shown: see `profile.limits`.",
		"to": "One contact's number, in E.164."
	},
	"SendVoiceNoteFields": {
		"": "Fields of `messages.sendVoiceNote` on the wire.",
		"attachment": "The audio: MP3, M4A, AAC, CAF, WAV, AIFF or AMR (assumed).",
		"effect": "An effect to arrive with.",
		"from": "Number of the agent that sends. Default: the mapping's agent.",
		"groupId": "The id of a group that exists.",
		"groupName": "A name for the group that `participants` form.",
		"participants": "Two or more numbers; the same set of numbers is the same group.",
		"replyToGuid": "`messageGuid` of the message that this one replies to.",
		"statusCallback": "A URL for this message's status updates, instead of the registered one (`status_callback` on the wire).",
		"to": "One contact's number, in E.164."
	},
	"SetWebhooksInput": {
		"": "Webhook destinations to change (specification, section 4.2). A field that is left out stays as it is.",
		"inboundWebhookUrl": "Receives `inbound_message` and `inbound_reaction` events; `null` or an empty string unsets it.",
		"statusWebhookUrl": "Receives delivery-status updates; `null` or an empty string unsets it."
	},
	"Settings": {
		"": "Sets where webhooks go."
	},
	"SettleAction": {
		"": "Does all work that is due or will be due: time moves forward to each next task until nothing is left."
	},
	"SignatureCheck": {
		"": "The result of verifying a sent delivery with this package."
	},
	"SignatureHeaders": {
		"": "The four headers of a signed request (specification, section 5.1).",
		"Authorization": "`HMAC ` and the signature in lower-case hex.",
		"X-App-Id": "The app id, in clear.",
		"X-Nonce": "A UUID, unique to this request.",
		"X-Timestamp": "Unix time in milliseconds at signing."
	},
	"Snapshot": {
		"": "The state at one moment; deliveries, requests and older messages come in pages. Lists begin with the oldest.",
		"consecutive": "The mode of the consecutive-message rule.",
		"faults": "The active faults, in words.",
		"limits": "The most that the gateway accepts.",
		"messages": "The newest 200.",
		"now": "In Unix milliseconds.",
		"offsetMs": "How far it is ahead of the machine's.",
		"operationIds": "The operations of its API."
	},
	"StatusUpdate": {
		"": "The delivery status of a sent message (specification, section 6.4).",
		"attachments": "The attachments. The specification does not show the shape of an item: it may be anything.",
		"chatGuid": "By its name, the chat's id.",
		"error": "Why it failed, or `null`. The specification does not show the type of a value: it may be anything.",
		"from": "The sending number.",
		"groupId": "The group's id, or `null` for an individual chat.",
		"messageGuid": "By its name, another id of the message.",
		"messageId": "The message's UUID.",
		"nativeMessageNumber": "By its name, a number on the native network; whose is not shown. The vendor may name the field differently.",
		"outbound": "`false` for an inbound message, `true` for a sent one (sections 6.2 and 6.4). For a reaction no value is shown; by its name, `true` for one of your own.",
		"participants": "By its name, the numbers in the chat.",
		"status": "The status; unknown values pass through.",
		"status_callback": "The URL that was given at send time, or `null`.",
		"text": "The message's text.",
		"timestamp_ms": "Unix milliseconds.",
		"to": "The receiving number."
	},
	"SuccessEnvelope": {
		"": "The body of a successful response (specification, section 2.1).",
		"data": "The operation's result.",
		"meta": "About the response.",
		"ok": "`true` on success."
	},
	"TapbackData": {
		"": "`data` of `messages.tapback`.",
		"action": "What was done.",
		"messageGuid": "The message reacted to.",
		"reaction": "The reaction."
	},
	"TapbackFields": {
		"": "Fields of `messages.tapback`.",
		"action": "Whether the reaction is added or removed.",
		"messageGuid": "`messageGuid` of the message reacted to.",
		"partIndex": "Which part of the message, from 0, if it has several.",
		"reaction": "The reaction."
	},
	"TapbackView": {
		"": "A tapback on a message.",
		"by": "The number of the contact or agent that reacted.",
		"partIndex": "Which part of the message, if given."
	},
	"ToNumberInput": {
		"": "A contact's number, as a path parameter.",
		"toNumber": "The contact's number, in E.164."
	},
	"TypingData": {
		"": "`data` of `messages.typing`.",
		"chatGuid": "The chat.",
		"expiresAt": "When it ends by itself, in Unix milliseconds, or `null`.",
		"state": "The indicator's state now."
	},
	"TypingFields": {
		"": "Fields of `messages.typing`.",
		"durationMs": "How long the indicator stays if it is not stopped, up to 300,000 ms (assumed).",
		"groupId": "The id of a group.",
		"state": "Whether the indicator starts or stops.",
		"to": "One contact's number, in E.164."
	},
	"UpdateMappingInput": {
		"": "Input of `mappings.update`.",
		"maxConsecutiveMessages": "How many messages may be sent without a reply; a positive integer.",
		"toNumber": "The contact's number, in E.164."
	},
	"WebhookFaultAction": {
		"": "Injects a fault into the next deliveries. `repeat` needs a number of repeats instead of `\"always\"`."
	},
	"WebhookSettings": {
		"": "The registered destinations. The specification does not show the shape of this response.",
		"inboundWebhookUrl": "Receives `inbound_message` and `inbound_reaction` events.",
		"statusWebhookUrl": "Receives delivery-status updates."
	},
	"WindowView": {
		"": "A duplicate window that is open.",
		"endsAt": "In Unix milliseconds of the gateway's time.",
		"messageId": "The message that opened it.",
		"scope": "For whom the same message is blocked: the same contact, the agent's other contacts, or everybody."
	}
};

/** The same under `Name` and `Name.field`. */
export const INTERFACE_DOCS: Readonly<Record<string, string>> = Object.fromEntries(
	Object.entries(DOCS).flatMap(([name, texts]) =>
		Object.entries(texts).map(([field, text]) => [field === "" ? name : `${name}.${field}`, text]),
	),
);
