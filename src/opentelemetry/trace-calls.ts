import { type Context, context, SpanKind } from "@opentelemetry/api";
import type { AttemptEnding, AttemptInfo, CallEnding, CallInfo, Hooks } from "../client/observer.ts";
import type { AttributesOf } from "./attributes.ts";
import { assertApi, runInSpan, type SpanStart } from "./run-in-span.ts";

/**
 * Hooks that make a span for every call, and inside it one for every attempt. Without an OpenTelemetry SDK they do
 * nothing.
 *
 * The attempt's span is an HTTP client span of the semantic conventions; the call's is an internal one, since these
 * want no HTTP span around the attempts. Neither holds a number, a text, a query, a header or a secret, and so not
 * `url.full` either. What runs inside them, such as an instrumented `fetch` or a remote signer, finds them active.
 *
 * @example
 * ```ts
 * const gateway = new MessagingGateway({ hooks: traceCalls() });
 * ```
 * @throws ConfigurationError (`configuration`) with an `@opentelemetry/api` before 1.0.
 */
export function traceCalls(): Hooks {
	assertApi();
	// Not every runtime has a context manager that follows promises, so that attempts look their call up.
	const contexts = new WeakMap<CallInfo, Context>();
	return {
		aroundCall: (call, run) =>
			runInSpan(
				startCall(call),
				context.active(),
				(within) => {
					contexts.set(call, within);
					return run();
				},
				describeCall,
			),
		aroundAttempt: (attempt, run) =>
			runInSpan(startAttempt(attempt), contexts.get(attempt.call) ?? context.active(), run, describeAttempt),
	};
}

function startCall({ operationId }: CallInfo): SpanStart {
	const attributes: AttributesOf<"call"> = { "messaging_gateway.operation.id": operationId };
	return { name: `messaging-gateway ${operationId}`, kind: SpanKind.INTERNAL, attributes };
}

function describeCall({ attempts, errorCode, outcome }: CallEnding): AttributesOf<"call"> {
	return {
		"messaging_gateway.call.attempt_count": attempts,
		...(outcome === undefined ? {} : { "messaging_gateway.call.outcome": outcome }),
		...(errorCode === undefined ? {} : { "error.type": errorCode }),
	};
}

function startAttempt({ method, pathTemplate, baseUrl, attempt }: AttemptInfo): SpanStart {
	const { hostname, port, protocol, pathname } = new URL(baseUrl);
	const template = pathname.replace(/\/$/, "") + pathTemplate;
	const attributes: AttributesOf<"attempt"> = {
		"http.request.method": method,
		"server.address": hostname,
		"server.port": port === "" ? (protocol === "https:" ? 443 : 80) : Number(port),
		"url.template": template,
		...(attempt === 1 ? {} : { "http.request.resend_count": attempt - 1 }),
	};
	return { name: `${method} ${template}`, kind: SpanKind.CLIENT, attributes };
}

function describeAttempt({ status, requestId, errorCode }: AttemptEnding): AttributesOf<"attempt"> {
	// A browser hides the status of a redirect: it is 0.
	const known = status === 0 ? undefined : status;
	return {
		...(known === undefined ? {} : { "http.response.status_code": known }),
		...(requestId === undefined ? {} : { "messaging_gateway.request.id": requestId }),
		...(errorCode === undefined ? {} : { "error.type": (known ?? 0) >= 400 ? String(known) : errorCode }),
	};
}
