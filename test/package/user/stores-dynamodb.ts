import { DynamoDB, DynamoDBClient, GetItemCommand, PutItemCommand } from "@aws-sdk/client-dynamodb";
import { type DynamodbClient, dynamodbStore } from "messaging-gateway/stores/dynamodb";
import { createWebhookHandler } from "messaging-gateway/webhooks";

const client = new DynamoDBClient({ region: "eu-west-1" });
const commands: DynamodbClient = {
	getItem: (input) => client.send(new GetItemCommand(input)),
	putItem: (input) => client.send(new PutItemCommand(input)),
};

export const handlers = [new DynamoDB({ region: "eu-west-1" }), commands].map((dynamodb) =>
	createWebhookHandler({
		store: dynamodbStore(dynamodb, { table: process.env["TABLE_NAME"], maxClockSkewMs: 1_000 }),
		on: { status: () => undefined, unknown: () => undefined },
	}),
);
