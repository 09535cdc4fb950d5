/**
 * Receives webhooks in an AWS Lambda function behind a function URL, and prints each event once, whichever instance gets
 * it. Reads TABLE_NAME and MESSAGING_GATEWAY_WEBHOOK_SECRET from the environment.
 */
import { DynamoDB } from "@aws-sdk/client-dynamodb";
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from "aws-lambda";
import { dynamodbStore } from "messaging-gateway/stores/dynamodb";
import { createWebhookHandler, type HandlerContext, type UnknownEvent } from "messaging-gateway/webhooks";

// Outside of the handler: an instance keeps them from event to event.
const dynamodb = new DynamoDB({ requestHandler: { connectionTimeout: 500, requestTimeout: 1_000 } });
const table = process.env["TABLE_NAME"];
const webhooks = createWebhookHandler({
	store: dynamodbStore(dynamodb, { table }),
	on: {
		inbound_message: ({ data }) => console.log(`a text of ${data.text.length} characters`),
		inbound_reaction: ({ data }) => console.log(`a reaction: ${data.reaction}`),
		status: ({ data }) => console.log(`${data.messageId} is ${data.status}`),
		unknown: keepUnknown,
	},
	onError: (_, { line, thrown }) => console.error(line, ...thrown),
});

/** Keeps an event that is not as documented, beside the records of the store. If this fails, it is not acknowledged. */
async function keepUnknown({ eventId }: UnknownEvent, { readBody }: HandlerContext): Promise<void> {
	const Item = { key: { S: `unknown:${eventId}` }, raw_body: { S: readBody() } };
	await dynamodb.putItem({ TableName: table, Item });
}

export async function handler(event: APIGatewayProxyEventV2): Promise<APIGatewayProxyStructuredResultV2> {
	const { body = "", headers, isBase64Encoded, rawPath, requestContext } = event;
	const response = await webhooks.handle({
		method: requestContext.http.method,
		url: rawPath,
		headers,
		// The signature is over the bytes that were sent.
		body: isBase64Encoded ? Buffer.from(body, "base64") : body,
	});
	return { statusCode: response.status, headers: { ...response.headers }, body: response.body };
}
