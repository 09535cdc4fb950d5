import type { VendorProfile } from "../../catalogue/profile.ts";
import { webhookHeaderNames } from "../../catalogue/webhook-headers.ts";
import {
	assertBoolean,
	assertFunction,
	assertKnownKeys,
	assertPositiveInteger,
} from "../../check-options.ts";
import { ConfigurationError } from "../../errors.ts";
import { readEnvironment, webCrypto } from "../../host.ts";
import { type Clock, monotonicNow, systemClock, toHex } from "../../runtime.ts";
import { type Bytes, utf8 } from "../../signing/bytes.ts";
import type { WebhookEvent } from "../events.ts";
import type {
	HandledDelivery,
	HandlerEnding,
	HandlerRunInfo,
	HeaderReader,
	WebhookHooks,
	WebhookResponseInfo,
} from "../handler-options.ts";
import type { RawBody } from "../read-body.ts";
import type { CapturedFailure, StoredRejection } from "./capture.ts";
import { CaptureError } from "./capture-error.ts";
import { readKey, sealFile } from "./sealed-file.ts";

/** The options of `captureFailures`. */
export interface CaptureOptions {
	/**
	 * Your application's own key: 32 bytes, or their base64 (`openssl rand -base64 32`).
	 * @default the environment variable MESSAGING_GATEWAY_CAPTURE_KEY, read at the first failure
	 */
	key?: string | Uint8Array | undefined;
	/**
	 * Writes a file, over an earlier one of that name: to a disk or a bucket, never to a log. The name has no word of
	 * the delivery. A failing event has the same name in each attempt, so it takes one file. No response waits for it,
	 * and after ten seconds it counts as failed.
	 */
	write: (name: string, file: Uint8Array) => unknown;
	/** The most failed events this process keeps in an hour, however often each of them fails. @default 100 */
	maxPerHour?: number | undefined;
	/**
	 * Whether to keep a rejected delivery as it arrived, with its body and the headers that count. Anybody may have
	 * written it. You get four files for each code, of at most 64 KiB, for `messaging-gateway verify webhook FILE
	 * --explain`. A larger one, or one whose body was not read, keeps its form only.
	 * @default { body: false }, which keeps the form of its headers
	 */
	rejected?: { body?: boolean | undefined } | undefined;
	/** The vendor's word in the header names. Pass the handler's profile. */
	profile?: { vendor?: VendorProfile | undefined } | undefined;
	/** The clock to use. @default the system clock */
	clock?: Clock | undefined;
}

/** Facts about the worker's run of an event. */
export interface WorkerRun {
	/** The tenant, if the job has it. */
	tenant?: string | undefined;
	/** The number of the attempt, from 1. */
	attempt?: number | undefined;
}

/** Captures the failures of a webhook handler. */
export interface FailureCaptures {
	/** The hooks to pass to `createWebhookHandler`. */
	readonly hooks: { readonly [Name in keyof WebhookHooks]-?: NonNullable<WebhookHooks[Name]> };
	/**
	 * Keeps an event that your worker failed at, since with `enqueue` no hook sees that. A job has no raw body, so the
	 * body is the event's `data`, written again.
	 * @throws CaptureError (`write_failed`, `limit_reached`).
	 */
	keep(event: WebhookEvent, error: unknown, run?: WorkerRun): Promise<void>;
	/** Resolves when everything is written. Await it where a platform stops the process after the response. */
	settled(): Promise<void>;
}

/** An hour, in milliseconds: the window of the limits. */
const WINDOW_MS = 60 * 60_000;

/**
 * How many rejections of a code are kept in an hour. Strangers may cause them, so they are few, and each is written over the
 * one of an earlier hour; those of one code leave the others their place.
 */
const MAX_OF_A_CODE = 4;

/** The longest body and the longest header of a rejected delivery that are kept: a webhook has a few hundred bytes. */
const MAX_REJECTED_BYTES = 64 * 1_024;
const MAX_REJECTED_HEADER = 1_024;

/** A write that hangs would hold its file and `settled`. */
const MAX_WRITE_MS = 10_000;

const KEY_VARIABLE = "MESSAGING_GATEWAY_CAPTURE_KEY";

const OPTION_NAMES: readonly (keyof CaptureOptions)[] = [
	"key",
	"write",
	"maxPerHour",
	"rejected",
	"profile",
	"clock",
];

/**
 * Keeps each delivery that your handler failed at, as an encrypted file. It keeps verified deliveries that failed, ran
 * out of time, or are unknown, and `messaging-gateway replay` delivers them again on your machine. For a rejected
 * delivery it keeps only its code and the form of its headers, unless `rejected` asks for its body: anybody may have
 * written it.
 *
 * A failed event that is delivered again takes the same file. If a file can't be written, `onError` of the handler gets
 * a `CaptureError` (`write_failed`, `limit_reached`), and nothing else changes.
 *
 * @example
 * ```ts
 * const captures = captureFailures({ write: (name, file) => writeFile(`/var/captures/${name}`, file) });
 * export const webhooks = createWebhookHandler({ store, on, hooks: captures.hooks });
 * ```
 * @throws ConfigurationError (`configuration`) if an option is missing or invalid.
 */
export function captureFailures(options: CaptureOptions): FailureCaptures {
	assertKnownKeys("options", options, OPTION_NAMES);
	const {
		write,
		maxPerHour = 100,
		rejected: { body: keepsBody = false } = {},
		profile,
		clock = systemClock,
	} = options;
	let key = options.key === undefined ? undefined : readKey(options.key);
	assertFunction("write", write);
	if (write === undefined)
		throw new ConfigurationError(
			"write is required. It keeps each file, for example on a disk: (name, file) => writeFile(path, file)",
		);
	assertPositiveInteger("maxPerHour", maxPerHour);
	assertKnownKeys("rejected", options.rejected ?? {}, ["body"]);
	assertBoolean("rejected.body", keepsBody);
	const headerNames = [
		...webhookHeaderNames(profile?.vendor).all,
		"Content-Type",
		"Content-Length",
		"Content-Encoding",
	];
	const failed = inHours(() => new Set<string>(), clock);
	const rejections = inHours(() => new Map<string, number>(), clock);
	const pending = new Set<Promise<void>>();

	async function keepFile(name: string, record: object, body: Bytes): Promise<void> {
		key ??= readKeyVariable();
		const file = await seal(key, record, body);
		let cancel = (): void => {};
		const late = new Promise((_, reject) => {
			const error = new Error(`write hasn't settled within ${MAX_WRITE_MS} ms`);
			cancel = clock.setTimer(() => reject(error), MAX_WRITE_MS);
		});
		try {
			await Promise.race([write(name, file), late]);
		} catch (cause) {
			throw new CaptureError(
				"write_failed",
				"A captured failure couldn't be written: your write failed, and its error is the cause",
				{
					cause,
				},
			);
		} finally {
			cancel();
		}
	}

	/** @param scope - tells apart what has the same id. */
	async function keepFailure(
		scope: readonly unknown[],
		failure: Omit<CapturedFailure, "type" | "capturedAt" | "body">,
		body: Bytes,
	): Promise<void> {
		const { kind, tenant, eventId } = failure;
		const name = `${kind}-${await digest(JSON.stringify([...scope, tenant, eventId]))}.capture`;
		const names = failed();
		if (!names.has(name)) {
			if (names.size > maxPerHour) return;
			if (names.size === maxPerHour) {
				// No file's: from now on the limit has been reported.
				names.add("");
				throw new CaptureError(
					"limit_reached",
					`More than ${maxPerHour} events failed in an hour: the others of this hour aren't captured`,
				);
			}
			names.add(name);
		}
		await keepFile(name, { type: "failure", capturedAt: clock.now(), ...failure }, body);
	}

	/** Passes a promise on, and holds it until it has settled. */
	function track(capturing: Promise<void>): Promise<void> {
		const settled = capturing.catch(() => undefined).then(() => void pending.delete(settled));
		pending.add(settled);
		return capturing;
	}

	async function captureFailure(
		{ eventId, kind, consumer, attempt }: HandlerRunInfo,
		run: () => Promise<HandlerEnding>,
		{ body, timestamp, tenant }: HandledDelivery,
	): Promise<void> {
		const ending = await run();
		if (ending.kind === "finished" && kind !== "unknown") return;
		const error = ending.kind === "finished" ? undefined : describe(ending.error);
		await keepFailure(
			[consumer],
			{ source: "handler", eventId, tenant, kind, timestamp, attempt, ending: ending.kind, error },
			toBytes(body),
		);
	}

	function keep(event: WebhookEvent, error: unknown, { tenant, attempt }: WorkerRun = {}): Promise<void> {
		const { eventId, kind, timestamp, data } = event;
		return keepFailure(
			[],
			{
				source: "worker",
				eventId,
				tenant,
				kind,
				timestamp,
				attempt,
				ending: "failed",
				error: describe(error),
			},
			utf8(JSON.stringify(data)),
		);
	}

	async function captureRejection(
		{ eventId, status, code }: WebhookResponseInfo,
		readHeader: HeaderReader,
		readBody: () => RawBody | undefined,
	): Promise<void> {
		if (eventId !== undefined || code === "method_not_allowed") return;
		const counts = rejections();
		const count = (counts.get(code) ?? 0) + 1;
		if (count > MAX_OF_A_CODE) return;
		counts.set(code, count);
		const headers = headerNames.flatMap((name) => {
			const value = tryRead(readHeader, name);
			return value === undefined ? [] : [[name, value] as const];
		});
		const body = keepsBody ? rejectedBody(readBody(), headers) : undefined;
		const record: StoredRejection = {
			type: "rejection",
			capturedAt: clock.now(),
			code,
			status,
			claimedBytes: sizeOf(tryRead(readHeader, "Content-Length")),
			headers: Object.fromEntries(headers.map(([name, value]) => [name, formOf(value)])),
			...(body && { sent: Object.fromEntries(headers) }),
		};
		await keepFile(`rejected-${code}-${count}.capture`, record, body ?? new Uint8Array());
	}

	return {
		hooks: {
			aroundHandler: (info, run, delivery) => track(captureFailure(info, run, delivery)),
			onResponse: (info, ...readers) => track(captureRejection(info, ...readers)),
		},
		keep: (event, error, run) => track(keep(event, error, run)),
		settled: async () => void (await Promise.all(pending)),
	};
}

/** @throws ConfigurationError if the variable is missing or holds no key. */
function readKeyVariable(): Bytes {
	const key = readEnvironment(KEY_VARIABLE);
	if (key !== undefined) return readKey(key);
	throw new ConfigurationError(
		`A failure wasn't captured, since the key is missing. Set ${KEY_VARIABLE} to what \`openssl rand -base64 32\` prints, or pass key to captureFailures`,
	);
}

/** The record as a line of JSON, and the raw body after it. */
function seal(key: Bytes, record: object, body: Bytes): Promise<Uint8Array> {
	const line = utf8(`${JSON.stringify(record)}\n`);
	const plain = new Uint8Array(line.length + body.length);
	plain.set(line);
	plain.set(body, line.length);
	return sealFile(key, plain);
}

/** The state of the present hour, which `create` begins. */
function inHours<State>(create: () => State, clock: Clock): () => State {
	let endsAt = Number.NEGATIVE_INFINITY;
	let state = create();
	return () => {
		// A clock that is set back would make an hour of a day.
		const now = monotonicNow(clock);
		if (now >= endsAt) [endsAt, state] = [now + WINDOW_MS, create()];
		return state;
	};
}

function describe(error: unknown): CapturedFailure["error"] {
	if (!(error instanceof Error)) return { name: "unknown", message: "", stack: undefined };
	const { name, message, stack } = error;
	return { name, message, stack };
}

/** A header that is there twice is a reason for a rejection; it has no form. */
function tryRead(readHeader: HeaderReader, name: string): string | undefined {
	try {
		return readHeader(name);
	} catch {
		return undefined;
	}
}

/** The bytes of a body; `undefined` if it was not read, or is more than a stranger may have kept. */
function rejectedBody(
	body: RawBody | undefined,
	headers: readonly (readonly [name: string, value: string])[],
): Bytes | undefined {
	const isLong = headers.some(([, { length }]) => length > MAX_REJECTED_HEADER);
	if (body === undefined || isLong) return undefined;
	const bytes = toBytes(body);
	return bytes.length > MAX_REJECTED_BYTES ? undefined : bytes;
}

function toBytes(body: RawBody): Bytes {
	return typeof body === "string" ? utf8(body) : new Uint8Array(body);
}

/** The size that a header claims; a longer number is none. */
function sizeOf(contentLength = ""): number | undefined {
	return /^\d{1,8}$/.test(contentLength) ? Number(contentLength) : undefined;
}

/** Names a file after an event: an id is not signed, so it may be anything. */
async function digest(event: string): Promise<string> {
	return toHex(new Uint8Array(await webCrypto().digest("SHA-256", utf8(event)))).slice(0, 32);
}

/** Longer values are cut: a stranger wrote them. */
const MAX_LENGTH = 512;

/** A version of a signature, hex, letters, digits, and what is not visible ASCII. */
const RUNS =
	/(?<version>\bv\d(?==))|(?<hex>[\da-f]{16,})|(?<letter>[a-z]+)|(?<digit>\d+)|(?<other>[^!-~]+)/gi;

/** The form of a header's value without what it says: `v1=…` of 64 hex digits is `v1=<64 hex>`. */
function formOf(value: string): string {
	return value.slice(0, MAX_LENGTH).replace(RUNS, (run, ...rest) => {
		const groups: Record<string, string | undefined> = rest.at(-1);
		const [kind = "other"] = Object.keys(groups).filter((name) => groups[name] !== undefined);
		return kind === "version" ? run : `<${run.length} ${kind}>`;
	});
}
