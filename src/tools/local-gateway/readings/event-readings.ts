import { describeReadings } from "./reading-description.ts";

const ATTACHMENTS = "item shape: not shown";
const POLICY = "Release and deprecation policy of the API: not shown.";
const STATUSES = "Transitions and the complete set of status values: not shown.";

/** Readings of the contents of events. */
export const EVENT_READINGS = /* @__PURE__ */ describeReadings({
	"attachments in events are URLs": {
		section: "6.2",
		quotation: ATTACHMENTS,
		isOpen: true,
		summary: "An item of `attachments` is a string with a URL.",
		advice: "Check the shape of each item before you use it.",
	},
	"attachments in events are base64": {
		section: "6.2",
		quotation: ATTACHMENTS,
		isOpen: true,
		summary: "An item of `attachments` is a string with the bytes in base64.",
		advice: "Check the shape of each item, and raise `maxBodyBytes` for large ones.",
	},
	"attachments in events are nested objects": {
		section: "6.2",
		quotation: ATTACHMENTS,
		isOpen: true,
		summary: "An item of `attachments` is an object with other fields than ours.",
		advice: "Check the shape of each item before you use it.",
	},
	"attachments without a text have a null": {
		section: "6.2",
		quotation: "| text | string | |",
		isOpen: false,
		summary: "The `text` of an event with attachments alone is `null`.",
		advice: "Expect an empty `text`: it is filled, and the event names it in `filled`.",
	},
	"nulls in events are left out": {
		section: "6.2",
		quotation: "| groupId | string or null | null for individual chats |",
		isOpen: false,
		summary: "A field of an event that would be `null` is absent.",
		advice: "Expect the `null`: it is filled, and the event names the field in `filled`.",
	},
	"empty lists in events are null": {
		section: "6.2",
		quotation: "| attachments | array | item shape: not shown |",
		isOpen: false,
		summary: "A list of an event that would be empty is `null`.",
		advice: "Expect an empty list: it is filled, and the event names the field in `filled`.",
	},
	"empty values in events are left out": {
		section: "6.2",
		quotation: "| outbound | boolean | false |",
		isOpen: false,
		summary: "A field of an event that would be empty, `false` or `null` is absent.",
		advice: "Keep `readBody()` in `on.unknown`: not every absent field is certainly empty.",
	},
	"a status has a type": {
		section: "6.4",
		quotation: "Has no `type` field; it is recognized by the field `status`.",
		isOpen: false,
		summary: "A status has the `type` `status`.",
		advice: "Recognize an event by its `kind`, not by its `type`.",
	},
	"times in events have a fraction": {
		section: "6.2",
		quotation: "| timestamp_ms | integer | Unix milliseconds |",
		isOpen: false,
		summary: "The `timestamp_ms` of an event has a fraction.",
		advice: "Expect whole milliseconds: they are rounded, and the event names the field in `filled`.",
	},
	"accountId is a number": {
		section: "6.2",
		quotation: "| accountId | string | |",
		isOpen: false,
		summary: "A documented field of an event has another type.",
		advice: "Keep `readBody()` in `on.unknown`, and process `narrowed` if it has what you need.",
	},
	"contacts have e-mail addresses": {
		section: "6.2",
		quotation: "| from | string | phone number |",
		isOpen: false,
		summary: "The contact of an individual chat has an e-mail address in events.",
		advice: "Reply to `from` as it is: `to` accepts an e-mail address, too.",
	},
	"contacts have short codes": {
		section: "6.2",
		quotation: "| from | string | phone number |",
		isOpen: false,
		summary: "The contact of an individual chat has a number of five digits in events.",
		advice: "Reply to `from` as it is: `to` accepts a short code, too.",
	},
	"there are additional types of events": {
		section: "9",
		quotation: POLICY,
		isOpen: true,
		summary: "Events of a type that is not documented arrive too.",
		advice: "Keep `readBody()` in `on.unknown`, and acknowledge them.",
	},
	"events and responses have additional fields": {
		section: "9",
		quotation: POLICY,
		isOpen: true,
		summary: "Payloads and envelopes have fields that are not documented.",
		advice: "Do not reject what you do not know.",
	},
	"there are additional statuses": {
		section: "3",
		quotation: STATUSES,
		isOpen: true,
		summary: "A status that is not documented comes before each known one.",
		advice: "Have a default branch for statuses.",
	},
	"statuses are in upper case": {
		section: "3",
		quotation: STATUSES,
		isOpen: true,
		summary: "`delivered` is `DELIVERED` in events, and so is every status.",
		advice:
			"Have a default branch for statuses, and set `events.decode` of the profile to write them as documented.",
	},
	"statuses are skipped": {
		section: "3",
		quotation: STATUSES,
		isOpen: true,
		summary: "`sent` is not reported.",
		advice: "Do not wait for a status that an earlier one must precede: `delivered` means sent, too.",
	},
	"a failure is an object": {
		section: "6.4",
		quotation: "type of a non-null value: not shown",
		isOpen: true,
		summary: "The `error` of a failed status is an object.",
		advice: "Show or log `error` as JSON.",
	},
	"own tapbacks are delivered": {
		section: "6.3",
		quotation: "| outbound | boolean | |",
		isOpen: true,
		summary: "A tapback of the agent arrives as `inbound_reaction` with `outbound: true`.",
		advice: "Ignore a reaction with `outbound: true`: a bot that answers reactions would answer itself.",
	},
	"reactions have other values": {
		section: "6.3",
		quotation: "one value is `love`; the full list of values: not shown",
		isOpen: true,
		summary: "A reaction is an emoji.",
		advice: "Have a default branch for reactions.",
	},
	"webhooks have the vendor's names": {
		section: "introduction",
		quotation:
			"a neutral word is used: `SVC` in webhook header names and `native` in the payload field `nativeMessageNumber`",
		isOpen: true,
		summary: "The headers and a field of the payload have another word in their names.",
		advice: "Give the handler the profile that the client has.",
	},
});
