import type { VendorProfile } from "../../../library/catalogue/profile.ts";
import { webhookHeaderNames } from "../../../library/catalogue/webhook-headers.ts";
import { findHeader, type HeadersInput } from "../../../library/webhooks/headers.ts";
import { isEventId } from "../../../library/webhooks/verify-signature.ts";
import { type ClaimedSignature, findSignatureFaults, readClaims } from "./claimed-signatures.ts";
import type { Mistake } from "./explanation.ts";
import { type HeaderField, valuesOf } from "./header-fields.ts";
import { describeTimestamp, readTimestamps } from "./timestamps.ts";

const MAX_OTHER_VENDORS = 3;

/** Those of the three headers that are present under one vendor's names. */
export interface Envelope {
	readonly eventId: string;
	/** The strings that may have been signed as the timestamp. For one that is not the header's, a fault states why. */
	readonly timestamps: readonly string[];
	readonly claims: readonly ClaimedSignature[];
	/** Faults for which the verification rejects these headers. */
	readonly faults: readonly Mistake[];
	/** What went wrong if these headers are the right ones; empty for the configured names. */
	readonly mistakes: readonly Mistake[];
}

/** The headers under the configured names. */
export function readEnvelope(
	fields: readonly HeaderField[],
	headers: HeadersInput,
	vendor: VendorProfile | undefined,
): Envelope {
	const names = webhookHeaderNames(vendor);
	const present = names.all.filter((name) => valuesOf(fields, name).length > 0);
	const isReadable = present.every((name) => canFind(headers, name));
	const envelope = readNamed(fields, names);
	return isReadable ? envelope : { ...envelope, faults: [UNREADABLE, ...envelope.faults] };
}

/** The headers of other vendors that could sign a delivery, the fullest set first. */
export function readOtherEnvelopes(
	fields: readonly HeaderField[],
	vendor: VendorProfile | undefined,
): Envelope[] {
	const own = (vendor?.headerPrefix ?? "SVC").toLowerCase();
	const prefixes = new Map<string, string>();
	for (const { name } of fields) {
		const [, prefix] = /^x-([a-z0-9][a-z0-9-]{0,40})-signature$/i.exec(name) ?? [];
		if (prefix !== undefined && prefix.toLowerCase() !== own) prefixes.set(prefix.toLowerCase(), prefix);
	}
	return [...prefixes.values()]
		.map((prefix) => {
			const headerPrefix = prefix === prefix.toLowerCase() ? capitalize(prefix) : prefix;
			const names = webhookHeaderNames({ headerPrefix });
			const mistake: Mistake = {
				cause: "other_vendor_prefix",
				message: `The delivery carries ${names.signature}, which is another vendor's name for the header.`,
				fix: `Found ${names.signature}: set profile.vendor.headerPrefix to "${headerPrefix}".`,
			};
			return { ...readNamed(fields, names), mistakes: [mistake] };
		})
		.sort((left, right) => right.timestamps.length - left.timestamps.length)
		.slice(0, MAX_OTHER_VENDORS);
}

function readNamed(fields: readonly HeaderField[], names: ReturnType<typeof webhookHeaderNames>): Envelope {
	const eventIds = valuesOf(fields, names.eventId);
	const timestamps = valuesOf(fields, names.timestamp);
	const signatures = valuesOf(fields, names.signature);
	const signature = signatures.join(", ");
	const claims = readClaims(signature, names.signature);
	const isMissing = (values: readonly string[]) => values.every((value) => value.trim() === "");
	const missing = [
		...(isMissing(eventIds) ? [names.eventId] : []),
		...(isMissing(timestamps) ? [names.timestamp] : []),
		...(isMissing(signatures) ? [names.signature] : []),
	];
	const timestampFault = describeTimestamp(timestamps.join(", "), names.timestamp);
	return {
		eventId: eventIds[0] ?? "",
		timestamps: readTimestamps(timestamps),
		claims,
		faults: [
			...(missing.length === 0 ? [] : [describeMissing(missing)]),
			...(isMissing(timestamps) || timestampFault === undefined ? [] : [timestampFault]),
			...(isMissing(signatures) ? [] : findSignatureFaults(signature, names.signature, claims)),
			...(signatures.length > 1 ? [describeRepeated(names.signature)] : []),
			...(isMissing(eventIds) ? [] : describeEventId(eventIds.join(","), names.eventId)),
		],
		mistakes: [],
	};
}

function describeMissing(names: readonly string[]): Mistake {
	return {
		cause: "header_missing",
		message: `${names.join(" and ")} ${names.length === 1 ? "is" : "are"} missing or empty.`,
		fix: "Check that the gateway sent this request and that every proxy in front passes these headers on; if the gateway uses other names, set profile.vendor.headerPrefix.",
	};
}

function describeEventId(eventId: string, name: string): Mistake[] {
	if (isEventId(eventId)) return [];
	if (eventId.includes(",")) return [describeRepeated(name)];
	return [
		{
			cause: "header_malformed",
			message: `${name} isn't 1 to 256 visible ASCII characters.`,
			fix: "Let the sender write an id of the form evt_…, and check that no proxy changes the header.",
		},
	];
}

function describeRepeated(name: string): Mistake {
	return {
		cause: "header_repeated",
		message: `${name} occurs more than once, with different values or joined with a comma.`,
		fix: "Find the proxy or the code that adds the header again, and pass only the sender's on.",
	};
}

const UNREADABLE: Mistake = {
	cause: "headers_unreadable",
	message: "The headers are there, but in a shape that can't be searched by name.",
	fix: "Pass the request's Headers, or a plain object such as Node's request.headers, instead of a list or a Map.",
};

function canFind(headers: HeadersInput, name: string): boolean {
	try {
		return findHeader(headers, name) !== undefined;
	} catch {
		// Two values that differ: the header was found.
		return true;
	}
}

/** The names of fetch `Headers` are in lower case. */
function capitalize(prefix: string): string {
	return prefix.replace(/(^|-)[a-z]/g, (letter) => letter.toUpperCase());
}
