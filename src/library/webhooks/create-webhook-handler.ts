import { webhookHeaderNames } from "../catalogue/webhook-headers.ts";
import { ConfigurationError, WebhookVerificationError } from "../errors.ts";
import { assertHostHas } from "../host.ts";
import { monotonicNow } from "../runtime.ts";
import { decodeUtf8 } from "../signing/bytes.ts";
import { claimRunner } from "./claim-runner.ts";
import { readEvent } from "./events.ts";
import {
	type ResolvedHandlerOptions,
	resolveHandlerOptions,
	type WebhookHandlerOptions,
} from "./handler-options.ts";
import { findHeader, type HeadersInput, requireDeliveryHeaders } from "./headers.ts";
import { inboxRunner } from "./inbox-runner.ts";
import { DELIVERY_METHODS, isDeliveryMethod } from "./methods.ts";
import type { RawBody } from "./read-body.ts";
import { assertContentLength, deliveryOf, readField, readRawBody } from "./read-body.ts";
import { causesOf, createFinishReports, type ProblemContext, type Reporter } from "./report.ts";
import { assertWebhookSecret, type FoundSecret, findSecret } from "./secret.ts";
import type { VerifiedDelivery } from "./verified-delivery.ts";
import {
	bindingMs,
	checkSignature,
	MAX_BOUND_TOLERANCE_SECONDS,
	type ReceivedAt,
} from "./verify-signature.ts";
import { isRepeat, respondWith, toResponse, type WebhookResponse } from "./webhook-response.ts";
import { isFetchRequest, isRoute, rejectHost } from "./wrong-host.ts";

/** A delivery, as your framework passes it. */
export interface IncomingDelivery {
	/** The HTTP method. @default "POST" */
	method?: string | undefined;
	/** The URL, or the path with its query, for the secret function. Pass the whole path, as the sender wrote it. */
	url?: string | undefined;
	/** The headers. */
	headers: HeadersInput;
	/** The raw body: a string, bytes or a stream. A parsed body is rejected, and never serialized again. */
	body: unknown;
	/** Further arguments of the platform, such as the bindings of Workers, for the secret function. */
	platform?: readonly unknown[] | undefined;
	/**
	 * When it arrived, if it waited since. It is bound to its event id for `retentionMs`, since a copy may wait as
	 * well.
	 */
	receivedAt?: ReceivedAt | undefined;
	/** Says how to get the raw body in this framework, for `onError`. */
	hint?: string | undefined;
}

/**
 * The values that a platform passes besides the request: anything but a request of Node. A route of Express such as
 * `app.post(path, webhooks.fetch)` does not compile, since nobody would write its response.
 */
export type PlatformValues<Values extends readonly unknown[]> = {
	// For `any`, which stands for all values when forms of a function are compared, those that are no request of Node.
	readonly [At in keyof Values]: 0 extends 1 & Values[At]
		? (object & { readonly readableDidRead?: never }) | string | number | boolean | null | undefined
		: Values[At] extends { readonly readableDidRead: boolean }
			? never
			: Values[At];
};

/** The context of a route of SvelteKit, Astro, React Router or TanStack Start: an object that has the request. */
export interface RequestContext {
	/** The Fetch API request. */
	readonly request: Request;
}

/**
 * Handles a Fetch API request, alone or in a context.
 * @throws ConfigurationError if the request is of another kind, such as that of Express.
 */
export interface WebhookFetch {
	/**
	 * Handles the request in a route's context. The context is the first of the platform's values for the secret
	 * function.
	 */
	<Values extends readonly unknown[]>(
		this: void,
		context: RequestContext,
		...platform: PlatformValues<Values>
	): Promise<Response>;
	/** Handles a request. Further arguments go to the secret function. */
	// The last form: Next.js checks the first argument of a route, and sees this one.
	<Values extends readonly unknown[]>(
		this: void,
		request: Request,
		...platform: PlatformValues<Values>
	): Promise<Response>;
}

/** Your webhook handler. Use its `fetch` as a route, or pass it to an adapter such as `toExpress`. */
export interface WebhookHandler {
	/**
	 * Handles a Fetch API request. Use it directly as a route of the Next.js App Router, SvelteKit, Astro, React Router or
	 * TanStack Start, or as the `fetch` of Workers, Bun or Deno.
	 * @throws ConfigurationError if the request is of another kind, such as that of Express.
	 */
	readonly fetch: WebhookFetch;
	/**
	 * Handles a delivery from anywhere else. It never rejects for a delivery.
	 * @throws ConfigurationError if it is used as a route itself, such as that of Next.js: its response has to be written.
	 */
	readonly handle: (this: void, delivery: IncomingDelivery) => Promise<WebhookResponse>;
	/**
	 * Checks the secret and the store, so a mistake fails at start instead of at the first delivery. It leaves out a
	 * secret that is found for each delivery. In a store a record stays for `leaseMs`, in an inbox for a second.
	 * @throws what `onError` would get at the first delivery: a WebhookVerificationError (`configuration`), or the store's error.
	 */
	readonly ready: (this: void) => Promise<void>;
}

const GENERAL_HINT =
	"the body was parsed or read first: pass the raw bytes, since re-serialized JSON has a different signature. Put the webhook handler before your body parser, or let what runs before it read request.clone()";

const EXPLAIN =
	". Save the headers, an empty line and the raw body to a file: `npx messaging-gateway verify webhook FILE --explain` shows why";

/** Statuses up to it report a wrong delivery, which a saved copy explains; higher ones report its size or the receiver. */
const MAX_EXPLAINABLE_STATUS = 401;

/**
 * Creates the handler that receives your webhooks. It checks the signature of each delivery over its raw bytes, and
 * runs your code for the event unless that is done already. It responds 200 only when your code has finished.
 *
 * @example
 * ```ts
 * export const webhooks = createWebhookHandler({
 *   store: memoryStore(),
 *   on: {
 *     inbound_message: async ({ data }) => { await reply(data); },
 *     unknown: ({ eventId }, { readBody }) => keep(eventId, readBody()),
 *   },
 *   onError: (_, { line, thrown }) => console.error(line, ...thrown),
 * });
 * export const POST = webhooks.fetch;
 * ```
 * @throws ConfigurationError if an option is missing or invalid. An unusable secret is reported at the
 * first delivery, which gets 500.
 * @see Specification, section 6
 */
export function createWebhookHandler<Transaction>(
	options: WebhookHandlerOptions<Transaction>,
): WebhookHandler {
	const resolved = resolveHandlerOptions(options);
	assertHostHas("AbortController", "setTimeout");
	// Makes what reads bodies: a host without it would answer each delivery with 500.
	decodeUtf8(new Uint8Array());
	const runner =
		options.inbox === undefined ? claimRunner(options, resolved) : inboxRunner(options, resolved);

	async function respond(
		delivery: IncomingDelivery,
		reportProblem: Reporter,
		seen: SeenDelivery = {},
	): Promise<WebhookResponse> {
		let verified: VerifiedDelivery;
		const about: Omit<ProblemContext, "hint"> = {};
		try {
			if (!isDeliveryMethod(delivery.method ?? "POST")) {
				const response = respondWith(405, "method_not_allowed");
				return { ...response, headers: { ...response.headers, Allow: DELIVERY_METHODS.join(", ") } };
			}
			const verifying = verify(delivery, resolved, reportProblem, about, seen);
			verified = isPromise(verifying) ? await verifying : verifying;
			seen.verified = verified;
		} catch (error) {
			const rejection = toRejection(error);
			const { code, message, status } = rejection;
			reportProblem(code, rejection, {
				...about,
				hint: `Not acknowledged: ${message}${status <= MAX_EXPLAINABLE_STATUS ? EXPLAIN : ""}`,
				thrown: causesOf(rejection),
			});
			return respondWith(status, code);
		}
		return await runner.run(verified);
	}

	const observed = observeResponses(respond, resolved);
	const finishReports = createFinishReports(resolved.clock);

	async function handle(delivery: IncomingDelivery, ...more: readonly unknown[]): Promise<WebhookResponse> {
		if (isRoute(delivery, more)) return rejectHost(handle, "webhooks.handle", delivery, ...more);
		const platform = readField(() => delivery.platform);
		const reports: Promise<unknown>[] = [];
		const response = await observed(delivery, (...problem) => {
			const reporting = resolved.reportProblem(...problem);
			if (reporting !== undefined) reports.push(reporting);
			return reporting;
		});
		if (reports.length > 0) await finishReports(Promise.all(reports), platform);
		return response;
	}

	async function fetch(given: Request | RequestContext, ...more: readonly unknown[]): Promise<Response> {
		assertHostHas("Response");
		const isContext = isInContext(given);
		const request = isContext ? given.request : given;
		if (!isFetchRequest(request)) {
			return toResponse(await rejectHost(handle, "webhooks.fetch", given, ...more));
		}
		const platform = isContext ? [given, ...more] : more;
		return toResponse(await handle(deliveryOf(request, { platform })));
	}

	async function ready(): Promise<void> {
		assertWebhookSecret(resolved);
		await runner.ready();
	}

	return { fetch, handle, ready };
}

/** An error of other code may hold a header or the payload: it is not printed with ours. */
function toRejection(error: unknown): WebhookVerificationError {
	if (error instanceof WebhookVerificationError) return error;
	const message =
		error instanceof ConfigurationError
			? error.message
			: "the delivery couldn't be read. hiddenCause of this error has the reason";
	return new WebhookVerificationError("configuration", message, { hiddenCause: error });
}

/** What a response hook sees of a delivery. */
interface SeenDelivery {
	body?: RawBody;
	verified?: VerifiedDelivery;
}

/** Responds to a delivery, and passes on what it read and verified. */
type Respond<Delivery> = (
	delivery: Delivery,
	reportProblem: Reporter,
	seen?: SeenDelivery,
) => Promise<WebhookResponse>;

/** Calls `hooks.onResponse`, if there is one, with each response. */
function observeResponses<Delivery extends Pick<IncomingDelivery, "headers">>(
	respond: Respond<Delivery>,
	options: ResolvedHandlerOptions,
): (delivery: Delivery, reportProblem: Reporter) => Promise<WebhookResponse> {
	const onResponse = options.hooks?.onResponse;
	if (onResponse === undefined) return (delivery, reportProblem) => respond(delivery, reportProblem);
	return async (delivery, reportProblem) => {
		const startedAt = monotonicNow(options.clock);
		const seen: SeenDelivery = {};
		const response = await respond(delivery, reportProblem, seen);
		const { verified } = seen;
		// Read after the response: by now the event has its bound id.
		const { eventId, kind } = verified?.event ?? {};
		const { status, body } = response;
		const durationMs = monotonicNow(options.clock) - startedAt;
		const code = body || "acknowledged";
		// An async hook that rejects must not go unhandled either.
		(async () =>
			onResponse(
				{ eventId, kind, status, code, isRepeat: isRepeat(response), durationMs },
				(name) => findHeader(delivery.headers, name),
				() => seen.body,
			))().catch((error: unknown) =>
			reportProblem("hook_failed", error, {
				...(verified && {
					eventId: verified.event.eventId,
					kind: verified.event.kind,
					tenant: verified.tenant,
				}),
				hint: "hooks.onResponse threw. The event and its response are unaffected: fix the hook",
				thrown: [error],
			}),
		);
		return response;
	};
}

/**
 * Returns a promise only if there is something to wait for. The headers are checked first, so an unsigned request costs
 * little; the secret is looked up after the body was read.
 * @param about - gets what is known of the delivery by the time that it is rejected.
 */
function verify(
	delivery: IncomingDelivery,
	options: ResolvedHandlerOptions,
	reportProblem: Reporter,
	about: Omit<ProblemContext, "hint">,
	seen: SeenDelivery,
): VerifiedDelivery | Promise<VerifiedDelivery> {
	const { url, headers, receivedAt, platform = [], hint = GENERAL_HINT } = delivery;
	const read = requireDeliveryHeaders(headers, webhookHeaderNames(options.profile?.vendor));
	assertContentLength(findHeader(headers, "Content-Length"), options.maxBodyBytes);
	const check = (body: RawBody, { secret, tenant }: FoundSecret): VerifiedDelivery => {
		const { toleranceSeconds, retentionMs, clock, profile, consumer } = options;
		Object.assign(about, { tenant });
		const fields = checkSignature(
			{ headers, body, receivedAt },
			{
				toleranceSeconds,
				maxToleranceSeconds: MAX_BOUND_TOLERANCE_SECONDS,
				clock,
				profile,
				secret,
			},
			read,
		);
		Object.assign(about, fields);
		const found = readEvent(fields, body, profile);
		// A consumer and an encoded tenant have no colon, and only a tenant follows an "@": no two scopes share a key.
		const scope = tenant === undefined ? consumer : `${consumer}@${encodeURIComponent(tenant)}`;
		const boundForMs = receivedAt === undefined ? bindingMs(toleranceSeconds) : retentionMs;
		return { ...found, body, tenant, scope, boundForMs, reportProblem };
	};
	const findAndCheck = (body: RawBody): VerifiedDelivery | Promise<VerifiedDelivery> => {
		seen.body = body;
		const finding = findSecret({ headers, url, platform }, options);
		return isPromise(finding) ? finding.then((found) => check(body, found)) : check(body, finding);
	};
	const reading = readRawBody(() => delivery.body, options.maxBodyBytes, hint);
	return isPromise(reading) ? reading.then(findAndCheck) : findAndCheck(reading);
}

function isPromise<Value>(value: Value | Promise<Value>): value is Promise<Value> {
	return typeof value === "object" && value !== null && "then" in value;
}

/** Only a request has `bodyUsed`: it is no context, whatever a platform adds to it. */
function isInContext(given: Request | RequestContext): given is RequestContext {
	return typeof given === "object" && given !== null && "request" in given && !("bodyUsed" in given);
}
