import { signRequest, type WithSigningProfile } from "messaging-gateway/signing";
import {
	createAdjustableClock,
	createLocalGateway,
	type LocalGateway,
	type LocalGatewayOptions,
} from "messaging-gateway/testing";

/** An ordinary contact. */
export const ALICE = "+15551234567";
/** Another one. */
export const BOB = "+15557654321";
/** The agent that is there by default. */
export const AGENT = "+15550000001";
/** A number that always fails. */
export const FAILING = "+15550001001";

/** When the clock of a frozen gateway stands still. */
export const START_MS = 1_800_000_000_500;

/** A gateway whose time passes only if it is moved. */
export function createFrozenGateway(options: LocalGatewayOptions = {}): LocalGateway {
	return createLocalGateway({
		clock: createAdjustableClock({ frozen: true, startMs: START_MS }),
		...options,
	});
}

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

/** The status of a response, with its data or the code of its error. */
export async function outcomeOf(response: Promise<CallResult>) {
	const { status, body } = await response;
	return [status, body.ok ? body.data : body.error.code];
}

/** The path of what belongs to a number. */
export function pathOf(path: string, number: string, rest = ""): string {
	return `${path}/${encodeURIComponent(number)}${rest}`;
}

/** The mapping of a contact. */
export async function getMapping(local: LocalGateway, number: string) {
	const { body } = await call(local, "GET", pathOf("/mapping", number));
	return body.data?.mapping;
}
