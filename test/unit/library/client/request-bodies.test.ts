import type { MessagingGateway } from "messaging-gateway";
import { describe, expect, test } from "vitest";
import { catchRejection } from "../../../support/catch-error.ts";
import { scriptGateway } from "../../../support/scripted-gateway.ts";
import { sentBy } from "../../../support/sent-requests.ts";
import { throwing } from "../../../support/throwing.ts";
import { AGENT, MAPPING, ok, USER } from "../../../support/wire.ts";

describe("a body", () => {
	test("is sent in its canonical form, under the catalogue's wire names", async () => {
		const input = { to: USER, text: "Hello", statusCallback: "https://hooks.example/status", from: AGENT };
		const { body, headers } = await sentBy((gateway) => gateway.messages.sendText(input));
		expect(body).toBe(
			`{"from":"${AGENT}","status_callback":"https://hooks.example/status","text":"Hello","to":"${USER}"}`,
		);
		expect(headers.get("Content-Type")).toBe("application/json");
	});

	test("is left out where nothing is left for it", async () => {
		for (const call of [
			(gateway: MessagingGateway) => gateway.mappings.reset(USER),
			(gateway: MessagingGateway) => gateway.mappings.delete(USER),
			(gateway: MessagingGateway) => gateway.mappings.get(USER),
			(gateway: MessagingGateway) => gateway.request("POST", "/x"),
		]) {
			const { gateway, requests } = scriptGateway([ok({ mapping: MAPPING, deleted: true })]);
			await call(gateway);
			expect(requests[0]?.init).not.toHaveProperty("body");
			expect(requests[0]?.headers.has("Content-Type")).toBe(false);
		}
	});

	test("without undefined members", async () => {
		const { body } = await sentBy((gateway) =>
			gateway.messages.sendText({ to: USER, text: "Hello", from: undefined, effect: undefined } as never),
		);
		expect(body).toBe(`{"text":"Hello","to":"${USER}"}`);
	});

	test("unsets a webhook with an empty text", async () => {
		const { gateway, requests } = scriptGateway([ok({ inboundWebhookUrl: null, statusWebhookUrl: null })]);
		await gateway.settings.setWebhooks({ inboundWebhookUrl: null });
		await gateway.settings.setWebhooks({ statusWebhookUrl: "" });
		await gateway.settings.setWebhooks({});
		expect(requests.map(({ body }) => body)).toEqual([
			'{"inboundWebhookUrl":""}',
			'{"statusWebhookUrl":""}',
			undefined,
		]);
	});

	test.each<[title: string, body: unknown]>([
		["a BigInt", { n: 1n }],
		["NaN", { n: Number.NaN }],
		["half a character", { text: "\ud800" }],
		["nothing to write", () => undefined],
		[
			"a getter that throws",
			{
				get text() {
					throw new Error("private");
				},
			},
		],
		[
			"a toJSON that throws",
			{
				toJSON: throwing(new Error("private")),
			},
		],
	])("with %s is rejected, with nothing sent", async (_title, body) => {
		const { gateway, requests } = scriptGateway([ok({})]);
		const error = (await catchRejection(gateway.request("POST", "/x", { body }))) as Error;
		expect(error).toMatchObject({ code: "invalid_input", outcome: "not_sent" });
		expect(error.message).not.toContain("private");
		expect(requests).toHaveLength(0);
	});

	test("that contains itself is rejected", async () => {
		const body: Record<string, unknown> = {};
		body["self"] = body;
		const { gateway } = scriptGateway([ok({})]);
		expect(await catchRejection(gateway.request("POST", "/x", { body }))).toMatchObject({
			code: "invalid_input",
		});
		expect(await catchRejection(gateway.messages.sendText(body as never))).toMatchObject({
			code: "invalid_input",
		});
	});

	test("is rejected with GET before anything is sent", async () => {
		const { gateway, requests } = scriptGateway([ok({})]);
		const error = await catchRejection(gateway.request("GET", "/x", { body: { a: 1 } }));
		expect(error).toMatchObject({ code: "invalid_input", outcome: "not_sent" });
		expect(requests).toHaveLength(0);
	});
});
