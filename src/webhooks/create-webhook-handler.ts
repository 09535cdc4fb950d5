import { webhookHeaderNames } from "../catalogue/webhook-headers.ts";
import { WebhookVerificationError } from "../errors.ts";
import { boundStore } from "../stores/bound-store.ts";
import { describeRefusal } from "./describe-refusal.ts";
import { type FoundSecret, findSecret } from "./find-secret.ts";
import {
	type ResolvedHandlerOptions,
	resolveHandlerOptions,
	type WebhookHandlerOptions,
} from "./handler-options.ts";
import { type DeliveryHeaders, findHeader, type HeadersInput, requireDeliveryHeaders } from "./headers.ts";
import { scopeOf } from "./identify-event.ts";
import { processEvent, type VerifiedDelivery } from "./process-event.ts";
import { assertContentLength, rawBodyOf, readRawBody } from "./read-body.ts";
import { reportTo } from "./report.ts";
import { checkSignature, type RawBody } from "./verify-signature.ts";
import { narrowDelivery } from "./verify-webhook.ts";
import { respondWith, toResponse, type WebhookResponse } from "./webhook-response.ts";

/** A delivery as a framework hands it over. */
export interface IncomingDelivery {
	/** The HTTP method. @default "POST" */
	method?: string | undefined;
	/** The headers. */
	headers: HeadersInput;
	/** The raw body: text, bytes or a stream. What was parsed already is refused; it is never written again as JSON. */
	body: unknown;
	/** What else the platform hands over, such as the bindings of Workers, for the secret function. */
	platform?: readonly unknown[] | undefined;
	/** How to get the raw body in this framework, for `onError`. */
	hint?: string | undefined;
}

/**
 * What a platform hands over beside the request: anything but a request of Node, so that a route of Express such as
 * `app.post(path, webhooks.fetch)` does not compile. Nobody would write its answer.
 */
export type PlatformValues<Values extends readonly unknown[]> = {
	readonly [At in keyof Values]: Values[At] extends { readonly readableDidRead: boolean }
		? never
		: Values[At];
};

/** Verifies deliveries and processes each event once. */
export interface WebhookHandler {
	/**
	 * Answers a Fetch API request: a route of the Next.js App Router, or the `fetch` of Workers, Bun or Deno, as it
	 * stands. What the platform adds goes to the secret function.
	 * @throws WebhookVerificationError `configuration` when it is called with a request of another kind, as Express would.
	 */
	readonly fetch: <Values extends readonly unknown[]>(
		this: void,
		request: Request,
		...platform: Values & PlatformValues<Values>
	) => Promise<Response>;
	/** Answers a delivery from anywhere else. Never rejects. */
	readonly handle: (this: void, delivery: IncomingDelivery) => Promise<WebhookResponse>;
}

const GENERAL_HINT =
	"the body was parsed or read before it came here: hand over the raw bytes, since JSON written again has another signature";

/**
 * Makes a handler that verifies each delivery over its raw bytes, processes each event once, and acknowledges
 * it only when its handler has finished.
 *
 * @example
 * ```ts
 * export const webhooks = createWebhookHandler({
 *   store: memoryStore(),
 *   on: { inbound_message: async ({ data }) => { await answer(data); } },
 * });
 * export const POST = webhooks.fetch;
 * ```
 * @throws WebhookVerificationError `configuration` when an option cannot be used. An unusable secret is told at
 * the first delivery, which is then answered with 500.
 * @see specification, section 6
 */
export function createWebhookHandler(options: WebhookHandlerOptions): WebhookHandler {
	const resolved = resolveHandlerOptions(options);
	const store = boundStore(resolved.store, resolved.storeTimeoutMs, resolved.clock);

	async function handle(delivery: IncomingDelivery): Promise<WebhookResponse> {
		let verified: VerifiedDelivery;
		try {
			if ((delivery.method ?? "POST").toUpperCase() !== "POST") {
				return { ...respondWith(405, "method_not_allowed"), headers: { Allow: "POST" } };
			}
			const verifying = verify(delivery, resolved);
			verified = isPromise(verifying) ? await verifying : verifying;
		} catch (error) {
			const refusal = toVerificationError(error);
			reportTo(resolved, refusal, { hint: describeRefusal(refusal) });
			return respondWith(refusal.status, refusal.code);
		}
		return await processEvent(verified, store, resolved);
	}

	async function fetch(request: Request, ...platform: readonly unknown[]): Promise<Response> {
		assertFetchRequest(request, resolved);
		const { method, headers } = request;
		return toResponse(await handle({ method, headers, platform, body: rawBodyOf(request) }));
	}

	return { fetch, handle };
}

/** A promise only where there is something to wait for. The secret is found when the body is there. */
function verify(
	delivery: IncomingDelivery,
	options: ResolvedHandlerOptions,
): VerifiedDelivery | Promise<VerifiedDelivery> {
	const { headers, platform = [], hint = GENERAL_HINT } = delivery;
	const read = readHeaders(headers, options);
	const check = (body: RawBody, { secret, tenant }: FoundSecret): VerifiedDelivery => {
		const { toleranceSeconds, clock, profile, consumer } = options;
		const fields = checkSignature({ headers, body }, { toleranceSeconds, clock, profile, secret }, read);
		const event = narrowDelivery(fields, body, profile?.vendor);
		return { event, body, tenant, scope: scopeOf(consumer, tenant) };
	};
	const findAndCheck = (body: RawBody): VerifiedDelivery | Promise<VerifiedDelivery> => {
		const finding = findSecret(headers, platform, options);
		return isPromise(finding) ? finding.then((found) => check(body, found)) : check(body, finding);
	};
	const reading = readRawBody(delivery.body, options.maxBodyBytes, hint);
	return isPromise(reading) ? reading.then(findAndCheck) : findAndCheck(reading);
}

function isPromise<Value>(value: Value | Promise<Value>): value is Promise<Value> {
	return typeof value === "object" && value !== null && "then" in value;
}

/** A framework that calls its routes in another way waits for an answer that nobody writes. */
function assertFetchRequest(request: Request, options: ResolvedHandlerOptions): void {
	const given: { headers?: { get?: unknown } } | null | undefined = request;
	if (typeof given?.headers?.get === "function") return;
	const error = new WebhookVerificationError(
		"configuration",
		"fetch needs a Fetch API request: Express, Fastify, Hono and Node have adapters, such as toExpress(webhooks)",
	);
	reportTo(options, error, { hint: error.message });
	throw error;
}

/** Before the body, so that a stranger's is not even read. */
function readHeaders(headers: HeadersInput, options: ResolvedHandlerOptions): DeliveryHeaders {
	const required = requireDeliveryHeaders(headers, webhookHeaderNames(options.profile?.vendor));
	assertContentLength(findHeader(headers, "Content-Length"), options.maxBodyBytes);
	return required;
}

/** A foreign error is left out: it may hold a header or the payload. */
function toVerificationError(error: unknown): WebhookVerificationError {
	if (error instanceof WebhookVerificationError) return error;
	return new WebhookVerificationError("configuration", "the delivery could not be read");
}
