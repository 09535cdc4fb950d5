import { ConfigurationError, defineProfile, type Profile } from "messaging-gateway/signing";
import { describe, expect, test } from "vitest";
import { catchError } from "../../../support/catch-error.ts";
import { type Outcomes, testOutcomes } from "../../../support/outcomes.ts";

describe("defineProfile", () => {
	test.each<[title: string, profile: Profile]>([
		["nothing", {}],
		[
			"the defaults, spelled out",
			{
				vendor: { headerPrefix: "SVC", messageNumberField: "nativeMessageNumber" },
				signing: {
					canonicalBody: "rfc8785",
					path: "request_line",
					query: "excluded",
					emptyBody: "empty_string",
				},
			},
		],
		[
			"the other choices",
			{
				signing: {
					canonicalBody: "json",
					path: "without_base_path",
					query: "included",
					emptyBody: "empty_object",
				},
			},
		],
		["a function for the body", { signing: { canonicalBody: String } }],
		[
			"a duplicate's status, code and place",
			{ duplicates: { status: 429, code: "DUP", infoPath: "duplicate" } },
		],
		["a duplicate without info", { duplicates: { code: "DUP", infoPath: null } }],
		["limits", { limits: { textLength: 160, attachments: 1 } }],
		["empty responses", { emptyResponses: true }],
		["what secrets encode", { signing: { secret: "hex" }, events: { secret: "prefixed_base64" } }],
		["a decoder of events", { events: { decode: (payload) => payload } }],
		["a pattern of handles", { handlePattern: "user-[0-9]+|guest" }],
		["rejection codes", { rejectionCodes: ["NO_AGENT_AVAILABLE"] }],
		["a code of a used nonce", { usedNonce: { code: "NONCE_USED" } }],
		["a place of a used nonce", { usedNonce: { code: "NONCE_USED", path: "error.details.cause" } }],
		["the first status of a rejection", { duplicates: { status: 400 } }],
		["the last status of a rejection", { duplicates: { status: 499 } }],
		[
			"parts that are undefined",
			{ operations: { "messages.get": undefined }, limits: { textLength: undefined } as object },
		],
		["words with hyphens and digits", { vendor: { headerPrefix: "Acme-2" } }],
		[
			"an operation of another method and path",
			{ operations: { "messages.sendText": { method: "PUT", path: "/v1/messages/{to}" } } },
		],
	])("accepts %s and freezes a copy", (_title, profile) => {
		const defined = defineProfile(profile);
		expect(defined).toEqual(profile);
		expect(defined).not.toBe(profile);
		expect(Object.isFrozen(defined)).toBe(true);
	});

	test("freezes copies of every object in it, and leaves the given ones as they are", () => {
		const encode = (fields: Record<string, unknown>) => fields;
		const operation = { path: "/v1/messages", request: { encode } };
		const rejectionCodes = ["NO_AGENT_AVAILABLE"];
		const given = {
			vendor: { headerPrefix: "Acme" },
			operations: { "messages.sendText": operation },
			rejectionCodes,
		};
		const defined = defineProfile(given);
		expect(defined).toEqual(given);
		expect(() => Object.assign(defined.vendor ?? {}, { headerPrefix: "Other" })).toThrow(TypeError);
		expect(Object.isFrozen(defined.operations?.["messages.sendText"]?.request)).toBe(true);
		given.vendor.headerPrefix = "Other";
		given.rejectionCodes.push("QUEUED");
		operation.path = "/v2/messages";
		expect(defined).toMatchObject({
			vendor: { headerPrefix: "Acme" },
			operations: { "messages.sendText": { path: "/v1/messages", request: { encode } } },
			rejectionCodes: ["NO_AGENT_AVAILABLE"],
		});
	});

	test("keeps a codec that is an instance of a class", () => {
		class Codec {
			encode(fields: Record<string, unknown>) {
				return { ...fields, encoded: true };
			}
		}
		const { operations } = defineProfile({ operations: { "messages.sendText": { request: new Codec() } } });
		expect(operations?.["messages.sendText"]?.request?.encode({})).toEqual({ encoded: true });
	});

	test("accepts every code that the client reads, up to 64 characters", () => {
		const code = `${"D".repeat(56)}_.:-0aZ9`;
		expect(defineProfile({ duplicates: { code } }).duplicates?.code).toBe(code);
	});
});

const IS_NO_CODE =
	"must be 1 to 64 letters, digits, dots, colons, hyphens or underscores: the client reads no other code";
const NEEDS_MAPPER =
	"is data for profileFromJson of messaging-gateway/maps: give the profile to it, and use what it returns";

const own = (operation: object) => ({ operations: { "mappings.get": operation } });
const identity = (value: object) => value;

/** What is wrong with a profile. */
const PROBLEMS: Outcomes<unknown> = {
	"profile must be an object, such as { vendor: … }": { "a profile that is a string": "{}" },
	'Unknown option "sining" of profile. Did you mean "signing"?': { "a misspelt part": { sining: {} } },
	'Unknown option "prefix" of profile.vendor: remove it, or use headerPrefix, messageNumberField': {
		"another key of vendor": { vendor: { prefix: "A" } },
	},
	"profile.vendor.headerPrefix must be letters and digits, as between X- and -Event-Id": {
		"an empty prefix": { vendor: { headerPrefix: "" } },
		"a prefix with a space": { vendor: { headerPrefix: "A B" } },
		"a prefix that begins with a hyphen": { vendor: { headerPrefix: "-A" } },
		"a prefix that ends with a hyphen": { vendor: { headerPrefix: "A-" } },
		"a prefix with a line break": { vendor: { headerPrefix: "A\r\nX" } },
		"a prefix that is a number": { vendor: { headerPrefix: 5 } },
	},
	"profile.vendor.messageNumberField must be a non-empty string": {
		"an empty field": { vendor: { messageNumberField: "" } },
		"a field that is a number": { vendor: { messageNumberField: 5 } },
	},
	"profile.signing must be an object": { "signing that is a string": { signing: "rfc8785" } },
	"profile.signing.body isn't known: use secret, canonicalBody, path, query, emptyBody, timestamp": {
		"another key of signing": { signing: { body: "json" } },
	},
	"profile.signing.toString isn't known: use secret, canonicalBody, path, query, emptyBody, timestamp": {
		"a key of signing that every object inherits": { signing: { toString: "json" } },
	},
	"profile.signing.canonicalBody must be one of rfc8785, json, ascii, ascii_spaced, ascii_slashes, slashes, html_escaped, no_nulls":
		{ "another form of a body": { signing: { canonicalBody: "jcs" } } },
	"profile.signing.path must be one of request_line, without_base_path, decoded, decoded_without_base_path": {
		"a path that is a function": { signing: { path: () => "/" } },
	},
	"profile.signing.query must be one of excluded, included, sorted": {
		"a query that is true": { signing: { query: true } },
	},
	"profile.signing.emptyBody must be one of empty_string, empty_object": {
		"an empty body that is a string of JSON": { signing: { emptyBody: "{}" } },
	},
	"profile.signing.timestamp must be one of milliseconds, seconds": {
		"a timestamp in another unit": { signing: { timestamp: "s" } },
	},
	"profile.signing.secret must be one of text, hex, base64, prefixed_base64": {
		"an App Secret in another encoding": { signing: { secret: "b64" } },
	},
	"profile.events must be an object, such as { secret: … }": { "events in a string": { events: "decode" } },
	'Unknown option "encoding" of profile.events: remove it, or use secret, decode, encode, map': {
		"another key of events": { events: { encoding: "hex" } },
	},
	"profile.events.secret must be one of text, hex, base64, prefixed_base64": {
		"a webhook secret in another encoding": { events: { secret: "b64" } },
	},
	"profile.events.decode must be a function": {
		"an encoder of events without a decoder": { events: { encode: identity } },
		"a decoder of events that is a string": { events: { decode: "data" } },
	},
	"profile.events.encode must be a function": {
		"an encoder of events that is a number": { events: { decode: identity, encode: 5 } },
	},
	[`profile.events.map ${NEEDS_MAPPER}`]: { "a map of events": { events: { map: {} } } },
	[`profile.defaults ${NEEDS_MAPPER}`]: { "a default": { defaults: { from: "+15550000001" } } },
	'Unknown option "state" of profile.duplicates. Did you mean "status"?': {
		"another key of duplicates": { duplicates: { state: 409 } },
	},
	"profile.duplicates.status must be a 4xx status": {
		"a status of 500": { duplicates: { status: 500 } },
		"a status of 399": { duplicates: { status: 399 } },
		"a status with a fraction": { duplicates: { status: 409.5 } },
		"a status that is a string": { duplicates: { status: "409" } },
	},
	[`profile.duplicates.code ${IS_NO_CODE}`]: {
		"an empty code": { duplicates: { code: "" } },
		"a code that is a number": { duplicates: { code: 409 } },
		"a code with a space": { duplicates: { code: "ALREADY SENT" } },
		"a code of 65 characters": { duplicates: { code: "D".repeat(65) } },
	},
	"profile.duplicates.code is needed if infoPath is null": {
		"no place of info, and no code": { duplicates: { infoPath: null } },
	},
	"profile.duplicates.infoPath must be names with dots, such as error.details": {
		"a place with two dots": { duplicates: { infoPath: "a..b" } },
		"a place in error.code": { duplicates: { infoPath: "error.code" } },
		"a place in ok": { duplicates: { infoPath: "ok.info" } },
		"a place that is a number": { duplicates: { infoPath: 5 } },
	},
	"profile.rejectionCodes must be a list of error codes": {
		"a code that is in no list": { rejectionCodes: "NO_AGENT_AVAILABLE" },
	},
	[`each of profile.rejectionCodes ${IS_NO_CODE}`]: {
		"a code with a space in a list": { rejectionCodes: ["NO AGENT"] },
	},
	'Unknown option "codes" of profile.usedNonce. Did you mean "code"?': {
		"another key of usedNonce": { usedNonce: { codes: [] } },
	},
	[`profile.usedNonce.code ${IS_NO_CODE}`]: {
		"a used nonce without a code": { usedNonce: {} },
		"a used nonce whose code has a space": { usedNonce: { code: "NONCE USED" } },
	},
	"profile.usedNonce.path must be names with dots, such as error.details.cause": {
		"a used nonce at a place with two dots": { usedNonce: { code: "N", path: "a..b" } },
		"a used nonce at a place that begins with a dot": { usedNonce: { code: "N", path: ".a" } },
		"a used nonce at a place that ends with a dot": { usedNonce: { code: "N", path: "a." } },
		"a used nonce at a place that is a number": { usedNonce: { code: "N", path: 5 } },
	},
	'Unknown option "text" of profile.limits: remove it, or use textLength, attachments, attachmentBytes, participants, typingMs, pageSize, stringLength':
		{ "another limit": { limits: { text: 1 } } },
	"profile.limits.textLength must be an integer of at least 1": {
		"a limit of 0": { limits: { textLength: 0 } },
	},
	"profile.emptyResponses must be true or false": {
		"empty responses that are a string": { emptyResponses: "yes" },
	},
	'profile.handlePattern must be a regular expression in a string, for the flag u, such as "user-[0-9]+"': {
		"a pattern that is no string": { handlePattern: /user/ },
		"an empty pattern": { handlePattern: "" },
		"a pattern that is cut off": { handlePattern: "(" },
		"a pattern that leaves the group around it": { handlePattern: "a)|(?:b" },
		"a pattern for another flag": { handlePattern: "\\-" },
	},
	"profile.operations must be an object": { "operations in a string": { operations: "messages.get" } },
	'Unknown option "url" of profile.operations["mappings.get"]: remove it, or use method, path, routes, map, request, response':
		{
			"another key of an operation": own({ url: "/x" }),
		},
	'profile.operations["mappings.get"].method must be one of GET, POST, PUT, PATCH, DELETE': {
		"another method of an operation": own({ method: "HEAD" }),
	},
	'profile.operations["mappings.get"]: the path must start with "/" and be a template such as /mapping/{toNumber}':
		{
			"a path of an operation without a slash": own({ path: "x" }),
		},
	[`profile.operations["mappings.get"] ${NEEDS_MAPPER}`]: {
		"a map of an operation": own({ map: {} }),
		"routes of an operation": own({ routes: [] }),
	},
	'profile.operations["mappings.get"].request.encode must be a function': {
		"a decoder of a request without an encoder": own({ request: { decode: identity } }),
	},
	'Unknown option "write" of profile.operations["mappings.get"].request: remove it, or use encode, decode': {
		"another key of a codec": own({ request: { encode: identity, write: identity } }),
	},
	'profile.operations["mappings.get"].response.decode must be a function': {
		"an encoder of a response without a decoder": own({ response: { encode: identity } }),
	},
	'profile.operations["mappings.get"].response.encode must be a function': {
		"an encoder of a response that is a number": own({ response: { decode: identity, encode: 5 } }),
	},
};

describe("defineProfile rejects", () =>
	testOutcomes(PROBLEMS, (profile) => {
		const error = catchError(() => defineProfile(profile as Profile));
		expect(error).toBeInstanceOf(ConfigurationError);
		return (error as Error).message;
	}));
