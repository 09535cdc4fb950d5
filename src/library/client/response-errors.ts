import { duplicateInfoSchema } from "../catalogue/duplicate-info.ts";
import { namesPath } from "../catalogue/known-path.ts";
import type { Operation } from "../catalogue/operation.ts";
import type { DuplicatesProfile, Profile } from "../catalogue/profile.ts";
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
	shownRequestId,
	UnexpectedStatusError,
	UnprocessableEntityError,
} from "../errors.ts";
import { DOCTOR_HINT } from "./attempt-failure.ts";
import { namesTimestamp, namesUsedNonce, valueAt } from "./refusals.ts";
import type { BaseUrl } from "./request.ts";
import { isOfGateway, type ReadResponse } from "./response.ts";

export interface CallTarget {
	readonly method: string;
	readonly pathTemplate: string;
	readonly base: BaseUrl;
	readonly profile: Profile | undefined;
}

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
	const first = issues[0];
	const where = first === undefined ? "" : `: ${`${first.path} ${first.message}`.trim()}`;
	const sender = isOfGateway(operation, read)
		? ""
		: "Something other than the gateway seems to have responded, such as a login page or a proxy. ";
	// Without an envelope the response may be from something else, which doctor finds out.
	const advice = read.success === undefined ? DOCTOR_HINT : "";
	return new ResponseShapeError(
		`${method} ${pathTemplate} got ${read.status} with an unexpected body${where}` +
			`${describeRequestId(read)}. ${sender}readBody() returns the raw body${advice}`,
		{ ...context, status: read.status, body: read.text, requestId: read.givenRequestId },
		issues,
		schemaIssues,
	);
}

/** The error for a response that is not a success. */
export function createApiError(
	operation: Operation<unknown, unknown>,
	{ method, pathTemplate, base, profile }: CallTarget,
	read: ReadResponse,
	context: CallContext,
): ApiError {
	const { status, error } = read;
	const code = shownGatewayCode(error?.code);
	const result = `${method} ${pathTemplate} got ${status || "a redirect"}${code === undefined ? "" : ` ${code}`}`;
	const messageHint = error?.message === undefined ? "" : ". gatewayMessage has the gateway's message";
	const isOfCopy = namesUsedNonce(read, profile);
	const canBeDiagnosed = !isOfCopy && (status === 401 || error === undefined || isUnknownPath(read));
	const hint = isOfCopy
		? ": its nonce was used, so the gateway already has this request, and something on the way repeated it"
		: describeHint(operation, base, read);
	// Never with the gateway's own message, which only the error's getters return.
	const message = `${result}${hint}${describeRequestId(read)}${messageHint}${canBeDiagnosed ? DOCTOR_HINT : ""}`;
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
	if (isDuplicate(read, profile?.duplicates))
		return new DuplicateMessageError(message, apiContext, findDuplicateInfo(read, profile?.duplicates));
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

function describeHint(operation: Operation<unknown, unknown>, base: BaseUrl, read: ReadResponse): string {
	const { status, error } = read;
	const { id, provenance } = operation;
	if (status === 0 || (status >= 300 && status < 400 && status !== 304)) {
		return ": redirects are not followed, because they would forward the signature. Set baseUrl to the final address";
	}
	const source = error === undefined ? " without an error envelope" : "";
	const advice = error === undefined ? ". readBody() returns the raw body" : "";
	if (isUnknownPath(read)) {
		const problem = status === 405 ? "the path does not accept the method" : "the path does not exist";
		const assumed =
			provenance === "provisional"
				? `; the operation's own path is assumed, and profile.operations["${id}"].path sets another`
				: "";
		return `${source}: ${problem}. The path of baseUrl is ${base.path}${assumed}${advice}`;
	}
	if (error === undefined) return `${source}, possibly from a proxy${advice}`;
	if (status === 401 && namesTimestamp(read)) {
		return ": the error names the timestamp, so compare this machine's clock with the gateway's";
	}
	return describeFields(operation, error.details);
}

/** Whether the path, or the method for it, does not exist. The codes are the local gateway's: the specification shows none. */
function isUnknownPath({ status, error }: ReadResponse): boolean {
	if (status !== 404 && status !== 405) return false;
	return error === undefined || error.code === "NOT_FOUND" || error.code === "METHOD_NOT_ALLOWED";
}

/** The fields that the gateway names, if they are fields of the input: any other name could be a value. */
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
	return known.length === 0 ? ": see fieldErrors" : `: ${known.join(", ")}; see fieldErrors`;
}

function describeRequestId(read: ReadResponse): string {
	const requestId = shownRequestId(read.givenRequestId);
	return requestId === undefined ? "" : ` (request ${requestId})`;
}
