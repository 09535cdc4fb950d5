import { createWebhookRequest } from "messaging-gateway/testing";
import {
	createWebhookHandler,
	memoryStore,
	PermanentWebhookError,
	signWebhook,
	verifyWebhook,
	type WebhookEvent,
} from "messaging-gateway/webhooks";
import {
	type CaptureOptions,
	type Clock,
	ConfigurationError,
	captureFailures,
	readCapture,
} from "messaging-gateway/webhooks/capture";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { fixedClock } from "../../../../support/fixed-clock.ts";

const KEY = Buffer.alloc(32, 7).toString("base64");
const SECRET = "capture-secret";
const START = Date.parse("2026-11-26T12:00:00Z");

/** A receiver whose failures are captured into a map. */
function createReceiver({
	work = () => undefined as unknown,
	...options
}: Partial<CaptureOptions> & { work?: () => unknown } = {}) {
	const clock = fixedClock(START);
	const files = new Map<string, Uint8Array>();
	const errors: unknown[] = [];
	const captures = captureFailures({
		key: KEY,
		write: (name, file) => files.set(name, file),
		clock,
		...options,
	});
	const webhooks = createWebhookHandler({
		secret: SECRET,
		store: memoryStore({ clock }),
		on: { inbound_message: work, unknown: work },
		onError: (error) => errors.push(error),
		hooks: captures.hooks,
		clock,
	});
	const deliver = async ({ eventId = "evt_1", kind = "inbound_message", secret = SECRET } = {}) => {
		const sample = await createWebhookRequest("inbound_message", { text: "Grüße 🎉" }).json();
		const body = JSON.stringify({ ...sample, type: kind });
		const headers = signWebhook({ body, secret, eventId, timestamp: Math.floor(clock.now() / 1_000) });
		const response = await webhooks.fetch(
			new Request("http://localhost/", { method: "POST", body, headers }),
		);
		await captures.settled();
		return response.status;
	};
	const readAll = () =>
		Promise.all(Array.from(files, async ([name, file]) => ({ name, ...(await readCapture(file, KEY)) })));
	return { captures, webhooks, clock, files, errors, deliver, readAll };
}

const fail = () => {
	throw new TypeError("no such order");
};

test("a delivery whose handler fails is kept with its raw body", async () => {
	const { deliver, readAll } = createReceiver({ work: fail });
	expect(await deliver()).toBe(500);
	const [capture] = await readAll();
	expect(capture).toMatchObject({
		name: expect.stringMatching(/^inbound_message-[\da-f]{32}\.capture$/),
		type: "failure",
		capturedAt: START,
		source: "handler",
		eventId: "evt_1",
		kind: "inbound_message",
		timestamp: START / 1_000,
		attempt: 1,
		ending: "failed",
		error: {
			name: "TypeError",
			message: "no such order",
			stack: expect.stringContaining("capture-failures.test.ts"),
		},
	});
	const body = capture?.type === "failure" ? new TextDecoder().decode(capture.body) : "";
	expect(JSON.parse(body)).toMatchObject({ text: "Grüße 🎉" });
});

test("what is processed is not kept", async () => {
	const { deliver, files } = createReceiver();
	expect(await deliver()).toBe(200);
	expect(files.size).toBe(0);
});

test("an event that is given up is kept, and so is one of an unknown kind that was accepted", async () => {
	let isOver = true;
	const { deliver, readAll } = createReceiver({
		work: () => {
			if (isOver) throw new PermanentWebhookError("too late");
		},
	});
	expect(await deliver({ eventId: "evt_1" })).toBe(200);
	isOver = false;
	expect(await deliver({ eventId: "evt_2", kind: "poll" })).toBe(200);
	expect(await readAll()).toMatchObject([
		{ eventId: "evt_1", ending: "failed", error: { name: "PermanentWebhookError" } },
		{ eventId: "evt_2", kind: "unknown", ending: "finished" },
	]);
});

test("each attempt of an event takes the same file, whose name has nothing of the delivery", async () => {
	const { deliver, readAll } = createReceiver({ work: fail });
	await deliver({ eventId: "../../+15551234567" });
	await deliver({ eventId: "../../+15551234567" });
	const captures = await readAll();
	expect(captures).toMatchObject([{ attempt: 2 }]);
	expect(captures[0]?.name).not.toContain("1555");
});

test("the same id of two tenants, or of two receivers, is two events", async () => {
	const files = new Map<string, Uint8Array>();
	const { hooks, settled } = captureFailures({ key: KEY, write: (name, file) => files.set(name, file) });
	for (const [consumer, tenant] of [
		["mail", "one"],
		["mail", "two"],
		["mail", "one"],
		["bot", "one"],
	] as const) {
		const info = { eventId: "evt_1", kind: "status", consumer, attempt: 1 } as const;
		hooks.aroundHandler(info, async () => ({ kind: "failed", error: "no" }), {
			body: tenant,
			timestamp: 0,
			tenant,
		});
	}
	await settled();
	const captures = await Promise.all(Array.from(files.values(), (file) => readCapture(file, KEY)));
	// Nothing says which of them is written first.
	const tenants = captures.map((capture) => capture.type === "failure" && capture.tenant);
	expect(tenants.toSorted()).toEqual(["one", "one", "two"]);
});

test("a file shows nothing of the delivery, and never two alike", async () => {
	const seen: string[] = [];
	const { deliver } = createReceiver({
		work: fail,
		write: (_, file) => seen.push(Buffer.from(file).toString("latin1")),
	});
	await deliver();
	await deliver();
	expect(seen[0]).not.toEqual(seen[1]);
	for (const file of seen) expect(file).not.toMatch(/evt_1|inbound|1555/);
});

test("of a rejected delivery only the code, the status and the form of the headers are kept", async () => {
	const { deliver, readAll } = createReceiver();
	expect(await deliver({ secret: "another-secret", eventId: "evt_secret" })).toBe(401);
	const captures = await readAll();
	expect(captures).toEqual([
		{
			name: "rejected-signature_mismatch-1.capture",
			type: "rejection",
			capturedAt: START,
			code: "signature_mismatch",
			status: 401,
			claimedBytes: undefined,
			headers: {
				"X-SVC-Event-Id": "<3 letter>_<6 letter>",
				"X-SVC-Timestamp": "<10 digit>",
				"X-SVC-Signature": "v1=<64 hex>",
				"Content-Type": "<11 letter>/<4 letter>",
			},
		},
	]);
});

test("many rejections of one code are few files, and leave the others their place", async () => {
	const { deliver, files } = createReceiver();
	for (let count = 0; count < 30; count++) await deliver({ eventId: "a,b" });
	await deliver({ secret: "another-secret" });
	expect(Array.from(files.keys(), (name) => name.replace(/-\d\.capture$/, ""))).toEqual([
		...Array(4).fill("rejected-malformed_header"),
		"rejected-signature_mismatch",
	]);
});

test.each([
	["419", 419],
	["15551234567", undefined],
	["4 KB", undefined],
])("a Content-Length of %s claims %s bytes", async (length, claimedBytes) => {
	let file: Uint8Array = new Uint8Array();
	const { hooks, settled } = captureFailures({ key: KEY, write: (_, written) => (file = written) });
	const info = { status: 413, code: "body_too_large", isRepeat: false, durationMs: 1 } as const;
	hooks.onResponse(
		{ eventId: undefined, kind: undefined, ...info },
		(name) => (name === "Content-Length" ? length : undefined),
		() => undefined,
	);
	await settled();
	const capture = await readCapture(file, KEY);
	expect(capture.type === "rejection" && capture.claimedBytes).toBe(claimedBytes);
});

describe("a rejected delivery, if its body is asked for", () => {
	const ASKED = { rejected: { body: true } } as const;

	test("is kept as it arrived, in an encrypted file", async () => {
		const { deliver, readAll, files } = createReceiver(ASKED);
		expect(await deliver({ secret: "another-secret" })).toBe(401);
		const [capture] = await readAll();
		if (capture?.type !== "rejection" || capture.sent === undefined) throw new Error("it was not kept");
		const { headers, body } = capture.sent;
		expect(capture.headers["X-SVC-Signature"]).toBe("v1=<64 hex>");
		const clock = fixedClock(capture.capturedAt);
		expect(verifyWebhook({ headers, body }, { secret: "another-secret", clock }).eventId).toBe("evt_1");
		expect(Buffer.concat([...files.values()]).toString("latin1")).not.toMatch(/evt_1|inbound_message/);
	});

	test("is four files of a code at most, in every hour the same", async () => {
		const { deliver, files, clock } = createReceiver(ASKED);
		for (let hour = 0; hour < 3; hour++) {
			for (let count = 0; count < 9; count++) await deliver({ secret: "another-secret" });
			clock.nowMs += 60 * 60_000;
		}
		expect(files.size).toBe(4);
	});

	/** What arrives, and whether it is kept. */
	const SENT: readonly (readonly [
		what: string,
		isKept: boolean,
		body: string,
		changes: Record<string, string>,
	])[] = [
		["64 KiB", true, "a".repeat(65_536), {}],
		["a byte more", false, "a".repeat(65_537), {}],
		["as many characters, of two bytes each", false, "é".repeat(65_536), {}],
		["a header of 1,024 characters", true, "{}", { "content-type": "a".repeat(1_024) }],
		["a longer header", false, "{}", { "content-type": "a".repeat(1_025) }],
		["no signature, so that the body is not read", false, "{}", { "x-svc-signature": "" }],
	];

	test.each(SENT)("%s: %s", async (_, isKept, body, changes) => {
		const { webhooks, captures, readAll } = createReceiver(ASKED);
		const headers = Object.fromEntries(new Headers(signWebhook({ body, secret: "another-secret" })));
		await webhooks.handle({ headers: { ...headers, ...changes }, body });
		await captures.settled();
		const [capture] = await readAll();
		expect(capture?.type === "rejection" && capture.sent !== undefined).toBe(isKept);
	});

	test("is otherwise kept as its form", async () => {
		const { deliver, readAll } = createReceiver();
		await deliver({ secret: "another-secret" });
		expect(await readAll()).toMatchObject([{ type: "rejection", sent: undefined }]);
	});

	test.each([[{ bodies: true }], [{ body: "yes" }]])("%j is rejected", (rejected) => {
		const options = { key: KEY, write: () => undefined, rejected } as unknown as CaptureOptions;
		expect(() => captureFailures(options)).toThrow(ConfigurationError);
	});
});

test("the failures of an hour are bounded, and the limit is reported once", async () => {
	const { deliver, files, errors, clock } = createReceiver({ work: fail, maxPerHour: 2 });
	for (const eventId of ["evt_1", "evt_2", "evt_3", "evt_4"]) await deliver({ eventId });
	expect(files.size).toBe(2);
	expect(errors.filter((error) => Object(error).code === "limit_reached")).toHaveLength(1);
	clock.nowMs += 60 * 60_000;
	await deliver({ eventId: "evt_5" });
	expect(files.size).toBe(3);
});

test("an event that fails again and again leaves the others their place", async () => {
	const { deliver, readAll, errors } = createReceiver({ work: fail, maxPerHour: 2 });
	for (let attempt = 0; attempt < 5; attempt++) await deliver({ eventId: "evt_poison" });
	await deliver({ eventId: "evt_2" });
	expect(await readAll()).toMatchObject([{ eventId: "evt_poison", attempt: 5 }, { eventId: "evt_2" }]);
	expect(errors.filter((error) => Object(error).code === "limit_reached")).toEqual([]);
});

test("a clock that is set back makes the hour no longer", async () => {
	const clock = { ...fixedClock(START), monotonicNow: () => monotonicMs };
	let monotonicMs = 0;
	const names: string[] = [];
	const write = (name: string) => names.push(name);
	const { keep } = captureFailures({ key: KEY, maxPerHour: 1, clock, write });
	const event = await createEvent();
	await keep({ ...event, eventId: "evt_1" }, "no");
	clock.nowMs -= 48 * 60 * 60_000;
	monotonicMs += 60 * 60_000;
	await keep({ ...event, eventId: "evt_2" }, "no");
	expect(names).toHaveLength(2);
});

/** An event as a worker finds it in its job. */
async function createEvent(): Promise<WebhookEvent> {
	const { headers, body } = await signSample();
	return JSON.parse(JSON.stringify(verifyWebhook({ headers, body }, { secret: SECRET })));
}

async function signSample() {
	const body = await createWebhookRequest("inbound_message", { text: "Grüße 🎉" }).text();
	return { body, headers: signWebhook({ body, secret: SECRET, eventId: "evt_1" }) };
}

test("an event whose worker fails is kept with its data, beside the delivery of that event", async () => {
	const { captures, readAll, deliver } = createReceiver({ work: fail });
	const event = await createEvent();
	await captures.keep(event, new TypeError("no such order"), { tenant: undefined, attempt: 3 });
	await deliver();
	const [capture, other] = await readAll();
	expect(capture).toMatchObject({
		source: "worker",
		eventId: "evt_1",
		kind: "inbound_message",
		attempt: 3,
		ending: "failed",
		error: { name: "TypeError" },
	});
	const body = capture?.type === "failure" ? new TextDecoder().decode(capture.body) : "";
	expect(JSON.parse(body)).toEqual(event.data);
	expect(other).toMatchObject({ source: "handler", eventId: "evt_1" });
});

test("a worker learns that its event could not be kept", async () => {
	const full = new Error("no space left on device");
	const { captures } = createReceiver({
		write: () => {
			throw full;
		},
	});
	await expect(captures.keep(await createEvent(), "no")).rejects.toMatchObject({
		code: "write_failed",
		cause: full,
	});
	await captures.settled();
});

test("a write that hangs holds neither the response nor settled", async () => {
	const timers: (() => void)[] = [];
	const clock: Clock = {
		...fixedClock(START),
		setTimer(callback) {
			timers.push(callback);
			return () => {};
		},
	};
	const { captures } = createReceiver({ clock, write: () => new Promise(() => {}) });
	const kept = captures.keep(await createEvent(), "no");
	await expect.poll(() => timers).toHaveLength(1);
	timers[0]?.();
	await expect(kept).rejects.toMatchObject({
		code: "write_failed",
		cause: expect.objectContaining({ message: expect.stringContaining("10000 ms") }),
	});
	await captures.settled();
});

test("a disk that is full is reported with its cause, and the response stays", async () => {
	const full = Object.assign(new Error("no space left on device"), { code: "ENOSPC" });
	const { deliver, errors } = createReceiver({ work: fail, write: () => Promise.reject(full) });
	expect(await deliver()).toBe(500);
	expect(errors).toContainEqual(expect.objectContaining({ code: "write_failed", cause: full }));
});

test("the key is the one in the environment, or its absence is reported", async () => {
	onTestFinished(() => void vi.unstubAllEnvs());
	const { deliver, errors, files, readAll } = createReceiver({ work: fail, key: undefined });
	expect(await deliver()).toBe(500);
	expect(errors).toContainEqual(
		expect.objectContaining({
			code: "configuration",
			message: expect.stringContaining("Set MESSAGING_GATEWAY_CAPTURE_KEY"),
		}),
	);
	expect(files.size).toBe(0);
	vi.stubEnv("MESSAGING_GATEWAY_CAPTURE_KEY", KEY);
	await deliver();
	expect(await readAll()).toMatchObject([{ type: "failure", eventId: "evt_1" }]);
});

test.each([
	["another length", { key: Buffer.alloc(31).toString("base64") }],
	["not base64", { key: "%%%%" }],
	["no write", { write: undefined }],
	["a limit of nothing", { maxPerHour: 0 }],
	["a misspelt option", { maxPerHours: 1 }],
])("options with %s are rejected without a word of the key", (_, changes) => {
	const options = { key: KEY, write: () => undefined, ...changes } as CaptureOptions;
	expect(() => captureFailures(options)).toThrow(ConfigurationError);
	expect(() => captureFailures(options)).not.toThrow(/BwcH|%%/);
});

test("a file that is cut, altered or of another key is rejected with what to do", async () => {
	const { deliver, files } = createReceiver({ work: fail });
	await deliver();
	const [file = new Uint8Array()] = files.values();
	const code = (bytes: Uint8Array, key = KEY) =>
		readCapture(bytes, key).then(
			() => "read",
			(error) => error.code,
		);
	const altered = (at: number) => file.with(at, (file.at(at) ?? 0) ^ 9);
	expect(await code(file)).toBe("read");
	for (const length of [0, 3, 8, 20, file.length - 1])
		expect(await code(file.subarray(0, length))).toBe("truncated");
	for (const at of [12, 30, -1]) expect(await code(altered(at))).toBe("undecryptable");
	expect(await code(Uint8Array.of(...file, 1))).toBe("undecryptable");
	expect(await code(file, Buffer.alloc(32, 8).toString("base64"))).toBe("undecryptable");
	expect(await code(altered(7))).toBe("unsupported_version");
	expect(await code(Buffer.from("HTTP/1.1 200 OK"))).toBe("not_a_capture");
});

test("nothing is written where what encrypts returns as much as it got, as it would the payload itself", async () => {
	const { deliver, files, errors } = createReceiver({ work: fail });
	vi.spyOn(crypto.subtle, "encrypt").mockImplementation(
		async (_algorithm, _key, plain) => new ArrayBuffer(plain.byteLength),
	);
	onTestFinished(() => void vi.restoreAllMocks());
	expect(await deliver()).toBe(500);
	expect(files.size).toBe(0);
	expect(errors).toContainEqual(
		expect.objectContaining({
			code: "configuration",
			message: expect.stringMatching(/^This environment has no crypto\.subtle that works: /),
		}),
	);
});
