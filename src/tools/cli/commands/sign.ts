import { Buffer } from "node:buffer";
import type { Command } from "commander";
import { readEnvironment } from "../../../library/runtime.ts";
import { signRequest } from "../../../library/signing/sign-request.ts";
import { signWebhook } from "../../../library/webhooks/sign-webhook.ts";
import type { ActionMaker } from "../action.ts";
import { examples } from "../examples.ts";
import { usageError } from "../failure.ts";
import {
	isLocalUrl,
	LOCAL_GATEWAY,
	localSecrets,
	parseJson,
	profileOption,
	readProfile,
	readSecret,
} from "../gateway-options.ts";
import { readInput, readTextInput } from "../read-input.ts";
import { describeSteps } from "../signing-steps.ts";

interface SignRequestOptions {
	method: string;
	url: string;
	body?: string;
	appId?: string;
	appSecretFile?: string;
	timestamp?: string;
	nonce?: string;
	profile?: string;
}

interface SignWebhookOptions {
	body: string;
	webhookSecretFile?: string;
	eventId?: string;
	timestamp?: string;
	profile?: string;
}

/** Adds the verb that signs a request or a webhook and shows the steps. */
export function addSignCommand(program: Command, action: ActionMaker): void {
	const sign = program.command("sign").description("Sign a request or a webhook, and show every step.");
	sign
		.command("request")
		.description("Sign a request: show its canonical body, body hash, string to sign and headers.")
		.requiredOption("--url <url>", "the URL, or its path")
		.option("--method <method>", "the HTTP method", "POST")
		.option("--body <file>", "a file with the JSON body, - for standard input")
		.option("--app-id <id>", "the app id (MESSAGING_GATEWAY_APP_ID; default: the local gateway's)")
		.option(
			"--app-secret-file <file>",
			"a file with the App Secret (MESSAGING_GATEWAY_APP_SECRET; default: the local gateway's)",
		)
		.option("--timestamp <ms>", "Unix time in milliseconds (default: now)")
		.option("--nonce <uuid>", "the nonce (default: random)")
		.addOption(profileOption())
		.addHelpText(
			"after",
			examples(
				'echo \'{"to": "+15551234567"}\' | messaging-gateway sign request --url /message/text --body -',
			),
		)
		.action(
			action(async (terminal, options: SignRequestOptions) => {
				const { method, url, nonce, profile } = options;
				const isLocal = isForLocalGateway(url);
				const signed = signRequest({
					method,
					url,
					body: options.body === undefined ? undefined : await readJson(options.body),
					appId:
						options.appId ??
						readEnvironment("MESSAGING_GATEWAY_APP_ID") ??
						(isLocal ? LOCAL_GATEWAY.appId : missing("the app id", "--app-id")),
					appSecret:
						(await readSecret("MESSAGING_GATEWAY_APP_SECRET", options.appSecretFile)) ??
						(isLocal
							? localSecrets("MESSAGING_GATEWAY_APP_SECRET").appSecret
							: missing("the App Secret", "--app-secret-file")),
					timestamp: toNumber("--timestamp", options.timestamp),
					nonce,
					profile: await readProfile(profile),
				});
				const { bodyHash, stringToSign, headers } = signed;
				const canonicalBody = Buffer.from(signed.body ?? []).toString();
				terminal.show({ canonicalBody, bodyHash, stringToSign, headers }, () =>
					describeSteps(terminal, { canonicalBody, bodyHash, stringToSign, headers }),
				);
				return undefined;
			}),
		);
	sign
		.command("webhook")
		.description("Sign a webhook's raw body as the gateway does.")
		.requiredOption("--body <file>", "a file with the raw body, - for standard input")
		.option(
			"--webhook-secret-file <file>",
			"a file with the secret (MESSAGING_GATEWAY_WEBHOOK_SECRET; default: the local gateway's)",
		)
		.option("--event-id <id>", "the event id (default: random)")
		.option("--timestamp <seconds>", "Unix time in seconds (default: now)")
		.addOption(profileOption())
		.addHelpText(
			"after",
			examples(
				"messaging-gateway sign webhook --body payload.json --event-id evt_1",
				'echo \'{"status": "sent"}\' | messaging-gateway sign webhook --body -',
			),
		)
		.action(
			action(async (terminal, options: SignWebhookOptions) => {
				const body = await readInput(options.body);
				const timestamp = toNumber("--timestamp", options.timestamp) ?? Math.floor(Date.now() / 1000);
				const secret =
					(await readSecret("MESSAGING_GATEWAY_WEBHOOK_SECRET", options.webhookSecretFile)) ??
					localSecrets("MESSAGING_GATEWAY_WEBHOOK_SECRET").webhookSecret;
				const profile = await readProfile(options.profile);
				const headers = signWebhook({ body, secret, timestamp, eventId: options.eventId, profile });
				const stringToSign = `${timestamp}.${Buffer.from(body).toString()}`;
				terminal.show({ stringToSign, headers }, () => describeSteps(terminal, { stringToSign, headers }));
				return undefined;
			}),
		);
}

async function readJson(file: string): Promise<unknown> {
	return parseJson(await readTextInput(file), file === "-" ? "standard input" : file);
}

/** Whether a request for this URL or path goes to the local gateway. A path goes where the other verbs call. */
function isForLocalGateway(url: string): boolean {
	if (URL.canParse(url)) return isLocalUrl(url);
	return isLocalUrl(readEnvironment("MESSAGING_GATEWAY_BASE_URL") ?? LOCAL_GATEWAY.baseUrl);
}

function missing(what: string, option: string): never {
	throw usageError(`${what} is missing`, `Give ${option}, or set the variable named in --help.`);
}

function toNumber(option: string, value: string | undefined): number | undefined {
	if (value === undefined) return undefined;
	if (!/^\d{1,15}$/.test(value)) throw usageError(`${option} must be a non-negative integer`);
	return Number(value);
}
