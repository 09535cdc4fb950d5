import { isJsonObject } from "../../library/is-object.ts";
import type { JsonSchema } from "./document.ts";
import { type Components, optionsOf } from "./schema-paths.ts";

const AGENT = "+15550000001";
const CONTACT = "+15551234567";
const UUID = "0f6c9d1e-3c55-4b8e-9a55-2f4f3d1c7a10";
const HOOK = "https://app.example/webhooks";

/**
 * Examples of strings: by name, or by interface and name, as that of one that may be `null`. An id of the gateway has
 * none: forms leave it empty, since no example exists there.
 */
const EXAMPLES: Readonly<Record<string, string>> = {
	from: AGENT,
	to: CONTACT,
	"InboundMessage.from": CONTACT,
	"InboundMessage.to": AGENT,
	"InboundReaction.from": CONTACT,
	"InboundReaction.to": AGENT,
	agentNumber: AGENT,
	userNumber: CONTACT,
	number: CONTACT,
	"NumberStats.number": AGENT,
	nativeMessageNumber: AGENT,
	text: "Hello",
	originalText: "Hello",
	// Audio is valid as an attachment and as a voice note.
	url: "https://files.example/note.mp3",
	data: "AAAA",
	mimeType: "audio/mpeg",
	"EncodedAttachment.name": "note.mp3",
	"AttachmentByUrl.name": "note.mp3",
	name: "Desk 1",
	reason: "maintenance",
	statusCallback: HOOK,
	"SetWebhooksInput.inboundWebhookUrl": HOOK,
	"SetWebhooksInput.statusWebhookUrl": HOOK,
	"WebhookSettings.inboundWebhookUrl": HOOK,
};

/** The schema of a field, with an example if it is a string that has none. */
export function withExample(owner: string, field: string, schema: JsonSchema): JsonSchema {
	const { type, examples, enum: choices, const: fixed, format } = schema;
	const own = EXAMPLES[`${owner}.${field}`];
	const example = own ?? (type === "string" ? EXAMPLES[field] : undefined);
	const isOpen = [examples, choices, fixed, format].every((keyword) => keyword === undefined);
	return example !== undefined && isOpen ? { ...schema, examples: [example] } : schema;
}

/** A value that fits a schema: of an object its required fields, or the first one if none is required. */
export function exampleOf(schema: JsonSchema, components: Components, name = "value"): unknown {
	const [own = schema, ...others] = optionsOf(schema, components);
	const { const: fixed, enum: choices, examples, type, format, items, properties } = own;
	if (fixed !== undefined) return fixed;
	const [first] = [choices, examples].flatMap((list) => (Array.isArray(list) ? list : []));
	if (first !== undefined) return first;
	const [wanted] = [type].flat().filter((each) => each !== "null");
	if (wanted === undefined && properties === undefined) {
		const [other] = others;
		return other === undefined ? {} : exampleOf(other, components, name);
	}
	switch (wanted) {
		case "string":
			return format === "uuid" ? UUID : name;
		case "integer":
		case "number":
			return own["minimum"] ?? 1;
		case "boolean":
			return true;
		case "array": {
			const item = exampleOf(isJsonObject(items) ? items : {}, components, name);
			return Array(Number(own["minItems"] ?? 1)).fill(item);
		}
		default:
			return exampleObject(own, components);
	}
}

function exampleObject(schema: JsonSchema, components: Components): Record<string, unknown> {
	const { properties = {}, required = [], oneOf } = schema;
	const wanted = [...(parts(oneOf)[0]?.required ?? []), ...required];
	const fields = Object.entries(properties).filter(
		([name], at) => wanted.includes(name) || (wanted.length === 0 && at === 0),
	);
	return Object.fromEntries(fields.map(([name, field]) => [name, exampleOf(field, components, name)]));
}

function parts(list: unknown): JsonSchema[] {
	return Array.isArray(list) ? list.filter(isJsonObject) : [];
}
