import { DynamoDB } from "@aws-sdk/client-dynamodb";
import type { APIGatewayProxyEventV2 } from "aws-lambda";
import { createWebhookRequest, type WebhookRequestOptions } from "messaging-gateway/testing";
import { signWebhook } from "messaging-gateway/webhooks";
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { toLambdaEvent } from "../support/lambda-event.ts";
import { type DynamodbServer, startDynamodb } from "../support/servers/dynamodb-server.ts";

const SECRET = "example-webhook-secret";
const TEXT = "Grüße aus Zürich 🎉";

const acknowledged = { statusCode: 200, headers: {}, body: "" };

let dynamodb: DynamodbServer;

beforeAll(async () => {
	dynamodb = await startDynamodb();
	for (const [name, value] of Object.entries(dynamodb.environment)) vi.stubEnv(name, value);
	vi.stubEnv("MESSAGING_GATEWAY_WEBHOOK_SECRET", SECRET);
});

afterAll(async () => {
	vi.unstubAllEnvs();
	await dynamodb?.[Symbol.asyncDispose]();
});

beforeEach(async () => {
	vi.stubEnv("TABLE_NAME", await dynamodb.createTable());
});

/** Another instance of the function. */
async function startInstance() {
	vi.resetModules();
	return (await import("../../examples/webhooks-lambda/handler.ts")).handler;
}

function createEvent(
	options: WebhookRequestOptions & { isBase64Encoded?: boolean } = {},
): Promise<APIGatewayProxyEventV2> {
	const { isBase64Encoded = true, ...rest } = options;
	const request = createWebhookRequest("inbound_message", { text: TEXT }, { secret: SECRET, ...rest });
	return toLambdaEvent(request, { isBase64Encoded });
}

test.each([true, false])("an event is processed once if isBase64Encoded is %s", async (isBase64Encoded) => {
	using log = vi.spyOn(console, "log").mockImplementation(() => undefined);
	const event = await createEvent({ isBase64Encoded });
	const [first, second] = [await startInstance(), await startInstance()];
	expect(await first(event)).toEqual(acknowledged);
	expect(await first(event)).toEqual(acknowledged);
	expect(await second(event)).toEqual(acknowledged);
	expect(log.mock.calls).toEqual([[`a text of ${TEXT.length} characters`]]);
});

test("of two instances that get an event at once, one processes it, and the other does not acknowledge it", async () => {
	using log = vi.spyOn(console, "log").mockImplementation(() => undefined);
	const event = await createEvent();
	const instances = [await startInstance(), await startInstance()];
	const results = await Promise.all(instances.map((handler) => handler(event)));
	for (const { statusCode } of results) expect([200, 503]).toContain(statusCode);
	expect(results).toContainEqual(acknowledged);
	expect(log).toHaveBeenCalledOnce();
});

test("an event of a new type is acknowledged and kept, and no record of the store", async () => {
	const body = JSON.stringify({ type: "contact_typing" });
	const headers = signWebhook({ body, secret: SECRET, eventId: "evt_new" });
	const request = new Request("https://lambda.example/", { method: "POST", headers, body });
	const event = await toLambdaEvent(request, { isBase64Encoded: true });
	expect(await (await startInstance())(event)).toEqual(acknowledged);
	expect(await (await startInstance())(event)).toEqual(acknowledged);
	const client = new DynamoDB();
	const Key = { key: { S: "unknown:evt_new" } };
	const { Item } = await client.getItem({ TableName: process.env["TABLE_NAME"], Key });
	client.destroy();
	expect(Item).toEqual({ ...Key, raw_body: { S: body } });
});

test("a wrong signature, and a body that is not what isBase64Encoded says, are rejected", async () => {
	using log = vi.spyOn(console, "log").mockImplementation(() => undefined);
	using errors = vi.spyOn(console, "error").mockImplementation(() => undefined);
	const handler = await startInstance();
	const rejected = expect.objectContaining({ statusCode: 401, body: "signature_mismatch" });
	expect(await handler(await createEvent({ secret: "another-secret" }))).toEqual(rejected);
	expect(await handler({ ...(await createEvent()), isBase64Encoded: false })).toEqual(rejected);
	expect([log.mock.calls.length, errors.mock.calls.length]).toEqual([0, 2]);
});

test("without its table nothing is acknowledged, and the error names the fix", async () => {
	using errors = vi.spyOn(console, "error").mockImplementation(() => undefined);
	vi.stubEnv("TABLE_NAME", "missing");
	const handler = await startInstance();
	expect(await handler(await createEvent())).toMatchObject({ statusCode: 503, body: "store_unavailable" });
	expect(errors.mock.calls[0]?.[0]).toContain(
		"the table missing is missing in the client's region: create it",
	);
});
