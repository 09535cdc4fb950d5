/**
 * Tests an app whose client cannot be changed: MSW routes its requests to the local gateway. The other way is in
 * testing-with-local-gateway.
 */
import { createLocalGateway } from "messaging-gateway/testing";
import { gatewayHandlers } from "messaging-gateway/testing/msw";
import { setupServer } from "msw/node";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { notifyCustomer } from "./notify-customer.ts";

const CUSTOMER = "+15551234567";
const NEIGHBOUR = "+15557654321";

const local = createLocalGateway({ baseUrl: "https://gateway.example" });
const server = setupServer(...gatewayHandlers(local));

beforeAll(() => {
	// The client reads them at its first call.
	vi.stubEnv("MESSAGING_GATEWAY_BASE_URL", local.baseUrl);
	vi.stubEnv("MESSAGING_GATEWAY_APP_ID", local.appId);
	vi.stubEnv("MESSAGING_GATEWAY_APP_SECRET", local.appSecret);
	server.listen({ onUnhandledFrame: "error" });
});

afterEach(() => local.reset());

afterAll(async () => {
	server.close();
	await local.close();
});

test("the customer is notified", async () => {
	expect(await notifyCustomer(CUSTOMER, "4711")).toBe("sent");
	expect(local.sent).toMatchObject([{ to: CUSTOMER, text: "Parcel 4711 is ready for you." }]);
});

test("after a duplicate it is unclear whether this customer was notified", async () => {
	await notifyCustomer(NEIGHBOUR, "4711");
	expect(await notifyCustomer(CUSTOMER, "4711")).toBe("unclear");
	expect(local.sent).toMatchObject([{ to: NEIGHBOUR }]);
});

test("nothing is sent if the gateway rejects the message", async () => {
	local.faults.respond({ status: 403 });
	expect(await notifyCustomer(CUSTOMER, "4711")).toBe("not sent");
	expect(local.sent).toEqual([]);
});

test("after a broken connection it is unclear whether the customer was notified", async () => {
	local.faults.dropConnection({ when: "after" });
	expect(await notifyCustomer(CUSTOMER, "4711")).toBe("unclear");
	expect(local.sent).toHaveLength(1);
});
