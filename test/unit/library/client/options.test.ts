import { ConfigurationError, MessagingGateway } from "messaging-gateway";
import { diagnose } from "messaging-gateway/doctor";
import { describe, expect } from "vitest";
import { type Outcomes, testOutcomes } from "../../../support/outcomes.ts";
import { refusedBy } from "../../../support/sent-requests.ts";

const credentials = { baseUrl: "https://gateway.example", appId: "app-1", appSecret: "secret-1" };
const noop = () => undefined;
const logger = { debug: noop, info: noop, warn: noop, error: noop };

class OwnLogger {
	debug = noop;
	info(): void {}
	warn(): void {}
	error(): void {}
}

class OwnClock {
	now = () => 0;
	setTimer() {
		return noop;
	}
}

/** What a client makes of its options, given by a user in plain JavaScript; no sentence quotes what is private. */
function outcomeOf(options: object): string {
	try {
		return `accepted by ${new MessagingGateway({ ...credentials, ...options }).constructor.name}`;
	} catch (error) {
		expect(error).toBeInstanceOf(ConfigurationError);
		expect(String(error)).not.toContain("private");
		return (error as Error).message;
	}
}

const operation = (override: unknown) => ({ profile: { operations: { "queue.getStatus": override } } });

const OPTIONS: Outcomes<object> = {
	"clock must be an object with the functions now, setTimer": {
		"a clock without timers": { clock: { now: () => 0 } },
		"a clock without a time": { clock: { setTimer: () => noop } },
		"a clock that is a number": { clock: 5 },
		"a clock that is null": { clock: null },
	},
	"logger must be an object with the functions debug, info, warn, error": {
		"a logger that is a number": { logger: 5 },
		"a logger that is null": { logger: null },
		"a logger without a method": { logger: { ...logger, debug: undefined } },
		"a logger with one method": { logger: { warn: noop } },
		"a logger that is a function": { logger: noop },
	},
	"fetch must be a function": {
		"a fetch that is a text": { fetch: "https://proxy.example" },
		"a fetch that is null": { fetch: null },
	},
	"signer must be a function": {
		"a signer that is a text": { signer: "secret-1", appSecret: undefined },
		"a signer that is an object": { signer: { sign: noop }, appSecret: undefined },
	},
	"hooks must be an object, such as { onRequest: … }": {
		"hooks that are a function": { hooks: noop },
	},
	"hooks.onRequest must be a function": {
		"a hook that is true": { hooks: { onRequest: true } },
	},
	"hooks.aroundCall must be a function": {
		"a hook that is null": { hooks: { aroundCall: null } },
	},
	'headers must be a plain object of strings, such as { "X-Trace": "1" }': {
		"headers that are a text": { headers: "X-Trace: 1" },
		"headers that are a list": { headers: [["X-Trace", "1"]] },
		"headers of the platform": { headers: new Headers({ "X-Trace": "1" }) },
		"headers that are a Map": { headers: new Map([["X-Trace", "1"]]) },
		"headers that are null": { headers: null },
	},
	"correctClockSkew must be true or false": {
		"a switch that is a text": { correctClockSkew: "false" },
	},
	"dangerouslyAllowBrowser must be true or false": {
		"another switch that is a text": { dangerouslyAllowBrowser: "true" },
	},
	"responseValidation.documented must be one of throw, warn, off": {
		"a mode that there is not": { responseValidation: { documented: "trow" } },
	},
	'Unknown option "documentd" of responseValidation. Did you mean "documented"?': {
		"an unknown kind of response": { responseValidation: { documentd: "throw" } },
	},
	"logLevel must be one of off, error, warn, info, debug": {
		"a level that is null": { logLevel: null },
		"a level that there is not": { logLevel: "verbose" },
	},
	"maxResponseBytes must be a number above 0": {
		"a size that is a text": { maxResponseBytes: "10" },
		"a size that is null": { maxResponseBytes: null },
		"a size of 0": { maxResponseBytes: 0 },
	},
	"timeoutMs must be a number above 0": {
		"a limit that is a text": { timeoutMs: "10" },
		"a limit of 0": { timeoutMs: 0 },
		"a limit below 0": { timeoutMs: -1 },
		"a limit that is NaN": { timeoutMs: Number.NaN },
		"a limit without end": { timeoutMs: Number.POSITIVE_INFINITY },
	},
	"attemptTimeoutMs must be a number above 0": {
		"another limit of 0": { attemptTimeoutMs: 0 },
	},
	"maxRetries must be an integer of at least 0": {
		"retries below 0": { maxRetries: -1 },
		"half a retry": { maxRetries: 1.5 },
		"retries that are NaN": { maxRetries: Number.NaN },
	},
	"baseUrl must be an absolute http or https URL, such as https://gateway.example": {
		"a URL that is a number": { baseUrl: 5 },
		"a URL that is null": { baseUrl: null },
		"a relative URL": { baseUrl: "/api" },
		"a URL of another scheme": { baseUrl: "ftp://gateway.example" },
		"a URL whose scheme only begins like one": { baseUrl: "httpx://gateway.example" },
		"an empty URL": { baseUrl: "" },
	},
	"baseUrl must have no credentials, query or fragment": {
		"a URL with credentials": { baseUrl: "https://me:private@gateway.example" },
		"a URL with a password alone": { baseUrl: "https://:private@gateway.example" },
		"a URL with a query": { baseUrl: "https://gateway.example?a=1" },
		"a URL with a fragment": { baseUrl: "https://gateway.example#x" },
	},
	"appId must be 1 to 256 visible ASCII characters": {
		"an app id that is a number": { appId: 5 },
		"an empty app id": { appId: "" },
		"an app id with a line break": { appId: "a\nb" },
		"an app id of 257 characters": { appId: "a".repeat(257) },
	},
	"appSecret must be a string or bytes, got object": {
		"a secret that is an object": { appSecret: { key: "private" } },
	},
	"appSecret is missing": {
		"a secret that is null": { appSecret: null },
	},
	"appSecret is empty": {
		"an empty secret": { appSecret: "" },
	},
	"appSecret has whitespace or an invisible character around it: remove it": {
		"a secret with a space": { appSecret: " private" },
	},
	"appSecret is empty, or all its bytes are 0: it was cleared": {
		"a secret of zeros": { appSecret: new Uint8Array(4) },
	},
	"appSecret has quotes around it: remove them": {
		"quotes around a secret in hex": { appSecret: '"private"', profile: { signing: { secret: "hex" } } },
	},
	"appSecret isn't hex, its encoding in the profile: its end is missing or changed": {
		"a secret in hex that was cut off": { appSecret: "00ff7", profile: { signing: { secret: "hex" } } },
	},
	"appSecret isn't HEX, its encoding in the profile: there is no such encoding": {
		"a misspelt encoding of a secret": { appSecret: "00ff7e", profile: { signing: { secret: "HEX" } } },
	},
	"Give either appSecret or signer, not both": {
		"a secret and a signer": { signer: noop },
	},
	"profile must be an object, such as { vendor: … }": {
		"a profile that is null": { profile: null },
		"a profile that is a text": { profile: "acme" },
	},
	"profile.vendor must be an object, such as { headerPrefix: … }": {
		"a vendor that is null": { profile: { vendor: null } },
	},
	"profile.vendor.headerPrefix must be letters and digits, as between X- and -Event-Id": {
		"a prefix that is a number": { profile: { vendor: { headerPrefix: 5 } } },
	},
	"profile.vendor.messageNumberField must be a non-empty string": {
		"a field that is a number": { profile: { vendor: { messageNumberField: 5 } } },
	},
	"profile.signing must be an object": {
		"signing that is null": { profile: { signing: null } },
	},
	"profile.operations must be an object": {
		"operations that are null": { profile: { operations: null } },
	},
	'profile.operations["queue.getStatus"] must be an object, such as { method: … }': {
		"an operation that is null": operation(null),
	},
	'profile.operations["messages.sendTxt"] isn\'t an operation: use messages.sendText, messages.sendAttachments, messages.sendVoiceNote, messages.tapback, messages.typing, messages.markRead, messages.checkCapability, messages.get, agents.register, agents.list, agents.get, agents.assign, agents.reassign, agents.block, agents.unblock, mappings.get, mappings.list, mappings.create, mappings.update, mappings.reset, mappings.delete, settings.setWebhooks, settings.getWebhooks, analytics.listMessages, analytics.listContacts, analytics.getNumberStats, queue.getStatus, health.check':
		{
			"an operation that there is not": { profile: { operations: { "messages.sendTxt": {} } } },
		},
	'profile.operations["queue.getStatus"].method must be one of GET, POST, PUT, PATCH, DELETE': {
		"a method in small letters": operation({ method: "get" }),
		"a method that is a number": operation({ method: 5 }),
	},
	'profile.operations["queue.getStatus"].request must be an object, such as { encode: … }': {
		"a request that is a function": operation({ request: noop }),
	},
	'profile.operations["queue.getStatus"].request.encode must be a function': {
		"a request without encode": operation({ request: {} }),
		"an encode that is a text": operation({ request: { encode: "x" } }),
	},
	'profile.operations["queue.getStatus"].request.decode must be a function': {
		"a decode of a request that is a number": operation({ request: { encode: noop, decode: 5 } }),
	},
	'profile.operations["queue.getStatus"].response must be an object, such as { encode: … }': {
		"a response that is null": operation({ response: null }),
	},
	'profile.operations["queue.getStatus"].response.decode must be a function': {
		"a response without decode": operation({ response: {} }),
		"an encode of a response alone": operation({ response: { encode: noop } }),
	},
	'profile.operations["queue.getStatus"].response.encode must be a function': {
		"an encode of a response that is an object": operation({ response: { decode: noop, encode: {} } }),
	},
	'Unknown option "timeout". Did you mean "timeoutMs"?': {
		"an option that there is not": { timeout: 5 },
	},
	'Unknown option "createNonce": leave it out for random UUIDs, or return a nonce of your own from `signer`':
		{
			"an option of another client": { createNonce: noop },
		},
	'Unknown option "checkPhoneNumbers": a contact is a number in E.164, an e-mail address or a short code; a regular expression in `profile.handlePattern` allows others':
		{
			"an option that the profile has now": { checkPhoneNumbers: false },
		},
	'Unknown option "toString": remove it, or use baseUrl, appId, appSecret, signer, profile, fetch, timeoutMs, attemptTimeoutMs, maxRetries, maxResponseBytes, logger, logLevel, hooks, clock, headers, correctClockSkew, responseValidation, dangerouslyAllowBrowser':
		{
			"a name that every object has": { toString: () => "" },
		},
	"The header Authorization belongs to the client and its connection: leave it out": {
		"a header of the signature": { headers: { Authorization: "x" } },
	},
	"The header x-app-id belongs to the client and its connection: leave it out": {
		"the header x-app-id": { headers: { "x-app-id": "x" } },
	},
	"The header X-TIMESTAMP belongs to the client and its connection: leave it out": {
		"the header X-TIMESTAMP": { headers: { "X-TIMESTAMP": "x" } },
	},
	"The header X-Nonce belongs to the client and its connection: leave it out": {
		"the header X-Nonce": { headers: { "X-Nonce": "x" } },
	},
	"The header content-type belongs to the client and its connection: leave it out": {
		"the header content-type": { headers: { "content-type": "x" } },
	},
	"The header Content-Length belongs to the client and its connection: leave it out": {
		"the header Content-Length": { headers: { "Content-Length": "x" } },
	},
	"The header Transfer-Encoding belongs to the client and its connection: leave it out": {
		"the header Transfer-Encoding": { headers: { "Transfer-Encoding": "x" } },
	},
	"The header host belongs to the client and its connection: leave it out": {
		"the header host": { headers: { host: "x" } },
	},
	"The header Expect belongs to the client and its connection: leave it out": {
		"the header Expect": { headers: { Expect: "x" } },
	},
	"The header KEEP-ALIVE belongs to the client and its connection: leave it out": {
		"the header KEEP-ALIVE": { headers: { "KEEP-ALIVE": "x" } },
	},
	"The header upgrade belongs to the client and its connection: leave it out": {
		"the header upgrade": { headers: { upgrade: "x" } },
	},
	"A header name contains an invalid character": {
		"a header's name with a space": { headers: { "X Trace": "a" } },
		"an empty name of a header": { headers: { "": "a" } },
	},
	"The value of the header X-Trace isn't a valid header value": {
		"a header's value with a line break": { headers: { "X-Trace": "private\r\nX-Evil: 1" } },
		"a header's value beyond Latin-1": { headers: { "X-Trace": "private-日" } },
		"a header's value that is a number": { headers: { "X-Trace": 1 } },
	},
	"accepted by MessagingGateway": {
		"a clock with methods of a class": { clock: new OwnClock() },
		"a logger with methods of a class": { logger: new OwnLogger() },
		"the console": { logger: console },
		"hooks, one of which is undefined": { hooks: { onRequest: undefined, onError: noop } },
		"headers without a prototype": { headers: Object.assign(Object.create(null), { "X-Trace": "1" }) },
		"a header with every character that a name may have": { headers: { "a!#$%&'*+.^`|~-_9": "\t é~" } },
		"switches that are off": { correctClockSkew: false, dangerouslyAllowBrowser: false },
		"an operation of the profile": operation({ method: "POST", response: { decode: noop } }),
		"limits as small as they may be": {
			timeoutMs: 1,
			attemptTimeoutMs: 0.5,
			maxRetries: 0,
			maxResponseBytes: 1,
		},
		"plain http": { baseUrl: "http://gateway.example" },
	},
};

describe("options of a client", () => testOutcomes(OPTIONS, outcomeOf));

/** What a call makes of its options, before anything is sent. */
async function callOutcome(options: unknown): Promise<string> {
	const error = await refusedBy((gateway) => gateway.agents.list({}, options as never));
	expect(await refusedBy((gateway) => gateway.queue.getStatus({}, options as never))).toEqual(error);
	return error.message;
}

const CALL_OPTIONS: Outcomes<unknown> = {
	'Unknown option "retries" of the call. Did you mean "maxRetries"?': {
		"an option of the call that there is not": { retries: 5 },
	},
	'headers must be a plain object of strings, such as { "X-Trace": "1" }': {
		"headers of the call that are a text": { headers: "X-Trace: 1" },
		"headers of the call that are the platform's": { headers: new Headers() },
		"headers of the call that are a Map": { headers: new Map([["X-Trace", "1"]]) },
		"headers of the call that are null": { headers: null },
	},
	"The header x-nonce belongs to the client and its connection: leave it out": {
		"a header of the signature for the call": { headers: { "x-nonce": "x" } },
	},
	"The value of the header X-Trace isn't a valid header value": {
		"a header of the call with a line break": { headers: { "X-Trace": "private\r\nX-Evil: 1" } },
	},
	"signal must be an AbortSignal": {
		"a signal that is a text": { signal: "x" },
		"a signal that is null": { signal: null },
	},
	"The call's options must be an object, such as { signal: … }": {
		"options that are null": null,
		"options that are a number": 5,
	},
	"timeoutMs must be a number above 0": {
		"a limit of the call of 0": { timeoutMs: 0 },
	},
	"attemptTimeoutMs must be a number above 0": {
		"another limit of the call of 0": { attemptTimeoutMs: 0 },
	},
	"maxRetries must be an integer of at least 0": {
		"retries of the call below 0": { maxRetries: -1 },
	},
};

describe("options of a call", () => testOutcomes(CALL_OPTIONS, callOutcome));

/** What a call, or a diagnosis, makes of a clock whose functions give something else, before anything is sent. */
async function clockOutcome(clock: object): Promise<string> {
	const options = { clock: clock as never };
	const error = await refusedBy((gateway) => gateway.agents.list(), options);
	expect(error).toMatchObject({ code: "configuration", outcome: "not_sent" });
	expect(await refusedBy(diagnose, options)).toMatchObject({ message: error.message });
	return error.message;
}

const CLOCKS: Outcomes<object> = {
	"clock.setTimer must return a function that cancels the timer": {
		"a timer that is nothing": { now: Date.now, setTimer: noop },
		"a timer that is a number": { now: Date.now, setTimer: () => 5 },
	},
	"clock.now must return Unix milliseconds": {
		"a time that is NaN": { now: () => Number.NaN, setTimer: () => noop },
		"a time that is a Date": { now: () => new Date(0), setTimer: () => noop },
		"a time without end": { now: () => Number.POSITIVE_INFINITY, setTimer: () => noop },
	},
};

describe("functions of a clock", () => testOutcomes(CLOCKS, clockOutcome));
