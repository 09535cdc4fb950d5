import { describe, expect, test, vi } from "vitest";
import { ReceiverResponses } from "../../../../src/tools/control/receiver-responses.ts";
import { createWatchedGateway } from "../../../support/controlled-gateway.ts";
import { ALICE } from "../../../support/signed-client.ts";

function read(response: Response, secrets: readonly string[] = []) {
	return new ReceiverResponses(secrets).read(response, new AbortController().signal);
}

describe("a body", () => {
	test("is kept as it is", async () => {
		expect(await read(Response.json({ error: "no such order" }, { status: 500 }))).toMatchObject({
			headers: { "content-type": "application/json" },
			body: '{"error":"no such order"}',
		});
		expect(await read(new Response("x".repeat(4_096)))).not.toHaveProperty("bodyNote");
	});

	test.each([
		["a".repeat(4_097), 4_097],
		["é".repeat(10_000), 20_000],
		[`a${"é".repeat(10_000)}`, 20_001],
	])("longer than 4 KiB is cut, and says so", async (text, size) => {
		const { body, bodyNote } = await read(new Response(text));
		expect(body).toBe(text.slice(0, body.length));
		expect([body.length, bodyNote]).toEqual([4_096, `cut: the whole body has ${size} bytes`]);
	});

	test.each([[[0xff, 0xfe]], [[0x61, 0]]])("of the bytes %j is described", async (bytes) => {
		expect(await read(new Response(new Uint8Array(bytes)))).toMatchObject({
			body: "",
			bodyNote: "2 bytes that are not text",
		});
	});

	test("that breaks off keeps its start", async () => {
		let pulls = 0;
		const body = new ReadableStream<Uint8Array>({
			pull(controller) {
				if (pulls++ === 0) controller.enqueue(new TextEncoder().encode("half"));
				else controller.error(new Error("reset"));
			},
		});
		expect(await read(new Response(body))).toMatchObject({ body: "half" });
	});

	test("is dropped when there are too many", async () => {
		const responses = new ReceiverResponses([]);
		const { signal } = new AbortController();
		const first = await responses.read(new Response("first"), signal);
		const readLong = () => responses.read(new Response(new TextEncoder().encode("x".repeat(4_096))), signal);
		for (let at = 0; at < 2_047; at++) await readLong();
		expect(first.body).toBe("first");
		const last = await readLong();
		expect(first).toMatchObject({ headers: {}, body: "", bodyNote: "no longer kept" });
		expect(last.body).toHaveLength(4_096);
	});
});

test("secrets are masked, in headers and in the body, also where the body is cut", async () => {
	const secret = "the-webhook-secret";
	const headers = { "set-cookie": "session=1", authorization: "Bearer x", "x-debug": `secret=${secret}` };
	const response = await read(new Response(`${"x".repeat(4_090)}${secret}`, { headers }), [secret, ""]);
	expect(response.headers).toMatchObject({
		"set-cookie": "***",
		authorization: "***",
		"x-debug": "secret=***",
	});
	expect(response.body).toBe(`${"x".repeat(4_090)}***`);
});

test("headers are bounded", async () => {
	const many = Array.from({ length: 200 }, (_, at) => [`x-${at}`, "y".repeat(2_000)] as [string, string]);
	const { headers } = await read(new Response(null, { headers: many }));
	expect(Object.keys(headers)).toHaveLength(50);
	expect(new Set(Object.values(headers).map(({ length }) => length))).toEqual(new Set([512]));
});

describe("an attempt", () => {
	test("has the receiver's response and its duration; the delivery has the time of the next one", async () => {
		const { local, control, clock } = createWatchedGateway({
			deliverTo: async () => {
				await clock.advance(25);
				return new Response("out of order", { status: 503 });
			},
			webhooks: { retryDelaysMs: [5_000] },
		});
		await local.contact(ALICE).reply("Hi");
		await clock.advance(30);
		const [delivery] = control.deliveries({}).items;
		expect(delivery?.attempts).toMatchObject([{ status: 503, response: { body: "out of order" } }]);
		const [attempt] = delivery?.attempts ?? [];
		expect(attempt?.durationMs).toBe(25);
		expect(delivery?.nextAttemptAt).toBe((attempt?.at ?? 0) + 5_025);
		await local.settled();
		expect(control.deliveries({}).items[0]).not.toHaveProperty("nextAttemptAt");
	});

	test("shows no secret of the gateway, also of a further app", async () => {
		const secrets = ["first-app-secret", "second-app-secret", "webhook-secret"];
		const [appSecret, second = "", webhookSecret] = secrets;
		const { local, control } = createWatchedGateway({
			appSecret,
			webhookSecret,
			apps: { "second-app": second },
			deliverTo: () => new Response(secrets.join(" ")),
		});
		await local.contact(ALICE).reply("Hi");
		await local.settled();
		expect(control.deliveries({}).items[0]?.attempts[0]?.response?.body).toBe("*** *** ***");
	});

	test("without a listener, host or response says so in words", async () => {
		const causes = ["ECONNREFUSED", "ENOTFOUND", "UND_ERR_SOCKET"].map((code) =>
			Object.assign(new Error("no"), { code }),
		);
		causes.push(Object.assign(new Error("other words"), { code: "EOTHER" }));
		vi.stubGlobal("fetch", () => Promise.reject(new TypeError("fetch failed", { cause: causes.shift() })));
		const { local, control } = createWatchedGateway({
			deliverTo: "http://user.localhost:3000/hooks",
			webhooks: { retryDelaysMs: [1, 1, 1, 1] },
		});
		await local.contact(ALICE).reply("Hi");
		await local.settled();
		vi.unstubAllGlobals();
		expect(control.deliveries({}).items[0]?.attempts.map(({ error }) => error)).toEqual([
			"nobody listens at http://user.localhost:3000",
			"there is no host user.localhost",
			"the receiver closed the connection without a response",
			"other words",
			"fetch failed",
		]);
	});
});
