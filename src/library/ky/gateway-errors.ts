import { isHTTPError, isNetworkError, isTimeoutError } from "ky";
import { defineOperation } from "../catalogue/operation.ts";
import type { Profile } from "../catalogue/profile.ts";
import { classifyFailure, createConnectionError, createTimeoutError } from "../client/attempt-failure.ts";
import { anything, toTemplate } from "../client/caller.ts";
import type { CallTarget } from "../client/error-message.ts";
import type { BaseUrl } from "../client/request.ts";
import { describeProblem, type ReadResponse, readResponse } from "../client/response.ts";
import { createApiError, createShapeError } from "../client/response-errors.ts";
import {
	type ApiError,
	ConfigurationError,
	isMessagingGatewayError,
	type ResponseShapeError,
	SignerError,
	type TimeoutError,
} from "../errors.ts";
import { monotonicNow, systemClock } from "../runtime.ts";
import { utf8 } from "../signing/bytes.ts";
import type { CallRecord } from "./call-record.ts";

/** The operation that stands for every path called through ky: its responses have the gateway's envelope. */
export const ANY_OPERATION = /* @__PURE__ */ defineOperation({
	id: "ky",
	method: "GET",
	path: "/{path}",
	input: anything,
	data: anything,
});

/** How early a timer may fire. */
const TIMER_SLACK_MS = 10;

/** The request as errors describe it, without the query and without values in its path. */
export function toCallTarget(
	{ method, url }: Pick<Request, "method" | "url">,
	base: BaseUrl,
	profile: Profile | undefined,
): CallTarget {
	const { pathname } = new URL(url);
	const basePath = base.path === "/" ? "" : base.path;
	const path = pathname.startsWith(basePath) ? pathname.slice(basePath.length) : pathname;
	return { method, pathTemplate: toTemplate(path), base, profile };
}

/** Converts ky's errors of requests to the client's. Other errors, such as those of hooks and signals, stay as they are. */
export function toGatewayError(error: Error, sent: CallTarget, record: CallRecord): Error {
	const { last, context } = record;
	if (isMessagingGatewayError(error)) {
		// These say `not_sent`, but an earlier attempt may have reached the gateway: its error says so.
		const isOfThisAttempt = error instanceof ConfigurationError || error instanceof SignerError;
		return isOfThisAttempt && context.attempts > 0 ? (record.previousError ?? error) : error;
	}
	const where = `${sent.method} ${sent.pathTemplate}`;
	if (isHTTPError(error)) {
		const { response, data } = error;
		const known = last?.read?.status === response.status ? last.read : undefined;
		const read = known ?? readForeign(response, data);
		return createApiError(ANY_OPERATION, sent, read, context);
	}
	if (isNetworkError(error)) {
		const failure = last?.failure ?? classifyFailure(error.cause, false);
		return createConnectionError({ ...sent, failure, status: last?.read?.status }, context);
	}
	// By its name alone, the reason of `AbortSignal.timeout` would be one of ky's.
	return isTimeoutError(error) && "request" in error ? createTimeout(where, record) : error;
}

/** The error for a 2xx response whose body is not a success envelope, such as an error envelope or a web page. */
export function findBodyError(
	read: ReadResponse,
	sent: CallTarget,
	record: CallRecord,
): ApiError | ResponseShapeError | undefined {
	const issue = describeProblem(ANY_OPERATION, read, undefined);
	if (issue === undefined) return undefined;
	if (read.error !== undefined) return createApiError(ANY_OPERATION, sent, read, record.context);
	const misfit = { issues: [issue], schemaIssues: [issue] };
	return createShapeError(ANY_OPERATION, sent, read, misfit, record.context);
}

/** Reads a response from what ky kept of its body: the parsed JSON, the string, or nothing. */
export function readForeign({ status, statusText, headers }: Response, data: unknown): ReadResponse {
	const text = data === undefined || typeof data === "string" ? data : JSON.stringify(data);
	const now = systemClock.now();
	const body = text === undefined ? undefined : utf8(text);
	return readResponse({ status, statusText, headers, body, roundTripMs: 0, receivedAt: now }, now);
}

/** ky has one error for both limits, so the elapsed time shows which. */
function createTimeout(where: string, { limits, startedAt, context }: CallRecord): TimeoutError {
	const { timeout, totalTimeout } = limits;
	const elapsedMs = monotonicNow(systemClock) - startedAt;
	const isWhole = totalTimeout !== false && elapsedMs >= totalTimeout - TIMER_SLACK_MS;
	const [option, limit] = isWhole ? ["totalTimeout", totalTimeout] : ["timeout", timeout];
	const limitMs = limit === false ? elapsedMs : limit;
	return createTimeoutError(where, context, { scope: isWhole ? "call" : "attempt", limitMs }, option);
}
