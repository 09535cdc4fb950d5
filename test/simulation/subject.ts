import * as client from "messaging-gateway";
import * as chat from "messaging-gateway/chat";
import * as sends from "messaging-gateway/sends";
import * as dynamodb from "messaging-gateway/stores/dynamodb";
import * as postgres from "messaging-gateway/stores/postgres";
import * as redis from "messaging-gateway/stores/redis";
import * as sqlite from "messaging-gateway/stores/sqlite-client";
import * as webhooks from "messaging-gateway/webhooks";

/** What is simulated: the package, or a mutant of it. */
export interface Subject
	extends Pick<typeof client, "MessagingGateway">,
		Pick<typeof chat, "createGatewayAdapter">,
		Pick<typeof sends, "createSender" | "listSends" | "memorySendStore" | "observeSend" | "resolveSend">,
		Pick<
			typeof webhooks,
			"conversationOf" | "createWebhookHandler" | "memoryStore" | "PermanentWebhookError" | "signWebhook"
		>,
		Pick<typeof postgres, "postgresInbox" | "postgresStore" | "postgresSendStore">,
		Pick<typeof redis, "redisStore">,
		Pick<typeof dynamodb, "dynamodbStore">,
		Pick<typeof sqlite, "sqliteClientStore" | "sqliteClientSendStore" | "sqliteTable" | "sqliteSendTable"> {}

/** The package as its sources are. */
export const SUBJECT: Subject = {
	...client,
	...chat,
	...sends,
	...webhooks,
	...postgres,
	...redis,
	...dynamodb,
	...sqlite,
};

/** The modules of a subject, by their paths in the sources. */
export const MODULES = [
	"entries/index.ts",
	"entries/chat.ts",
	"entries/sends.ts",
	"entries/webhooks.ts",
	"entries/stores/postgres.ts",
	"entries/stores/redis.ts",
	"entries/stores/dynamodb.ts",
	"entries/stores/sqlite-client.ts",
];
