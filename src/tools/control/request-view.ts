import * as z from "zod/mini";
import type { HandledRequest } from "../local-gateway/traffic.ts";
import type { RequestDetails, RequestErrorView, RequestView } from "./contract.ts";
import { parseJson } from "./parse-json.ts";

/** The error envelope (specification, section 2.2), as far as the view shows it. */
const errorEnvelope = z.object({
	error: z.object({ code: z.string(), message: z.string(), details: z.optional(z.unknown()) }),
});

const invalidFields = z.array(z.object({ field: z.string(), message: z.string() }));

/** What a view of a request has beside the request. */
export type RequestViewContext = Pick<RequestView, "conversationKey" | "diagnosis">;

/** A request as a line of the log. */
export function toRequestView(request: HandledRequest, context: RequestViewContext = {}): RequestView {
	const { requestId, sequence, at, method, path, operationId, status, durationMs, responseBody, probe } =
		request;
	const error = status !== undefined && status >= 400 ? readError(responseBody) : undefined;
	return {
		requestId,
		sequence,
		at,
		method,
		path,
		...(operationId === undefined ? {} : { operationId }),
		...(status === undefined ? {} : { status }),
		durationMs,
		...(error === undefined ? {} : { error }),
		...context,
		...(probe === undefined ? {} : { probe }),
	};
}

/** A request with all that was recorded of it. */
export function toRequestDetails(request: HandledRequest, view: RequestView): RequestDetails {
	const { query, headers, body, responseBody, signature } = request;
	const checked = signature === undefined ? {} : { signature };
	return { ...view, query, headers, body, responseBody, ...checked };
}

function readError(body: string | null): RequestErrorView | undefined {
	const { data } = errorEnvelope.safeParse(parseJson(body ?? ""));
	if (data === undefined) return undefined;
	const { code, message, details } = data.error;
	const fields = invalidFields.safeParse(details).data ?? [];
	return { code, message, fields: fields.map(({ field, message }) => `${field} ${message}`) };
}
