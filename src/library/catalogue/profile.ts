import {
	assertBoolean,
	assertFunction,
	assertKnownKeys,
	assertObject,
	assertOneOf,
	assertPositiveInteger,
	shownKey,
} from "../check-options.ts";
import { ConfigurationError } from "../errors.ts";
import { isPlainObject } from "../is-object.ts";
import { SECRET_ENCODINGS } from "../signing/decode-secret.ts";
import { assertSigningProfile, type SigningProfile } from "../signing/dialect.ts";
import type { EventMap } from "./event-map.ts";
import type { OperationId } from "./index.ts";
import { ASSUMED_LIMITS, type Limits } from "./limits.ts";
import { NEEDS_MAPPER } from "./needs-mapper.ts";
import { assertHttpMethod, assertPathTemplate, type HttpMethod, type Operation } from "./operation.ts";
import type { ChosenRoute, MappedRequest, OperationMap, ResponseMap, RouteMap } from "./operation-map.ts";
import type { ResponseMeta } from "./response-meta.ts";

/** The vendor's names, which the specification replaces with neutral ones. */
export interface VendorProfile {
	/**
	 * The word in the webhook header names: `X-{headerPrefix}-Event-Id`.
	 * @default "SVC"
	 */
	headerPrefix?: string | undefined;
	/**
	 * The payload field that your events show as `nativeMessageNumber`.
	 * @default "nativeMessageNumber"
	 */
	messageNumberField?: string | undefined;
}

/** Describes how one operation of your gateway differs from the catalogue. */
export interface OperationProfile {
	/** The HTTP method. */
	method?: HttpMethod | undefined;
	/** The path, with `{name}` for the same input fields as in the catalogue. */
	path?: string | undefined;
	/** The routes of the operation, if each kind of input has its own. It needs `profileFromJson`. */
	routes?: readonly RouteMap[] | undefined;
	/** The operation's input and data on the wire, as data instead of functions. It needs `profileFromJson`. */
	map?: OperationMap | undefined;
	/** Converts between our input fields and the gateway's. */
	request?:
		| {
				/** Converts our fields to the gateway's, for the client. */
				encode: (fields: Record<string, unknown>) => Record<string, unknown>;
				/** Converts the gateway's fields to ours, for the local gateway. */
				decode?: ((fields: Record<string, unknown>) => Record<string, unknown>) | undefined;
		  }
		| undefined;
	/** Converts between our `data` and the gateway's. */
	response?:
		| {
				/**
				 * Converts the gateway's `data` to ours, for the client. If a response lacks fields of the call, take
				 * them from the context: `input` has the operation's fields under our names, `meta` belongs to the
				 * envelope, and `status` is the HTTP status.
				 */
				decode: (
					data: unknown,
					context: { input: Record<string, unknown>; meta: ResponseMeta | undefined; status: number },
				) => unknown;
				/** Converts our `data` to the gateway's, for the local gateway. */
				encode?: ((data: unknown) => unknown) | undefined;
		  }
		| undefined;
}

/** Reads the maps of a profile: `profileFromJson` of `messaging-gateway/maps` adds it. */
export interface ProfileMapper {
	/**
	 * Checks the maps of a profile.
	 * @throws ConfigurationError naming the part that is invalid.
	 */
	assertMaps(profile: Profile): void;
	routeOf(
		operation: Operation<unknown, unknown>,
		override: OperationProfile | undefined,
		input: unknown,
	): ChosenRoute;
	/**
	 * Fills a request from the input of a call.
	 * @param given - `id`: 32 hex digits for the call's UUID, if it is not a random one.
	 */
	encode(
		operation: Operation<unknown, unknown>,
		route: ChosenRoute,
		input: Record<string, unknown>,
		given: { readonly profile: Profile; readonly id: string | undefined },
	): MappedRequest;
	/** Returns the function that turns a response's data into ours, if the operation has a map for it. */
	decoderOf(
		operation: Operation<unknown, unknown>,
		override: OperationProfile | undefined,
	): NonNullable<OperationProfile["response"]>["decode"] | undefined;
	/** Turns a payload into the documented form. A payload that no map fits stays as it is. It never throws. */
	decodeEvent(maps: readonly EventMap[], payload: Record<string, unknown>): Record<string, unknown>;
	/** Whether a response may lack a body, since nothing is read from it. */
	needsNoBody(map: ResponseMap): boolean;
	/** Adds the profile's defaults to the input of a call. */
	addDefaults(
		operation: Operation<unknown, unknown>,
		profile: Profile,
		input: Record<string, unknown>,
	): Record<string, unknown>;
}

/** Describes how your gateway reports that it blocked a message as a duplicate. */
export interface DuplicatesProfile {
	/** The status that the local gateway responds with. The client recognizes any 4xx. @default 409 */
	status?: number | undefined;
	/** The error code of a duplicate. @default "DUPLICATE_MESSAGE" in the local gateway; the client needs none */
	code?: string | undefined;
	/**
	 * The place of the DuplicateInfo in the response's body. It is `null` if there is none, so `code` marks a
	 * duplicate.
	 * @default "error.details"
	 */
	infoPath?: string | null | undefined;
}

/**
 * Describes how your gateway signs, how its names, paths and shapes differ, and what it accepts. The client, the
 * webhook functions and the local gateway all accept the same profile. The docs mark each default as assumed.
 */
export interface Profile {
	/** The vendor's names. */
	vendor?: VendorProfile | undefined;
	/** Describes how requests are signed. */
	signing?: SigningProfile | undefined;
	/** The operations with another method, path or shape, by id. */
	operations?: { [Id in OperationId]?: OperationProfile | undefined } | undefined;
	/**
	 * Describes how webhooks differ: their secret, and their payloads.
	 * @see Specification, sections 6.2 to 6.4
	 */
	events?:
		| {
				/**
				 * The encoding of a webhook secret that you give as a string. It is text, with its UTF-8 as the key, or
				 * hex, base64, or base64 after a prefix such as `whsec_`. Bytes are never decoded.
				 * @default "text"
				 */
				secret?: "text" | "hex" | "base64" | "prefixed_base64" | undefined;
				/**
				 * Converts the gateway's payload to the documented one, before its kind is found, for the webhook
				 * functions. Return at once, and the same for the same payload. Return what you don't know as it is.
				 */
				decode?: ((payload: Record<string, unknown>) => Record<string, unknown>) | undefined;
				/** Converts the documented payload to the gateway's, for the local gateway. */
				encode?: ((payload: Record<string, unknown>) => Record<string, unknown>) | undefined;
				/** The events on the wire, as data instead of the two functions. It needs `profileFromJson`. */
				map?: readonly EventMap[] | undefined;
		  }
		| undefined;
	/** The defaults of calls: `from`, the number of an agent that sends. It needs `profileFromJson`. */
	defaults?: { from?: string | undefined } | undefined;
	/** Reads `routes`, each `map` and `defaults`. It comes from `profileFromJson`. */
	mapper?: ProfileMapper | undefined;
	/** Describes how a duplicate is reported. */
	duplicates?: DuplicatesProfile | undefined;
	/**
	 * The values of `error.code` that prove that the gateway did nothing, although their status doesn't. Their status
	 * is a 5xx, 408, 499, a redirect or a 2xx. A call that gets one has the `outcome` `"rejected"`.
	 * @default none: only a 4xx other than 408 and 499 is a rejection (RFC 9110, section 15.5)
	 */
	rejectionCodes?: readonly string[] | undefined;
	/**
	 * Describes how your gateway reports a nonce that was used before. Only a copy of a request can carry its nonce, so
	 * such a 4xx doesn't show that the message wasn't accepted: the `outcome` is `"unknown"`.
	 * @default a code, a reason or a field that says that the nonce was used, such as `NONCE_REPLAYED`
	 */
	usedNonce?:
		| {
				/** The value that marks it, such as an error code. */
				code: string;
				/**
				 * The place of that value in the response's body, such as `error.details.cause`.
				 * @default `error.code` or `error.details.reason`
				 */
				path?: string | undefined;
		  }
		| undefined;
	/**
	 * The most that your gateway accepts. The client checks the limits that you set here, and the local gateway assumes
	 * the rest.
	 */
	limits?: Partial<Limits> | undefined;
	/**
	 * A regular expression for other handles of contacts, such as `"user-[0-9]+"`. It must match the whole value, has
	 * the flag `u`, and only gets strings of up to 254 UTF-16 code units (assumed).
	 * @default none: a handle is a number in E.164, an e-mail address, or a short code of 3 to 6 digits
	 */
	handlePattern?: string | undefined;
	/**
	 * Whether assumed operations that change something succeed without a body. Their `data` is then an empty object,
	 * unless `response.decode` returns another one.
	 * @default false
	 */
	emptyResponses?: boolean | undefined;
}

/**
 * Checks a profile and returns a frozen copy.
 *
 * @example
 * ```ts
 * const profile = defineProfile({
 *   vendor: { headerPrefix: "Acme" },
 *   operations: { "messages.sendText": { path: "/messages" } },
 * });
 * ```
 * @throws ConfigurationError if a part of it is unknown or invalid.
 */
export function defineProfile(profile: Profile): Profile {
	assertKnownKeys("profile", profile, [
		"vendor",
		"signing",
		"operations",
		"events",
		"defaults",
		"mapper",
		"duplicates",
		"rejectionCodes",
		"usedNonce",
		"limits",
		"handlePattern",
		"emptyResponses",
	]);
	const { vendor = {}, signing = {}, operations = {}, duplicates = {}, limits = {} } = profile;
	assertKnownKeys("profile.vendor", vendor, ["headerPrefix", "messageNumberField"]);
	const { headerPrefix, messageNumberField } = vendor;
	if (headerPrefix !== undefined && !isHeaderPrefix(headerPrefix)) {
		throw new ConfigurationError(
			"profile.vendor.headerPrefix must be letters and digits, as between X- and -Event-Id",
		);
	}
	if (
		messageNumberField !== undefined &&
		(typeof messageNumberField !== "string" || messageNumberField === "")
	) {
		throw new ConfigurationError("profile.vendor.messageNumberField must be a non-empty string");
	}
	assertObject("profile.signing", signing);
	assertSigningProfile(signing);
	assertObject("profile.operations", operations);
	for (const [id, operation] of Object.entries(operations)) {
		if (operation === undefined) continue;
		const name = `profile.operations["${shownKey(id)}"]`;
		assertOperationProfile(name, operation);
		assertMapped(name, operation.routes ?? operation.map, profile);
	}
	assertMapped("profile.defaults", profile.defaults, profile);
	assertEvents(profile.events);
	assertMapped("profile.events.map", profile.events?.map, profile);
	assertDuplicates(duplicates);
	assertRejectionCodes(profile.rejectionCodes);
	assertUsedNonce(profile.usedNonce);
	assertKnownKeys("profile.limits", limits, Object.keys(ASSUMED_LIMITS));
	for (const [name, limit] of Object.entries(limits)) {
		if (limit !== undefined) assertPositiveInteger(`profile.limits.${name}`, limit);
	}
	assertHandlePattern(profile.handlePattern);
	assertBoolean("profile.emptyResponses", profile.emptyResponses);
	profile.mapper?.assertMaps(profile);
	return frozenCopy(profile);
}

/** Copies plain objects and lists, and what is inside them, and freezes the copies. Functions and instances stay the caller's. */
function frozenCopy<Value>(value: Value): Value {
	if (Array.isArray(value)) return Object.freeze(value.map(frozenCopy)) as Value;
	if (!isPlainObject(value)) return value;
	const entries = Object.entries(value).map(([name, member]) => [name, frozenCopy(member)]);
	return Object.freeze(Object.fromEntries(entries)) as Value;
}

/** Rejects what only a mapper can read if there is none. */
function assertMapped(name: string, value: unknown, { mapper }: Profile): void {
	if (value === undefined || mapper !== undefined) return;
	throw new ConfigurationError(`${name} ${NEEDS_MAPPER}`);
}

function assertEvents(events: Profile["events"]): void {
	if (events === undefined) return;
	const name = "profile.events";
	assertKnownKeys(name, events, ["secret", "decode", "encode", "map"]);
	const { secret, decode, encode } = events;
	assertOneOf(`${name}.secret`, secret, SECRET_ENCODINGS);
	if (decode !== undefined || encode !== undefined) assertCodec(name, { decode, encode }, "decode");
}

function assertDuplicates(duplicates: DuplicatesProfile): void {
	const name = "profile.duplicates";
	assertKnownKeys(name, duplicates, ["status", "code", "infoPath"]);
	const { status = 409, code, infoPath = "error.details" } = duplicates;
	if (!Number.isInteger(status) || status < 400 || status > 499) {
		throw new ConfigurationError(`${name}.status must be a 4xx status`);
	}
	if (code !== undefined) assertErrorCode(`${name}.code`, code);
	if (infoPath === null) {
		if (code === undefined) throw new ConfigurationError(`${name}.code is needed if infoPath is null`);
	} else if (typeof infoPath !== "string" || !INFO_PATH.test(infoPath)) {
		throw new ConfigurationError(`${name}.infoPath must be names with dots, such as error.details`);
	}
}

function assertRejectionCodes(codes: unknown = []): void {
	const name = "profile.rejectionCodes";
	if (!Array.isArray(codes)) throw new ConfigurationError(`${name} must be a list of error codes`);
	for (const code of codes) assertErrorCode(`each of ${name}`, code);
}

function assertHandlePattern(pattern: unknown): void {
	if (pattern === undefined) return;
	try {
		if (typeof pattern === "string" && pattern !== "" && new RegExp(pattern, "u")) return;
	} catch {
		// Reported below.
	}
	throw new ConfigurationError(
		'profile.handlePattern must be a regular expression in a string, for the flag u, such as "user-[0-9]+"',
	);
}

function assertUsedNonce(usedNonce: Profile["usedNonce"]): void {
	if (usedNonce === undefined) return;
	const name = "profile.usedNonce";
	assertKnownKeys(name, usedNonce, ["code", "path"]);
	assertErrorCode(`${name}.code`, usedNonce.code);
	const { path } = usedNonce;
	if (path === undefined || (typeof path === "string" && /^[\w-]+(\.[\w-]+)*$/.test(path))) return;
	throw new ConfigurationError(`${name}.path must be names with dots, such as error.details.cause`);
}

function assertErrorCode(name: string, code: unknown): void {
	if (isErrorCode(code)) return;
	throw new ConfigurationError(
		`${name} must be 1 to 64 letters, digits, dots, colons, hyphens or underscores: the client reads no other code`,
	);
}

/** Names with dots between them; not a field of the envelope that is no object. */
const INFO_PATH = /^(?!ok\b|error\.(code|message|requestId)\b)[\w-]+(\.[\w-]+)*$/;

function isHeaderPrefix(value: unknown): boolean {
	return typeof value === "string" && /^[A-Za-z0-9](-?[A-Za-z0-9])*$/.test(value);
}

function assertOperationProfile(name: string, operation: OperationProfile): void {
	assertKnownKeys(name, operation, ["method", "path", "routes", "map", "request", "response"]);
	const { method, path, request, response } = operation;
	if (method !== undefined) assertHttpMethod(`${name}.method`, method);
	if (path !== undefined) assertPathTemplate(path, name);
	if (request !== undefined) assertCodec(`${name}.request`, request, "encode");
	if (response !== undefined) assertCodec(`${name}.response`, response, "decode");
}

/** Both directions must be functions; the one that the library uses is required. */
function assertCodec(name: string, codec: object, required: "encode" | "decode"): void {
	assertKnownKeys(name, codec, ["encode", "decode"]);
	for (const direction of ["encode", "decode"] as const) {
		const given: unknown = Reflect.get(codec, direction);
		if (direction === required && given === undefined) {
			throw new ConfigurationError(`${name}.${direction} must be a function`);
		}
		assertFunction(`${name}.${direction}`, given);
	}
}

/** Whether a value is an error code as gateways write them: anything else could be a sentence with a number in it. */
export function isErrorCode(value: unknown): value is string {
	return typeof value === "string" && /^[\w.:-]{1,64}$/.test(value);
}
