import { webhookHeaderNames } from "../catalogue/webhook-headers.ts";
import { WebhookVerificationError, type WebhookVerificationErrorCode } from "../errors.ts";
import { boundStore, withTimeout } from "../stores/with-timeout.ts";
import { answerWith, toResponse, type WebhookAnswer } from "./answer.ts";
import type { WebhookEvent } from "./events.ts";
import {
	type EventHandler,
	type HandlerContext,
	type ResolvedHandlerOptions,
	resolveHandlerOptions,
	type WebhookErrorContext,
	type WebhookHandlerOptions,
	type WebhookSecretFunction,
} from "./handler-options.ts";
import { type DeliveryHeaders, findHeader, type HeadersInput, requireDeliveryHeaders } from "./headers.ts";
import { processEvent, type Report, type Work } from "./process-event.ts";
import { assertContentLength, rawBodyOf, readRawBody } from "./read-body.ts";
import type { WebhookSecret } from "./secret.ts";
import { checkSignature } from "./verify-signature.ts";
import { narrowDelivery } from "./verify-webhook.ts";

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

/** Verifies deliveries and processes each event once. */
export interface WebhookHandler {
	/**
	 * Answers a Fetch API request: a route of the Next.js App Router, or the `fetch` of Workers, Bun or Deno, as it
	 * stands. What the platform adds goes to the secret function.
	 */
	fetch(this: void, request: Request, ...platform: readonly unknown[]): Promise<Response>;
	/** Answers a delivery from anywhere else. Never rejects. */
	handle(this: void, delivery: IncomingDelivery): Promise<WebhookAnswer>;
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

	async function handle(delivery: IncomingDelivery): Promise<WebhookAnswer> {
		if ((delivery.method ?? "POST").toUpperCase() !== "POST") {
			return { ...answerWith(405, "method_not_allowed"), headers: { Allow: "POST" } };
		}
		let signature: Uint8Array;
		let event: WebhookEvent;
		try {
			const headers = readHeaders(delivery, resolved);
			const reading = readRawBody(delivery.body, resolved.maxBodyBytes, delivery.hint ?? GENERAL_HINT);
			// What is at hand is not waited for.
			const body = typeof reading === "object" && "then" in reading ? await reading : reading;
			const { secret, toleranceSeconds, clock, profile } = resolved;
			const found = typeof secret === "function" ? await findSecret(secret, delivery, resolved) : secret;
			const checked = checkSignature(
				{ headers: delivery.headers, body },
				{ toleranceSeconds, clock, profile, secret: found },
				headers,
			);
			signature = checked.signature;
			event = narrowDelivery(checked, body, resolved.profile?.vendor);
		} catch (error) {
			const refusal = toVerificationError(error);
			reportTo(resolved, error, { hint: describeRefusal(refusal) });
			return answerWith(refusal.status, refusal.code);
		}
		const { eventId, timestamp } = event;
		const report: Report = (error, hint) => reportTo(resolved, error, { eventId, timestamp, hint });
		return await processEvent({
			event,
			signature,
			key: `${resolved.consumer}:${eventId}`,
			work: chooseWork(event, resolved),
			store,
			options: resolved,
			report,
		});
	}

	async function fetch(request: Request, ...platform: readonly unknown[]): Promise<Response> {
		const { method, headers } = request;
		return toResponse(await handle({ method, headers, platform, body: rawBodyOf(request) }));
	}

	return { fetch, handle };
}

/** Before the body, so that a stranger's is not even read. */
function readHeaders({ headers }: IncomingDelivery, options: ResolvedHandlerOptions): DeliveryHeaders {
	const required = requireDeliveryHeaders(headers, webhookHeaderNames(options.profile?.vendor));
	assertContentLength(findHeader(headers, "Content-Length"), options.maxBodyBytes);
	return required;
}

/** A function that finds nothing must not fall back to the environment's secret. */
async function findSecret(
	secret: WebhookSecretFunction,
	{ headers, platform = [] }: IncomingDelivery,
	{ storeTimeoutMs, clock }: ResolvedHandlerOptions,
): Promise<WebhookSecret> {
	const finding: Promise<WebhookSecret | null | undefined> = (async () => secret(headers, platform))();
	const found = await withTimeout(finding, storeTimeoutMs, clock).catch((cause: unknown) => {
		throw new WebhookVerificationError("configuration", "the secret function failed", { cause });
	});
	if (found != null) return found;
	throw new WebhookVerificationError("configuration", "the secret function found no secret");
}

function chooseWork(event: WebhookEvent, options: ResolvedHandlerOptions): Work {
	const { enqueue, on } = options;
	if (enqueue !== undefined) return { run: (context) => enqueue(event, context) };
	const run = bindHandler(event, on);
	if (run !== undefined) return { run };
	if (event.kind !== "unknown") return { skip: "acknowledge" };
	if (event.reason === "type") {
		const error = new Error("an event of an unknown type");
		const hint = "this version does not know the event's type; on.unknown would get it";
		return { skip: "acknowledge", problem: { error, hint } };
	}
	const fields = event.issues.map(({ path, message }) => `${path} ${message}`.trim()).join("; ");
	const error = new Error("a payload that is not as documented");
	const hint = `the payload does not fit its type: ${fields}. It is not acknowledged; on.unknown would get it`;
	return { skip: "refuse", problem: { error, hint } };
}

/** The handler of the event's kind, with the event in it: each branch has both narrowed. */
function bindHandler(
	event: WebhookEvent,
	on: ResolvedHandlerOptions["on"],
): ((context: HandlerContext) => unknown) | undefined {
	const bind = <Event extends WebhookEvent>(handler: EventHandler<Event> | undefined, narrowed: Event) =>
		handler && ((context: HandlerContext) => handler(narrowed, context));
	switch (event.kind) {
		case "inbound_message":
			return bind(on.inbound_message, event);
		case "inbound_reaction":
			return bind(on.inbound_reaction, event);
		case "status":
			return bind(on.status, event);
		case "unknown":
			return bind(on.unknown, event);
	}
}

const EXPLAIN =
	"Save the headers, an empty line and the raw body to a file: `npx messaging-gateway verify webhook FILE --explain` finds out why";

/** The codes of which a saved delivery shows the cause. */
const EXPLAINABLE: ReadonlySet<WebhookVerificationErrorCode> = new Set([
	"missing_header",
	"malformed_header",
	"timestamp_out_of_tolerance",
	"signature_mismatch",
	"invalid_json",
] as const);

function describeRefusal({ code, message }: WebhookVerificationError): string {
	return EXPLAINABLE.has(code) ? `${message}. ${EXPLAIN}` : message;
}

function toVerificationError(error: unknown): WebhookVerificationError {
	if (error instanceof WebhookVerificationError) return error;
	return new WebhookVerificationError("configuration", "the delivery could not be read", { cause: error });
}

function reportTo({ onError }: ResolvedHandlerOptions, error: unknown, context: WebhookErrorContext): void {
	// An async onError that rejects must not go unhandled either.
	void (async () => onError?.(error, context))().catch(() => undefined);
}
