import { signRequest, type WithSigningProfile } from "messaging-gateway/signing";
import type { LocalGateway } from "messaging-gateway/testing";

/** How a signed request of a test may differ. */
export interface CallOptions {
	appId?: string;
	appSecret?: string;
	timestamp?: number;
	nonce?: string;
	profile?: WithSigningProfile;
	/** Headers that replace the signed ones. */
	headers?: Record<string, string>;
	/** The body that is sent instead of the one that was signed. */
	sentBody?: string;
	signal?: AbortSignal;
}

/** A parsed response. */
export interface CallResult {
	status: number;
	headers: Headers;
	/** The whole body. */
	// biome-ignore lint/suspicious/noExplicitAny: tests read any response of the gateway.
	body: any;
}

/** Signs a request as a client does. */
export function signedRequest(
	local: LocalGateway,
	method: string,
	path: string,
	body?: unknown,
	options: CallOptions = {},
): Request {
	const url = local.baseUrl + path;
	const signed = signRequest({
		method,
		url,
		body,
		appId: options.appId ?? local.appId,
		appSecret: options.appSecret ?? local.appSecret,
		timestamp: options.timestamp ?? Math.floor(local.clock.now()),
		basePath: new URL(local.baseUrl).pathname,
		...(options.nonce === undefined ? {} : { nonce: options.nonce }),
		...(options.profile === undefined ? {} : { profile: options.profile }),
	});
	return new Request(url, {
		method,
		headers: { ...signed.headers, ...options.headers },
		body: options.sentBody ?? signed.body ?? null,
		signal: options.signal ?? null,
	});
}

/** Signs a request, sends it and parses the response. */
export async function call(
	local: LocalGateway,
	method: string,
	path: string,
	body?: unknown,
	options: CallOptions = {},
): Promise<CallResult> {
	return parse(await local.fetch(signedRequest(local, method, path, body, options)));
}

/** Reads a whole response. */
export async function parse(response: Response): Promise<CallResult> {
	const text = await response.text();
	const isJson = response.headers.get("Content-Type") === "application/json" && text !== "";
	return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text };
}

/** Sends a text to a contact. */
export function sendText(local: LocalGateway, to: string, text = "Hello", fields: object = {}) {
	return call(local, "POST", "/message/text", { to, text, ...fields });
}

/** The mapping of a contact. */
export async function getMapping(local: LocalGateway, number: string) {
	const { body } = await call(local, "GET", `/mapping/${encodeURIComponent(number)}`);
	return body.data?.mapping;
}

/** An ordinary contact. */
export const ALICE = "+15551234567";
/** Another one. */
export const BOB = "+15557654321";
/** The agent that is there by default. */
export const AGENT = "+15550000001";
