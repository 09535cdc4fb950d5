import { readFileSync } from "node:fs";
import { DynamoDB, GetItemCommand, PutItemCommand } from "@aws-sdk/client-dynamodb";
import { type DynamodbClient, dynamodbStore } from "messaging-gateway/stores/dynamodb";
import {
	createAdjustableClock,
	createWebhookRequest,
	eventStoreCases,
	nonceStoreCases,
} from "messaging-gateway/testing";
import { createWebhookHandler } from "messaging-gateway/webhooks";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { DynamodbTable } from "../support/dynamodb-table.ts";
import { type DynamodbServer, startDynamodb } from "../support/servers/dynamodb-server.ts";

let server: DynamodbServer;

beforeAll(async () => {
	server = await startDynamodb();
});

afterAll(() => server?.[Symbol.asyncDispose]());

describe("the rules of every store, over HTTP", () => {
	const cases = [...eventStoreCases(), ...nonceStoreCases()];
	test.each(cases)("$name", ({ run }) =>
		run(async () => {
			const clock = createAdjustableClock({ frozen: true });
			const table = await server.createTable();
			const store = dynamodbStore(server.client, { table, clock, maxClockSkewMs: 0 });
			return { store, advance: (ms) => clock.advance(ms) };
		}),
	);
});

/** A delivery to a handler with the store. @returns the response's status, and the hint of `onError`. */
async function deliver(table: string, client: DynamodbClient = server.client) {
	let hint: string | undefined;
	const webhooks = createWebhookHandler({
		secret: "local-webhook-secret",
		store: dynamodbStore(client, { table }),
		on: { status: () => undefined, unknown: () => undefined },
		onError: (_error, context) => {
			hint = context.hint;
		},
	});
	return [(await webhooks.fetch(createWebhookRequest("status"))).status, hint];
}

describe("a delivery", () => {
	test("is acknowledged over a table with the key of the docs", async () => {
		const command = readFileSync("docs/stores.md", "utf8");
		expect.soft(command).toContain("AttributeName=key,AttributeType=S");
		expect.soft(command).toContain("AttributeName=key,KeyType=HASH");
		expect(await deliver(await server.createTable())).toEqual([200, undefined]);
	});

	test("is acknowledged through a client that sends commands", async () => {
		const { client } = server;
		const commands: DynamodbClient = {
			getItem: (input) => client.send(new GetItemCommand(input)),
			putItem: (input) => client.send(new PutItemCommand(input)),
		};
		expect(await deliver(await server.createTable(), commands)).toEqual([200, undefined]);
	});

	test.each([
		["is missing", async () => "missing", "the table missing is missing in the client's region"],
		[
			"has a key of another name",
			() => server.createTable({ key: "id" }),
			'its only key must be the string "key"',
		],
		["has a number as key", () => server.createTable({ type: "N" }), 'its only key must be the string "key"'],
	])("is not acknowledged if the table %s", async (_, createTable, sentence) => {
		expect(await deliver(await createTable())).toEqual([503, expect.stringContaining(sentence)]);
	});

	test.each([
		["region", {}],
		["region that exists", { region: "nowhere-1" }],
	])("is not acknowledged if the client has no %s", async (_, region) => {
		const credentials = { accessKeyId: "id", secretAccessKey: "secret" };
		const client = new DynamoDB({ ...region, credentials, maxAttempts: 1 });
		const result = await deliver("records", client);
		client.destroy();
		expect(result).toEqual([503, expect.stringContaining("the client has no valid region")]);
	});
});

describe("the table of the simulation", () => {
	const key = { key: { S: "a" } };
	const write = {
		Item: { ...key, state: { S: "held" }, token: { N: "2" } },
		ReturnValuesOnConditionCheckFailure: "ALL_OLD",
	} as const;
	const held = (token: string) => ({
		ConditionExpression: "#state = :state AND #token = :token",
		ExpressionAttributeNames: { "#state": "state", "#token": "token" },
		ExpressionAttributeValues: { ":state": { S: "held" }, ":token": { N: token } },
	});

	test("writes under the conditions under which DynamoDB does", async () => {
		const TableName = await server.createTable();
		const model = new DynamodbTable();
		const absent = {
			ConditionExpression: "attribute_not_exists(#key)",
			ExpressionAttributeNames: { "#key": "key" },
		};
		for (const condition of [held("2"), absent, absent, held("1"), held("2")]) {
			const input = { ...write, ...condition, TableName };
			const [real, modelled] = await Promise.all(
				[server.client.putItem(input), model.putItem(input)].map((putting) =>
					Promise.resolve(putting).then(
						() => "written",
						(error: Error) => error.name,
					),
				),
			);
			expect(modelled).toBe(real);
		}
		const read = { TableName, Key: key, ConsistentRead: true } as const;
		expect((await model.getItem(read)).Item).toEqual((await server.client.getItem(read)).Item);
	});
});
