import { defineOperation } from "../../../../library/catalogue/operation.ts";
import type { Schema } from "../../../../library/catalogue/schema.ts";
import { Caller } from "../../../../library/client/caller.ts";
import { assertClientOptions, type ClientOptions } from "../../../../library/client/options.ts";
import { asObject } from "../../parts/json-value.ts";
import type { ApiOperation } from "../document/api-document.ts";
import type { RequestContent } from "../form/read-draft.ts";
import { createRecorder, type Exchange, type Recorder } from "./recorder.ts";

/** The gateway's URL and the credentials that sign calls. It is kept in memory only. */
export interface Connection {
	readonly baseUrl: string;
	readonly appId: string;
	readonly appSecret: string;
}

/** A finished call. */
export interface FinishedCall {
	/** The requests and responses: several if the client corrected its clock and retried, none if nothing was sent. */
	readonly exchanges: readonly Exchange[];
	/** The error that the client threw, if any. */
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

/** Creates a caller. It keeps one client per connection, which remembers the gateway's clock offset. */
export function createCaller(send: Recorder["fetch"]): MakeCall {
	const recorder = createRecorder(send);
	let last: { connection: Connection; caller: Caller } | undefined;
	const callerOf = (connection: Connection): Caller => {
		if (last === undefined || !isSame(last.connection, connection)) {
			last = { connection, caller: createClient(connection, recorder) };
		}
		return last.caller;
	};
	return async (operation, content, connection, signal) => {
		const start = performance.now();
		let failure: FinishedCall["failure"];
		try {
			await callThrough(callerOf(connection), operation, content, signal);
		} catch (error) {
			failure = { error };
		}
		const durationMs = performance.now() - start;
		return { exchanges: recorder.take(), failure, durationMs, endedAt: Date.now(), connection };
	};
}

/** Uses `request` if the response has an envelope; otherwise defines an operation without one. */
async function callThrough(
	caller: Caller,
	{ id, method, path, isSigned, hasEnvelope }: ApiOperation,
	{ params, query, body }: RequestContent,
	signal: AbortSignal,
): Promise<void> {
	if (hasEnvelope) {
		await caller.request(method, path, { params, query, body, signed: isSigned, signal });
		return;
	}
	const operation = defineOperation({
		id,
		method,
		path,
		input: ANYTHING,
		data: ANYTHING,
		isSigned,
		hasEnvelope,
	});
	await caller.call(operation, { ...params, ...query, ...asObject(body) }, { signal });
}

/** Accepts every value: the form is already checked, and responses are shown unchanged. */
const ANYTHING: Schema<unknown> = {
	"~standard": { version: 1, vendor: "messaging-gateway", validate: (value) => ({ value }) },
};

/** The client without its methods: operations come from the document, so the page needs no catalogue of its own. */
function createClient({ baseUrl, appId, appSecret }: Connection, recorder: Recorder): Caller {
	const options: ClientOptions = {
		baseUrl,
		appId,
		// Without a secret the client can still call unsigned operations.
		...(appSecret === "" ? {} : { appSecret }),
		fetch: recorder.fetch,
		// No hidden retries: the page shows every request.
		maxRetries: 0,
		logLevel: "off",
		// The user of this page owns the secret.
		dangerouslyAllowBrowser: true,
	};
	assertClientOptions(options);
	return new Caller(options);
}

function isSame(left: Connection, right: Connection): boolean {
	return left.baseUrl === right.baseUrl && left.appId === right.appId && left.appSecret === right.appSecret;
}
