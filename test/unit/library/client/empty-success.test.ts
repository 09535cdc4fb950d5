import { defineOperation } from "messaging-gateway";
import { describe, expect, test, vi } from "vitest";
import * as z from "zod/mini";
import { catchRejection } from "../../../support/catch-error.ts";
import { scriptGateway } from "../../../support/scripted-gateway.ts";
import { html, ok, text, USER } from "../../../support/wire.ts";

const empties: [title: string, createResponse: () => Response][] = [
	["a 204", () => new Response(null, { status: 204 })],
	["an empty 200", () => text(200, "")],
	["a 200 of whitespace", () => text(200, "\n")],
];
const input = { statusWebhookUrl: "https://app.example/hooks" };
const SETTINGS = { inboundWebhookUrl: null, statusWebhookUrl: "https://app.example/hooks" };

describe("settings.setWebhooks, whose response is not shown", () => {
	test.each(empties)("succeeds with %s, without a warning", async (_title, createResponse) => {
		const warn = vi.fn();
		const logger = { debug: vi.fn(), info: vi.fn(), warn, error: vi.fn() };
		const { gateway } = scriptGateway([createResponse()], { logger, logLevel: "warn" });
		const { data, response, meta } = await gateway.settings.setWebhooks(input).withResponse();
		expect([data, meta]).toEqual([undefined, undefined]);
		expect(response.status).toBe(createResponse().status);
		expect(warn).not.toHaveBeenCalled();
	});

	test.each(empties)("passes %s to the profile's decoder", async (_title, createResponse) => {
		const decode = vi.fn(() => SETTINGS);
		const operations = { "settings.setWebhooks": { response: { decode } } };
		const { gateway } = scriptGateway([createResponse()], { profile: { operations } });
		expect(await gateway.settings.setWebhooks(input)).toEqual(SETTINGS);
		expect(decode).toHaveBeenCalledExactlyOnceWith(undefined, expect.objectContaining({ meta: undefined }));
	});

	test("still fails with a web page", async () => {
		const { gateway } = scriptGateway([html(200)]);
		expect(await catchRejection(gateway.settings.setWebhooks(input))).toMatchObject({
			code: "unexpected_response",
			outcome: "unknown",
		});
	});
});

describe("another operation whose data is not shown", () => {
	test("is of unknown outcome with an empty success", async () => {
		const { gateway } = scriptGateway([text(200, "")]);
		const error = await catchRejection(gateway.messages.sendText({ to: USER, text: "Hello" }));
		expect(error).toMatchObject({ code: "unexpected_response", outcome: "unknown", attempts: 1 });
	});

	test("passes an empty success to the profile's decoder, which provides the data", async () => {
		const decode = vi.fn((data: unknown) => data ?? { pending: 0 });
		const operations = { "queue.getStatus": { response: { decode } } };
		const responseValidation = { provisional: "off" } as const;
		const { gateway } = scriptGateway([text(200, "")], { profile: { operations }, responseValidation });
		expect(await gateway.queue.getStatus()).toEqual({ pending: 0 });
		expect(decode).toHaveBeenCalledExactlyOnceWith(undefined, expect.objectContaining({ meta: undefined }));
	});
});

test("an operation whose data is documented must not be empty, decoder or not", async () => {
	const decode = vi.fn(() => ({}));
	const operations = { "mappings.get": { response: { decode } } };
	const { gateway } = scriptGateway([text(200, "")], { profile: { operations } });
	expect(await catchRejection(gateway.mappings.get(USER))).toMatchObject({ code: "unexpected_response" });
	expect(decode).not.toHaveBeenCalled();
});

test("a custom operation without an envelope may return a page", async () => {
	const getDocs = defineOperation({
		id: "docs.get",
		method: "GET",
		path: "/docs",
		hasEnvelope: false,
		input: z.object({}),
		data: z.string(),
	});
	const { gateway } = scriptGateway([html(200), ok({})]);
	expect(await gateway.call(getDocs, {})).toContain("<html>");
	expect(await catchRejection(gateway.call(getDocs, {}))).toMatchObject({ outcome: "accepted" });
});
