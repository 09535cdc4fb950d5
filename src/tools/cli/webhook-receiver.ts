import { Buffer } from "node:buffer";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Profile } from "../../library/catalogue/profile.ts";
import { WebhookVerificationError } from "../../library/errors.ts";
import { collectBytes } from "../../library/signing/bytes.ts";
import { drain } from "../../library/webhooks/adapters/drain.ts";
import { verifyWebhook } from "../../library/webhooks/verify-webhook.ts";
import { type ForwardedResponse, forward } from "./forward.ts";
import { explainListenError } from "./serving.ts";

/** The largest body that `listen` reads, in bytes: the default of the webhook handler. */
const MAX_BODY_BYTES = 1024 * 1024;

/** A received webhook and the status of its response. */
export interface ReceivedWebhook {
	readonly kind: string | undefined;
	readonly eventId: string | undefined;
	/** The fields that certainly mean nothing and were filled, if there are any. */
	readonly filled: readonly string[] | undefined;
	/** What is not as documented, one field each, if there is anything. */
	readonly issues: readonly string[] | undefined;
	/** Why verification failed; `undefined` if it succeeded. */
	readonly problem: string | undefined;
	/** The status of the response. */
	readonly status: number;
	/** Why the application's response could not be passed on; `undefined` if it was. */
	readonly forwardProblem?: string | undefined;
	readonly payload: string;
}

interface ReceiverOptions {
	readonly port: number;
	readonly forwardTo: string | undefined;
	readonly secret: string;
	readonly profile: Profile | undefined;
	readonly onWebhook: (webhook: ReceivedWebhook) => void;
}

/** Starts a server that verifies webhooks, forwards them and returns the application's response. */
export async function startReceiver(options: ReceiverOptions): Promise<{ url: string } & AsyncDisposable> {
	// Only the sender closes idle connections: closing one here could drop a delivery in transit.
	const server = createServer({ keepAliveTimeout: 0 }, (request, response) => {
		receive(request, response, options).catch(() => response.destroy());
	});
	const address = { host: "127.0.0.1", port: options.port };
	server.listen(address);
	await once(server, "listening").catch(explainListenError(address));
	const { port } = server.address() as AddressInfo; // A string only for pipes.
	return {
		url: `http://127.0.0.1:${port}/`,
		async [Symbol.asyncDispose]() {
			server.close();
			server.closeAllConnections();
			await once(server, "close");
		},
	};
}

/** The event of an unverified delivery. */
const UNKNOWN = { kind: undefined, eventId: undefined, filled: undefined, issues: undefined } as const;

async function receive(
	request: IncomingMessage,
	response: ServerResponse,
	{ forwardTo, secret, profile, onWebhook }: ReceiverOptions,
): Promise<void> {
	const body = await readLimitedBody(request);
	if (body === undefined) {
		onWebhook({ ...UNKNOWN, problem: "too_large", status: 413, payload: "" });
		await respondTooLarge(request, response);
		return;
	}
	const result = verify(request, body, { secret, profile });
	const forwarded: ForwardedResponse =
		forwardTo === undefined
			? { status: 200, headers: [], body: Buffer.of() }
			: await forward(request, body, forwardTo);
	const { status, problem: forwardProblem } = forwarded;
	onWebhook({ ...result, status, forwardProblem, payload: body.toString() });
	response.writeHead(forwarded.status, forwarded.headers).end(forwarded.body);
}

function verify(
	{ headers }: IncomingMessage,
	body: Buffer,
	options: { secret: string; profile: Profile | undefined },
): Pick<ReceivedWebhook, "kind" | "eventId" | "filled" | "issues" | "problem"> {
	try {
		const event = verifyWebhook({ body, headers }, options);
		const { kind, eventId, filled } = event;
		const issues = event.kind === "unknown" ? event.issues : [];
		return {
			kind,
			eventId,
			filled: filled.length === 0 ? undefined : filled,
			issues: issues.length === 0 ? undefined : issues.map(({ path, message }) => `${path} ${message}`),
			problem: undefined,
		};
	} catch (error) {
		const problem = error instanceof WebhookVerificationError ? error.code : "unreadable";
		return { ...UNKNOWN, problem };
	}
}

/** Reads a whole body; `undefined` as soon as its bytes or its `Content-Length` exceed the limit. */
async function readLimitedBody(request: IncomingMessage): Promise<Buffer | undefined> {
	const announcedBytes = Number(request.headers["content-length"] ?? 0);
	// The connection is still needed for the response.
	const body = request.iterator({ destroyOnReturn: false });
	const collected = await collectBytes(body, MAX_BODY_BYTES, { announcedBytes });
	if ("bytes" in collected) return Buffer.from(collected.bytes);
	if (collected.problem === "broken") throw collected.error;
	return undefined;
}

/** Responds with 413 at once and discards the rest of the body; closing the connection could lose the response. */
async function respondTooLarge(request: IncomingMessage, response: ServerResponse): Promise<void> {
	const body = "too_large";
	response.writeHead(413, { Connection: "close", "Content-Length": body.length });
	response.write(body);
	await drain(request);
	response.end();
}
