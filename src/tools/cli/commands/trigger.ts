import { Argument, type Command } from "commander";
import { platformFetch } from "../../../library/runtime.ts";
import type { WebhookKind } from "../../local-gateway/delivery.ts";
import { createWebhookRequest } from "../../local-gateway/webhook-request.ts";
import type { ActionMaker } from "../action.ts";
import { examples } from "../examples.ts";
import { CommandFailure, EXIT, usageError } from "../failure.ts";
import {
	assertHttpUrl,
	localSecrets,
	parseJson,
	profileOption,
	readProfile,
	readSecret,
} from "../gateway-options.ts";
import { printable } from "../printable.ts";

interface TriggerOptions {
	to: string;
	set?: string[];
	eventId?: string;
	webhookSecretFile?: string;
	profile?: string;
}

const KINDS: readonly WebhookKind[] = ["inbound_message", "inbound_reaction", "status"];

/** The receiver's timeout in milliseconds, the same as the local gateway's. */
const TIMEOUT_MS = 10_000;

/** Adds the verb that sends one signed sample delivery. */
export function addTriggerCommand(program: Command, action: ActionMaker): void {
	program
		.command("trigger")
		.addArgument(new Argument("<kind>", "the kind of event").choices([...KINDS]))
		.description("Deliver one signed sample event to a receiver.")
		.option("--to <url>", "the receiver", "http://localhost:3000/webhooks")
		.option("--set <field=string...>", "fields of the payload, as field=string or field:=json")
		.option("--event-id <id>", "the event id (default: random)")
		.option(
			"--webhook-secret-file <file>",
			"a file with the secret (MESSAGING_GATEWAY_WEBHOOK_SECRET; default: the local gateway's)",
		)
		.addOption(profileOption())
		.addHelpText(
			"after",
			examples(
				"messaging-gateway trigger inbound_message --set text=STOP",
				"messaging-gateway trigger status --to http://localhost:3000/webhooks --set status=failed error:=null",
			),
		)
		.action(
			action(async (terminal, kind: WebhookKind, options: TriggerOptions) => {
				assertHttpUrl("--to", options.to);
				const secret =
					(await readSecret("MESSAGING_GATEWAY_WEBHOOK_SECRET", options.webhookSecretFile)) ??
					localSecrets("MESSAGING_GATEWAY_WEBHOOK_SECRET").webhookSecret;
				const request = createWebhookRequest(kind, readFields(options.set ?? []), {
					url: options.to,
					secret,
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
			}),
		);
}

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
		throw new CommandFailure(`no response from ${url}: ${cause}`, {
			hint: "Check that your application runs there, or give another URL with --to.",
		});
	}
}

/** Parses `field=string` and `field:=json`, the notation of HTTPie. */
function readFields(settings: readonly string[]): Record<string, unknown> {
	return Object.fromEntries(
		settings.map((setting) => {
			const [, name, colon, value] = /^(\w+)(:?)=(.*)$/s.exec(setting) ?? [];
			if (name === undefined || value === undefined) {
				throw usageError(`--set ${setting}: give field=string or field:=json`);
			}
			return [name, colon === ":" ? parseJson(value, `--set ${name}`) : value];
		}),
	);
}
