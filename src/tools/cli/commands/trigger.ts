import { createWebhookRequest } from "../../local-gateway/webhook-request.ts";
import { deliver } from "../deliver.ts";
import { CommandFailure, EXIT } from "../failure.ts";
import {
	assertHttpUrl,
	PROFILE_FLAG,
	parseFields,
	readProfile,
	readWebhookSecret,
	WEBHOOK_SECRET_FLAG,
} from "../gateway-options.ts";
import { printable } from "../printable.ts";
import { declareVerb } from "../verb.ts";

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
		"npx messaging-gateway trigger inbound_message --set text=STOP",
		"npx messaging-gateway trigger status --set status=failed error:=null",
	],
	notes: "It needs no gateway, and the local one doesn't see it.",
	async run(terminal, options, kind) {
		assertHttpUrl("--to", options.to);
		const profile = await readProfile(options.profile);
		const request = createWebhookRequest(kind, parseFields(options.set), {
			url: options.to,
			secret: await readWebhookSecret(options.webhookSecretFile, profile),
			eventId: options.eventId,
			profile,
		});
		const headers = Object.fromEntries(request.headers);
		const { recorded, response } = await deliver(options.to, { headers, body: await request.text() });
		const { status } = recorded;
		if (status === undefined)
			throw new CommandFailure(
				`no response from ${options.to}: ${recorded.error}`,
				"Check that your application runs there, or give another URL with --to.",
			);
		const body = response?.body.slice(0, 200) ?? "";
		const isAcknowledged = status >= 200 && status < 300;
		const eventId = Object.entries(headers).find(([name]) => name.endsWith("-event-id"))?.[1];
		terminal.show({ ok: isAcknowledged, kind, eventId, status, body }, () =>
			`${kind} ${eventId}: ${terminal.paint(isAcknowledged ? "green" : "red", String(status))} ${printable(body)}`.trim(),
		);
		return isAcknowledged ? EXIT.done : EXIT.failed;
	},
});
