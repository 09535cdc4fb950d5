/** The profile of a gateway whose names, routes and pages all differ, as a JSON file has it. */
export const MAPPED_PROFILE = JSON.parse(`{
	"defaults": { "from": "+15550000001" },
	"operations": {
		"messages.sendText": {
			"path": "/v2/messages",
			"routes": [
				{},
				{
					"when": { "groupId": true },
					"path": "/v2/rooms/{room}/messages",
					"request": { "{room}": "groupId", "kind": { "value": "text" }, "content.body": "text", "sender": "from" }
				}
			],
			"map": {
				"request": {
					"header:Idempotency-Key": { "uuid": true },
					"kind": { "value": "text" },
					"recipients[].number": "to",
					"content.body": "text",
					"sender": "from",
					"effect": { "from": "effect", "map": { "slam": "SLAM", "loud": "LOUD" } },
					"replyTo": "replyToGuid",
					"hooks.status": "statusCallback"
				},
				"response": { "root": "result", "fields": {
					"message.messageId": "uuid",
					"message.status": { "at": "state", "map": { "WAITING": "queued", "ON_ITS_WAY": "sent", "SEEN": "read" } },
					"message.text": { "input": "text" },
					"message.from": "sender",
					"message.to": "recipients[].number",
					"message.groupId": "room",
					"message.attachments": { "value": [] },
					"message.status_callback": { "value": null },
					"message.outbound": { "value": true },
					"message.nativeMessageNumber": "sender",
					"message.participants": "members",
					"message.chatGuid": "chat.id",
					"message.messageGuid": { "value": null },
					"message.timestamp_ms": { "at": "createdAt", "unit": "iso" },
					"message.error": { "value": null }
				} }
			}
		},
		"messages.sendAttachments": {
			"path": "/v2/messages",
			"map": {
				"request": {
					"header:Idempotency-Key": { "uuid": true },
					"kind": { "value": "media" },
					"recipients[].number": "to",
					"sender": "from",
					"content.parts": { "parts": [
						{ "when": "text", "item": { "type": { "value": "text" }, "value": "text" } },
						{ "when": "attachments", "item": { "type": { "value": "file" }, "value": "url", "name": "name" } }
					] }
				},
				"response": { "root": "result", "fields": {
					"message.messageId": "uuid",
					"message.status": { "at": "state", "map": { "WAITING": "queued" } },
					"message.timestamp_ms": { "at": "createdAt", "unit": "s" }
				} }
			}
		},
		"messages.sendVoiceNote": {
			"path": "/v2/media",
			"map": { "request": {
				"?number": "to",
				"header:X-Request-Key": { "uuid": true },
				"file": { "each": "attachment", "as": "first", "item": { "link": "url", "content": "data", "type": "mimeType" } }
			} }
		},
		"messages.tapback": {
			"path": "/v2/messages/{id}/reaction",
			"routes": [{ "method": "POST" }, { "when": { "action": "remove" }, "method": "DELETE" }],
			"map": {
				"request": {
					"{id}": "messageGuid",
					"emoji": { "from": "reaction", "map": { "love": "HEART", "like": "THUMB" } },
					"part": "partIndex"
				},
				"response": { "fields": {
					"messageGuid": { "input": "messageGuid" },
					"reaction": { "input": "reaction" },
					"action": { "input": "action" }
				} }
			}
		},
		"messages.typing": {
			"path": "/v2/chats/{number}/typing",
			"routes": [
				{ "when": { "state": "start" }, "method": "PUT", "request": { "{number}": "to", "seconds": { "from": "durationMs", "unit": "s" } } },
				{ "when": { "state": "stop" }, "method": "DELETE", "request": { "{number}": "to" } }
			],
			"map": { "response": { "fields": {
				"chatGuid": { "value": "" }, "state": { "input": "state" }, "expiresAt": { "value": null }
			} } }
		},
		"messages.markRead": {
			"path": "/v2/receipts",
			"map": {
				"request": { "?number": "to", "?agent": "from", "upTo": "messageGuid" },
				"response": { "fields": { "chatGuid": "chat", "markedAt": { "at": "at", "unit": "ms" } } }
			}
		},
		"messages.checkCapability": {
			"path": "/v2/lookup",
			"map": {
				"request": { "?n": "toNumber", "?mode": { "value": "fast" } },
				"response": { "fields": {
					"number": { "input": "toNumber" },
					"native": { "at": "kind", "map": { "BLUE": true, "GREEN": false } },
					"service": { "at": "kind", "map": { "BLUE": "native", "GREEN": "SMS" } },
					"checkedAt": { "at": "when", "unit": "iso" }
				} }
			}
		},
		"agents.list": {
			"path": "/v2/devices",
			"map": {
				"request": { "?size": "limit", "?skip": "cursor", "?state": { "from": "status", "map": { "online": "UP", "offline": "DOWN" } } },
				"response": {
					"root": "page",
					"list": "items",
					"fields": {
						"agentNumber": "phone",
						"name": "label",
						"status": { "at": "state", "map": { "UP": "online", "DOWN": "offline" } },
						"blockedReason": { "value": null },
						"mappingCount": "load.contacts",
						"lastSeenAt": { "at": "seen", "unit": "iso" },
						"createdAt": { "at": "since", "unit": "s" }
					},
					"next": { "offset": true, "total": "total" }
				}
			}
		},
		"mappings.list": {
			"method": "POST",
			"path": "/v2/contacts/search",
			"map": {
				"request": { "device": "agentNumber", "paging.size": "limit", "paging.number": "cursor" },
				"response": {
					"list": "",
					"fields": { "userNumber": "contact", "agentNumber": "device", "outbound": "sent", "inbound": "received" },
					"next": { "page": true }
				}
			}
		},
		"analytics.listMessages": {
			"path": "/v2/contacts/{contact}/messages",
			"map": {
				"request": {
					"{contact}": "toNumber",
					"?device": "agentNumber",
					"?page[from]": { "from": "after", "unit": "iso" },
					"?page[to]": { "from": "before", "unit": "s" },
					"?page[after]": "cursor",
					"?page[size]": "limit"
				},
				"response": {
					"list": "entries",
					"fields": { "messageId": "uuid", "text": "content.body" },
					"next": { "cursor": "paging.after" }
				}
			}
		},
		"mappings.delete": {
			"path": "/v2/contacts/{contact}",
			"map": { "request": { "{contact}": "toNumber" }, "response": { "fields": { "deleted": { "value": true } } } }
		},
		"settings.setWebhooks": {
			"path": "/v2/hooks",
			"map": { "request": { "inbound.url": "inboundWebhookUrl", "status.url": "statusWebhookUrl" } }
		}
	}
}`);
