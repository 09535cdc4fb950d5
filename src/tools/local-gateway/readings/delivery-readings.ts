import { describeReadings } from "./reading-description.ts";

const RETRIES = "Retry policy, and the response a receiver must return: not shown.";
const EVENT_ID = "unique id of the form `evt_...`; used to deduplicate";

/** Readings of the delivery of webhooks. */
export const DELIVERY_READINGS = /* @__PURE__ */ describeReadings({
	"webhooks are not retried": {
		section: "6.4",
		quotation: RETRIES,
		isOpen: true,
		summary: "Each event is delivered once, whatever the response is.",
		advice: "Use `enqueue`: put the event into a durable queue, acknowledge it, and process it later.",
	},
	"a 4xx ends the retries": {
		section: "6.4",
		quotation: RETRIES,
		isOpen: true,
		summary: "After a response with 400 to 499, except 408 and 429, an event is not delivered again.",
		advice:
			"Look at every 4xx of your receiver: with a rotated secret or an old profile, each event is lost. Accept both secrets while you rotate, and let `captureFailures` keep what was rejected.",
	},
	"a retry waits for Retry-After": {
		section: "6.4",
		quotation: RETRIES,
		isOpen: true,
		summary: "After a response with `Retry-After` a retry waits that long, up to a minute.",
		advice:
			"Do not expect a retry within seconds: while an event is being processed, and after a crash, the handler asks for the rest of the lease (`leaseMs`).",
	},
	"retries have the first timestamp": {
		section: "6.1",
		quotation: "Unix time in seconds when the request was signed",
		isOpen: true,
		summary: "A retry repeats the timestamp and signature of the first attempt.",
		advice:
			"Acknowledge soon. After `toleranceSeconds` a retry is rejected, since it could be a replay; raise it if you have seen late retries: up to a day, and above an hour with a store other than `memoryStore`.",
	},
	"each retry has a new event id": {
		section: "6.1",
		quotation: EVENT_ID,
		isOpen: true,
		summary: "A retry is signed again and has another event id.",
		advice:
			"Give all instances one store: an inbound message then runs once within 15 minutes. Process a repeated status or reaction so that it changes nothing.",
	},
	"events of a message share an id": {
		section: "6.1",
		quotation: EVENT_ID,
		isOpen: false,
		summary: "All statuses of a message have one event id.",
		advice:
			"Log what `onError` gets: an event under the id of an earlier one is acknowledged and not processed, which the handler reports as `event_id_reused`.",
	},
	"the webhook secret is hex": {
		section: "6.1",
		quotation: "The signing secret is generated in the account dashboard.",
		isOpen: true,
		summary: "The webhook secret is hex: its bytes are the key.",
		advice: "Set `profile.events.secret`; `verify webhook --explain` finds it for a rejected delivery.",
	},
	"the webhook secret is base64 after a prefix": {
		section: "6.1",
		quotation: "The signing secret is generated in the account dashboard.",
		isOpen: true,
		summary: "The webhook secret is base64 after `whsec_`: its bytes are the key.",
		advice: "Set `profile.events.secret`; `verify webhook --explain` finds it for a rejected delivery.",
	},
	"webhooks arrive out of order": {
		section: "6",
		quotation: "Three events are delivered by HTTP request to the registered URLs",
		isOpen: true,
		summary: "Deliveries do not wait for each other, and every other one is a second late.",
		advice: "Ask `isOutdatedStatus` whether a status is late; order messages by `timestamp_ms`.",
	},
	"webhooks arrive twice at once": {
		section: "6.1",
		quotation: EVENT_ID,
		isOpen: true,
		summary: "Two copies of each event arrive at the same time, and both must be acknowledged.",
		advice: "Claim an event before you process it, as the handler does; instances share one store.",
	},
	"a status goes to both URLs": {
		section: "4.2",
		quotation: "A per-message `status_callback` given at send time takes precedence over `statusWebhookUrl`.",
		isOpen: false,
		summary:
			"A status goes to the message's `status_callback` and to `statusWebhookUrl`, under two event ids.",
		advice: "Process a repeated status so that it changes nothing.",
	},
});
