import { defineOperation } from "../../../catalogue/operation.ts";
import type { Schema } from "../../../catalogue/schema.ts";
import { MessagingGateway } from "../../../client/client.ts";
import { asObject } from "../../parts/json-value.ts";
import type { ApiOperation } from "../document/api-document.ts";
import type { RequestContent } from "../form/read-draft.ts";
import { createRecorder, type Exchange, type Recorder } from "./recorder.ts";

/** Where calls go, and who signs them. It is held in memory only. */
export interface Connection {
	readonly baseUrl: string;
	readonly appId: string;
	readonly appSecret: string;
}

/** A call that is over. */
export interface FinishedCall {
	/** What left and what came; several where the client corrected its clock and tried again, none where nothing left. */
	readonly exchanges: readonly Exchange[];
	/** What the client threw, where it did. */
	readonly failure: { readonly error: unknown } | undefined;
	readonly durationMs: number;
	/** When it ended, in Unix milliseconds. */
	readonly endedAt: number;
	/** The connection that it went over, so that its signature can be computed again. */
	readonly connection: Connection;
}

/** Calls an operation through the SDK's client: the code that signs here is the code that signs in an application. */
export type MakeCall = (
	operation: ApiOperation,
	content: RequestContent,
	connection: Connection,
	signal: AbortSignal,
) => Promise<FinishedCall>;

/** Keeps one client for as long as the connection stays, so that what it learns of the gateway's clock is kept, too. */
export function createCaller(send: Recorder["fetch"]): MakeCall {
	const recorder = createRecorder(send);
	let last: { connection: Connection; gateway: MessagingGateway } | undefined;
	const gatewayOf = (connection: Connection): MessagingGateway => {
		if (last === undefined || !isSame(last.connection, connection)) {
			last = { connection, gateway: createClient(connection, recorder) };
		}
		return last.gateway;
	};
	return async (operation, content, connection, signal) => {
		const start = performance.now();
		let failure: FinishedCall["failure"];
		try {
			await callThrough(gatewayOf(connection), operation, content, signal);
		} catch (error) {
			failure = { error };
		}
		const durationMs = performance.now() - start;
		return { exchanges: recorder.take(), failure, durationMs, endedAt: Date.now(), connection };
	};
}

/** `request` sends whatever stands in the form, but reads envelopes only. */
async function callThrough(
	gateway: MessagingGateway,
	{ id, method, path, isSigned, hasEnvelope }: ApiOperation,
	{ params, query, body }: RequestContent,
	signal: AbortSignal,
): Promise<void> {
	if (hasEnvelope) {
		await gateway.request(method, path, { params, query, body, signed: isSigned, signal });
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
	await gateway.call(operation, { ...params, ...query, ...asObject(body) }, { signal });
}

/** What is filled in was checked already, and what comes is shown as it is. */
const ANYTHING: Schema<unknown> = {
	"~standard": { version: 1, vendor: "messaging-gateway", validate: (value) => ({ value }) },
};

function createClient({ baseUrl, appId, appSecret }: Connection, recorder: Recorder): MessagingGateway {
	return new MessagingGateway({
		baseUrl,
		appId,
		// Without a secret the client can still call what needs no signature.
		...(appSecret === "" ? {} : { appSecret }),
		fetch: recorder.fetch,
		// Every request is shown, so none is repeated behind one's back.
		maxRetries: 0,
		logLevel: "off",
		// Whoever opens this page owns the secret, and types it in.
		dangerouslyAllowBrowser: true,
	});
}

function isSame(left: Connection, right: Connection): boolean {
	return left.baseUrl === right.baseUrl && left.appId === right.appId && left.appSecret === right.appSecret;
}
