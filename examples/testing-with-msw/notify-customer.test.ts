/**
 * Tests an app whose client cannot be changed: MSW puts the local gateway where its requests go. The other way is in
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

test("the customer is told", async () => {
	expect(await notifyCustomer(CUSTOMER, "4711")).toBe("sent");
	expect(local.sent).toMatchObject([{ to: CUSTOMER, text: "Parcel 4711 is ready for you." }]);
});

test("a text that is blocked as a duplicate leaves it open whether this customer was told", async () => {
	await notifyCustomer(NEIGHBOUR, "4711");
	expect(await notifyCustomer(CUSTOMER, "4711")).toBe("unclear");
	expect(local.sent).toMatchObject([{ to: NEIGHBOUR }]);
});

test("a gateway that refuses has sent nothing", async () => {
	local.faults.respond({ status: 403 });
	expect(await notifyCustomer(CUSTOMER, "4711")).toBe("not sent");
	expect(local.sent).toEqual([]);
});

test("a connection that breaks leaves it open whether the customer was told", async () => {
	local.faults.dropConnection({ when: "after" });
	expect(await notifyCustomer(CUSTOMER, "4711")).toBe("unclear");
	expect(local.sent).toHaveLength(1);
});
