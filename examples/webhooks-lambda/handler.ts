/**
 * Receives webhooks in an AWS Lambda function behind a function URL, and prints each event once, whichever instance gets
 * it. Reads TABLE_NAME and MESSAGING_GATEWAY_WEBHOOK_SECRET from the environment.
 */
import { DynamoDB } from "@aws-sdk/client-dynamodb";
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from "aws-lambda";
import { dynamodbStore } from "messaging-gateway/stores/dynamodb";
import { createWebhookHandler } from "messaging-gateway/webhooks";

// Outside of the handler: an instance keeps them from event to event.
const dynamodb = new DynamoDB({ requestHandler: { connectionTimeout: 500, requestTimeout: 1_000 } });
const webhooks = createWebhookHandler({
	store: dynamodbStore(dynamodb, { table: process.env["TABLE_NAME"] }),
	on: {
		inbound_message: ({ data }) => console.log(`a text of ${data.text.length} characters`),
		inbound_reaction: ({ data }) => console.log(`a reaction: ${data.reaction}`),
		status: ({ data }) => console.log(`${data.messageId} is ${data.status}`),
		unknown: ({ type, issues }) => console.warn("not as documented:", type, issues),
	},
	onError: (error, { eventId, hint }) => console.error(eventId, hint, error),
});

export async function handler(event: APIGatewayProxyEventV2): Promise<APIGatewayProxyStructuredResultV2> {
	const { body = "", headers, isBase64Encoded, requestContext } = event;
	const response = await webhooks.handle({
		method: requestContext.http.method,
		headers,
		// The signature is over the bytes that were sent.
		body: isBase64Encoded ? Buffer.from(body, "base64") : body,
	});
	return { statusCode: response.status, headers: { ...response.headers }, body: response.body };
}
