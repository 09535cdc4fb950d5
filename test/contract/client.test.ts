import { MessagingGateway } from "messaging-gateway";
import { gatewayHandlers } from "messaging-gateway/testing/msw";
import { setupServer } from "msw/node";
import { afterAll, beforeAll, expect, test } from "vitest";
import { OPERATIONS } from "../../src/library/catalogue/index.ts";
import { areaOf, createCalledGateway, METHODS } from "../support/operation-calls.ts";

/** What each method sends for its arguments in test/support/operation-calls.ts; `~` is the id of a message. */
const SENT: Readonly<Record<string, string>> = {
	"messages.sendText": 'POST /message/text {"text":"contract","to":"+15551234567"}',
	"messages.sendAttachments":
		'POST /message/attachment {"attachments":[{"url":"https://files.example/picture.png"}],"participants":["+15551234567","+15557654321"]}',
	"messages.sendVoiceNote":
		'POST /message/voice {"attachment":{"data":"AQ==","mimeType":"audio/mpeg","name":"note.mp3"},"to":"+15551234567"}',
	"messages.addTapback":
		'POST /message/tapback {"action":"add","messageGuid":"~","partIndex":0,"reaction":"love"}',
	"messages.removeTapback": 'POST /message/tapback {"action":"remove","messageGuid":"~","reaction":"love"}',
	"messages.startTyping": 'POST /message/typing {"durationMs":5000,"state":"start","to":"+15551234567"}',
	"messages.stopTyping": 'POST /message/typing {"state":"stop","to":"+15551234567"}',
	"messages.markRead": 'POST /message/read {"to":"+15551234567"}',
	"messages.checkCapability": "GET /capability/%2B15551234567",
	"messages.get": "GET /message/~",
	"agents.register": 'POST /agent {"agentNumber":"+15550000009","name":"Desk 9"}',
	"agents.list": "GET /agent?status=online&limit=10",
	"agents.get": "GET /agent/%2B15550000001",
	"agents.assign": 'POST /agent/assign {"agentNumber":"+15550000001","userNumber":"+15551110000"}',
	"agents.reassign":
		'POST /agent/reassign {"fromAgentNumber":"+15550000001","toAgentNumber":"+15550000002","userNumber":"+15551234567"}',
	"agents.block": 'POST /agent/%2B15550000002/block {"reason":"maintenance"}',
	"agents.unblock": "POST /agent/%2B15550000002/unblock",
	"mappings.get": "GET /mapping/%2B15551234567",
	"mappings.list": "GET /mapping?agentNumber=%2B15550000001&limit=10",
	"mappings.create": 'POST /mapping {"userNumber":"+15551110001"}',
	"mappings.update": 'PATCH /mapping/%2B15551234567 {"maxConsecutiveMessages":9}',
	"mappings.reset": "POST /mapping/%2B15551234567/reset",
	"mappings.delete": "DELETE /mapping/%2B15551234567",
	"settings.setWebhooks":
		'POST /settings/webhooks {"inboundWebhookUrl":"https://app.example/hooks","statusWebhookUrl":""}',
	"settings.getWebhooks": "GET /settings/webhooks",
	"analytics.listMessages": "GET /analytics/conversation/%2B15551234567?limit=10",
	"analytics.listContacts": "GET /analytics/contacts?agentNumber=%2B15550000001",
	"analytics.getNumberStats": "GET /analytics/number/%2B15550000001?after=1",
	"queue.getStatus": "GET /queue/status?agentNumber=%2B15550000001",
	"health.check": "GET /health",
};

/** Mock Service Worker stands in for the network. */
const server = setupServer();
beforeAll(() => server.listen({ onUnhandledFrame: "error" }));
afterAll(() => server.close());

test.each(METHODS)(
	"$name: what it sends, and its data has the declared shape",
	async ({ operation, method }) => {
		const { local, warnings, callMethod } = await createCalledGateway({}, {}, (gateway) => {
			server.resetHandlers(...gatewayHandlers(gateway));
			return fetch;
		});
		await using _ = local;
		const before = local.requests.length;

		const data = await callMethod(operation.id, method);

		const [request, ...others] = local.requests.slice(before);
		const line = `${request?.method} ${request?.path}${request?.query} ${request?.body}`.trim();
		expect(line.replace(/[0-9a-f-]{36}/gi, "~")).toBe(SENT[`${areaOf(operation.id)}.${method}`]);
		expect(others).toEqual([]);
		expect(request).toMatchObject({ operationId: operation.id, status: operation.successStatus });
		expect(request?.headers["authorization"] !== undefined).toBe(operation.isSigned);
		expect((await operation.data["~standard"].validate(data)).issues).toBeUndefined();
		expect(warnings).toEqual([]);
	},
);

/** It stands for the method of one of several operations. */
const CHOOSES = "messages.send";

test("every other method of the client belongs to an operation, and has arguments there", () => {
	const gateway = new MessagingGateway();
	const declared = METHODS.map(({ operation, method }) => `${areaOf(operation.id)}.${method}`).sort();
	const existing = [...new Set(OPERATIONS.map(({ id }) => areaOf(id)))]
		.flatMap((area) => {
			const resource: object = gateway[area as keyof MessagingGateway] as object;
			const names = Object.getOwnPropertyNames(Object.getPrototypeOf(resource));
			return names.filter((name) => name !== "constructor").map((name) => `${area}.${name}`);
		})
		.filter((name) => name !== CHOOSES)
		.sort();
	expect(existing).toEqual(declared);
});
