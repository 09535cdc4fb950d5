import * as client from "messaging-gateway";
import * as sends from "messaging-gateway/sends";
import * as postgres from "messaging-gateway/stores/postgres";
import * as redis from "messaging-gateway/stores/redis";
import * as webhooks from "messaging-gateway/webhooks";
import * as sqlSends from "../../src/library/stores/sql-send-store.ts";
import * as sql from "../../src/library/stores/sql-store.ts";
import * as sqlite from "../../src/library/stores/sqlite-dialect.ts";

/** What is simulated: the package, or a mutant of it. */
export interface Subject
	extends Pick<typeof client, "MessagingGateway">,
		Pick<typeof sends, "createSender" | "memorySendStore" | "observeSend" | "resolveSend">,
		Pick<typeof webhooks, "createWebhookHandler" | "memoryStore" | "PermanentWebhookError" | "signWebhook">,
		Pick<typeof postgres, "postgresInbox" | "postgresStore" | "postgresSendStore">,
		Pick<typeof redis, "redisStore">,
		Pick<typeof sql, "createSqlStore" | "tableStatements">,
		Pick<typeof sqlSends, "createSqlSendStore" | "sendTableStatements">,
		Pick<typeof sqlite, "SQLITE"> {}

/** The package as its sources are. */
export const SUBJECT: Subject = {
	...client,
	...sends,
	...webhooks,
	...postgres,
	...redis,
	...sql,
	...sqlSends,
	...sqlite,
};

/** The modules of a subject, by their paths in the sources. */
export const MODULES = [
	"entries/index.ts",
	"entries/sends.ts",
	"entries/webhooks.ts",
	"entries/stores/postgres.ts",
	"entries/stores/redis.ts",
	"stores/sql-store.ts",
	"stores/sql-send-store.ts",
	"stores/sqlite-dialect.ts",
];
