import { DuplicateMessageError, MessagingGateway } from "messaging-gateway";
import { createLocalGateway, createWebhookRequest } from "messaging-gateway/testing";
import { createWebhookHandler, memoryStore, verifyWebhookRequest } from "messaging-gateway/webhooks";
import { describe, expect, test } from "vitest";
import { BODY_FORMS, writeInBodyForm } from "../../../../src/library/signing/body-forms.ts";
import { utf8 } from "../../../../src/library/signing/bytes.ts";
import { BODY_FORM_WORDS } from "../../../../src/tools/body-form-words.ts";
import { catchRejection } from "../../../support/catch-error.ts";
import { ALICE, call, sendText } from "../../../support/signed-client.ts";

const HELLO = { to: ALICE, text: "Hello" };

describe("how a duplicate is reported", () => {
	const error = { message: expect.any(String), requestId: expect.any(String) };
	const info = expect.objectContaining({ isDuplicate: true });
	const details = expect.objectContaining({ duplicate: info });

	test.each([
		[{ status: 429 }, 429, { error: { ...error, code: "DUPLICATE_MESSAGE", details: info } }],
		[
			{ code: "DUP", infoPath: "error.details.duplicate" },
			409,
			{ error: { ...error, code: "DUP", details } },
		],
		[
			{ status: 422, infoPath: "duplicate" },
			422,
			{ error: { ...error, code: "DUPLICATE_MESSAGE" }, duplicate: info },
		],
		[{ code: "DUP", infoPath: null }, 409, { error: { ...error, code: "DUP" } }],
	] as const)("%j", async (duplicates, status, body) => {
		await using local = createLocalGateway({ profile: { duplicates } });
		await sendText(local, ALICE);
		const response = await sendText(local, ALICE);
		expect([response.status, response.body]).toEqual([status, { ok: false, ...body }]);
		const gateway = new MessagingGateway({ ...local.clientOptions, profile: { duplicates } });
		const before = local.requests.length;
		const rejection = await catchRejection(gateway.messages.sendText(HELLO));
		expect(rejection).toBeInstanceOf(DuplicateMessageError);
		const hasInfo = !("infoPath" in duplicates) || duplicates.infoPath !== null;
		expect(rejection).toMatchObject({ duplicate: hasInfo ? { isDuplicate: true } : undefined });
		expect(local.requests.length - before).toBe(1);
	});
});

describe("with empty responses", () => {
	const profile = { emptyResponses: true };

	test("a change of an assumed operation is a 204, a read and a documented operation aren't", async () => {
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

	test("without the profile the client reports that it doesn't know whether it was sent", async () => {
		await using local = createLocalGateway({ profile });
		const gateway = new MessagingGateway({ ...local.clientOptions, profile: {} });
		const error = await catchRejection(gateway.messages.sendText(HELLO));
		expect(error).toMatchObject({ code: "unexpected_response", outcome: "unknown" });
	});
});

describe.each(BODY_FORMS)("a gateway that writes bodies as %s", (canonicalBody) => {
	const text = "é / <3 & 1";
	const profile = { signing: { canonicalBody } };

	test("accepts the client with the same profile, which sends the string that it hashes", async () => {
		await using local = createLocalGateway({ profile });
		await new MessagingGateway(local.clientOptions).messages.sendText({ text, to: ALICE });
		expect(local.requests[0]?.body).toBe(writeInBodyForm({ text, to: ALICE }, canonicalBody));
	});

	test("names the form of a client that signs another one", async () => {
		await using local = createLocalGateway({ profile });
		const other = canonicalBody === "slashes" ? "ascii" : "slashes";
		const options = { ...local.clientOptions, profile: { signing: { canonicalBody: other } } } as const;
		const error = await catchRejection(new MessagingGateway(options).messages.sendText({ text, to: ALICE }));
		expect(error).toMatchObject({
			status: 401,
			gatewayMessage: expect.stringContaining(`it signs the body ${BODY_FORM_WORDS[other].signed}`),
		});
	});
});

describe.each(["text", "hex", "base64", "prefixed_base64"] as const)("secrets in %s", (secret) => {
	const profile = { signing: { secret }, events: { secret } } as const;

	test("have defaults that a client and a handler with the same profile accept", async () => {
		const results: (readonly [kind: string, status: number])[] = [];
		const { fetch } = createWebhookHandler({
			store: memoryStore(),
			profile,
			secret: createLocalGateway({ profile }).webhookSecret,
			onError: () => undefined,
			on: { inbound_message: () => undefined, unknown: () => undefined },
			hooks: { onResponse: ({ kind = "none", status }) => void results.push([kind, status]) },
		});
		await using local = createLocalGateway({ profile, deliverTo: (request) => fetch(request) });
		await new MessagingGateway(local.clientOptions).messages.sendText(HELLO);
		await local.contact(ALICE).reply("Hello");
		await local.settled();
		expect(results).toContainEqual(["inbound_message", 200]);
		expect(results.every(([, status]) => status === 200)).toBe(true);
		expect((await fetch(createWebhookRequest("inbound_message", {}, { profile }))).status).toBe(200);
	});

	test("are tried by the gateway to say which one signed", async () => {
		// The webhook secret has an encoding of its own.
		await using local = createLocalGateway({ profile: { ...profile, signing: { secret: "hex" } } });
		const appSecret = utf8("local-webhook-secret");
		const gateway = new MessagingGateway({ ...local.clientOptions, appSecret });
		expect(await catchRejection(gateway.messages.sendText(HELLO))).toMatchObject({
			status: 401,
			gatewayMessage: expect.stringContaining("it is signed with the webhook secret"),
		});
	});

	test("are rejected if they don't decode, and a fault signs with another key", async () => {
		const given = { profile, apps: { other: "\u00e9" } };
		if (secret !== "text") expect(() => createLocalGateway(given)).toThrow(/^a secret of apps isn't/);
		const statuses: number[] = [];
		const verify = (request: Request) =>
			verifyWebhookRequest(request, { secret: local.webhookSecret, profile });
		await using local = createLocalGateway({
			profile,
			deliverTo: async (request) => {
				const status = await verify(request).then(
					() => 200,
					() => 401,
				);
				statuses.push(status);
				return new Response(null, { status });
			},
		});
		local.faults.webhooks.wrongSignature();
		await local.contact(ALICE).reply("Hello");
		await local.settled();
		expect(statuses).toEqual([401, 200]);
	});
});
