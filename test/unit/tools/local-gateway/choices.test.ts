import type { LocalGateway, LocalGatewayOptions, ReadingName } from "messaging-gateway/testing";
import { verifyWebhook } from "messaging-gateway/webhooks";
import { describe, expect, test } from "vitest";
import { createReceivingGateway, statusIn } from "../../../support/receiving-gateway.ts";
import {
	ALICE,
	BOB,
	call,
	createFrozenGateway,
	getMapping,
	START_MS,
	sendText,
} from "../../../support/signed-client.ts";

/** Lets a contact write, and does everything that follows. */
async function receive(local: LocalGateway): Promise<void> {
	await local.contact(ALICE).reply("Hi");
	await local.settled();
}

/** Whether a text is accepted, or the scope of the window that blocks it. */
async function scopeOf(response: ReturnType<typeof sendText>): Promise<unknown> {
	const { status, body } = await response;
	return status === 202 ? "accepted" : body.error.details.scope;
}

const HONOURED = "a retry waits for Retry-After";

describe("webhooks", () => {
	test("without retries, an event whose delivery fails is not delivered again", async () => {
		const { local, received } = createReceivingGateway({ webhooks: { retryDelaysMs: [] } }, 500);
		await receive(local);
		expect(received).toHaveLength(1);
		expect(local.deliveries[0]?.state).toBe("failed");
	});

	test.each<[LocalGatewayOptions, retryAfter: string, at: number[]]>([
		[{}, "5", [0, 1_000, 3_000]],
		[{ readings: [HONOURED] }, "5", [0, 5_000, 10_000]],
		[{ readings: [HONOURED] }, "1", [0, 1_000, 3_000]],
		[{ readings: [HONOURED] }, "86400", [0, 60_000, 120_000]],
		[{ readings: [HONOURED] }, "-5", [0, 1_000, 3_000]],
		[{ readings: [HONOURED] }, "soon", [0, 1_000, 3_000]],
		[{ readings: [HONOURED], webhooks: { copies: 2 } }, "5", [0, 0, 5_000, 5_000]],
	])("with %j and a Retry-After of %j attempts are made after %j ms", async (options, retryAfter, at) => {
		const times: number[] = [];
		const local = createFrozenGateway({
			...options,
			deliverTo() {
				times.push(local.clock.now() - START_MS);
				const isLast = times.length > at.length - (options.webhooks?.copies ?? 1);
				return new Response(null, { status: isLast ? 200 : 503, headers: { "Retry-After": retryAfter } });
			},
		});
		await receive(local);
		expect(times).toEqual(at);
		expect(local.deliveries[0]?.state).toBe("delivered");
	});

	test("a Retry-After delays retries, and adds none", async () => {
		const deliverTo = () => new Response(null, { status: 503, headers: { "Retry-After": "57" } });
		const local = createFrozenGateway({ readings: [HONOURED], deliverTo });
		await receive(local);
		expect(local.deliveries).toMatchObject([{ state: "failed", attempts: { length: 6 } }]);
	});

	test.each<[readings: ReadingName[], number, boolean]>([
		[[], 3, true],
		[["retries have the first timestamp"], 0, true],
		[["each retry has a new event id"], 3, false],
	])("with %j a retry is signed %d s later, and has the same id: %s", async (readings, laterS, hasSameId) => {
		const { local, received } = createReceivingGateway({ readings }, 500, 500);
		await receive(local);
		expect(received.map(({ at }) => at)).toEqual([0, 1_000, 3_000]);
		const valuesOf = (name: string) => received.map(({ headers }) => headers.get(name));
		const [ids, times] = [valuesOf("X-SVC-Event-Id"), valuesOf("X-SVC-Timestamp")];
		expect(Number(times[2]) - Number(times[0])).toBe(laterS);
		expect(new Set(valuesOf("X-SVC-Signature")).size).toBe(laterS === 0 ? 1 : 3);
		expect(new Set(ids).size).toBe(hasSameId ? 1 : 3);
		expect(local.deliveries).toMatchObject([{ eventId: ids[0] }]);
		const { headers = {}, body = "" } = local.deliveries[0] ?? {};
		const options = { secret: local.webhookSecret, clock: local.clock };
		expect(verifyWebhook({ headers, body }, options)).toMatchObject({ eventId: ids[2] });
	});

	test.each<[readings: ReadingName[], ids: number]>([
		[[], 3],
		[["events of a message share an id"], 1],
	])("with %j the statuses of a message have %d ids", async (readings, ids) => {
		const { local, received } = createReceivingGateway({ readings });
		await sendText(local, ALICE, "Hello");
		await local.settled();
		expect(received).toHaveLength(3);
		const given = received.map(({ headers }) => headers.get("x-svc-event-id"));
		expect(new Set(given).size).toBe(ids);
		for (const id of given) expect(id).toMatch(/^evt_[\w-]+$/);
	});

	test("without an order, every other delivery is a second late", async () => {
		const { local, received } = createReceivingGateway({ webhooks: { order: "none" } });
		await sendText(local, ALICE);
		await local.settled();
		expect(received.map((delivery) => [statusIn(delivery), delivery.at])).toEqual([
			["delivered", 40],
			["sent", 1_020],
			["read", 1_060],
		]);
	});

	test("without an order, a failing delivery does not hold up the next one of its message", async () => {
		const { local, received } = createReceivingGateway({ webhooks: { order: "none" } }, 500);
		await sendText(local, ALICE);
		await local.settled();
		expect(received.map(statusIn)).toEqual(["delivered", "sent", "delivered", "read"]);
	});

	test("copies are delivered at once, and again until all are acknowledged", async () => {
		const { local, received } = createReceivingGateway({ webhooks: { copies: 2 } }, 200, 503);
		await receive(local);
		expect(received.map(({ at }) => at)).toEqual([0, 0, 1_000, 1_000]);
		expect(new Set(received.map(({ headers }) => headers.get("X-SVC-Event-Id"))).size).toBe(1);
		expect(local.deliveries[0]?.attempts.map(({ status }) => status)).toEqual([200, 503, 200, 200]);
		expect(local.deliveries[0]?.state).toBe("delivered");
	});

	test("copies of a retry have one id, also if each retry has a new one", async () => {
		const readings = ["each retry has a new event id", "webhooks arrive twice at once"] as const;
		const { local, received } = createReceivingGateway({ readings }, 500);
		await receive(local);
		const ids = received.map(({ headers }) => headers.get("X-SVC-Event-Id"));
		expect(ids).toEqual([ids[0], ids[0], ids[2], ids[2]]);
		expect(ids[2]).not.toBe(ids[0]);
	});

	test("encode turns a payload into any number of events", async () => {
		const kinds: string[] = [];
		const { local, received } = createReceivingGateway({
			webhooks: {
				encode(payload, kind) {
					kinds.push(kind);
					if (payload["status"] === "sent") return [];
					return kind === "status" ? [payload] : [{ type: "contact_seen" }, { ...payload, accountId: 7 }];
				},
			},
		});
		await sendText(local, ALICE);
		await local.settled();
		await receive(local);
		expect(kinds).toEqual(["status", "status", "status", "inbound_message"]);
		expect(received.map(({ body }) => JSON.parse(body))).toMatchObject([
			{ status: "delivered" },
			{ status: "read" },
			{ type: "contact_seen" },
			{ type: "inbound_message", accountId: 7, text: "Hi" },
		]);
		expect(new Set(received.map(({ headers }) => headers.get("X-SVC-Event-Id"))).size).toBe(4);
	});

	test("encode is given the wire's names", async () => {
		const { local, received } = createReceivingGateway({
			profile: { vendor: { messageNumberField: "acmeNumber" } },
			webhooks: { encode: ({ acmeNumber }) => [{ acmeNumber }] },
		});
		await receive(local);
		expect(JSON.parse(received[0]?.body ?? "")).toEqual({ acmeNumber: "+15550000001" });
	});
});

describe("own tapbacks", () => {
	const tapback = async (local: LocalGateway, messageGuid: string | null | undefined, action: string) => {
		await call(local, "POST", "/message/tapback", { messageGuid, action, reaction: "love" });
		await local.settled();
	};
	const reactionsOf = (received: { body: string }[]) =>
		received.map(({ body }) => JSON.parse(body)).filter(({ type }) => type === "inbound_reaction");

	test("are not delivered", async () => {
		const { local, received } = createReceivingGateway();
		await sendText(local, ALICE);
		await local.settled();
		await tapback(local, local.sent[0]?.messageGuid, "add");
		expect(reactionsOf(received)).toEqual([]);
	});

	test("are delivered as reactions with outbound: true, from the agent to the contact", async () => {
		const { local, received } = createReceivingGateway({ readings: ["own tapbacks are delivered"] });
		await sendText(local, ALICE);
		await local.settled();
		await tapback(local, local.sent[0]?.messageGuid, "add");
		const { messageGuid } = await local.contact(ALICE).reply("Hi");
		await tapback(local, messageGuid, "add");
		await tapback(local, messageGuid, "remove");
		const ours = { from: "+15550000001", to: ALICE, outbound: true, reaction: "love" };
		expect(reactionsOf(received)).toMatchObject([
			{ ...ours, originalMessageGuid: local.sent[0]?.messageGuid },
			{ ...ours, originalMessageGuid: messageGuid, originalText: "Hi" },
		]);
	});
});

describe("a message's own status_callback", () => {
	const registered = { statusWebhookUrl: "https://app.example/statuses" };
	const own = "https://app.example/own";

	test.each([
		["instead", [own]],
		["additional", [own, registered.statusWebhookUrl]],
	] as const)("%s: its statuses go to %j", async (statusCallback, urls) => {
		const local = createFrozenGateway({ webhooks: { statusCallback }, deliverTo: () => new Response() });
		await call(local, "POST", "/settings/webhooks", registered);
		await sendText(local, ALICE, "Hello", { status_callback: own });
		await local.settled();
		const read = local.deliveries.filter(({ body }) => JSON.parse(body).status === "read");
		expect(read.map(({ url }) => url)).toEqual(urls);
		expect(new Set(read.map(({ eventId }) => eventId)).size).toBe(urls.length);
	});

	test("additional: without a registered URL they go to its own alone", async () => {
		const local = createFrozenGateway({ webhooks: { statusCallback: "additional" }, deliverTo: undefined });
		await sendText(local, ALICE, "Hello", { status_callback: "http://127.0.0.1:1/own" });
		expect(local.deliveries.every(({ url }) => url.endsWith("/own"))).toBe(true);
	});
});

describe("duplicates", () => {
	test.each<[readings: ReadingName[], same: number, other: number]>([
		[[], 409, 409],
		[["a reply clears every window"], 202, 409],
	])(
		"with %j, after a reply, the same text again gets %d, and that of another chat %d",
		async (readings, same, other) => {
			const local = createFrozenGateway({ readings });
			await sendText(local, ALICE, "One");
			await sendText(local, BOB, "Two");
			await local.contact(ALICE).reply("Hi");
			expect((await sendText(local, ALICE, "One")).status).toBe(same);
			expect((await sendText(local, ALICE, "Two")).status).toBe(other);
		},
	);

	const noReply = { duplicateWindowSeconds: { contact: 300, agent: 0, account: 0 } };

	test.each<[readings: ReadingName[], status: number]>([
		[[], 202],
		[["blocked attempts extend a window"], 409],
	])("with %j, when the window of the first send is over, it gets %d", async (readings, status) => {
		const local = createFrozenGateway({ readings, rules: noReply });
		await sendText(local, ALICE, "One");
		await local.clock.advance(200_000);
		const blocked = await sendText(local, ALICE, "One");
		const { timeRemaining } = blocked.body.error.details;
		expect(timeRemaining).toBe(status === 409 ? 300 : 100);
		const { duplicate } = await getMapping(local, ALICE);
		expect(duplicate).toMatchObject({ isDuplicate: true, timeRemaining });
		await local.clock.advance(150_000);
		expect((await sendText(local, ALICE, "One")).status).toBe(status);
	});

	test.each<[readings: ReadingName[], status: number]>([
		[[], 409],
		[["whitespace makes another message"], 202],
	])("with %j, a text with a space after it gets %d", async (readings, status) => {
		const local = createFrozenGateway({ readings });
		await sendText(local, ALICE, "One");
		expect((await sendText(local, ALICE, "One ")).status).toBe(status);
	});

	test.each<[readings: ReadingName[], expected: number]>([
		[[], 409],
		[["only the last message makes a duplicate"], 202],
	])("with %j, after another text, the first one again gets %d", async (readings, expected) => {
		const local = createFrozenGateway({ readings, rules: noReply });
		await sendText(local, ALICE, "One");
		expect((await sendText(local, ALICE, "One")).status).toBe(409);
		await sendText(local, ALICE, "Two");
		expect((await sendText(local, ALICE, "One")).status).toBe(expected);
	});

	test("each contact has a last message of its own, and the account one of all", async () => {
		const local = createFrozenGateway({
			readings: ["only the last message makes a duplicate"],
			rules: { consecutive: "off" },
		});
		await sendText(local, ALICE, "One");
		await sendText(local, BOB, "Two");
		expect(await scopeOf(sendText(local, ALICE, "One"))).toBe("contact");
		expect(await scopeOf(sendText(local, ALICE, "Two"))).toBe("agent");
		await local.contact(BOB).reply("Hi");
		expect(await scopeOf(sendText(local, BOB, "Two"))).toBe("account");
		await sendText(local, ALICE, "Three");
		expect(await scopeOf(sendText(local, BOB, "Two"))).toBe("accepted");
	});

	test.each<[readings: ReadingName[], expected: number]>([
		[[], 409],
		[["the account's window is for other contacts"], 202],
	])(
		"with %j and no window of the agent, after a reply, the same text again gets %d",
		async (readings, expected) => {
			const local = createFrozenGateway({ readings, rules: { duplicateWindowSeconds: { agent: 0 } } });
			await sendText(local, ALICE, "One");
			await local.contact(ALICE).reply("Hi");
			expect((await sendText(local, ALICE, "One")).status).toBe(expected);
			expect(await scopeOf(sendText(local, BOB, "One"))).toBe("account");
		},
	);
});

describe("requests and responses", () => {
	test("a mapping's timestamps are in seconds, and nothing else of it changes", async () => {
		const [ms, s] = await Promise.all(
			([[], ["mapping timestamps are in seconds"]] as const).map(async (readings) => {
				const local = createFrozenGateway({ readings });
				await sendText(local, ALICE);
				await local.contact(ALICE).reply("Hi");
				return getMapping(local, ALICE);
			}),
		);
		expect(ms).toMatchObject({ lastReceivedAt: START_MS, lastWarningSentAt: null, outbound: 1 });
		const inSeconds = Object.entries(ms).map(([name, value]) => [
			name,
			name.endsWith("At") && value !== null ? Number(value) / 1000 : value,
		]);
		expect(s).toEqual(Object.fromEntries(inSeconds));
	});

	test("unknown fields are ignored, at any depth, and what else is invalid is still rejected", async () => {
		const local = createFrozenGateway({ readings: ["unknown request fields are ignored"] });
		expect((await sendText(local, ALICE, "Hello", { note: 1, statusCallback: "x" })).status).toBe(202);
		const attachments = [{ url: "https://a.example/x.png", alt: "A picture" }];
		const sent = await call(local, "POST", "/message/attachment", { to: BOB, attachments, note: 1 });
		expect(sent.status).toBe(202);
		expect(local.sent[1]?.attachments).toEqual([{ url: "https://a.example/x.png" }]);
		const { status, body } = await sendText(local, "55", "Hello", { note: 1 });
		expect(status).toBe(400);
		expect(body.error.details.map(({ field }: { field: string }) => field)).toEqual(["to"]);
	});

	test("readings change every response but those of faults, one after the other", async () => {
		const local = createFrozenGateway({
			readings: [
				"events and responses have additional fields",
				"error codes have other names",
				"errors have no requestId",
				"health is plain text",
				"setWebhooks has an empty response",
			],
		});
		const health = await call(local, "GET", "/health");
		expect([health.body, health.headers.get("Content-Type")]).toEqual(["OK", "text/plain"]);
		const { status, body, headers } = await call(local, "POST", "/settings/webhooks", {});
		expect([status, body, headers.has("Content-Type")]).toEqual([204, "", false]);
		expect((await sendText(local, ALICE)).body).toMatchObject({ ok: true, region: "eu" });
		for (const path of [`/mapping/${encodeURIComponent(BOB)}`, "/nowhere"]) {
			const { body } = await call(local, "GET", path);
			const error = { code: "ACME-1", message: expect.any(String) };
			expect(body).toEqual({ ok: false, error, region: "eu" });
		}
		const wrongMethod = await call(local, "DELETE", "/health");
		expect([wrongMethod.status, wrongMethod.headers.get("Allow")]).toEqual([405, "GET"]);
		local.faults.respond({ status: 404 });
		const { requestId } = (await sendText(local, BOB)).body.error;
		expect(requestId).toEqual(expect.any(String));
	});

	test("only a further request of a kept connection is cut, before the gateway sees it", async () => {
		const local = createFrozenGateway({ readings: ["kept connections are cut"] });
		const request = (isConnectionReused?: boolean) => ({
			method: "GET",
			url: `${local.baseUrl}/health`,
			headers: new Headers(),
			body: null,
			isConnectionReused,
		});
		expect((await local.handle(request())).status).toBe(200);
		expect((await local.handle(request(false))).status).toBe(200);
		await expect(local.handle(request(true))).rejects.toThrow(TypeError);
		expect(local.requests).toHaveLength(2);
	});
});
