import { memorySendStore } from "messaging-gateway/sends";
import { memoryNonceStore } from "messaging-gateway/signing";
import { dynamodbStore } from "messaging-gateway/stores/dynamodb";
import { postgresInbox, postgresSendStore, postgresStore } from "messaging-gateway/stores/postgres";
import { fromIoredis, fromNodeRedis, redisStore } from "messaging-gateway/stores/redis";
import { sqliteSendStore, sqliteStore } from "messaging-gateway/stores/sqlite";
import { sqliteClientSendStore, sqliteClientStore } from "messaging-gateway/stores/sqlite-client";
import { createWebhookHandler, memoryStore } from "messaging-gateway/webhooks";
import { expect, test } from "vitest";
import { describeMessages, type MessageRow } from "./message-table.ts";

/** Makes a store as a user in plain JavaScript may. */
type Create = (...given: readonly unknown[]) => unknown;

/** What people pass in place of a client, and how the sentence goes on. */
const WRONG: readonly (readonly [title: string, given: unknown, rest: string])[] = [
	["nothing", undefined, ". You passed undefined"],
	["null", null, ". You passed null"],
	["a URL", "redis://user:password@db.example", ". You passed a string"],
	["a Promise", Promise.resolve({}), ". You passed a Promise: await it first"],
	["a class", class Client {}, ". You passed a function: call it first, or with new if it is a class"],
	["another object", { send: () => undefined }, ""],
];

/** How each function wants to be called. */
const NEEDS: readonly (readonly [create: unknown, sentence: string])[] = [
	[
		redisStore,
		"redisStore needs a client in its adapter, fromNodeRedis or fromIoredis: redisStore(fromNodeRedis(client))",
	],
	[
		fromNodeRedis,
		"fromNodeRedis needs a client of the package redis (for ioredis, use fromIoredis): fromNodeRedis(createClient({ url }))",
	],
	[
		fromIoredis,
		"fromIoredis needs a client of the package ioredis (for redis, use fromNodeRedis): fromIoredis(new Redis(url))",
	],
	[postgresStore, "postgresStore needs a Pool of pg: postgresStore(new Pool({ connectionString }))"],
	[
		postgresSendStore,
		"postgresSendStore needs a Pool of pg: postgresSendStore(new Pool({ connectionString }))",
	],
	[
		postgresInbox,
		"postgresInbox needs a Pool of pg, or with an ORM { transaction: (work) => … }: postgresInbox(new Pool({ connectionString }))",
	],
	[
		dynamodbStore,
		"dynamodbStore needs the class DynamoDB of @aws-sdk/client-dynamodb, not DynamoDBClient: dynamodbStore(new DynamoDB())",
	],
	[
		sqliteClientStore,
		"sqliteClientStore needs an object with a function query: sqliteClientStore({ query: async (sql, values) => rows })",
	],
	[
		sqliteClientSendStore,
		"sqliteClientSendStore needs an object with a function query: sqliteClientSendStore({ query: async (sql, values) => rows })",
	],
];

for (const [create, sentence] of NEEDS) {
	const make = create as Create;
	const rows = WRONG.map(([title, given, rest]): MessageRow => [title, () => make(given), sentence + rest]);
	describeMessages(`${make.name}, of something else`, rows);
}

const nodeRedis = { eval: async () => 1, evalSha: async () => 1, duplicate: () => undefined };
const ioredis = { eval: async () => 1, evalsha: async () => 1, duplicate: () => undefined };
const client = { query: async () => ({ rows: [] }) };

describeMessages("the wrong client", [
	[
		"a client of redis without its adapter",
		() => (redisStore as Create)(nodeRedis),
		"redisStore needs a client in its adapter, fromNodeRedis or fromIoredis: redisStore(fromNodeRedis(client))",
	],
	[
		"a client of ioredis in the adapter of redis",
		() => (fromNodeRedis as Create)(ioredis),
		"fromNodeRedis needs a client of the package redis (for ioredis, use fromIoredis): fromNodeRedis(createClient({ url }))",
	],
	[
		"a client of redis in the adapter of ioredis",
		() => (fromIoredis as Create)(nodeRedis),
		"fromIoredis needs a client of the package ioredis (for redis, use fromNodeRedis): fromIoredis(new Redis(url))",
	],
	[
		"a client of DynamoDB that sends commands",
		() => (dynamodbStore as Create)({ send: async () => ({}) }),
		"dynamodbStore needs the class DynamoDB of @aws-sdk/client-dynamodb, not DynamoDBClient: dynamodbStore(new DynamoDB())",
	],
	[
		"a transaction that is no function",
		() => (postgresInbox as Create)({ transaction: client }),
		"postgresInbox needs transaction to be a function: postgresInbox({ transaction: (work) => … })",
	],
	[
		"a database of an ORM, whose transactions are called otherwise",
		() => {
			class Database {
				session = {};
				transaction() {
					return undefined;
				}
			}
			return (postgresInbox as Create)(new Database());
		},
		"postgresInbox needs a Pool of pg, or with an ORM { transaction: (work) => … }: postgresInbox(new Pool({ connectionString }))",
	],
	[
		"a binding of D1 itself",
		() => (sqliteClientStore as Create)({ prepare: () => undefined }),
		"sqliteClientStore needs an object with a function query: sqliteClientStore({ query: async (sql, values) => rows })",
	],
]);

describeMessages("a file of SQLite", [
	[
		"its path alone",
		() => (sqliteStore as Create)("webhooks.db"),
		'sqliteStore needs a path: sqliteStore({ path: "webhooks.db" }). You passed a string',
	],
	[
		"no path",
		() => (sqliteSendStore as Create)({}),
		'sqliteSendStore needs a path: sqliteSendStore({ path: "sends.db" })',
	],
	[
		"a folder that is not there",
		() => sqliteStore({ path: "/no/such/folder/webhooks.db" }),
		"path can't be opened as a SQLite database. Check that its folder exists and is writable",
	],
]);

describeMessages("options of a store", [
	[
		"a name for the prefix",
		() => (redisStore as Create)(fromNodeRedis(nodeRedis), "app:"),
		"redisStore options must be an object, such as { prefix: … }",
	],
	[
		"a time limit, which is the handler's",
		() => (postgresStore as Create)(client, { timeoutMs: 1_000 }),
		'Unknown option "timeoutMs" of postgresStore: set storeTimeoutMs of the handler, the sender or verifyRequest, which limits every call of a store',
	],
	[
		"a misspelt table",
		() => (postgresStore as Create)(client, { tabel: "events" }),
		'Unknown option "tabel" of postgresStore. Did you mean "table"?',
	],
	[
		"another package's prefix",
		() => (redisStore as Create)(fromNodeRedis(nodeRedis), { keyPrefix: "app:" }),
		'Unknown option "keyPrefix" of redisStore. Did you mean "prefix"?',
	],
	[
		"a misspelt option of an inbox",
		() => (postgresInbox as Create)({ transaction: async () => ({}), quary: 1 }),
		'Unknown option "quary" of postgresInbox({ transaction: (work) => … }): remove it, or use transaction',
	],
	[
		"a table in capitals",
		() => postgresStore(client, { table: "Events" }),
		"table must be a name of 1 to 40 lower-case letters, digits and underscores, optionally with a schema in front",
	],
	[
		"memoryStore(5)",
		() => (memoryStore as Create)(5),
		"memoryStore options must be an object, such as { maxEntries: … }",
	],
	[
		"memorySendStore(5)",
		() => (memorySendStore as Create)(5),
		"memorySendStore options must be an object, such as { maxEntries: … }",
	],
	[
		"memoryNonceStore(5)",
		() => (memoryNonceStore as Create)(5),
		"memoryNonceStore options must be an object, such as { maxEntries: … }",
	],
	[
		"a memory of no events",
		() => memoryStore({ maxEntries: 0 }),
		"maxEntries must be an integer of at least 1",
	],
]);

/** A handler with a store as a user in plain JavaScript passes it. */
function handle(given: object): unknown {
	return (createWebhookHandler as Create)({ on: { unknown: () => undefined }, ...given });
}

describeMessages("the store of a webhook handler", [
	[
		"none",
		() => handle({}),
		"store is required. Use memoryStore() in development, and redisStore, postgresStore, … in production",
	],
	[
		"a URL",
		() => handle({ store: "redis://user:password@db.example" }),
		"store must be what memoryStore(), redisStore(fromNodeRedis(client)) or another store returns. You passed a string",
	],
	[
		"the function that makes one",
		() => handle({ store: memoryStore }),
		"store must be what memoryStore(), redisStore(fromNodeRedis(client)) or another store returns. You passed a function: call it first, or with new if it is a class",
	],
	[
		"the Promise of one",
		() => handle({ store: Promise.resolve(memoryStore()) }),
		"store must be what memoryStore(), redisStore(fromNodeRedis(client)) or another store returns. You passed a Promise: await it first",
	],
	[
		"a client",
		() => handle({ store: nodeRedis }),
		"store must be what memoryStore(), redisStore(fromNodeRedis(client)) or another store returns",
	],
	["a pool as inbox", () => handle({ inbox: client }), "inbox must be what postgresInbox(pool) returns"],
	[
		"a URL as inbox",
		() => handle({ inbox: "postgres://user:password@db.example" }),
		"inbox must be what postgresInbox(pool) returns. You passed a string",
	],
	[
		"a store and an inbox",
		() => handle({ store: memoryStore(), inbox: { run: async () => undefined } }),
		"Give either store or inbox, not both",
	],
]);

const THREE = { table: "Events", createIfMissing: "yes", colour: "red" };
const IN_THREE =
	"remove it, or use table, createIfMissing\ntable must be a name of 1 to 40 lower-case letters, digits and underscores, optionally with a schema in front\ncreateIfMissing must be true or false";

describeMessages("several mistakes at once", [
	[
		"redisStore",
		() => (redisStore as Create)("redis://localhost", { prefx: "app:" }),
		'redisStore needs a client in its adapter, fromNodeRedis or fromIoredis: redisStore(fromNodeRedis(client)). You passed a string\nUnknown option "prefx" of redisStore. Did you mean "prefix"?',
	],
	[
		"postgresStore",
		() => (postgresStore as Create)(client, THREE),
		`Unknown option "colour" of postgresStore: ${IN_THREE}`,
	],
	[
		"postgresSendStore",
		() => (postgresSendStore as Create)(client, THREE),
		`Unknown option "colour" of postgresSendStore: ${IN_THREE}`,
	],
	[
		"postgresInbox",
		() => (postgresInbox as Create)("postgres://localhost", THREE),
		`postgresInbox needs a Pool of pg, or with an ORM { transaction: (work) => … }: postgresInbox(new Pool({ connectionString })). You passed a string\nUnknown option "colour" of postgresInbox: ${IN_THREE}`,
	],
	[
		"sqliteClientStore",
		() => (sqliteClientStore as Create)({}, { createIfMissing: 1, tabel: "x" }),
		'sqliteClientStore needs an object with a function query: sqliteClientStore({ query: async (sql, values) => rows })\nUnknown option "tabel" of sqliteClientStore. Did you mean "table"?\ncreateIfMissing must be true or false',
	],
	[
		"sqliteStore",
		() => (sqliteStore as Create)({ path: 5, timeoutMs: 1 }),
		'Unknown option "timeoutMs" of sqliteStore: set storeTimeoutMs of the handler, the sender or verifyRequest, which limits every call of a store\nsqliteStore needs a path: sqliteStore({ path: "webhooks.db" })',
	],
	[
		"dynamodbStore",
		() => (dynamodbStore as Create)({}, { table: "", maxClockSkewMs: -1 }),
		"dynamodbStore needs the class DynamoDB of @aws-sdk/client-dynamodb, not DynamoDBClient: dynamodbStore(new DynamoDB())\ntable must be the name of a DynamoDB table, a string that isn't empty\nmaxClockSkewMs must be a number of at least 0",
	],
]);

test("an adapter of one's own may send commands, too", () => {
	const adapter = { eval: async () => 1, sendCommand: async () => 1 };
	expect(() => redisStore(adapter)).not.toThrow();
});

test("a client that is a function, with the methods of a pool, is accepted", () => {
	const sql = Object.assign(() => undefined, {
		query: async () => ({ rows: [] }),
		connect: async () => undefined,
	});
	for (const create of [postgresStore, postgresSendStore, postgresInbox])
		expect(() => (create as Create)(sql)).not.toThrow();
});
