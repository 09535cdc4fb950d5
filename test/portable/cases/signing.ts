import { assert, assertEqual, assertFails } from "../check.ts";
import type { Library, PortableCase } from "../portable-case.ts";
import type { RequestVector } from "../vectors.ts";
import { START_MS, stoppedClock } from "../world.ts";

const ORIGIN = "https://gateway.example";
const UUID_4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** Specification, section 5.1. */
export const signingCases: readonly PortableCase[] = [
	{
		name: "the literal signatures",
		run({ signing }, { vectors }) {
			for (const vector of vectors.requests) assertSignature(signing, vector);
		},
	},
	{
		name: "a nonce is a new UUID each time",
		run({ signing }) {
			const sign = () =>
				signing.signRequest({ method: "GET", url: "/queue/status", appId: "app-1", appSecret: "s" });
			const nonces = Array.from({ length: 1_000 }, () => sign().headers["X-Nonce"]);
			assertEqual(new Set(nonces).size, nonces.length, "different nonces");
			for (const nonce of nonces) assert(UUID_4.test(nonce), `${nonce} is no version 4 UUID`);
		},
	},
	{
		name: "a literal signature is accepted, once",
		async run(library, { vectors }) {
			for (const vector of vectors.requests) {
				const verify = createVerifier(library, vector);
				const { appId, nonce } = await verify();
				assertEqual([appId, nonce], ["app-1", vector.nonce], vector.title);
				await assertFails(verify, { code: "nonce_replayed", status: 401 }, vector.title);
			}
		},
	},
	{
		name: "a changed request is rejected",
		async run(library, { vectors }) {
			for (const vector of vectors.requests) {
				const { title, authorization, nonce, timestamp, path, body = "" } = vector;
				const changes: [code: string, change: Partial<RequestVector>][] = [
					["signature_mismatch", { body: `[${body}]` }],
					["signature_mismatch", { path: path.replace("%2B", "+").replace("text", "Text") }],
					["signature_mismatch", { method: "PUT" }],
					["signature_mismatch", { nonce: nonce.replace("3", "4") }],
					["signature_mismatch", { timestamp: timestamp + 1 }],
					["signature_mismatch", { appSecret: "app-secret-2" }],
					["signature_mismatch", { authorization: changeLastDigit(authorization) }],
					["timestamp_out_of_range", { timestamp: timestamp - 300_001 }],
					["malformed_header", { authorization: authorization.slice(0, -1) }],
				];
				for (const [code, change] of changes) {
					const verify = createVerifier(library, { ...vector, ...change });
					await assertFails(verify, { code }, `${title}, changed in ${Object.keys(change)}`);
				}
			}
		},
	},
];

/** Checks what is signed and what is sent against a vector. */
export function assertSignature(signing: Library["signing"], vector: RequestVector): void {
	const { title, method, path, appSecret, timestamp, nonce, value, body } = vector;
	const url = `${ORIGIN}${path}`;
	const signed = signing.signRequest({
		method,
		url,
		body: value,
		appId: "app-1",
		appSecret,
		timestamp,
		nonce,
	});
	assertEqual(signed.bodyHash, vector.bodyHash, `${title}, hash of the body`);
	assertEqual(signed.headers.Authorization, vector.authorization, title);
	const sent = body === undefined ? undefined : new TextEncoder().encode(body);
	assertEqual(signed.body, sent, `${title}, bytes of the body`);
}

/** Verifies the request of a vector, as the gateway would. */
function createVerifier({ signing }: Library, vector: RequestVector) {
	const clock = stoppedClock(START_MS);
	const nonceStore = signing.memoryNonceStore({ clock });
	const headers = new Headers({
		"X-App-Id": "app-1",
		"X-Timestamp": String(vector.timestamp),
		"X-Nonce": vector.nonce,
		Authorization: vector.authorization,
	});
	const body = vector.body === undefined ? undefined : new TextEncoder().encode(vector.body);
	return () =>
		signing.verifyRequest(
			{ method: vector.method, url: `${ORIGIN}${vector.path}`, headers, body },
			{ secretFor: () => vector.appSecret, nonceStore, clock },
		);
}

export function changeLastDigit(hex: string): string {
	return hex.slice(0, -1) + (hex.endsWith("0") ? "1" : "0");
}
