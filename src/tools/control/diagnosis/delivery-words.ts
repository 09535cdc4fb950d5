import type { Attempt, Delivery } from "../../local-gateway/delivery.ts";
import { ATTEMPT_TIMEOUT_MS } from "../../local-gateway/delivery-attempt.ts";
import { describeRest } from "../../local-gateway/duration.ts";
import type { DeliveryCause } from "./causes.ts";
import { findTarget } from "./redirect-target.ts";
import { type Remedy, URL_TO_FILL_IN } from "./remedy.ts";
import { describeSecret, describeUrl, type Words } from "./words.ts";
import { toShellWord, writeCommand } from "./write-command.ts";

/** A delivery of the local gateway, or one that something else sent, which has no event to deliver again. */
export type DiagnosedDelivery = Pick<Delivery, "kind" | "url"> &
	Partial<Pick<Delivery, "eventId" | "statusCallback">>;

/** What is known of a delivery and one of its attempts. */
export interface DeliveryFacts {
	readonly delivery: DiagnosedDelivery;
	readonly attempt: Attempt;
	/** The gateway's. */
	readonly baseUrl: string;
	readonly webhookSecret: string;
}

/** What registering a URL needs. */
type RegistrableFacts = Pick<DeliveryFacts, "delivery" | "baseUrl">;

const copySecret = ({ baseUrl }: DeliveryFacts): Remedy => ({
	label: "Copy the webhook secret",
	copies: "webhookSecret",
	command: writeCommand("env --force", baseUrl),
});

const FIND_OUT =
	"`npx messaging-gateway verify webhook FILE --explain` says which, from the headers and the body that the receiver got";

const VERIFY_RAW_BODY =
	"Let the receiver verify the raw body, before anything parses it, and give it this secret";

const READ_ITS_LOG = "Read the receiver's log at this time";

const NO_FIX = "Nothing needs a fix: the gateway tries again";

const url = ({ delivery }: DeliveryFacts): string => describeUrl(delivery.url);
const origin = ({ delivery }: DeliveryFacts): string => new URL(delivery.url).origin;
const status = ({ attempt }: DeliveryFacts): string => String(attempt.recorded.status);
const secret = ({ webhookSecret }: DeliveryFacts): string => describeSecret(webhookSecret);

/** What to do about a URL that is not that of the webhook handler. */
function nameOther({ delivery }: DeliveryFacts): string {
	return typeof delivery.statusCallback === "string"
		? "It is the statusCallback of the message: name the path of your webhook handler there."
		: "Register the path of your webhook handler.";
}

/** A URL that is no secret's place, such as a query: a receiver may have written it. */
const PLAIN_URL = /^https?:\/\/[\w.:/~%-]{1,200}$/;

/** Registers a URL, and delivers there, unless the delivery goes to a URL of its message's own. */
function register({ delivery, baseUrl }: RegistrableFacts, url = ""): readonly Remedy[] {
	const { eventId, statusCallback } = delivery;
	if (eventId === undefined || statusCallback !== null || !PLAIN_URL.test(url)) return [];
	return [
		{
			label: `Register ${url}`,
			command: writeRegistration(eventId, url, baseUrl),
			actions: [
				{ type: "destinations", [fieldOf(delivery)]: url },
				{ type: "redeliver", eventId },
			],
		},
	];
}

/** The same with a URL that only a person knows. */
function registerOther({ delivery, baseUrl }: RegistrableFacts): readonly Remedy[] {
	const { eventId, statusCallback } = delivery;
	if (eventId === undefined || statusCallback !== null) return [];
	return [
		{
			label: "Save the URL and try again",
			command: writeRegistration(eventId, URL_TO_FILL_IN, baseUrl),
			asksFor: fieldOf(delivery),
			actions: [{ type: "redeliver", eventId }],
		},
	];
}

function writeRegistration(eventId: string, url: string, baseUrl: string): string {
	return writeCommand(`log ${eventId} --redeliver --to ${toShellWord(url)}`, baseUrl);
}

function fieldOf({ kind }: DiagnosedDelivery): "statusWebhookUrl" | "inboundWebhookUrl" {
	return kind === "status" ? "statusWebhookUrl" : "inboundWebhookUrl";
}

/** Each way in which a delivery can fail, or be acknowledged wrongly. */
export const DELIVERY_WORDS = {
	// Nothing was sent.
	no_webhook_url: (facts: RegistrableFacts) => ({
		reason: `No webhook URL is registered for ${facts.delivery.kind === "status" ? "statuses" : "messages and reactions"}, so the event waits here.`,
		fix: "Register the URL of your webhook handler, then deliver the event.",
		remedies: registerOther(facts),
	}),

	// There was no response, or no whole one.
	nobody_listens: (facts) => ({
		reason: `Nobody listens at ${origin(facts)}.`,
		fix: "Start your application, or register the URL where it listens.",
		remedies: registerOther(facts),
	}),
	unknown_host: (facts) => ({
		reason: `There is no host ${new URL(facts.delivery.url).hostname}.`,
		fix: "Register a webhook URL with a host that this machine can resolve.",
		remedies: registerOther(facts),
	}),
	port_blocked: (facts) => ({
		reason: `fetch blocks port ${new URL(facts.delivery.url).port}, which belongs to another protocol, so nothing was sent.`,
		fix: "Let your application listen on another port, such as 3000, and register the URL with it.",
		remedies: registerOther(facts),
	}),
	https_expected_http: (facts) => ({
		reason: `The webhook URL has https, but ${origin(facts)} doesn't speak TLS.`,
		fix: "Register the URL with http: on this machine that is safe.",
		remedies: register(facts, facts.delivery.url.replace(/^https:/, "http:")),
	}),
	certificate_rejected: (facts) => ({
		reason: `The certificate of ${origin(facts)} isn't trusted by this machine.`,
		fix: "Register the URL with http if the receiver runs on this machine, or start the gateway with NODE_EXTRA_CA_CERTS.",
		remedies: registerOther(facts),
	}),
	connection_closed: (facts) => ({
		reason: `The receiver at ${origin(facts)} closed the connection without a response.`,
		fix: `${READ_ITS_LOG}: it crashed or was restarted, or it expects https.`,
	}),
	no_response_in_time: () => ({
		reason: `The receiver didn't respond within ${describeRest(ATTEMPT_TIMEOUT_MS)}.`,
		fix: "Acknowledge first and work afterwards, with an inbox or a queue.",
	}),
	response_not_ended: () => ({
		reason: `The receiver began its response and didn't end it within ${describeRest(ATTEMPT_TIMEOUT_MS)}.`,
		fix: "End each response, as response.end() does in Node: the gateway waits for its end.",
	}),
	unreachable: (facts) => ({
		reason: `No HTTP response came from ${origin(facts)}: ${facts.attempt.recorded.error}.`,
		fix: "Check the webhook URL, and that this machine reaches it.",
		remedies: registerOther(facts),
	}),

	// What the gateway sent was wrong on purpose.
	altered_by_fault: (facts) => ({
		reason: `A fault altered this attempt, and the receiver rejected it with ${status(facts)}, as it should.`,
		fix: `${NO_FIX}, and without the fault once its times are over.`,
	}),
	signature_not_checked: (facts) => ({
		reason: `A fault made the signature of this attempt wrong, and the receiver acknowledged it with ${status(facts)}: it doesn't check signatures, or something else responds in its place.`,
		fix: "Verify each delivery with createWebhookHandler or verifyWebhook, at the URL that is registered.",
	}),

	// The receiver rejected the signature.
	signature_rejected: (facts) => ({
		reason: `The gateway signed with ${secret(facts)}; the receiver rejected the signature: it verified JSON that it wrote again instead of the raw bytes, or it has another secret.`,
		fix: `${VERIFY_RAW_BODY}; ${FIND_OUT}.`,
		remedies: [copySecret(facts)],
	}),
	unauthorized: (facts) => ({
		reason: `The gateway signed with ${secret(facts)}; the receiver responded ${status(facts)}: it verified JSON that it wrote again instead of the raw bytes, it has another secret, or it expects a login.`,
		fix: `${VERIFY_RAW_BODY}; ${FIND_OUT}. Let webhooks through without a login.`,
		remedies: [copySecret(facts)],
	}),
	body_already_parsed: () => ({
		reason: "The receiver parsed or read the body before it verified it, so the signed bytes are gone.",
		fix: "Mount the webhook handler before the body parser, or give it the raw body (express.raw in Express).",
	}),
	header_lost: () => ({
		reason: "The receiver didn't get all signed headers, or got them changed.",
		fix: "Let the proxy or framework in front of the receiver pass X-SVC-Event-Id, X-SVC-Timestamp and X-SVC-Signature on unchanged.",
	}),
	timestamp_rejected: ({ attempt }) => ({
		reason: `The receiver rejected the time of signing, ${new Date(attempt.recorded.timestamp * 1_000).toISOString()}, as too far from its clock.`,
		fix: "Set the clock of the receiver's machine; a fixed clock in its tests needs a tolerance.",
	}),
	body_not_json: () => ({
		reason: "The receiver accepted the signature, but the body was no JSON object.",
		fix: "Deliver a body that is a JSON object.",
	}),
	payload_not_decoded: () => ({
		reason: "The receiver accepted the signature, and the decoder of its profile failed.",
		fix: `${READ_ITS_LOG}: the error's cause is what profile.events.decode threw.`,
	}),
	body_too_large: () => ({
		reason: "The body is larger than the receiver accepts.",
		fix: "Raise maxBodyBytes of the handler, or the limit of the framework in front of it.",
	}),

	// The receiver got the event and did not process it.
	receiver_misconfigured: (facts) => ({
		reason: "The receiver's webhook options are invalid, or its secret is missing or badly copied.",
		fix: `${READ_ITS_LOG}, which names the option.`,
		remedies: [copySecret(facts)],
	}),
	still_processing: () => ({
		reason: "The receiver is still processing an earlier delivery of this event.",
		fix: `${NO_FIX} when the lease is over.`,
	}),
	handler_failed: (facts) => ({
		reason: `The receiver's handler threw, and the response was ${status(facts)}.`,
		fix: `${READ_ITS_LOG}: the gateway doesn't see the error.`,
	}),
	handler_timed_out: () => ({
		reason: "The receiver's handler didn't finish within its time.",
		fix: "Raise maxHandlerMs, or acknowledge first and work afterwards, with an inbox or a queue.",
	}),
	store_unavailable: () => ({
		reason: "The receiver's store of events failed, so it accepts no event.",
		fix: `${READ_ITS_LOG}: its database or Redis doesn't run, or a table is missing, which the log names with what creates it.`,
	}),

	// Something else responded.
	path_not_found: (facts) => ({
		reason: `The receiver has nothing at ${url(facts)}: it responded ${status(facts)}.`,
		fix: nameOther(facts),
		remedies: registerOther(facts),
	}),
	method_not_allowed: (facts) => ({
		reason: `${url(facts)} doesn't accept POST: it responded ${status(facts)}.`,
		fix: "Export POST from the route of your webhook handler, or register its path.",
	}),
	redirected: (facts) => ({
		reason: `${url(facts)} redirects, and the gateway doesn't follow${describeTarget(facts)}.`,
		fix: "Register the URL that it redirects to: a slash at the end, https or another host is often the difference.",
		remedies: register(facts, findTarget(facts.delivery.url, facts.attempt)?.href),
	}),
	login_expected: (facts) => ({
		reason: `${url(facts)} asks for a login${describeTarget(facts)}. The webhook didn't reach its handler.`,
		fix: "Exempt the path of your webhook handler from the login, in the middleware or proxy that asks for it: the signature protects it.",
	}),
	rate_limited: () => ({
		reason: "The receiver, or something in front of it, responded 429: too many requests.",
		fix: `${NO_FIX}, after the time that Retry-After names; exempt webhooks from the limit.`,
	}),
	server_failed: (facts) => ({
		reason: `The receiver failed with ${status(facts)} before or in its handler.`,
		fix: `${READ_ITS_LOG}: the gateway doesn't see the error.`,
	}),
	page_responded: (facts) => ({
		reason: `A web page responded ${status(facts)} at ${url(facts)}: no webhook handler got the event, and the gateway takes it for delivered.`,
		fix: nameOther(facts),
		remedies: registerOther(facts),
	}),
	event_not_accepted: (facts) => ({
		reason: `The receiver responded ${status(facts)}: it rejected the signature, or it expects another body.`,
		fix: `${READ_ITS_LOG}. ${VERIFY_RAW_BODY}, if it rejected the signature; ${FIND_OUT}.`,
		remedies: [copySecret(facts)],
	}),
	other_status: (facts) => ({
		reason: `The receiver responded ${status(facts)}; only a status from 200 to 299 acknowledges an event.`,
		fix: "Respond 200 once the event is processed.",
	}),
	slow_response: ({ attempt: { durationMs = 0 } }) => ({
		reason: `The receiver took ${describeRest(durationMs)}; after ${describeRest(ATTEMPT_TIMEOUT_MS)} the gateway gives an attempt up.`,
		fix: "Acknowledge first and work afterwards, with an inbox or a queue.",
	}),
} as const satisfies Readonly<Record<DeliveryCause, (facts: DeliveryFacts) => Words>>;

function describeTarget({ delivery, attempt }: DeliveryFacts): string {
	const target = findTarget(delivery.url, attempt);
	return target === undefined ? "" : `: it leads to ${describeUrl(target.href)}`;
}
