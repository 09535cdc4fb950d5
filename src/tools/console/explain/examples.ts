import { encodeBase64 } from "../../../library/signing/base64.ts";
import { utf8 } from "../../../library/signing/bytes.ts";
import { signWebhook } from "../../../library/webhooks/sign-webhook.ts";
import { type BodyInput, EMPTY_INPUT, type ExplainInput } from "./explain-input.ts";

const SECRET = "whsec_example";
const EVENT = { type: "inbound_message", text: "Crème brûlée at 8?", from: "+15551234567" };
const BODY = JSON.stringify(EVENT);

// Signed at the start of 2026.
const headers = Object.entries(
	signWebhook({ body: BODY, secret: SECRET, timestamp: 1_767_225_600, eventId: "evt_example" }),
).map((header) => header.join(": "));

const VALID: ExplainInput = {
	...EMPTY_INPUT,
	headers: headers.join("\n"),
	body: toBody(BODY),
	secret: SECRET,
	now: "2026-01-01T00:00:02Z",
};

/** A valid delivery, and one for each common mistake, by what is wrong. */
export const EXAMPLES: Readonly<Record<string, ExplainInput>> = {
	"A valid delivery": VALID,
	"Parsed and serialized again": { ...VALID, body: toBody(JSON.stringify(EVENT, undefined, 2)) },
	"A byte order mark": { ...VALID, body: toBody(`\ufeff${BODY}`) },
	"Still in base64": { ...VALID, body: toBody(encodeBase64(utf8(BODY))) },
	"A secret with whitespace": { ...VALID, secret: `${SECRET} ` },
	"The App Secret": { ...VALID, secret: "whsec_other", appSecret: SECRET },
	"Another environment": { ...VALID, secret: "whsec_other", otherSecret: SECRET },
	"A replay": { ...VALID, now: "2026-01-01T01:02:05Z" },
	"A header is missing": { ...VALID, headers: headers.slice(0, -1).join("\n") },
};

function toBody(text: string): BodyInput {
	return { text, isBase64: false };
}
