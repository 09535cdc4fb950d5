import { encodeBase64 } from "../../../library/signing/base64.ts";
import { utf8 } from "../../../library/signing/bytes.ts";
import { signWebhook } from "../../../library/webhooks/sign-webhook.ts";
import { EMPTY_INPUT, type ExplainInput } from "./input/explain-input.ts";

/** An example delivery for the page. */
export interface Example {
	readonly title: string;
	/** What is wrong, in a sentence. */
	readonly story: string;
	readonly input: ExplainInput;
}

const SECRET = "whsec_example";
const SIGNED_AT = 1_767_225_600;
const EVENT_ID = "evt_8c1f0a7be35d4e0f9a21c6d4";

const EVENT = {
	type: "inbound_message",
	messageId: "0f6c9d1e-3c55-4b8e-9a55-2f4f3d1c7a10",
	text: "Crème brûlée at 8?",
	from: "+15551234567",
	to: "+15550000001",
	outbound: false,
	nativeMessageNumber: "+15550000001",
	participants: ["+15550000001", "+15551234567"],
	chatGuid: "chat-1",
	groupId: null,
	messageGuid: "guid-1",
	attachments: [],
	timestamp_ms: 1_767_225_599_500,
	accountId: "acc-1",
};

const BODY = JSON.stringify(EVENT);

/** A valid delivery, and one for each common mistake. */
export const EXAMPLES: readonly Example[] = [
	example("A valid delivery", "Nothing is wrong.", sign(BODY)),
	example(
		"Parsed and serialized again",
		"A framework parsed the body, and the receiver serialized it again.",
		{ ...sign(BODY), body: JSON.stringify(EVENT, undefined, 2) },
	),
	example("A byte order mark", "Something inserted U+FEFF before the body.", {
		...sign(BODY),
		body: `\ufeff${BODY}`,
	}),
	example("Line ends translated", "CRLF became LF in transit.", {
		...sign(JSON.stringify(EVENT, undefined, 2).replaceAll("\n", "\r\n")),
		body: JSON.stringify(EVENT, undefined, 2),
	}),
	example("Still in base64", "A Lambda function passed on the encoded body of its event.", {
		...sign(BODY),
		body: encodeBase64(utf8(BODY)),
	}),
	example("A secret with whitespace", "The secret was copied with trailing whitespace.", {
		...sign(BODY),
		secrets: [`${SECRET} `],
	}),
	example("The App Secret", "The sender signed with the App Secret, which is for requests.", {
		...sign(BODY, { secret: "app-secret" }),
		appSecret: "app-secret",
	}),
	example("Another environment", "The receiver has the production secret, but staging sent this.", {
		...sign(BODY, { secret: "whsec_staging" }),
		otherSecrets: [{ name: "staging", secret: "whsec_staging" }],
	}),
	example("Milliseconds", "The sender wrote and signed the time in milliseconds.", {
		...sign(BODY, { timestamp: SIGNED_AT * 1000 }),
	}),
	example("A replay", "The delivery was recorded, and sent again an hour later.", {
		...sign(BODY),
		now: toIso(SIGNED_AT + 3725),
	}),
	example("Another header prefix", "The sender names its headers X-Acme-Signature and so on.", {
		...sign(BODY, { vendor: "Acme" }),
	}),
	example("A header is missing", "A proxy removed the signature.", withoutSignature(sign(BODY))),
];

interface Delivery {
	readonly headers: string;
	readonly body: string;
	readonly secrets?: readonly string[];
	readonly appSecret?: string;
	readonly otherSecrets?: ExplainInput["otherSecrets"];
	readonly now?: string;
}

function example(title: string, story: string, { body, ...delivery }: Delivery): Example {
	return {
		title,
		story,
		input: {
			...EMPTY_INPUT,
			secrets: [SECRET],
			now: toIso(SIGNED_AT + 2),
			...delivery,
			body: { ...EMPTY_INPUT.body, text: body },
		},
	};
}

function sign(
	body: string,
	{
		secret = SECRET,
		timestamp = SIGNED_AT,
		vendor,
	}: { secret?: string; timestamp?: number; vendor?: string } = {},
): Delivery {
	const profile = vendor === undefined ? undefined : { vendor: { headerPrefix: vendor } };
	const headers = signWebhook({ body, secret, timestamp, eventId: EVENT_ID, profile });
	const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
	return { headers: ["POST /webhooks HTTP/1.1", ...lines].join("\n"), body };
}

function withoutSignature({ headers, body }: Delivery): Delivery {
	return { body, headers: headers.replace(/^.*-Signature:.*\n?/m, "").trim() };
}

function toIso(seconds: number): string {
	return new Date(seconds * 1000).toISOString();
}
