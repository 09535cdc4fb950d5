/** The three payloads with every documented field (specification, sections 6.2 to 6.4). */

const shared = {
	messageId: "0f6c9d1e-3c55-4b8e-9a55-2f4f3d1c7a10",
	from: "+15551234567",
	to: "+15557654321",
	nativeMessageNumber: "+15557654321",
	participants: ["+15551234567", "+15557654321"],
	chatGuid: "chat-1",
	groupId: null,
	messageGuid: "guid-1",
	timestamp_ms: 1767225600123,
};

export const inboundMessage = {
	...shared,
	type: "inbound_message",
	text: "Hello",
	outbound: false,
	attachments: [],
	accountId: "acc-1",
};

export const inboundReaction = {
	...shared,
	type: "inbound_reaction",
	outbound: false,
	originalMessageGuid: "guid-0",
	originalText: "Lunch?",
	reaction: "love",
	accountId: "acc-1",
};

export const statusUpdate = {
	...shared,
	status: "delivered",
	text: "Hello",
	attachments: [],
	status_callback: null,
	outbound: true,
	error: null,
};
