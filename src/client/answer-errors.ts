import { namesPath } from "../catalogue/known-path.ts";
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
	type FieldError,
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
import { isOfGateway, namesTimestamp, type ReadResponse } from "./answer.ts";
import { ASK_DOCTOR } from "./ask-doctor.ts";
import type { BaseUrl } from "./base-url.ts";

/** The request that was answered. */
export interface SentRequest {
	readonly parts: Readonly<Record<"method" | "pathTemplate", string>>;
	readonly request: { readonly base: BaseUrl };
}

/** Why a body cannot be used, as it may be shown and as its schema says it. */
interface Misfit {
	issues: readonly ShapeIssue[];
	schemaIssues: readonly ShapeIssue[];
}

/** A success status whose body cannot be used. */
export function createShapeError(
	operation: Operation<unknown, unknown>,
	parts: SentRequest["parts"],
	read: ReadResponse,
	{ issues, schemaIssues }: Misfit,
	context: CallContext,
): ResponseShapeError {
	const first = issues[0];
	const where = first === undefined ? "" : `: ${`${first.path} ${first.message}`.trim()}`;
	// Without an envelope something else may have answered, which is what the command looks into.
	const advice = read.success === undefined ? ASK_DOCTOR : "";
	return new ResponseShapeError(
		`${parts.method} ${parts.pathTemplate} was answered ${read.status}, but not as expected${where}` +
			`${describeRequestId(read)}. ${describeSender(operation, read)}readBody() has the raw answer${advice}`,
		{ ...context, status: read.status, body: read.text, requestId: read.givenRequestId },
		issues,
		schemaIssues,
	);
}

function describeSender(operation: Operation<unknown, unknown>, read: ReadResponse): string {
	if (isOfGateway(operation, read)) return "";
	return "Something other than the gateway seems to have responded, such as a login page or a proxy. ";
}

/** The error of an answer that is not a success. */
export function createApiError(
	operation: Operation<unknown, unknown>,
	sent: SentRequest,
	read: ReadResponse,
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
	const message = describeFailure(operation, sent, read);
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

/** Sentences of ours alone: what the gateway says is behind the getters of the error. */
function describeFailure(
	operation: Operation<unknown, unknown>,
	{ parts, request }: SentRequest,
	read: ReadResponse,
): string {
	const { status, error } = read;
	const code = shownGatewayCode(error?.code);
	const answered = `${parts.method} ${parts.pathTemplate} was answered ${status || "with a redirect"}`;
	const said = `${answered}${code === undefined ? "" : ` ${code}`}`;
	const words = error?.message === undefined ? "" : ". gatewayMessage has the gateway's own words";
	const canBeDiagnosed = status === 401 || error === undefined || isUnknownPath(read);
	const hint = describeHint(operation, request.base, read);
	return `${said}${hint}${describeRequestId(read)}${words}${canBeDiagnosed ? ASK_DOCTOR : ""}`;
}

function describeHint(operation: Operation<unknown, unknown>, base: BaseUrl, read: ReadResponse): string {
	const { status, error } = read;
	if (status === 0 || (status >= 300 && status < 400 && status !== 304)) {
		return ": redirects are not followed, since the signature would go with them. Set baseUrl to the final address";
	}
	const path = isUnknownPath(read) ? describeMissingPath(operation, base, read) : "";
	if (error === undefined) {
		return `, without an error envelope${path || ": it may come from a proxy"}. readBody() has the raw answer`;
	}
	if (path !== "") return path;
	if (status === 401 && namesTimestamp(read)) {
		return ": it names the timestamp, so compare this machine's clock with the gateway's";
	}
	return describeFields(operation, error.details);
}

/** Whether nothing is at the path, or nothing with the method; the codes are those of the local gateway, as the specification shows none. */
function isUnknownPath({ status, error }: ReadResponse): boolean {
	if (status !== 404 && status !== 405) return false;
	return error === undefined || error.code === "NOT_FOUND" || error.code === "METHOD_NOT_ALLOWED";
}

function describeMissingPath(
	{ id, provenance }: Operation<unknown, unknown>,
	base: BaseUrl,
	{ status }: ReadResponse,
): string {
	const missing = status === 405 ? "this path does not take the method" : "there is no such path";
	const where = `: ${missing}; that of baseUrl is ${base.path}`;
	return provenance.kind === "provisional"
		? `${where}, and what follows it is our assumption. Set it in the profile: operations["${id}"].path`
		: where;
}

/** The fields that the gateway names, as far as they are ones of the input: any other word could be a value. */
function describeFields(
	{ input, wireNames }: Operation<unknown, unknown>,
	details: ApiErrorContext["details"],
): string {
	if (!Array.isArray(details) || details.length === 0) return "";
	const ours = new Map(Object.entries(wireNames).map(([name, wire]) => [wire, name]));
	const fields = new Set(
		details.map(({ field }: FieldError) => field.replace(/^\w+/, (head) => ours.get(head) ?? head)),
	);
	const known = [...fields].filter((field) => namesPath(input, field)).slice(0, 10);
	return known.length === 0 ? ": fieldErrors has why" : `: ${known.join(", ")}; fieldErrors has why`;
}

function describeRequestId({ requestId }: ReadResponse): string {
	return requestId === undefined ? "" : ` (request ${requestId})`;
}
