import type { Clock } from "../../library/runtime.ts";
import { randomUuid } from "../../library/runtime.ts";
import { memoryNonceStore } from "../../library/signing/nonce-store.ts";
import { PROBE_AGENT } from "../probe-agent.ts";
import { routesOf } from "../routes.ts";
import { authenticate } from "./authenticate.ts";
import { CORS_HEADERS, respondToPreflight } from "./cors.ts";
import { chooseMatch } from "./decode-input.ts";
import type { FaultPlan, ResponseFaultKind } from "./faults.ts";
import { createHandlers } from "./handlers/index.ts";
import { type IncomingRequest, maxRequestBytes, readBody } from "./incoming.ts";
import type { GatewayResponse } from "./readings/choices.ts";
import { RequestRejection } from "./request-rejection.ts";
import {
	combineHeaders,
	corruptResponse,
	faultResponse,
	type MetaFields,
	type ResponseParts,
	toRejection,
	wrapRejection,
	wrapSuccess,
	writeResponse,
} from "./responses.ts";
import { createRouter, type RouteMatch, type Routing } from "./router.ts";
import { createOperationRunner } from "./run-operation.ts";
import type { Scheduler } from "./scheduler.ts";
import { maskHeaders, type RecordedRequest, type SignatureResult, type Traffic } from "./traffic.ts";
import type { World } from "./world.ts";

/** How many nonces are kept for each of `maxEntries`: many, since a full nonce store rejects every request. */
const NONCES_PER_ENTRY = 30;

/** A request after its body was read; `body` is `undefined` if it was too large, or if no operation would read it. */
interface ReadRequest {
	readonly method: string;
	readonly url: URL;
	readonly headers: Headers;
	readonly body: Uint8Array | undefined;
	/** Set once the signature is checked. */
	signature?: SignatureResult;
	/** Set once it is rejected. */
	rejection?: RequestRejection;
	/** Set once a fault is chosen. */
	fault?: ResponseFaultKind;
}

/** The dependencies of a request handler besides its world. */
export interface HandlerTools {
	readonly faults: FaultPlan;
	readonly traffic: Traffic;
	/** The clock of signatures. */
	readonly signatureClock: Clock;
}

/** Handles the requests to one world. It rejects only when the connection breaks, and the sender gets no response. */
export function createRequestHandler(
	world: World,
	{ faults, traffic, signatureClock }: HandlerTools,
): (request: IncomingRequest) => Promise<Response> {
	const { settings, scheduler } = world;
	const maxBytes = maxRequestBytes(settings.limits);
	const router = createRouter(routesOf(settings.profile), settings.basePath);
	const run = createOperationRunner(createHandlers(world), settings);
	const nonceStore =
		settings.nonceStore ??
		memoryNonceStore({ clock: signatureClock, maxEntries: settings.maxEntries * NONCES_PER_ENTRY });
	/** The gateway's clock, with the skew of a fault. */
	const clock: Clock = {
		now: () => signatureClock.now() + faults.skewMs,
		setTimer: (callback, delayMs) => signatureClock.setTimer(callback, delayMs),
	};

	async function handle(request: IncomingRequest): Promise<Response> {
		if (request.isConnectionReused && settings.keptConnections === "cut") throw connectionDropped();
		const url = new URL(request.url);
		const found = router(request.method, url.pathname);
		if (request.method === "OPTIONS") return respondToPreflight(found.methods);
		const { method, headers } = request;
		const body = found.match === undefined ? undefined : await readBody(request.body, maxBytes);
		const parts = { query: url.searchParams, headers, body: body ?? new Uint8Array() };
		const routing = { ...found, match: await chooseMatch(found.matches, parts, settings) };
		const taken = faults.take(routing.match?.operation.id);
		const first = await handleRead({ method, url, headers, body }, routing, taken);
		if (taken.fault?.kind !== "repeat") return first;
		const copy = await handleRead({ method, url, headers, body }, routing, { ...taken, delayMs: 0 });
		return taken.fault.response === "first" ? first : copy;
	}

	async function handleRead(
		read: ReadRequest,
		routing: Routing,
		taken: ReturnType<FaultPlan["take"]>,
	): Promise<Response> {
		const recorded = toRecord(read, routing);
		const recordStatus = traffic.record(recorded);
		const requestId = randomUuid();
		const startedAt = signatureClock.now();
		const report = (response: { status?: number; responseBody: string | null }): void => {
			const durationMs = signatureClock.now() - startedAt;
			const sequence = world.sequence.next();
			const { signature, rejection, fault } = read;
			const known = { requestId, sequence, durationMs, signature, rejection, fault };
			const handled = { ...recorded, ...response, ...known };
			world.feed.changed({ type: "request", request: handled });
		};
		const parts = await respondWithFaults(read, routing, requestId, taken).catch((error: unknown) => {
			report({ responseBody: null });
			throw error;
		});
		recordStatus(parts.status);
		report({ status: parts.status, responseBody: parts.body });
		const own = { Date: new Date(clock.now()).toUTCString(), "X-Request-Id": requestId };
		const responseHeaders = combineHeaders(CORS_HEADERS, own, parts.headers);
		return new Response(parts.body, { status: parts.status, headers: responseHeaders });
	}

	function toRecord({ method, url, headers, body }: ReadRequest, { match }: Routing): RecordedRequest {
		return {
			method,
			path: url.pathname,
			query: url.search,
			headers: maskHeaders(headers),
			body: new TextDecoder().decode(body),
			...(match === undefined ? {} : { operationId: match.operation.id }),
			at: world.clock.now(),
			...(headers.get("User-Agent") === PROBE_AGENT ? { probe: true } : {}),
		};
	}

	async function respondWithFaults(
		request: ReadRequest,
		routing: Routing,
		requestId: string,
		{ delayMs, fault }: ReturnType<FaultPlan["take"]>,
	): Promise<ResponseParts> {
		if (delayMs > 0) await waitOnLine(scheduler, delayMs);
		if (fault !== undefined && fault.kind !== "repeat") request.fault = fault.kind;
		const context = { requestId, now: clock.now() };
		if (fault?.kind === "respond") return faultResponse(fault, context);
		if (fault?.kind === "drop" && fault.when === "before") throw connectionDropped();
		const parts = await respondToRequest(request, routing, context);
		if (fault?.kind === "drop") throw connectionDropped();
		return fault?.kind === "corrupt" ? corruptResponse(parts, fault.as) : parts;
	}

	async function respondToRequest(
		request: ReadRequest,
		routing: Routing,
		context: MetaFields,
	): Promise<ResponseParts> {
		const operationId = routing.match?.operation.id;
		try {
			const response = await carryOut(request, assertRouted(routing), context);
			return writeResponse(settings.encodeResponse({ operationId, ...response }));
		} catch (error) {
			const rejection = toRejection(error);
			request.rejection = rejection;
			const response = wrapRejection(rejection, context, settings.profile.duplicates);
			return writeResponse(settings.encodeResponse({ operationId, ...response }), rejection.headers);
		}
	}

	async function carryOut(
		request: ReadRequest,
		match: RouteMatch,
		context: MetaFields,
	): Promise<Omit<GatewayResponse, "operationId">> {
		const { method, url, headers, body } = request;
		if (body === undefined)
			throw new RequestRejection(
				"ATTACHMENT_TOO_LARGE",
				`The request is larger than ${maxBytes} bytes; profile.limits changes this limit.`,
			);
		const { operation } = match;
		if (operation.isSigned) {
			request.signature = "rejected";
			await authenticate({ method, url, headers, body }, { settings, nonceStore, clock });
			request.signature = "accepted";
		}
		const data = await run(operation.id, { match, query: url.searchParams, headers, body });
		const { successStatus, hasEnvelope, provenance } = operation;
		const map = settings.profile.operations?.[operation.id]?.map?.response;
		const isEmpty =
			map === undefined
				? settings.profile.emptyResponses === true && provenance === "provisional" && method !== "GET"
				: settings.profile.mapper?.needsNoBody(map) === true;
		if (isEmpty) return { status: 204, body: undefined };
		return { status: successStatus, body: hasEnvelope ? wrapSuccess(data, context) : data };
	}

	return handle;
}

function assertRouted({ match, methods }: Routing): RouteMatch {
	if (match !== undefined) return match;
	if (methods.length === 0)
		throw new RequestRejection(
			"NOT_FOUND",
			"No operation has this path. Check it, and the path of baseUrl: docs/assumed.md lists all operations.",
		);
	throw new RequestRejection(
		"METHOD_NOT_ALLOWED",
		"The path exists, but not with this method: see the header Allow.",
		{
			headers: { Allow: methods.join(", ") },
		},
	);
}

/** Delays a request. If the gateway stops meanwhile, the request never arrives and its connection breaks. */
function waitOnLine(scheduler: Scheduler, ms: number): Promise<void> {
	return new Promise((resolve, reject) => {
		const forget = scheduler.onStop(() => reject(connectionDropped()));
		scheduler.after(ms, () => {
			forget();
			resolve();
		});
	});
}

/** The error of `fetch` when the network fails. */
function connectionDropped(): TypeError {
	return new TypeError("fetch failed: the local gateway dropped the connection");
}
