import {
	memoryNonceStore,
	type ReceivedRequest,
	signRequest,
	verifyRequest,
} from "messaging-gateway/signing";
import { describeMessages } from "./message-table.ts";

/** What a user in plain JavaScript passes. */
function verify(...given: readonly unknown[]): Promise<unknown> {
	return (verifyRequest as (...given: readonly unknown[]) => Promise<unknown>)(...given);
}

const request: ReceivedRequest = { method: "POST", url: "/message/text", headers: new Headers() };
const options = { secretFor: () => "secret-1", nonceStore: memoryNonceStore() };

describeMessages("verifyRequest, with other arguments", [
	[
		"nothing",
		() => verify(),
		"verifyRequest needs two arguments: verifyRequest({ method, url, headers, body }, { secretFor, nonceStore })",
	],
	[
		"a request alone",
		() => verify(request),
		"verifyRequest needs two arguments: verifyRequest({ method, url, headers, body }, { secretFor, nonceStore })",
	],
	[
		"no options",
		() => verify(request, {}),
		"secretFor is required: a function that returns the App Secret of an app id\nnonceStore is required. Use memoryNonceStore() for one process, and redisStore, postgresStore, … for several",
	],
	[
		"the secret itself",
		() => verify(request, { ...options, secretFor: "secret-1" }),
		"secretFor is required: a function that returns the App Secret of an app id",
	],
	[
		"no nonce store",
		() => verify(request, { secretFor: options.secretFor }),
		"nonceStore is required. Use memoryNonceStore() for one process, and redisStore, postgresStore, … for several",
	],
	[
		"the function that makes a nonce store",
		() => verify(request, { ...options, nonceStore: memoryNonceStore }),
		"nonceStore must be what memoryNonceStore(), redisStore(…) or another store returns. You passed a function: call it first, or with new if it is a class",
	],
	[
		"the headers of Node",
		() => verify({ ...request, headers: { "x-app-id": "app-1" } }, options),
		"headers must be a Headers object: new Headers(request.headers)",
	],
	[
		"no headers",
		() => verify({ ...request, headers: undefined }, options),
		"headers must be a Headers object: new Headers(request.headers)",
	],
	[
		"the headers in a Map",
		() => verify({ ...request, headers: new Map([["x-app-id", "app-1"]]) }, options),
		"headers must be a Headers object: new Headers(request.headers)",
	],
	[
		"the headers in pairs",
		() => verify({ ...request, headers: [["x-app-id", "app-1"]] }, options),
		"headers must be a Headers object: new Headers(request.headers)",
	],
	[
		"several mistakes at once",
		() => verify({ url: "/", headers: {} }, { secretFor: "secret-1", maxBodyBytes: -1, tolerance: 5 }),
		'Unknown option "tolerance" of verifyRequest. Did you mean "toleranceSeconds"?\nsecretFor is required: a function that returns the App Secret of an app id\nnonceStore is required. Use memoryNonceStore() for one process, and redisStore, postgresStore, … for several\nmethod must be a string\nheaders must be a Headers object: new Headers(request.headers)\nmaxBodyBytes must be a number above 0',
	],
	["no method", () => verify({ ...request, method: undefined }, options), "method must be a string"],
	[
		"a parsed body",
		() => verify({ ...request, body: { text: "Hello" } }, options),
		"body must be the raw bytes, a Uint8Array, as they came before anything parsed them",
	],
	[
		"a body as text",
		() => verify({ ...request, body: '{"text":"Hello"}' }, options),
		"body must be the raw bytes, a Uint8Array, as they came before anything parsed them",
	],
	[
		"a tolerance in milliseconds",
		() => verify(request, { ...options, toleranceMs: 300_000 }),
		'Unknown option "toleranceMs" of verifyRequest: use toleranceSeconds',
	],
]);

describeMessages("signRequest", [
	[
		"nothing",
		() => (signRequest as (...given: readonly unknown[]) => unknown)(),
		"signRequest needs a request: signRequest({ method, url, body, appId, appSecret }). You passed undefined",
	],
	[
		"several mistakes at once",
		() => signRequest({ url: "/", appId: "", appSecret: "secret-1", nonce: "", timestamp: 1.5 } as never),
		"appId must be 1 to 256 visible ASCII characters\nnonce must be 1 to 256 visible ASCII characters\nmethod must be a string\ntimestamp must be Unix time in whole milliseconds",
	],
]);
