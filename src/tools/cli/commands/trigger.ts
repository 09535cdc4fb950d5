import { platformFetch } from "../../../library/runtime.ts";
import { createWebhookRequest } from "../../local-gateway/webhook-request.ts";
import { CommandFailure, EXIT } from "../failure.ts";
import {
	assertHttpUrl,
	PROFILE_FLAG,
	readFields,
	readProfile,
	readWebhookSecret,
	WEBHOOK_SECRET_FLAG,
} from "../gateway-options.ts";
import { printable } from "../printable.ts";
import { declareVerb } from "../verb.ts";

/** The receiver's timeout in milliseconds, the same as the local gateway's. */
const TIMEOUT_MS = 10_000;

/** Sends one signed sample delivery. */
export const addTriggerVerb = declareVerb({
	usage: "trigger <kind>",
	words: ["inbound_message", "inbound_reaction", "status"],
	summary: "Deliver one signed sample event to a receiver.",
	flags: {
		"--to <url>": { meaning: "the receiver", preset: "http://localhost:3000/webhooks" },
		"--set <field=string...>": "fields of the payload, as field=string or field:=json",
		"--event-id <id>": "the event id (default: random)",
		...WEBHOOK_SECRET_FLAG,
		...PROFILE_FLAG,
	},
	examples: [
		"messaging-gateway trigger inbound_message --set text=STOP",
		"messaging-gateway trigger status --set status=failed error:=null",
	],
	notes: "It needs no gateway, and the local one does not see it.",
	async run(terminal, options, kind) {
		assertHttpUrl("--to", options.to);
		const request = createWebhookRequest(kind, readFields(options.set), {
			url: options.to,
			secret: await readWebhookSecret(options.webhookSecretFile),
			eventId: options.eventId,
			profile: await readProfile(options.profile),
		});
		const { status, body } = await deliver(request);
		const isAcknowledged = status >= 200 && status < 300;
		const eventId = [...request.headers].find(([name]) => name.endsWith("-event-id"))?.[1];
		terminal.show({ ok: isAcknowledged, kind, eventId, status, body }, () =>
			`${kind} ${eventId}: ${terminal.paint(isAcknowledged ? "green" : "red", String(status))} ${printable(body)}`.trim(),
		);
		return isAcknowledged ? EXIT.done : EXIT.failed;
	},
});

async function deliver(request: Request): Promise<{ status: number; body: string }> {
	const { url, method, headers } = request;
	try {
		const response = await platformFetch(url, {
			method,
			headers,
			body: await request.arrayBuffer(),
			redirect: "manual",
			signal: AbortSignal.timeout(TIMEOUT_MS),
		});
		return { status: response.status, body: (await response.text()).slice(0, 200) };
	} catch (error) {
		const cause =
			error instanceof Error && error.cause instanceof Error ? error.cause.message : String(error);
		throw new CommandFailure(
			`no response from ${url}: ${cause}`,
			"Check that your application runs there, or give another URL with --to.",
		);
	}
}
