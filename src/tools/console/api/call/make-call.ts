import { defineOperation } from "../../../../library/catalogue/operation.ts";
import type { Schema } from "../../../../library/catalogue/schema.ts";
import { CallTools, makeCall } from "../../../../library/client/call.ts";
import type { ClientOptions } from "../../../../library/client/options.ts";
import type { ApiOperation } from "../document/api-document.ts";
import type { RequestContent } from "../form/read-request.ts";
import { type Connection, writeRequest } from "./prepare.ts";

export interface SentRequest {
	readonly method: string;
	readonly url: string;
	readonly headers: Readonly<Record<string, string>>;
	readonly body?: Uint8Array | undefined;
}

export interface ReceivedResponse {
	readonly status: number;
	readonly statusText: string;
	readonly headers: readonly (readonly [name: string, value: string])[];
	readonly text: string;
}

/** A request and its response; `undefined` if there was none. */
export interface Exchange {
	readonly sent: SentRequest;
	readonly response: ReceivedResponse | undefined;
}

export interface FinishedCall {
	/** The requests and responses: several if the client corrected its clock and retried, none if nothing was sent. */
	readonly exchanges: readonly Exchange[];
	readonly failure: { readonly error: unknown } | undefined;
	readonly durationMs: number;
	/** In Unix milliseconds. */
	readonly endedAt: number;
	/** The connection of the call, to compute its signature again. */
	readonly connection: Connection;
}

/** Calls an operation through the SDK's client, so the page signs with the same code as an application. */
export type MakeCall = (
	operation: ApiOperation,
	content: RequestContent,
	connection: Connection,
	signal: AbortSignal,
) => Promise<FinishedCall>;

/**
 * Creates a caller for one call at a time. It keeps one client per connection, which remembers the gateway's clock
 * offset.
 * @param send - the underlying `fetch`.
 */
export function createCaller(send: (url: string, init: RequestInit) => Promise<Response>): MakeCall {
	let exchanges: Exchange[] = [];
	const record: NonNullable<ClientOptions["fetch"]> = async (url, init) => {
		const { method, headers, body } = init;
		const sent = { method, url, headers, body };
		try {
			const response = await send(url, init);
			const { status, statusText, headers: received } = response;
			// Of a copy, because a body can be read only once.
			const text = await response.clone().text();
			exchanges.push({ sent, response: { status, statusText, headers: [...received], text } });
			return response;
		} catch (error) {
			exchanges.push({ sent, response: undefined });
			throw error;
		}
	};
	let last: { readonly key: string; readonly client: CallTools } | undefined;
	return async (operation, content, connection, signal) => {
		const start = performance.now();
		let failure: FinishedCall["failure"];
		exchanges = [];
		try {
			const key = JSON.stringify(connection);
			if (last?.key !== key) last = { key, client: createClient(connection, record) };
			await callThrough(last.client, operation, content, signal);
		} catch (error) {
			failure = { error };
		}
		const durationMs = performance.now() - start;
		return { exchanges, failure, durationMs, endedAt: Date.now(), connection };
	};
}

/** The client without its methods: operations come from the document, so the page needs no catalogue of its own. */
function createClient({ baseUrl, appId, appSecret }: Connection, fetch: ClientOptions["fetch"]): CallTools {
	const options: ClientOptions = {
		baseUrl,
		appId,
		// Without a secret the client can still call unsigned operations.
		...(appSecret === "" ? {} : { appSecret }),
		fetch,
		// No hidden retries: the page shows every request.
		maxRetries: 0,
		logLevel: "off",
	};
	return new CallTools(options);
}

/** Accepts every value: the form is already checked, and responses are shown unchanged. */
const ANYTHING: Schema<unknown> = {
	"~standard": { version: 1, vendor: "messaging-gateway", validate: (value) => ({ value }) },
};

async function callThrough(
	client: CallTools,
	{ id, method, path, isSigned, hasEnvelope }: ApiOperation,
	content: RequestContent,
	signal: AbortSignal,
): Promise<void> {
	await makeCall(client, {
		info: { operationId: id, method, pathTemplate: path },
		operation: defineOperation({ id, method, path, input: ANYTHING, data: ANYTHING, isSigned, hasEnvelope }),
		override: undefined,
		options: { signal },
		prepare: async () => {
			const request = writeRequest({ method, path }, content, client.credentials.baseUrl());
			return { request, retryClass: "never" };
		},
	});
}
