import { duplicateInfoSchema } from "../catalogue/duplicate-info.ts";
import type { Operation } from "../catalogue/operation.ts";
import type { DuplicatesProfile } from "../catalogue/profile.ts";
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
import { DOCTOR_HINT } from "./attempt-failure.ts";
import {
	type CallTarget,
	describeErrorResponse,
	describeRequestId,
	FOREIGN_HINT,
	RAW_BODY_HINT,
} from "./error-message.ts";
import { tell } from "./outcome-sentences.ts";
import { valueAt } from "./refusals.ts";
import { isOfGateway, type ReadResponse } from "./response.ts";

/** Why a body cannot be used, in a form that is safe to show, and with the schema's original messages. */
interface Misfit {
	issues: readonly ShapeIssue[];
	schemaIssues: readonly ShapeIssue[];
}

/** A success status whose body cannot be used. */
export function createShapeError(
	operation: Operation<unknown, unknown>,
	{ method, pathTemplate }: Pick<CallTarget, "method" | "pathTemplate">,
	read: ReadResponse,
	{ issues, schemaIssues }: Misfit,
	context: CallContext,
): ResponseShapeError {
	const [first = { path: "", message: "its body can't be used" }] = issues;
	const problem = `${first.path} ${first.message}`.trim();
	const foreign = isForeign(operation, read) ? FOREIGN_HINT : "";
	// Without an envelope the response may be from something else, which doctor finds out.
	const advice = read.success === undefined ? DOCTOR_HINT : "";
	return new ResponseShapeError(
		tell(
			`${method} ${pathTemplate}`,
			context,
			`got ${read.status}${describeRequestId(read)}, but ${problem}${foreign}${RAW_BODY_HINT}${advice}`,
		),
		{ ...context, status: read.status, body: read.text, requestId: read.givenRequestId },
		issues,
		schemaIssues,
	);
}

/** Whether the whole body of a success is somebody else's; what is empty or cut off may be the gateway's. */
function isForeign(operation: Operation<unknown, unknown>, read: ReadResponse): boolean {
	const text = read.text?.trim() ?? "";
	return text !== "" && !isOfGateway(operation, read) && !(read.json === undefined && /^[{[]/.test(text));
}

/** The error for a response that is not a success. */
export function createApiError(
	operation: Operation<unknown, unknown>,
	sent: CallTarget,
	read: ReadResponse,
	context: CallContext,
): ApiError {
	const { status, error } = read;
	const { profile } = sent;
	const isRepeated = isDuplicate(read, profile?.duplicates);
	const duplicate = isRepeated ? findDuplicateInfo(read, profile?.duplicates) : undefined;
	const waitMs = read.retryAfterMs ?? (duplicate && Math.ceil(duplicate.timeRemaining * 1000));
	// Infinity is no time to wait, nor to put into a sentence.
	const retryAfterMs = waitMs && Math.min(waitMs, Number.MAX_SAFE_INTEGER);
	const message = describeErrorResponse(operation, sent, { ...read, retryAfterMs }, context, isRepeated);
	const apiContext: ApiErrorContext = {
		...context,
		status,
		body: read.text,
		requestId: read.givenRequestId,
		gatewayCode: error?.code,
		gatewayMessage: error?.message,
		details: error?.details,
		retryAfterMs,
	};
	if (isRepeated) return new DuplicateMessageError(message, apiContext, duplicate);
	if (status >= 500) return new ServerError(message, apiContext);
	const ErrorClass = CLASS_BY_STATUS.get(status) ?? UnexpectedStatusError;
	return new ErrorClass(message, apiContext);
}

/** Whether a rejection is of a duplicate: by its DuplicateInfo, or without one by the code of the profile. */
function isDuplicate(read: ReadResponse, duplicates: DuplicatesProfile | undefined): boolean {
	if (read.error === undefined || read.status >= 500) return false;
	const hasCode = duplicates?.code !== undefined && read.error.code === duplicates.code;
	return findDuplicateInfo(read, duplicates)?.isDuplicate ?? hasCode;
}

function findDuplicateInfo({ json }: ReadResponse, { infoPath = "error.details" }: DuplicatesProfile = {}) {
	return infoPath === null ? undefined : duplicateInfoSchema.safeParse(valueAt(json, infoPath)).data;
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
