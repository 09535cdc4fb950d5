import { type Context, context, SpanKind } from "@opentelemetry/api";
import type { AttemptEnding, AttemptInfo, CallEnding, CallInfo, Hooks } from "../client/observer.ts";
import type { AttributesOf } from "./attributes.ts";
import { assertApi, runInSpan, type SpanStart } from "./run-in-span.ts";

/**
 * Creates hooks that make a span for every call, and inside it one for every attempt. Without an OpenTelemetry SDK they
 * do nothing.
 *
 * An attempt is an HTTP client span of the semantic conventions. A call is an internal span, since the conventions
 * define no HTTP span around attempts. Neither contains a number, a message text, a query, a header or a secret, so
 * `url.full` isn't set. They are active while the call runs, e.g. for an instrumented `fetch` or a remote signer.
 *
 * @example
 * ```ts
 * const gateway = new MessagingGateway({ hooks: traceCalls() });
 * ```
 * @throws ConfigurationError (`configuration`) with an `@opentelemetry/api` before 1.0.
 */
export function traceCalls(): Hooks {
	assertApi();
	// Not every runtime has a context manager that follows promises, so attempts look up their call's context.
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
	// A browser reports the status of a redirect as 0.
	const known = status === 0 ? undefined : status;
	return {
		...(known === undefined ? {} : { "http.response.status_code": known }),
		...(requestId === undefined ? {} : { "messaging_gateway.request.id": requestId }),
		...(errorCode === undefined ? {} : { "error.type": (known ?? 0) >= 400 ? String(known) : errorCode }),
	};
}
