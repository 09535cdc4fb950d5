import { MessagingGateway } from "messaging-gateway";
import { createGatewayAdapter } from "messaging-gateway/chat";
import { signedKy } from "messaging-gateway/ky";
import { createSender, memorySendStore } from "messaging-gateway/sends";
import { memoryNonceStore, signRequest, verifyRequest } from "messaging-gateway/signing";
import { dynamodbStore } from "messaging-gateway/stores/dynamodb";
import { postgresInbox, postgresSendStore, postgresStore } from "messaging-gateway/stores/postgres";
import { fromIoredis, fromNodeRedis, redisStore } from "messaging-gateway/stores/redis";
import { sqliteStore } from "messaging-gateway/stores/sqlite";
import { sqliteClientSendStore, sqliteClientStore } from "messaging-gateway/stores/sqlite-client";
import { createLocalGateway } from "messaging-gateway/testing";
import { createWebhookHandler, memoryStore, verifyWebhook } from "messaging-gateway/webhooks";
import { captureFailures } from "messaging-gateway/webhooks/capture";
import { expect, test } from "vitest";

type Untyped = (...given: readonly unknown[]) => unknown;

const credentials = { baseUrl: "https://gateway.example", appId: "app-1", appSecret: "secret-1" };
const create = (options: unknown) => new MessagingGateway(options as object);
const send = (input: unknown) => create({ ...credentials, maxRetries: 0 }).messages.sendText(input as never);
const signed = { method: "GET", url: "/agent", appId: "app-1", appSecret: "secret-1" };

/** Every function that takes options or an input, with what it needs beside the part that is wrong. */
const PLACES: readonly (readonly [name: string, use: Untyped, right: object])[] = [
	["MessagingGateway", create, credentials],
	["hooks", (hooks) => create({ ...credentials, hooks }), {}],
	["responseValidation", (responseValidation) => create({ ...credentials, responseValidation }), {}],
	["headers", (headers) => create({ ...credentials, headers }), {}],
	["profile", (profile) => create({ ...credentials, profile }), {}],
	["sendText", send, { to: "+15551234567", text: "Hello" }],
	["signedKy", signedKy as Untyped, credentials],
	["signRequest", signRequest as Untyped, signed],
	[
		"verifyRequest",
		(options) => (verifyRequest as Untyped)({ method: "GET", url: "/", headers: new Headers() }, options),
		{ secretFor: () => "secret-1", nonceStore: memoryNonceStore() },
	],
	[
		"createWebhookHandler",
		createWebhookHandler as Untyped,
		{ secret: "secret-1", store: memoryStore(), on: { unknown: () => undefined } },
	],
	[
		"verifyWebhook",
		(options) => (verifyWebhook as Untyped)({ body: "{}", headers: {} }, options),
		{ secret: "secret-1" },
	],
	["createSender", createSender as Untyped, { gateway: create(credentials), store: memorySendStore() }],
	["createLocalGateway", createLocalGateway as Untyped, {}],
	["rules", (rules) => (createLocalGateway as Untyped)({ rules }), {}],
	["createGatewayAdapter", createGatewayAdapter as Untyped, { gateway: create(credentials) }],
	["captureFailures", captureFailures as Untyped, { write: () => undefined }],
	["memoryStore", memoryStore as Untyped, {}],
	["memorySendStore", memorySendStore as Untyped, {}],
	["redisStore", (options) => (redisStore as Untyped)({ eval: async () => 1 }, options), {}],
	["postgresStore", (options) => (postgresStore as Untyped)({ query: async () => [] }, options), {}],
	["postgresSendStore", (options) => (postgresSendStore as Untyped)({ query: async () => [] }, options), {}],
	["postgresInbox", postgresInbox as Untyped, {}],
	["dynamodbStore", dynamodbStore as Untyped, {}],
	["sqliteStore", sqliteStore as Untyped, {}],
	["sqliteClientStore", (options) => (sqliteClientStore as Untyped)({ query: () => [] }, options), {}],
	[
		"sqliteClientSendStore",
		(options) => (sqliteClientSendStore as Untyped)({ query: () => [] }, options),
		{},
	],
	["fromNodeRedis", fromNodeRedis as Untyped, {}],
	["fromIoredis", fromIoredis as Untyped, {}],
];

/** Options that take a value in most places above; what is unknown in one is a misspelt name there. */
const NAMES = [
	"baseUrl appId appSecret signer timeoutMs maxRetries logLevel fetch clock logger signal method url nonce timestamp",
	"to text from groupId secret store inbox on enqueue hooks onError consumer retentionMs toleranceSeconds leaseMs",
	"secretFor nonceStore maxBodyBytes storeTimeoutMs basePath digestSecret keepInput gateway agents apps deliverTo",
	"rules delays webhooks readings consecutive table createIfMissing prefix path maxEntries write key name sender",
	"body canonicalBody signing operations limits transaction client query ownNumbers",
].flatMap((names) => names.split(" "));

/** Secrets by their form. None is a name of ours, and each is found in whatever quotes it. */
const SECRETS = [
	"5f4dcc3b5aa765d61d8327deb882cf99",
	"Zk3xQ-9vT_b8LmP2sWcJ7dYhUeRnKfGaXtVzBiOq0ME",
	"kTqZwVbXjRmLpYcHdNfGsAeUoIiKkWzQxTyBvMnP",
	"ktqzwvbxjrmlpychdnfgsaeuoiikkwzqxtybvmnp",
	"redis://user:hunter2hunter2@db.example:6379/0",
	"+15559876543",
];

/** All that an error shows when it is printed, its causes included. */
function printed(error: unknown): string {
	if (!(error instanceof Error)) return String(error);
	return `${error.message} ${JSON.stringify(error)} ${error.cause === undefined ? "" : printed(error.cause)}`;
}

test.each(PLACES)("%s never shows a secret that stands in a wrong place", async (_name, use, right) => {
	let failures = 0;
	for (const secret of SECRETS) {
		const wrong: unknown[] = [secret, [secret], { [secret]: 1 }, { [secret]: secret }];
		for (const name of NAMES) {
			wrong.push({ ...right, [name]: { [secret]: secret } }, { ...right, [name]: [secret] });
			// A right value somewhere, such as that of a secret: it is used, and nothing fails or shows it.
			if (!/^(url|baseUrl|path|fetch)$/.test(name)) wrong.push({ ...right, [name]: secret });
		}
		for (const given of wrong) {
			try {
				await use(given);
			} catch (error) {
				failures += 1;
				expect(printed(error)).not.toContain(secret);
			}
		}
	}
	expect(failures).toBeGreaterThan(0);
});
