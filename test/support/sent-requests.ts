import type { ClientOptions, MessagingGateway } from "messaging-gateway";
import { expect } from "vitest";
import { catchRejection } from "./catch-error.ts";
import { settle } from "./counting-clock.ts";
import { EMPTY_HASH, hmacSha256 } from "./node-crypto.ts";
import { type SentRequest, type Step, scriptGateway } from "./scripted-gateway.ts";
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

/** The error of a call with which nothing is sent. */
export async function refusedBy(
	call: (gateway: MessagingGateway) => PromiseLike<unknown>,
	options?: ClientOptions,
): Promise<Error> {
	const { gateway, clock, requests } = scriptGateway([ok({ message: MESSAGE, mapping: MAPPING })], options);
	const error = await catchRejection(settle(clock, call(gateway)));
	expect(requests).toHaveLength(0);
	expect(clock.openTimers).toBe(0);
	return error as Error;
}

/** The error of a call whose attempts get these responses in turn, and what was sent. */
export async function failWith(
	steps: readonly Step[],
	call: (gateway: MessagingGateway) => PromiseLike<unknown>,
	options?: ClientOptions,
): Promise<{ error: Error; requests: readonly SentRequest[] }> {
	const { gateway, clock, requests } = scriptGateway(steps, options);
	const error = await catchRejection(settle(clock, call(gateway)));
	return { error: error as Error, requests };
}

/** Whether a request without a body was signed with this secret, by node:crypto alone. */
export function isSignedWith(secret: string | Uint8Array, request: SentRequest | undefined): boolean {
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
