import { EVENTS } from "../../library/catalogue/events.ts";
import { sourceOf } from "../../library/catalogue/operation-docs.ts";
import type { Profile } from "../../library/catalogue/profile.ts";
import { webhookHeaderNames } from "../../library/catalogue/webhook-headers.ts";
import type { JsonSchema, OperationObject, ParameterObject, PathItem } from "./document.ts";
import type { SchemaWriter } from "./json-schemas.ts";
import { describeKey } from "./signing.ts";

/** The tag of the webhooks. */
export const WEBHOOK_TAG = {
	name: "webhooks",
	description: "The events that the gateway sends to the registered destinations.",
};

/**
 * The three signed headers of a webhook (specification, section 6.1), by names that are the same for every vendor's
 * prefix.
 */
export function webhookHeaders({ vendor, events }: Profile): Record<string, ParameterObject> {
	const names = webhookHeaderNames(vendor);
	const key = describeKey("webhook secret", events?.secret);
	const headers: [key: string, name: string, description: string, schema: JsonSchema][] = [
		[
			"WebhookEventId",
			names.eventId,
			"The event's id, used to deduplicate. Assumed: it is the same for every delivery of the event.",
			{ type: "string", pattern: "^evt_" },
		],
		[
			"WebhookTimestamp",
			names.timestamp,
			"Unix time in seconds when this delivery was signed.",
			{ type: "integer", format: "int64" },
		],
		[
			"WebhookSignature",
			names.signature,
			`\`v1=\` and the HMAC-SHA-256 of \`{timestamp}.{rawBody}\` with ${key} as key, in lower-case hex. ` +
				"It covers the bytes as they are sent.",
			{ type: "string", pattern: "^v1=[0-9a-f]+$" },
		],
	];
	return Object.fromEntries(
		headers.map(([key, name, description, schema]) => [
			key,
			{ name, in: "header", required: true, description, schema },
		]),
	);
}

/** The webhooks, and their payloads as components. */
export function describeWebhooks(writer: SchemaWriter, profile: Profile): Record<string, PathItem> {
	const { vendor } = profile;
	const parameters = Object.keys(webhookHeaders(profile)).map((key) => ({
		$ref: `#/components/parameters/${key}`,
	}));
	const wireNames = { nativeMessageNumber: vendor?.messageNumberField ?? "nativeMessageNumber" };
	const webhooks = EVENTS.map(({ name, summary, section, destination, payload }) => {
		const schema = writer.write(payload, wireNames);
		const post: OperationObject = {
			operationId: `${WEBHOOK_TAG.name}.${name}`,
			tags: [WEBHOOK_TAG.name],
			summary,
			description: `Known: section ${section} of the specification shows this payload. It goes to ${destination}.`,
			"x-provenance": "documented",
			"x-specification": sourceOf({ section }),
			security: [],
			parameters,
			requestBody: { required: true, content: { "application/json": { schema } } },
			responses: {
				"2XX": {
					description:
						"The event was received. Assumed: the specification does not show how a receiver must respond.",
					"x-provenance": "provisional",
				},
			},
		};
		return [name, { post }];
	});
	return Object.fromEntries(webhooks);
}
