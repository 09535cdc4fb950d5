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
import { type Outcomes, testOutcomes } from "../../../../support/outcomes.ts";

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

/** What a handler does with an event of a kind. */
type Work = readonly [work: () => unknown, kind?: string];

const KEPT: Outcomes<Work> = {
	"200, and nothing is kept": { "is processed": [() => undefined] },
	"500, and inbound_message is kept as failed: TypeError, no such order": { fails: [fail] },
	"500, and unknown is kept as failed: TypeError, no such order": {
		"is not known, and fails": [fail, "poll"],
	},
	'500, and inbound_message is kept as failed: unknown, ""': {
		"fails with no error": [() => Promise.reject("no")],
	},
	"200, and inbound_message is kept as failed: PermanentWebhookError, too late": {
		"is given up": [() => Promise.reject(new PermanentWebhookError("too late"))],
	},
	"200, and unknown is kept as finished": { "is not known, and accepted": [() => undefined, "poll"] },
};

describe("an event that", () => {
	testOutcomes(KEPT, async ([work, kind]) => {
		const { deliver, readAll } = createReceiver({ work });
		const status = await deliver({ kind });
		const [capture, ...others] = await readAll();
		expect(others).toEqual([]);
		if (capture === undefined) return `${status}, and nothing is kept`;
		if (capture.type !== "failure") throw new Error("it is a rejection");
		const { ending, error, eventId, source, attempt } = capture;
		expect([eventId, source, attempt]).toEqual(["evt_1", "handler", 1]);
		const about = error === undefined ? "" : `: ${error.name}, ${error.message || '""'}`;
		return `${status}, and ${capture.kind} is kept as ${ending}${about}`;
	});
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

/** What is kept of a rejected delivery with this header. */
const FORMS: readonly [name: string, value: string, form: string, claimedBytes?: number][] = [
	["Content-Length", "419", "<3 digit>", 419],
	["Content-Length", "12345678", "<8 digit>", 12_345_678],
	["Content-Length", "123456789", "<9 digit>"],
	["Content-Length", "4 KB", "<1 digit><1 other><2 letter>"],
	["Content-Encoding", "gzip", "<4 letter>"],
	["Content-Type", "z".repeat(513), "<512 letter>"],
	["X-SVC-Signature", "v1=00", "v1=<2 digit>"],
	["X-SVC-Event-Id", "evt_é\t0a1b2c3d4e5f60718", "<3 letter>_<2 other><17 hex>"],
	["X-SVC-Timestamp", "1767225600.5", "<10 digit>.<1 digit>"],
];

test.each<(typeof FORMS)[number]>(FORMS)(
	"%s of a rejected delivery, %s, is kept as %s",
	async (name, value, form, claimedBytes) => {
		let file: Uint8Array = new Uint8Array();
		const { hooks, settled } = captureFailures({ key: KEY, write: (_, written) => (file = written) });
		const info = { status: 413, code: "body_too_large", isRepeat: false, durationMs: 1 } as const;
		const readHeader = (asked: string): string => {
			// A header that is there twice has no form.
			if (asked !== name) throw new Error("twice");
			return value;
		};
		hooks.onResponse({ eventId: undefined, kind: undefined, ...info }, readHeader, () => undefined);
		await settled();
		const capture = await readCapture(file, KEY);
		expect(capture).toMatchObject({ type: "rejection", headers: { [name]: form } });
		expect(capture.type === "rejection" && capture.claimedBytes).toBe(claimedBytes);
	},
);

test("a method that is not accepted is no failure", async () => {
	const { webhooks, captures, files } = createReceiver();
	expect((await webhooks.fetch(new Request("http://localhost/"))).status).toBe(405);
	await captures.settled();
	expect(files.size).toBe(0);
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

	/** A body, and headers to replace. */
	type Sent = readonly [body: string | Uint8Array, changes?: Record<string, string>];

	const SENT: Outcomes<Sent> = {
		"kept whole": {
			"64 KiB": ["a".repeat(65_536)],
			"64 KiB of bytes": [Buffer.alloc(65_536)],
			"a header of 1,024 characters": ["{}", { "content-type": "a".repeat(1_024) }],
		},
		"kept as its form": {
			"a byte more": ["a".repeat(65_537)],
			"as many characters, of two bytes each": ["é".repeat(65_536)],
			"a longer header": ["{}", { "content-type": "a".repeat(1_025) }],
			"no signature, so that the body is not read": ["{}", { "x-svc-signature": "" }],
		},
	};

	testOutcomes(SENT, async ([body, changes]) => {
		const { webhooks, captures, readAll } = createReceiver(ASKED);
		const headers = Object.fromEntries(new Headers(signWebhook({ body, secret: "another-secret" })));
		await webhooks.handle({ headers: { ...headers, ...changes }, body });
		await captures.settled();
		const [capture] = await readAll();
		if (capture?.type !== "rejection") throw new Error("nothing was kept");
		if (capture.sent === undefined) return "kept as its form";
		expect(Buffer.from(capture.sent.body)).toEqual(Buffer.from(body));
		return "kept whole";
	});

	test("is otherwise kept as its form", async () => {
		const { deliver, readAll } = createReceiver();
		await deliver({ secret: "another-secret" });
		expect(await readAll()).toMatchObject([{ type: "rejection", sent: undefined }]);
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

test("of one hour 100 failures are kept by default", async () => {
	const { captures, files } = createReceiver();
	const event = await createEvent();
	for (let at = 0; at < 100; at++) await captures.keep({ ...event, eventId: `evt_${at}` }, "no");
	await expect(captures.keep({ ...event, eventId: "evt_100" }, "no")).rejects.toMatchObject({
		code: "limit_reached",
		message: "More than 100 events failed in an hour: the others of this hour aren't captured",
	});
	// Reported once.
	await captures.keep({ ...event, eventId: "evt_other" }, "no");
	expect(files.size).toBe(100);
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

const KEY_IS = "key must be 32 bytes, or their base64, as `openssl rand -base64 32` prints it";
const WRITE_IS =
	"write is required. It keeps each file, for example on a disk: (name, file) => writeFile(path, file)";

/** Options beside a key and a write. */
const OPTIONS: Outcomes<object> = {
	accepted: {
		"a key in base64": {},
		"a key in base64 with a line end, as a file has it": { key: `${KEY}\n` },
		"a key in bytes": { key: Buffer.alloc(32, 7) },
		"no key": { key: undefined },
		"every option": { maxPerHour: 1, rejected: { body: true }, profile: {}, clock: fixedClock(0) },
	},
	[KEY_IS]: {
		"a key of another length": { key: Buffer.alloc(31).toString("base64") },
		"a key in 31 bytes": { key: Buffer.alloc(31, 7) },
		"a key that is not base64": { key: "%%%%" },
		"a key that is a number": { key: 32 },
	},
	[WRITE_IS]: { "no write": { write: undefined } },
	"write must be a function": { "a write that is a path": { write: "/var/captures" } },
	"maxPerHour must be an integer of at least 1": { "a limit of nothing": { maxPerHour: 0 } },
	'Unknown option "maxPerHours". Did you mean "maxPerHour"?': { "a misspelt option": { maxPerHours: 1 } },
	'Unknown option "bodies" of rejected: remove it, or use body': {
		"a misspelt part": { rejected: { bodies: true } },
	},
	"rejected.body must be true or false": { "a word for a choice": { rejected: { body: "yes" } } },
};

describe("captureFailures with", () => {
	testOutcomes(OPTIONS, (changes) => {
		const options = { key: KEY, write: () => undefined, ...changes };
		try {
			captureFailures(options as CaptureOptions);
			return "accepted";
		} catch (error) {
			expect(error).toBeInstanceOf(ConfigurationError);
			expect(String(error)).not.toMatch(/BwcH|%%/);
			return (error as Error).message;
		}
	});
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
