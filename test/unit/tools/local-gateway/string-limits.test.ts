import { MessagingGateway } from "messaging-gateway";
import { createLocalGateway } from "messaging-gateway/testing";
import { expect, test } from "vitest";
import { createOpenApiDocument } from "../../../../src/tools/openapi/create-openapi-document.ts";
import { ALICE, call } from "./signed-client.ts";

const LONG = "x".repeat(5_000);
const LONG_URL = `https://receiver.example/${LONG}`;

test("URLs and cursors have no limit of length, which the specification does not show", async () => {
	const local = createLocalGateway();
	const { messages, settings } = new MessagingGateway(local.clientOptions);
	await settings.setWebhooks({ inboundWebhookUrl: LONG_URL, statusWebhookUrl: LONG_URL });
	expect(await settings.getWebhooks()).toEqual({ inboundWebhookUrl: LONG_URL, statusWebhookUrl: LONG_URL });
	const { message } = await messages.sendText({ to: ALICE, text: "Hello", statusCallback: LONG_URL });
	expect(message.status_callback).toBe(LONG_URL);
	// No page starts there, but the length is not the reason.
	const { body } = await call(local, "GET", `/analytics/contacts?cursor=${LONG}`);
	expect(JSON.stringify(body)).not.toContain("must be at most");
});

test("ids and names keep theirs", async () => {
	const local = createLocalGateway();
	const { messages } = new MessagingGateway(local.clientOptions);
	await expect(messages.sendText({ groupId: LONG, text: "Hello" })).rejects.toMatchObject({ status: 400 });
});

test("the OpenAPI document states the same", () => {
	const { post } = JSON.parse(JSON.stringify(createOpenApiDocument().paths["/message/text"]));
	const { status_callback, groupId } = post.requestBody.content["application/json"].schema.properties;
	expect(status_callback).toMatchObject({ type: "string" });
	expect(status_callback).not.toHaveProperty("maxLength");
	expect(groupId).toMatchObject({ maxLength: 1_024 });
});
