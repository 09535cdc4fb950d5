import { DuplicateMessageError, MessagingGateway } from "messaging-gateway";
import { createLocalGateway } from "messaging-gateway/testing";
import { describe, expect, test } from "vitest";
import { catchRejection } from "../../../support/catch-error.ts";
import { ALICE, call, sendText } from "./signed-client.ts";

const HELLO = { to: ALICE, text: "Hello" };

describe("how a duplicate is reported", () => {
	test.each([
		[{ status: 429 }, 429, "DUPLICATE_MESSAGE", ["error", "details"]],
		[{ code: "DUP", infoPath: "error.details.duplicate" }, 409, "DUP", ["error", "details", "duplicate"]],
		[{ status: 422, infoPath: "duplicate" }, 422, "DUPLICATE_MESSAGE", ["duplicate"]],
	] as const)("%j", async (duplicates, status, code, path) => {
		await using local = createLocalGateway({ profile: { duplicates } });
		await sendText(local, ALICE, "Hello");
		const response = await sendText(local, ALICE, "Hello");
		expect(response).toMatchObject({ status, body: { ok: false, error: { code } } });
		expect(path.reduce((parent, name) => parent[name], response.body)).toMatchObject({ isDuplicate: true });
		const gateway = new MessagingGateway({ ...local.clientOptions, profile: { duplicates } });
		const before = local.requests.length;
		const error = await catchRejection(gateway.messages.sendText(HELLO));
		expect(error).toBeInstanceOf(DuplicateMessageError);
		expect(error).toMatchObject({ duplicate: { isDuplicate: true } });
		expect(local.requests.length - before).toBe(1);
	});

	test("by its code alone", async () => {
		const profile = { duplicates: { code: "DUP", infoPath: null } };
		await using local = createLocalGateway({ profile });
		await sendText(local, ALICE, "Hello");
		const { body } = await sendText(local, ALICE, "Hello");
		expect(body).toEqual({
			ok: false,
			error: { code: "DUP", message: expect.any(String), requestId: expect.any(String) },
		});
		const gateway = new MessagingGateway({ ...local.clientOptions, profile });
		expect(await catchRejection(gateway.messages.sendText(HELLO))).toBeInstanceOf(DuplicateMessageError);
	});
});

describe("with empty responses", () => {
	const profile = { emptyResponses: true };

	test("a change of an assumed operation is a 204, a read and a documented operation are not", async () => {
		await using local = createLocalGateway({ profile });
		expect(await sendText(local, ALICE, "Hello")).toMatchObject({ status: 204, body: "" });
		expect((await call(local, "GET", "/queue/status")).status).toBe(200);
		expect((await call(local, "POST", "/settings/webhooks", { inboundWebhookUrl: "" })).status).toBe(200);
		expect((await sendText(local, ALICE, "Hello")).status).toBe(409);
	});

	test.each(["warn", "throw"] as const)(
		"the client's call succeeds, also if shapes %s",
		async (provisional) => {
			await using local = createLocalGateway({ profile });
			const responseValidation = { provisional };
			const gateway = new MessagingGateway({ ...local.clientOptions, profile, responseValidation });
			expect(await gateway.messages.sendText(HELLO)).toEqual({});
			expect(await gateway.mappings.delete(ALICE)).toEqual({ deleted: true });
		},
	);

	test("without the profile the client reports that it does not know whether it was sent", async () => {
		await using local = createLocalGateway({ profile });
		const gateway = new MessagingGateway({ ...local.clientOptions, profile: {} });
		const error = await catchRejection(gateway.messages.sendText(HELLO));
		expect(error).toMatchObject({ code: "unexpected_response", outcome: "unknown" });
	});
});
