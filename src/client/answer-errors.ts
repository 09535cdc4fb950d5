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
	UnexpectedStatusError,
	UnprocessableEntityError,
} from "../errors.ts";
import { isOfGateway, type ReadAnswer } from "./answer.ts";
import type { RequestParts } from "./request.ts";
import { describeForeignMessage } from "./safe-cause.ts";

/** A success status whose body cannot be used. */
export function createShapeError(
	operation: Operation<unknown, unknown>,
	parts: RequestParts,
	read: ReadAnswer,
	issues: readonly ShapeIssue[],
	context: CallContext,
): ResponseShapeError {
	const first = issues[0];
	const where = first === undefined ? "" : `: ${`${first.path} ${first.message}`.trim()}`;
	return new ResponseShapeError(
		`${parts.method} ${parts.pathTemplate} was answered ${read.status}, but not as expected${where}` +
			`${describeRequestId(read)}. ${describeSender(operation, read)}readBody() has the raw answer`,
		{ ...context, status: read.status, body: read.text, requestId: read.requestId },
		issues,
	);
}

function describeSender(operation: Operation<unknown, unknown>, read: ReadAnswer): string {
	if (isOfGateway(operation, read)) return "";
	return "Something other than the gateway seems to have responded, such as a login page or a proxy. ";
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
		requestId: read.requestId,
		gatewayCode: error?.code,
		details: error?.details,
		retryAfterMs: read.retryAfterMs,
	};
	const message = describeFailure(operation, parts, read);
	const duplicate = duplicateInfoSchema.safeParse(error?.details);
	if (duplicate.success && duplicate.data.isDuplicate && status < 500)
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

function describeFailure(
	operation: Operation<unknown, unknown>,
	parts: RequestParts,
	read: ReadAnswer,
): string {
	const { status, error } = read;
	const code = error?.code === undefined ? "" : ` ${error.code}`;
	const said =
		error?.message === undefined
			? ""
			: `: ${describeForeignMessage(error.message, [parts.params, parts.query, parts.body])}`;
	const hint = describeHint(operation, read);
	return `${parts.method} ${parts.pathTemplate} was answered ${status || "with a redirect"}${code}${said}${hint}${describeRequestId(read)}`;
}

function describeHint(operation: Operation<unknown, unknown>, read: ReadAnswer): string {
	const { status, error } = read;
	if (status === 0 || (status >= 300 && status < 400 && status !== 304)) {
		return ": redirects are not followed, since the signature would go with them. Set baseUrl to the final address";
	}
	if (error !== undefined) return "";
	if (status === 404 && operation.provenance.kind === "provisional") {
		return `: this path is our assumption. Set it in the profile: operations["${operation.id}"].path`;
	}
	return ", without an error envelope: it may come from a proxy. readBody() has the raw answer";
}

function describeRequestId(read: ReadAnswer): string {
	return read.requestId === undefined ? "" : ` (request ${read.requestId})`;
}
