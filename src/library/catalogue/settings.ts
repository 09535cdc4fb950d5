import * as z from "zod/mini";
import { HTTP_URL_START, isHttpUrl, noInput } from "./input-fields.ts";
import { type OperationDocs, operation } from "./operation.ts";
import { schemaNotes, schemaOf } from "./schema.ts";

/**
 * The webhook URLs to change. A field that you leave out stays as it is.
 * @see Specification, section 4.2
 */
export interface SetWebhooksInput {
	/** The URL for `inbound_message` and `inbound_reaction` events. `null` or an empty string unsets it. */
	inboundWebhookUrl?: string | null | undefined;
	/** The URL for status events. `null` or an empty string unsets it. */
	statusWebhookUrl?: string | null | undefined;
}

/** Your registered webhook URLs. */
export interface WebhookSettings {
	/** The URL for `inbound_message` and `inbound_reaction` events. */
	inboundWebhookUrl: string | null;
	/** The URL for status events. */
	statusWebhookUrl: string | null;
}

const destination = z.optional(
	z.nullable(
		z
			.string()
			.check(
				z.refine(
					(url) => url === "" || isHttpUrl(url),
					"must be an absolute http or https URL, or empty to unset it",
				),
			)
			.register(schemaNotes, { pattern: `^$|${HTTP_URL_START}` }),
	),
);

const webhookSettings = schemaOf<WebhookSettings>("WebhookSettings")(
	z.looseObject({ inboundWebhookUrl: z.nullable(z.string()), statusWebhookUrl: z.nullable(z.string()) }),
);

export const setWebhooks = operation({
	id: "settings.setWebhooks",
	method: "POST",
	path: "/settings/webhooks",
	provenance: "documented",
	retry: "idempotent",
	input: schemaOf<SetWebhooksInput>("SetWebhooksInput")(
		z.strictObject({ inboundWebhookUrl: destination, statusWebhookUrl: destination }),
	),
	data: webhookSettings,
	isDataDocumented: false,
	mayBeEmpty: true,
});

export const getWebhooks = operation({
	id: "settings.getWebhooks",
	method: "GET",
	path: "/settings/webhooks",
	retry: "safe",
	input: noInput,
	data: webhookSettings,
});

export const settingsDocs = {
	"settings.setWebhooks": { summary: "Sets, changes or unsets the webhook destinations.", section: "4.2" },
	"settings.getWebhooks": { summary: "The webhook destinations." },
} satisfies Record<string, OperationDocs>;
