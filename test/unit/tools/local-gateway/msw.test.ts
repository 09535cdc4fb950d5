import { createLocalGateway } from "messaging-gateway/testing";
import { gatewayHandlers } from "messaging-gateway/testing/msw";
import { setupServer } from "msw/node";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { ALICE, signedRequest } from "../../../support/signed-client.ts";

const local = createLocalGateway({ baseUrl: "https://gateway.example/api" });
const server = setupServer(...gatewayHandlers(local));

beforeAll(() => server.listen());
afterEach(() => local.reset());
afterAll(() => server.close());

test("the platform's fetch reaches the gateway under its base URL", async () => {
	const response = await fetch(signedRequest(local, "POST", "/message/text", { to: ALICE, text: "Hello" }));
	expect(response.status).toBe(202);
	expect(local.sent).toHaveLength(1);
});

test("the base URL itself is handled, too", async () => {
	expect((await fetch(local.baseUrl)).status).toBe(404);
	expect(local.requests).toHaveLength(1);
});

test("a dropped connection is a network error", async () => {
	local.faults.dropConnection({ when: "after" });
	const request = signedRequest(local, "POST", "/message/text", { to: ALICE, text: "Hello" });
	await expect(fetch(request)).rejects.toThrow(TypeError);
	expect(local.sent).toHaveLength(1);
});
