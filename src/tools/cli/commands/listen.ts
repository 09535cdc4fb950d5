import { MessagingGatewayError } from "../../../library/errors.ts";
import type { MessagingGateway } from "../../../library/messaging-gateway.ts";
import { usageError } from "../failure.ts";
import {
	assertHttpUrl,
	chooseBaseUrl,
	createClient,
	GATEWAY_FLAGS,
	isLocalUrl,
	readPort,
	readProfile,
	readSecret,
	readWebhookSecret,
	WEBHOOK_SECRET_FLAG,
} from "../gateway-options.ts";
import { indented, printable } from "../printable.ts";
import { untilStopped } from "../serving.ts";
import type { Terminal } from "../terminal.ts";
import { declareVerb, type OptionsOf } from "../verb.ts";
import { type ReceivedWebhook, startReceiver } from "../webhook-receiver.ts";

const FLAGS = {
	"--forward-to <url>": "your application's webhook URL; without it every event is acknowledged",
	"--port <port>": { meaning: "the port to listen on; 0 for a free one", preset: "0" },
	"--public-url <url>": "the URL that reaches this port from outside",
	"--replace-webhooks": "overwrite the registered webhook URLs of a gateway that isn't local",
	"--payload": "also show the payloads",
	...WEBHOOK_SECRET_FLAG,
	...GATEWAY_FLAGS,
} as const;

type ListenFlags = OptionsOf<typeof FLAGS>;

/** Shows and forwards received webhooks. */
export const addListenVerb = declareVerb({
	usage: "listen",
	summary: "Receive webhooks here: verify, show and forward them unchanged.",
	flags: FLAGS,
	examples: [
		"npx messaging-gateway listen --forward-to http://localhost:3000/webhooks",
		"npx messaging-gateway listen --public-url https://a.test --replace-webhooks",
	],
	notes: "A body may have up to 1 MiB. `dev --forward-to` needs no `listen`.",
	async run(terminal, options) {
		const { forwardTo } = options;
		if (forwardTo !== undefined) assertHttpUrl("--forward-to", forwardTo);
		if (options.publicUrl !== undefined) assertHttpUrl("--public-url", options.publicUrl);
		const baseUrl = await chooseBaseUrl(options.baseUrl);
		const isLocal = isLocalUrl(baseUrl);
		if (!isLocal) assertMayReplace(options);
		const profile = await readProfile(options.profile);
		const secret = isLocal
			? await readWebhookSecret(options.webhookSecretFile, profile)
			: await readSecret("MESSAGING_GATEWAY_WEBHOOK_SECRET", options.webhookSecretFile);
		if (secret === undefined)
			throw usageError("the webhook secret is missing", "Set MESSAGING_GATEWAY_WEBHOOK_SECRET.");
		const gateway = await createClient({ ...options, baseUrl });
		await using receiver = await startReceiver({
			port: readPort(options.port),
			forwardTo,
			secret,
			profile,
			onWebhook: (webhook) => showWebhook(terminal, webhook, options.payload ?? false),
		});
		const url = options.publicUrl ?? receiver.url;
		// Before the first output: a caller may stop the command as soon as it reads it.
		const whenStopped = untilStopped();
		const restore = await register(gateway, url, isLocal);
		const onward = forwardTo === undefined ? "" : `, and on to ${forwardTo}`;
		terminal.show(
			{ listening: receiver.url, registered: url, forwardTo },
			() => `Webhooks go to ${url}${onward}. Ctrl+C stops.`,
		);
		await whenStopped;
		await restore();
		terminal.say("stopped");
	},
});

/** Requires consent: no documented call reads back the webhook URLs of a gateway that is not local. */
function assertMayReplace({ publicUrl, replaceWebhooks }: ListenFlags): void {
	if (publicUrl !== undefined && replaceWebhooks) return;
	throw usageError(
		"this gateway isn't local: listening would overwrite its current webhook URLs",
		"No documented call can read them back. If you know them, give --public-url and --replace-webhooks.",
	);
}

/** Registers `url` for webhooks. The returned function restores the previous URLs of a local gateway. */
async function register(
	gateway: MessagingGateway,
	url: string,
	isLocal: boolean,
): Promise<() => Promise<void>> {
	const before = isLocal ? await gateway.settings.getWebhooks() : undefined;
	await gateway.settings.setWebhooks({ inboundWebhookUrl: url, statusWebhookUrl: url });
	return async () => {
		if (before === undefined) return;
		const { inboundWebhookUrl, statusWebhookUrl } = before;
		// The gateway may already have stopped.
		await gateway.settings.setWebhooks({ inboundWebhookUrl, statusWebhookUrl }).catch((error: unknown) => {
			if (!(error instanceof MessagingGatewayError)) throw error;
		});
	};
}

function showWebhook(
	terminal: Terminal,
	{ payload, ...webhook }: ReceivedWebhook,
	hasPayload: boolean,
): void {
	const { kind, eventId, filled, issues, problem, status, forwardProblem } = webhook;
	const verified = problem === undefined;
	const event = { kind, eventId, filled, issues, verified, problem, status, forwardProblem };
	terminal.show(hasPayload ? { ...event, payload } : event, () => {
		const verification =
			problem === undefined ? terminal.paint("green", "verified") : terminal.paint("red", problem);
		const response = terminal.paint(status < 300 ? "green" : "red", String(status));
		const line = `${kind ?? "?"} ${printable(eventId ?? "?")} ${verification} → ${response}`;
		const notes = [
			...(forwardProblem === undefined ? [] : [forwardProblem]),
			...(issues ?? []).map((issue) => `not as documented: ${issue}`),
			...(filled === undefined ? [] : [`filled: ${filled.join(", ")}`]),
			...(hasPayload ? [payload] : []),
		];
		return [line, ...notes.map(indented)].join("\n");
	});
}
