import type { Command } from "commander";
import { RequestVerificationError, WebhookVerificationError } from "../../../library/errors.ts";
import { readEnvironment, systemClock } from "../../../library/runtime.ts";
import { readTimestamp } from "../../../library/signing/dialect.ts";
import { memoryNonceStore } from "../../../library/signing/nonce-store.ts";
import { verifyRequest } from "../../../library/signing/verify-request.ts";
import { verifyWebhook } from "../../../library/webhooks/verify-webhook.ts";
import { explainWebhookFailure } from "../../doctor/webhooks/explain-webhook-failure.ts";
import type { ActionMaker } from "../action.ts";
import { examples } from "../examples.ts";
import { CommandFailure, EXIT, usageError } from "../failure.ts";
import { profileOption, readProfile, readSecret } from "../gateway-options.ts";
import { type HttpMessage, parseHttpMessage } from "../http-message.ts";
import { indented, printable } from "../printable.ts";
import { readInput } from "../read-input.ts";
import { receivedRequestSteps } from "../received-steps.ts";
import { describeSteps } from "../signing-steps.ts";
import type { Terminal } from "../terminal.ts";

interface VerifyOptions {
	at?: string;
	profile?: string;
}

interface VerifyRequestOptions extends VerifyOptions {
	appSecretFile?: string;
}

interface VerifyWebhookOptions extends VerifyOptions {
	webhookSecretFile?: string;
	explain?: boolean;
}

const AT = "the time to check at: ISO 8601, or `signed` for the message's timestamp";

/** Adds the verb that verifies a request or a webhook in a file. */
export function addVerifyCommand(program: Command, action: ActionMaker): void {
	const verify = program.command("verify").description("Verify a request or a webhook in a file.");
	verify
		.argument("[file]")
		.allowUnknownOption()
		.allowExcessArguments()
		.action(
			action(async () => {
				const meant = ["messaging-gateway verify webhook", ...verify.args].join(" ");
				throw usageError(
					"verify needs `webhook` or `request` before the file",
					`Did you mean \`${printable(meant)}\`? See \`messaging-gateway verify --help\`.`,
				);
			}),
		);
	verify
		.command("request [file]")
		.description("Verify a request as the gateway does: start line, headers, an empty line, raw body.")
		.option("--app-secret-file <file>", "a file with the App Secret (MESSAGING_GATEWAY_APP_SECRET)")
		.option("--at <time>", AT)
		.addOption(profileOption())
		.addHelpText("after", examples("messaging-gateway --dotenv .env verify request request.http --at signed"))
		.action(
			action(async (terminal, file: string | undefined, options: VerifyRequestOptions) => {
				const message = parseHttpMessage(await readInput(file ?? "-"));
				const { method, url, headers, body } = message;
				if (method === undefined || url === undefined) {
					throw usageError(
						"the request has no start line",
						"Begin the file with a line such as `POST /message/text HTTP/1.1`.",
					);
				}
				const secret =
					(await readSecret("MESSAGING_GATEWAY_APP_SECRET", options.appSecretFile)) ??
					missing("the App Secret", "MESSAGING_GATEWAY_APP_SECRET");
				const profile = await readProfile(options.profile);
				const steps = receivedRequestSteps({ method, url, headers, body }, profile);
				const signedAt = readTimestamp(headers.get("X-Timestamp"), profile?.signing);
				const clock = clockAt(options.at, signedAt);
				try {
					const nonceStore = memoryNonceStore();
					const verified = await verifyRequest(
						{ method, url, headers, body },
						{ secretFor: () => secret, nonceStore, clock, profile },
					);
					terminal.show(
						{ ok: true, ...verified, ...steps },
						() => `${describeSteps(terminal, steps)}\n\n${validSignature(terminal)}`,
					);
					return EXIT.done;
				} catch (error) {
					if (!(error instanceof RequestVerificationError)) throw error;
					terminal.say(`${describeSteps(terminal, steps)}\n`);
					throw new CommandFailure(`${error.code}: ${error.message}`);
				}
			}),
		);
	verify
		.command("webhook [file]")
		.description("Verify a webhook: headers, an empty line, raw body.")
		.option("--webhook-secret-file <file>", "a file with the secret (MESSAGING_GATEWAY_WEBHOOK_SECRET)")
		.option("--explain", "explain why it is rejected, and how to fix it")
		.option("--at <time>", AT)
		.addOption(profileOption())
		.addHelpText(
			"after",
			examples(
				"messaging-gateway --dotenv .env verify webhook delivery.http --at signed",
				"messaging-gateway --dotenv .env verify webhook delivery.http --explain",
			),
		)
		.action(
			action(async (terminal, file: string | undefined, options: VerifyWebhookOptions) => {
				const message = parseHttpMessage(await readInput(file ?? "-"));
				return verifyDelivery(terminal, message, options);
			}),
		);
}

const NOTHING_UNKNOWN = { type: undefined, issues: [], issueCount: 0 };

async function verifyDelivery(
	terminal: Terminal,
	{ headers, body }: HttpMessage,
	options: VerifyWebhookOptions,
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
					...(issues.length === 0 ? [] : ["The payload is not as documented:"]),
					...issues.map(({ path, message }) => `  ${printable(`${path} ${message}`.trim())}`),
					...(issueCount > issues.length ? [`  and ${issueCount - issues.length} more`] : []),
				].join("\n"),
		);
		return EXIT.done;
	} catch (error) {
		if (!(error instanceof WebhookVerificationError)) throw error;
		const hint = options.explain ? undefined : "Add --explain to find out why.";
		if (!options.explain)
			throw new CommandFailure(`${error.code}: ${error.message}`, hint === undefined ? {} : { hint });
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
