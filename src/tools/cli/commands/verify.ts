import { RequestVerificationError, WebhookVerificationError } from "../../../library/errors.ts";
import { readEnvironment } from "../../../library/host.ts";
import { systemClock } from "../../../library/runtime.ts";
import { readTimestamp } from "../../../library/signing/dialect.ts";
import { memoryNonceStore } from "../../../library/signing/nonce-store.ts";
import { verifyRequest } from "../../../library/signing/verify-request.ts";
import type { CapturedRejection } from "../../../library/webhooks/capture/capture.ts";
import { verifyWebhook } from "../../../library/webhooks/verify-webhook.ts";
import { explainWebhookFailure } from "../../doctor/webhooks/explain-webhook-failure.ts";
import { isCaptureFile, KEY_FLAG, readCaptureFile } from "../capture-file.ts";
import { CommandFailure, EXIT, usageError } from "../failure.ts";
import { PROFILE_FLAG, readProfile, readSecret } from "../gateway-options.ts";
import { type HttpMessage, parseHttpMessage } from "../http-message.ts";
import { indented, printable } from "../printable.ts";
import { readInputFile } from "../read-input.ts";
import { describeSteps, receivedRequestSteps } from "../signing-steps.ts";
import type { Terminal } from "../terminal.ts";
import { declareGroup, declareVerb, type OptionsOf } from "../verb.ts";

const SHARED_FLAGS = {
	"--at <time>": "the time to check at: ISO 8601, or `signed` for the message's timestamp",
	...PROFILE_FLAG,
} as const;

const WEBHOOK_FLAGS = {
	"--explain": "explain why it is rejected, and how to fix it",
	"--webhook-secret-file <file>": "a file with the secret (MESSAGING_GATEWAY_WEBHOOK_SECRET)",
	...KEY_FLAG,
	...SHARED_FLAGS,
} as const;

const addRequest = declareVerb({
	usage: "request [file]",
	summary: "Verify a request as the gateway does: start line, headers, an empty line, raw body.",
	flags: {
		"--app-secret-file <file>": "a file with the App Secret (MESSAGING_GATEWAY_APP_SECRET)",
		...SHARED_FLAGS,
	},
	examples: ["npx messaging-gateway --dotenv .env verify request request.http --at signed"],
	async run(terminal, options, file = "-") {
		const { method, url, headers, body } = parseHttpMessage(await readInputFile(file));
		if (method === undefined || url === undefined)
			throw usageError(
				"the request has no start line",
				"Begin the file with a line such as `POST /message/text HTTP/1.1`.",
			);
		const secret =
			(await readSecret("MESSAGING_GATEWAY_APP_SECRET", options.appSecretFile)) ??
			missing("the App Secret", "MESSAGING_GATEWAY_APP_SECRET");
		const profile = await readProfile(options.profile);
		const request = { method, url, headers, body };
		const steps = receivedRequestSteps(request, profile);
		const clock = clockAt(options.at, readTimestamp(headers.get("X-Timestamp"), profile?.signing));
		try {
			const nonceStore = memoryNonceStore();
			const verified = await verifyRequest(request, { secretFor: () => secret, nonceStore, clock, profile });
			terminal.show(
				{ ok: true, ...verified, ...steps },
				() => `${describeSteps(terminal, steps)}\n\n${validSignature(terminal)}`,
			);
		} catch (error) {
			if (!(error instanceof RequestVerificationError)) throw error;
			terminal.say(`${describeSteps(terminal, steps)}\n`);
			throw new CommandFailure(`${error.code}: ${error.message}`);
		}
	},
});

const addWebhook = declareVerb({
	usage: "webhook [file]",
	summary: "Verify a webhook: headers, an empty line, raw body.",
	flags: WEBHOOK_FLAGS,
	examples: [
		"npx messaging-gateway --dotenv .env verify webhook delivery.http --at signed",
		"npx messaging-gateway --dotenv .env verify webhook delivery.http --explain",
	],
	notes:
		"A file of `captureFailures` with a rejected delivery is checked at the time when it arrived; its key stands in MESSAGING_GATEWAY_CAPTURE_KEY.",
	async run(terminal, options, file = "-") {
		const bytes = await readInputFile(file);
		if (!isCaptureFile(bytes)) return verifyDelivery(terminal, parseHttpMessage(bytes), options);
		const { capturedAt, sent } = await readRejection(bytes, options.keyFile);
		const { at = new Date(capturedAt).toISOString() } = options;
		const message = { headers: new Headers(sent.headers), body: sent.body };
		return verifyDelivery(terminal, message, { ...options, at });
	},
});

/** @throws CommandFailure unless a file holds a rejected delivery with its body. */
async function readRejection(
	file: Uint8Array,
	keyFile: string | undefined,
): Promise<Pick<CapturedRejection, "capturedAt"> & { sent: NonNullable<CapturedRejection["sent"]> }> {
	const capture = await readCaptureFile(file, keyFile);
	if (capture.type === "failure")
		throw usageError(
			"the file holds an event whose signature was right",
			"Replay it: npx messaging-gateway replay FILE",
		);
	const { capturedAt, sent } = capture;
	if (sent !== undefined) return { capturedAt, sent };
	throw usageError(
		"the file holds only the form of the delivery",
		"Give captureFailures `rejected: { body: true }`: it then keeps a rejected delivery as it arrived.",
	);
}

/** Verifies a request or a webhook in a file. */
export const addVerifyVerbs = declareGroup(
	"verify",
	{ summary: "Verify a request or a webhook in a file." },
	[addRequest, addWebhook],
);

const NOTHING_UNKNOWN = { type: undefined, issues: [], issueCount: 0 };

async function verifyDelivery(
	terminal: Terminal,
	{ headers, body }: HttpMessage,
	options: OptionsOf<typeof WEBHOOK_FLAGS>,
): Promise<number> {
	const secret =
		(await readSecret("MESSAGING_GATEWAY_WEBHOOK_SECRET", options.webhookSecretFile)) ??
		missing("the webhook secret", "MESSAGING_GATEWAY_WEBHOOK_SECRET");
	const profile = await readProfile(options.profile);
	const prefix = profile?.vendor?.headerPrefix ?? "SVC";
	const clock = clockAt(options.at, Number(headers.get(`X-${prefix}-Timestamp`)) * 1000);
	try {
		const event = verifyWebhook({ body, headers }, { secret, clock, profile });
		const { kind, eventId, timestamp } = event;
		const { type, issues, issueCount } = kind === "unknown" ? event : NOTHING_UNKNOWN;
		terminal.show(
			{ ok: true, kind, eventId, timestamp, ...(kind === "unknown" ? { type, issues, issueCount } : {}) },
			() =>
				[
					`${validSignature(terminal)} ${printable(`${kind} ${eventId}`)}`,
					...(issues.length === 0 ? [] : ["The payload isn't as documented:"]),
					...issues.map(({ path, message }) => `  ${printable(`${path} ${message}`.trim())}`),
					...(issueCount > issues.length ? [`  and ${issueCount - issues.length} more`] : []),
				].join("\n"),
		);
		return EXIT.done;
	} catch (error) {
		if (!(error instanceof WebhookVerificationError)) throw error;
		if (!options.explain)
			throw new CommandFailure(`${error.code}: ${error.message}`, "Add --explain to find out why.");
	}
	const appSecret = readEnvironment("MESSAGING_GATEWAY_APP_SECRET");
	const { code, findings } = explainWebhookFailure({ body, headers }, { secret, appSecret, clock, profile });
	terminal.show({ ok: false, code, findings }, () =>
		[
			`${terminal.paint("red", "rejected:")} ${code}`,
			...findings.map(
				({ certainty, message, fix }) =>
					`\n${terminal.paint("bold", certainty)}: ${printable(message)}\n${indented(fix)}`,
			),
		].join("\n"),
	);
	return EXIT.failed;
}

function validSignature(terminal: Terminal): string {
	return terminal.paint("green", "The signature is valid.");
}

function missing(what: string, variable: string): never {
	throw usageError(`${what} is missing`, `Set ${variable}, or give a file; see --help.`);
}

/** Returns a clock fixed at the time of `--at`, for messages that are no longer fresh. */
function clockAt(at: string | undefined, signedMs: number) {
	if (at === undefined) return systemClock;
	const now = at === "signed" ? signedMs : Date.parse(at);
	if (!Number.isFinite(now))
		throw usageError(
			at === "signed" ? "the message has no valid timestamp" : "--at must be an ISO 8601 time or `signed`",
		);
	return { ...systemClock, now: () => now };
}
