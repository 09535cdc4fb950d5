import { Buffer } from "node:buffer";
import { signRequest } from "../../../library/signing/sign-request.ts";
import { signWebhook } from "../../../library/webhooks/sign-webhook.ts";
import {
	CREDENTIAL_FLAGS,
	LOCAL_GATEWAY,
	nameBaseUrl,
	PROFILE_FLAG,
	parseGivenJson,
	readAccess,
	readInteger,
	readProfile,
	readWebhookSecret,
	WEBHOOK_SECRET_FLAG,
} from "../gateway-options.ts";
import { readInputFile, readTextInput } from "../read-input.ts";
import { describeSteps } from "../signing-steps.ts";
import { declareGroup, declareVerb } from "../verb.ts";

const addRequest = declareVerb({
	usage: "request",
	summary: "Sign a request: its canonical body, body hash, string to sign and headers.",
	flags: {
		"--url <url>": { meaning: "the URL, or its path" },
		"--method <method>": { meaning: "the HTTP method", preset: "POST" },
		"--body <file>": "a file with the JSON body, - for standard input",
		"--timestamp <ms>": "Unix time in milliseconds (default: now)",
		"--nonce <uuid>": "the nonce (default: random)",
		...CREDENTIAL_FLAGS,
	},
	examples: [
		"npx messaging-gateway sign request --url /message/text --body body.json",
		"npx messaging-gateway sign request --method GET --url /agents",
	],
	async run(terminal, { method, url, body, timestamp, nonce, ...options }) {
		// A path goes where the other verbs call; it is the same one for every local gateway.
		const baseUrl = URL.canParse(url) ? url : (nameBaseUrl(undefined) ?? LOCAL_GATEWAY.baseUrl);
		const access = await readAccess({ ...options, baseUrl });
		const signed = signRequest({
			...access,
			method,
			url,
			body: body === undefined ? undefined : parseGivenJson(await readTextInput(body), "--body"),
			timestamp: readInteger("--timestamp", timestamp),
			nonce,
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
		"npx messaging-gateway sign webhook --body payload.json --event-id evt_1",
		'echo \'{"status": "sent"}\' | npx messaging-gateway sign webhook --body -',
	],
	async run(terminal, options) {
		const body = await readInputFile(options.body);
		const timestamp = readInteger("--timestamp", options.timestamp) ?? Math.floor(Date.now() / 1000);
		const profile = await readProfile(options.profile);
		const secret = await readWebhookSecret(options.webhookSecretFile, profile);
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
