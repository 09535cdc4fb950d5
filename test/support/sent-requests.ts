import type { ClientOptions, MessagingGateway } from "messaging-gateway";
import { expect } from "vitest";
import { EMPTY_HASH, hmacSha256 } from "./node-crypto.ts";
import { type SentRequest, scriptGateway } from "./scripted-gateway.ts";
import { MAPPING, MESSAGE, ok } from "./wire.ts";

/** The one request that a call makes. */
export async function sentBy(
	call: (gateway: MessagingGateway) => PromiseLike<unknown>,
	options?: ClientOptions,
): Promise<SentRequest> {
	const { gateway, requests } = scriptGateway([ok({ message: MESSAGE, mapping: MAPPING })], options);
	await call(gateway);
	expect(requests).toHaveLength(1);
	return requests[0] as SentRequest;
}

/** Whether a request without a body was signed with this secret, by node:crypto alone. */
export function isSignedWith(secret: string, request: SentRequest | undefined): boolean {
	const { method = "", url = "", headers = new Headers() } = request ?? {};
	const toSign = [
		method,
		new URL(url).pathname,
		EMPTY_HASH,
		headers.get("X-Timestamp"),
		headers.get("X-Nonce"),
	];
	return headers.get("Authorization") === `HMAC ${hmacSha256(secret, toSign.join("\n"))}`;
}
