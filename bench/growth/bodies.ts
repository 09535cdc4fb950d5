import { canonicalize, signRequest, verifyRequest } from "messaging-gateway/signing";
import { signWebhook, verifyWebhook } from "messaging-gateway/webhooks";
import type { GrowthSubject } from "./subject.ts";

const SECRET = "a-secret-of-32-characters-length";

/** What grows with the body. */
export const BODY_SUBJECTS: readonly GrowthSubject[] = [
	{
		name: "canonicalize",
		sizeOf: "bytes",
		growth: "linear",
		prepare(bytes) {
			const value = createValue(bytes);
			return () => Buffer.byteLength(canonicalize(value));
		},
	},
	{
		name: "signRequest",
		sizeOf: "bytes",
		growth: "linear",
		prepare(bytes) {
			const body = createValue(bytes);
			return () =>
				signRequest({ method: "POST", url: "/message/text", body, appId: "app-1", appSecret: SECRET });
		},
	},
	{
		name: "verifyRequest",
		sizeOf: "bytes",
		growth: "linear",
		prepare(bytes) {
			const request = { method: "POST", url: "/message/text" };
			const signed = signRequest({ ...request, body: createValue(bytes), appId: "app-1", appSecret: SECRET });
			const headers = new Headers({ ...signed.headers });
			// A store that knows nothing: each run verifies the same request.
			const nonceStore = { remember: async () => true };
			return () =>
				verifyRequest({ ...request, headers, body: signed.body }, { secretFor: () => SECRET, nonceStore });
		},
	},
	{
		name: "verifyWebhook",
		sizeOf: "bytes",
		growth: "linear",
		prepare(bytes) {
			const body = JSON.stringify({ values: createValue(bytes) });
			const headers = signWebhook({ body, secret: SECRET });
			return () => verifyWebhook({ body, headers }, { secret: SECRET });
		},
	},
];

/** A value whose JSON has about so many bytes. */
function createValue(bytes: number): unknown {
	const item = { to: "+15551234567", text: "Hello, is the table still free?", from: "+15550000001" };
	const { length } = JSON.stringify(item);
	return Array.from({ length: Math.max(1, Math.round(bytes / length)) }, () => ({ ...item }));
}
