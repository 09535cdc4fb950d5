import { duplicateInfoSchema } from "../catalogue/mappings.ts";
import type { Operation } from "../catalogue/operation.ts";
import {
	type ApiError,
	type ApiErrorContext,
	AuthenticationError,
	BadRequestError,
	type CallContext,
	ConflictError,
	DuplicateMessageError,
	NotFoundError,
	PermissionDeniedError,
	RateLimitError,
	ResponseShapeError,
	ServerError,
	type ShapeIssue,
	shownGatewayCode,
	UnexpectedStatusError,
	UnprocessableEntityError,
} from "../errors.ts";
import { namesTimestamp, type ReadAnswer } from "./answer.ts";
import type { RequestParts } from "./request.ts";

/** Why a body cannot be used, as it may be shown and as its schema says it. */
interface Misfit {
	issues: readonly ShapeIssue[];
	schemaIssues: readonly ShapeIssue[];
}

/** A success status whose body cannot be used. */
export function createShapeError(
	parts: RequestParts,
	read: ReadAnswer,
	{ issues, schemaIssues }: Misfit,
	context: CallContext,
): ResponseShapeError {
	const first = issues[0];
	const where = first === undefined ? "" : `: ${`${first.path} ${first.message}`.trim()}`;
	return new ResponseShapeError(
		`${parts.method} ${parts.pathTemplate} was answered ${read.status}, but not as expected${where}` +
			`${describeRequestId(read)}. readBody() has the raw answer`,
		{ ...context, status: read.status, body: read.text, requestId: read.givenRequestId },
		issues,
		schemaIssues,
	);
}

/** The error of an answer that is not a success. */
export function createApiError(
	operation: Operation<unknown, unknown>,
	parts: RequestParts,
	read: ReadAnswer,
	context: CallContext,
): ApiError {
	const { status, error } = read;
	const apiContext: ApiErrorContext = {
		...context,
		status,
		body: read.text,
		requestId: read.givenRequestId,
		gatewayCode: error?.code,
		gatewayMessage: error?.message,
		details: error?.details,
		retryAfterMs: read.retryAfterMs,
	};
	const message = describeFailure(operation, parts, read);
	const duplicate = duplicateInfoSchema.safeParse(error?.details);
	if (duplicate.success && status < 500)
		return new DuplicateMessageError(message, apiContext, duplicate.data);
	if (status >= 500) return new ServerError(message, apiContext);
	const ErrorClass = CLASS_BY_STATUS.get(status) ?? UnexpectedStatusError;
	return new ErrorClass(message, apiContext);
}

const CLASS_BY_STATUS = new Map<number, new (message: string, context: ApiErrorContext) => ApiError>([
	[400, BadRequestError],
	[401, AuthenticationError],
	[403, PermissionDeniedError],
	[404, NotFoundError],
	[409, ConflictError],
	[422, UnprocessableEntityError],
	[429, RateLimitError],
]);

/** Sentences of ours alone: what the gateway says is behind the getters of the error. */
function describeFailure(
	operation: Operation<unknown, unknown>,
	parts: RequestParts,
	read: ReadAnswer,
): string {
	const { status, error } = read;
	const code = shownGatewayCode(error?.code);
	const answered = `${parts.method} ${parts.pathTemplate} was answered ${status || "with a redirect"}`;
	const said = `${answered}${code === undefined ? "" : ` ${code}`}`;
	const words = error?.message === undefined ? "" : ". gatewayMessage has the gateway's own words";
	const hint = describeHint(operation, read);
	return `${said}${hint}${describeRequestId(read)}${words}`;
}

function describeHint(operation: Operation<unknown, unknown>, read: ReadAnswer): string {
	const { status, error } = read;
	if (status === 0 || (status >= 300 && status < 400 && status !== 304)) {
		return ": redirects are not followed, since the signature would go with them. Set baseUrl to the final address";
	}
	if (status === 401 && namesTimestamp(read)) {
		return ": it names the timestamp, so compare this machine's clock with the gateway's";
	}
	if (error !== undefined) return "";
	if (status === 404 && operation.provenance.kind === "provisional") {
		return `: this path is our assumption. Set it in the profile: operations["${operation.id}"].path`;
	}
	return ", without an error envelope: it may come from a proxy. readBody() has the raw answer";
}

function describeRequestId({ requestId }: ReadAnswer): string {
	return requestId === undefined ? "" : ` (request ${requestId})`;
}
