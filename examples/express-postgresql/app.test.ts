import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { MessagingGateway } from "messaging-gateway";
import { createLocalGateway } from "messaging-gateway/testing";
import pg from "pg";
import { afterAll, beforeEach, expect, onTestFinished, test } from "vitest";
import { createApp, createTables } from "./app.ts";

const CONTACT = "+15551234567";
const pool = new pg.Pool({ connectionString: process.env["DATABASE_URL"] });

let local: ReturnType<typeof createLocalGateway>;
let url: string;

beforeEach(async () => {
	await createTables(pool);
	await pool.query("TRUNCATE replies, unknown_events");
	local = createLocalGateway();
	const gateway = new MessagingGateway(local.clientOptions);
	const app = createApp({ gateway, pool, secret: local.webhookSecret, clock: local.clock });
	const server = app.listen(0, "127.0.0.1");
	await once(server, "listening");
	url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
	await gateway.settings.setWebhooks({ inboundWebhookUrl: `${url}/webhooks` });
	onTestFinished(async () => {
		// The next test's tables get nothing of this one.
		await local.settled();
		local.close();
		await new Promise((resolve) => server.close(resolve));
	});
});

afterAll(() => pool.end());

const post = (body: object): Promise<Response> =>
	fetch(`${url}/texts`, {
		method: "POST",
		headers: { "Content-Type": "application/json" },
		body: JSON.stringify(body),
	});

test("a text is sent", async () => {
	expect((await post({ to: CONTACT, text: "Is six o'clock fine?" })).status).toBe(202);
	expect(local.sent).toMatchObject([{ to: CONTACT, text: "Is six o'clock fine?" }]);
});

test("a number that is none is the caller's mistake", async () => {
	expect((await post({ to: "Ada", text: "Hello" })).status).toBe(400);
	expect(local.sent).toEqual([]);
});

test("a reply that is delivered twice is stored once", async () => {
	local.faults.webhooks.repeat();
	await local.contact(CONTACT).reply("Yes!");
	await local.settled();
	expect(local.deliveries.flatMap(({ attempts }) => attempts)).toMatchObject([
		{ status: 200 },
		{ status: 200 },
	]);
	expect((await pool.query("SELECT * FROM replies")).rows).toEqual([{ contact: CONTACT, text: "Yes!" }]);
});

test("a delivery with a wrong signature is rejected", async () => {
	local.faults.webhooks.wrongSignature();
	await local.contact(CONTACT).reply("Yes!");
	await local.settled();
	expect(local.deliveries[0]?.attempts).toMatchObject([{ status: 401 }, { status: 200 }]);
	expect((await pool.query("SELECT * FROM replies")).rows).toHaveLength(1);
});

test("a text whose fate is unknown says so", async () => {
	local.faults.respond({ status: 503 });
	const response = await post({ to: CONTACT, text: "Hello" });
	expect(await response.json()).toMatchObject({ outcome: "unknown" });
});
