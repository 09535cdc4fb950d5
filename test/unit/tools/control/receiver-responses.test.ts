import { describe, expect, test, vi } from "vitest";
import { ReceiverResponses } from "../../../../src/tools/control/receiver-responses.ts";
import { createWatchedGateway } from "../../../support/controlled-gateway.ts";
import { testOutcomes } from "../../../support/outcomes.ts";
import { ALICE } from "../../../support/signed-client.ts";

function read(response: Response, secrets: readonly string[] = []) {
	return new ReceiverResponses(secrets).read(response, new AbortController().signal);
}

describe("a body", () => {
	/** The start that is kept, shortened, and why it is not the whole. */
	testOutcomes<string | readonly number[]>(
		{
			'{"error":"no such order"} (25)': { "is kept as it is": '{"error":"no such order"}' },
			" (0)": { "may be empty": "" },
			"xxx… (4096)": { "of 4 KiB is kept as it is": "x".repeat(4_096) },
			"xxx… (4096), cut: the whole body has 4097 bytes": { "longer than 4 KiB is cut": "x".repeat(4_097) },
			"xxx… (4096), cut: the whole body has 8192 bytes": { "of 8 KiB is cut": "x".repeat(8_192) },
			"xxx… (4096), cut: the whole body has 8193 bytes": { "of more is read to its end": "x".repeat(8_193) },
			"ééé… (4096)": { "is measured in characters": "é".repeat(4_096) },
			"ééé… (4096), cut: the whole body has 20000 bytes": {
				"of other characters is cut": "é".repeat(10_000),
			},
			"aéé… (4096), cut: the whole body has 20001 bytes": {
				"is cut where a character of two bytes would be": `a${"é".repeat(10_000)}`,
			},
			" (0), 2 bytes that aren't text": {
				"that isn't UTF-8 is described": [0xff, 0xfe],
				"with a NUL is described": [0x61, 0],
				"that ends within a character is described": [0x61, 0xc3],
			},
		},
		async (given) => {
			const bytes = typeof given === "string" ? new TextEncoder().encode(given) : new Uint8Array(given);
			const { body, bodyNote, headers } = await read(
				new Response(bytes, { headers: { "content-type": "text/x" } }),
			);
			expect(headers).toEqual({ "content-type": "text/x" });
			if (typeof given === "string") expect(given.startsWith(body)).toBe(true);
			const shown = body.length > 100 ? `${body.slice(0, 3)}…` : body;
			return [`${shown} (${body.length})`, bodyNote].filter((part) => part !== undefined).join(", ");
		},
	);

	test("that comes in pieces is read to its end", async () => {
		const pieces = ["a", "b", "c"].map((letter) => new TextEncoder().encode(letter.repeat(5_000)));
		const stream = new ReadableStream<Uint8Array>({
			pull(controller) {
				const next = pieces.shift();
				if (next === undefined) controller.close();
				else controller.enqueue(next);
			},
		});
		expect(await read(new Response(stream), ["b"])).toMatchObject({
			body: "a".repeat(4_096),
			bodyNote: "cut: the whole body has 15000 bytes",
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

describe("in place of a secret stands ***", () => {
	const SECRET = "the-webhook-secret";
	const masked = {
		headers: (headers: Record<string, string>) => new Response(null, { headers }),
		body: (body: string) => new Response(body),
	};

	testOutcomes<Response>(
		{
			"set-cookie: ***": { "in a cookie that is set": masked.headers({ "set-cookie": "session=1" }) },
			"cookie: ***": { "in a cookie": masked.headers({ cookie: "session=1" }) },
			"authorization: ***": { "in an authorization": masked.headers({ authorization: "Bearer x" }) },
			"proxy-authorization: ***": {
				"in one for a proxy": masked.headers({ "proxy-authorization": "Basic x" }),
			},
			"x-api-key: ***": { "in a key of an API": masked.headers({ "x-api-key": "x" }) },
			"x-debug: secret=***": { "in any other header": masked.headers({ "x-debug": `secret=${SECRET}` }) },
			"*** and ***": { "in a body, each time": masked.body(`${SECRET} and ${SECRET}`) },
			[`${"x".repeat(4_090)}***`]: { "where a body is cut": masked.body(`${"x".repeat(4_090)}${SECRET}`) },
		},
		async (response) => {
			const { headers, body } = await read(response, [SECRET, ""]);
			const [[name, value] = []] = Object.entries(headers).filter(([key]) => key !== "content-type");
			return name === undefined ? body : `${name}: ${value}`;
		},
	);
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
