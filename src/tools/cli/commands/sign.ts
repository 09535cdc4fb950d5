import { Buffer } from "node:buffer";
import { readEnvironment } from "../../../library/runtime.ts";
import { signRequest } from "../../../library/signing/sign-request.ts";
import { signWebhook } from "../../../library/webhooks/sign-webhook.ts";
import { usageError } from "../failure.ts";
import {
	isLocalUrl,
	LOCAL_GATEWAY,
	localSecrets,
	PROFILE_FLAG,
	parseJson,
	readInteger,
	readProfile,
	readSecret,
	readWebhookSecret,
	WEBHOOK_SECRET_FLAG,
} from "../gateway-options.ts";
import { readInput, readTextInput } from "../read-input.ts";
import { describeSteps } from "../signing-steps.ts";
import { declareGroup, declareVerb } from "../verb.ts";

const addRequest = declareVerb({
	usage: "request",
	summary: "Sign a request: its canonical body, body hash, string to sign and headers.",
	flags: {
		"--url <url>": { meaning: "the URL, or its path" },
		"--method <method>": { meaning: "the HTTP method", preset: "POST" },
		"--body <file>": "a file with the JSON body, - for standard input",
		"--app-id <id>": "the app id (MESSAGING_GATEWAY_APP_ID; default: the local gateway's)",
		"--app-secret-file <file>":
			"a file with the App Secret (MESSAGING_GATEWAY_APP_SECRET; default: the local gateway's)",
		"--timestamp <ms>": "Unix time in milliseconds (default: now)",
		"--nonce <uuid>": "the nonce (default: random)",
		...PROFILE_FLAG,
	},
	examples: [
		"messaging-gateway sign request --url /message/text --body body.json",
		"messaging-gateway sign request --method GET --url /agents",
	],
	async run(terminal, options) {
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
			timestamp: readInteger("--timestamp", options.timestamp),
			nonce,
			profile: await readProfile(profile),
		});
		const { bodyHash, stringToSign, headers } = signed;
		const canonicalBody = Buffer.from(signed.body ?? []).toString();
		const steps = { canonicalBody, bodyHash, stringToSign, headers };
		terminal.show(steps, () => describeSteps(terminal, steps));
	},
});

const addWebhook = declareVerb({
	usage: "webhook",
	summary: "Sign a webhook's raw body as the gateway does.",
	flags: {
		"--body <file>": { meaning: "a file with the raw body, - for standard input" },
		"--event-id <id>": "the event id (default: random)",
		"--timestamp <seconds>": "Unix time in seconds (default: now)",
		...WEBHOOK_SECRET_FLAG,
		...PROFILE_FLAG,
	},
	examples: [
		"messaging-gateway sign webhook --body payload.json --event-id evt_1",
		'echo \'{"status": "sent"}\' | messaging-gateway sign webhook --body -',
	],
	async run(terminal, options) {
		const body = await readInput(options.body);
		const timestamp = readInteger("--timestamp", options.timestamp) ?? Math.floor(Date.now() / 1000);
		const secret = await readWebhookSecret(options.webhookSecretFile);
		const profile = await readProfile(options.profile);
		const headers = signWebhook({ body, secret, timestamp, eventId: options.eventId, profile });
		const steps = { stringToSign: `${timestamp}.${Buffer.from(body).toString()}`, headers };
		terminal.show(steps, () => describeSteps(terminal, steps));
	},
});

/** Signs a request or a webhook and shows the steps. */
export const addSignVerbs = declareGroup(
	"sign",
	{ summary: "Sign a request or a webhook, and show every step." },
	[addRequest, addWebhook],
);

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
