import { ConfigurationError, defineProfile, type Profile } from "messaging-gateway/signing";
import { describe, expect, test } from "vitest";

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

	test.each<[message: string, profile: object]>([
		['Unknown option "sining" of profile. Did you mean "signing"?', { sining: {} }],
		[
			'Unknown option "prefix" of profile.vendor. Use headerPrefix, messageNumberField',
			{ vendor: { prefix: "A" } },
		],
		["profile.vendor.headerPrefix must be letters", { vendor: { headerPrefix: "" } }],
		["profile.vendor.headerPrefix must be letters", { vendor: { headerPrefix: "A B" } }],
		["profile.vendor.headerPrefix must be letters", { vendor: { headerPrefix: "-A" } }],
		["profile.vendor.headerPrefix must be letters", { vendor: { headerPrefix: "A\r\nX" } }],
		["profile.vendor.messageNumberField must be a non-empty string", { vendor: { messageNumberField: "" } }],
		[
			"profile.signing.body is not known: use secret, canonicalBody, path, query, emptyBody",
			{ signing: { body: "json" } },
		],
		["profile.signing.canonicalBody must be one of rfc8785, json", { signing: { canonicalBody: "jcs" } }],
		["profile.signing.path must be one of request_line, without_base_path", { signing: { path: () => "/" } }],
		["profile.signing.query must be one of excluded, included, sorted", { signing: { query: true } }],
		["profile.signing.emptyBody must be one of empty_string, empty_object", { signing: { emptyBody: "{}" } }],
		["profile.events.decode must be a function", { events: { encode: (event: object) => event } }],
		[
			"profile.events.secret must be one of text, hex, base64, prefixed_base64",
			{ events: { secret: "b64" } },
		],
		[
			"profile.signing.secret must be one of text, hex, base64, prefixed_base64",
			{ signing: { secret: "b64" } },
		],
		["profile.events.decode must be a function", { events: { decode: "data" } }],
		["profile.events.encode must be a function", { events: { decode: (event: object) => event, encode: 5 } }],
		["profile.events.map is data for profileFromJson", { events: { map: {} } }],
		['Unknown option "state" of profile.duplicates. Did you mean "status"?', { duplicates: { state: 409 } }],
		["profile.duplicates.status must be a 4xx status", { duplicates: { status: 500 } }],
		["profile.duplicates.code must be 1 to 64 letters, digits", { duplicates: { code: "" } }],
		["profile.duplicates.code must be 1 to 64", { duplicates: { code: 409 } }],
		["profile.duplicates.code must be 1 to 64", { duplicates: { code: "ALREADY SENT" } }],
		["profile.duplicates.code must be 1 to 64", { duplicates: { code: "D".repeat(65) } }],
		["profile.duplicates.code is needed if infoPath is null", { duplicates: { infoPath: null } }],
		["profile.duplicates.infoPath must be names with dots", { duplicates: { infoPath: "a..b" } }],
		["profile.duplicates.infoPath must be names with dots", { duplicates: { infoPath: "error.code" } }],
		["profile.duplicates.infoPath must be names with dots", { duplicates: { infoPath: "ok.info" } }],
		["profile.rejectionCodes must be a list of error codes", { rejectionCodes: "NO_AGENT_AVAILABLE" }],
		["each of profile.rejectionCodes must be 1 to 64 letters", { rejectionCodes: ["NO AGENT"] }],
		['Unknown option "text" of profile.limits. Use textLength, ', { limits: { text: 1 } }],
		["profile.limits.textLength must be an integer of at least 1", { limits: { textLength: 0 } }],
		["profile.emptyResponses must be true or false", { emptyResponses: "yes" }],
		["profile.handlePattern must be a regular expression", { handlePattern: /user/ }],
		["profile.handlePattern must be a regular expression", { handlePattern: "" }],
		["profile.handlePattern must be a regular expression", { handlePattern: "(" }],
		["profile.handlePattern must be a regular expression", { handlePattern: "a)|(?:b" }],
		["profile.handlePattern must be a regular expression", { handlePattern: "\\-" }],
		[
			'Unknown option "url" of profile.operations["mappings.get"]. Use method, path, ',
			{ operations: { "mappings.get": { url: "/x" } } },
		],
		[
			'profile.operations["mappings.get"]: the path must start',
			{ operations: { "mappings.get": { path: "x" } } },
		],
	])("rejects with: %s", (message, profile) => {
		expect(() => defineProfile(profile)).toThrow(ConfigurationError);
		expect(() => defineProfile(profile)).toThrow(message);
	});
});
