import { isJsonObject } from "../../catalogue/check.ts";
import { duplicateInfoSchema } from "../../catalogue/mappings.ts";
import type { HttpMethod, Operation } from "../../catalogue/operation.ts";
import type { OperationProfile } from "../../catalogue/profile.ts";
import type { CatalogueOperation } from "../../catalogue/routes.ts";
import { toTemplate } from "../../client/caller.ts";
import { routeOf } from "../../client/request.ts";
import { describeProblem, isSuccess, type ReadResponse, unwrapData } from "../../client/response.ts";
import { shownGatewayCode } from "../../errors.ts";
import { hasEnvelope, markOf } from "../calls/probe.ts";
import type { ShapeComparison, ShapeDifference, Verdict } from "./comparison.ts";
import { type Conversion, convert, valueAt } from "./conversion.ts";
import { type ExpectedField, expectedFields } from "./expected-shape.ts";
import { isPlainKey, similarity } from "./field-names.ts";
import { findConversion, type KnownValues } from "./find-conversion.ts";
import { redactBody } from "./redact.ts";

/** What a profile changes so that an operation works, as far as its response shows it. */
export interface Remedy {
	/** The method of an operation whose path only the gateway's operator knows. */
	readonly missingMethod?: HttpMethod;
	/** Fields of a request: our name, and the gateway's. */
	readonly renames?: readonly (readonly [ours: string, theirs: string])[];
	readonly conversion?: Conversion;
	/** What an empty success stands for. */
	readonly whenEmpty?: Readonly<Record<string, boolean>>;
}

/** A call that was made, and what came back. */
export interface ObservedCall {
	readonly operation: CatalogueOperation;
	readonly override: OperationProfile | undefined;
	readonly detail?: string;
	readonly input: Readonly<Record<string, unknown>>;
	/** The text that was sent and its contact: responses may name them as they like. */
	readonly sent: KnownValues;
	/** The response, or why there is none. */
	readonly read: ReadResponse | undefined;
	readonly failure?: string;
	/** Whether it repeats a send, so that the gateway shows how it reports a duplicate. */
	readonly isRepeated?: boolean;
}

/** A comparison, and what a profile can do about its differences. */
export interface ComparedCall {
	readonly comparison: ShapeComparison;
	readonly remedy: Remedy | undefined;
	/** The response's data in our shape, as far as it could be converted. */
	readonly data: unknown;
}

/** What was found of one response. */
interface Findings {
	readonly verdict: Verdict;
	readonly differences: readonly ShapeDifference[];
	readonly remedy?: Remedy;
	readonly data?: unknown;
	readonly isFixedByProfile?: boolean;
}

/**
 * Compares a response with the catalogue.
 * @param unknownPathMark - the mark of the response to a path that no gateway has, if one came.
 */
export async function compareResponse(
	call: ObservedCall,
	unknownPathMark: string | undefined,
): Promise<ComparedCall> {
	const { operation, override, detail, read, failure = "there was no response" } = call;
	const { method, pathTemplate } = routeOf(operation, override);
	const found: Findings =
		read === undefined
			? { verdict: "differs", differences: [breaking("no_response", failure)] }
			: isSuccess(operation, read)
				? await compareSuccess(call, read)
				: compareError(call, read, unknownPathMark);
	const { verdict, differences, remedy, data, isFixedByProfile = false } = found;
	const comparison: ShapeComparison = {
		operation: operation.id,
		...(detail === undefined ? {} : { detail }),
		method,
		path: override?.path === undefined ? pathTemplate : toTemplate(pathTemplate),
		provenance: operation.provenance,
		verdict,
		status: read?.status,
		differences: [...differences].sort((left, right) => Number(right.isBreaking) - Number(left.isBreaking)),
		...(verdict === "differs" ? { isFixedByProfile } : {}),
		response: read === undefined ? undefined : redactBody(read),
	};
	return { comparison, remedy, data };
}

async function compareSuccess(
	{ operation: given, override, input, sent, isRepeated }: ObservedCall,
	read: ReadResponse,
): Promise<Findings> {
	const operation: Operation<unknown, unknown> = given;
	const remarks = describeStatus(operation, read);
	if (isRepeated) return compareRepeatedSuccess(read, remarks);
	const problem = describeProblem(operation, read, override);
	if (problem?.message === "the body is empty") return compareEmpty(operation, read, remarks);
	if (problem !== undefined) {
		const what = `${problem.path} ${problem.message}`.trim();
		return {
			verdict: "differs",
			differences: [
				...remarks,
				breaking(
					"other_envelope",
					`the body is not the success envelope of section 2.1: ${what}. A profile cannot describe that: convert the body in a custom fetch`,
				),
			],
		};
	}
	remarks.push(...describeMeta(operation, read));
	const present = await unwrapData(operation, read, override);
	// Health has no expected shape, and an empty success may be allowed.
	const expected = expectedFields(operation.data);
	if (present.issues.length === 0 && (expected.length === 0 || present.value === undefined))
		return { verdict: "fits", differences: remarks, data: present.value };

	// A decoder that the profile has is judged by its result; what replaces it starts from the response itself.
	if (override?.response !== undefined && present.issues.length === 0)
		return concludeFit(expected, present.value, remarks);
	const { conversion, differences } = findConversion(
		expected,
		read.success?.data,
		knownValues({ ...sent, ...input }),
	);
	const found = differences.map(({ path, message, isConvertible }) =>
		breaking(isConvertible ? "other_field" : "missing_field", `${path} ${message}`),
	);
	if (found.length === 0) return concludeFit(expected, present.value, remarks);
	if (conversion === undefined) return { verdict: "differs", differences: [...remarks, ...found] };
	const converted = await unwrapData(operation, read, {
		...override,
		response: { decode: (data) => convert(conversion, data) },
	});
	return {
		verdict: "differs",
		differences: [...remarks, ...found],
		remedy: { conversion },
		data: converted.value,
		isFixedByProfile: converted.issues.length === 0,
	};
}

/** A success in the assumed shape, as far as it shows one. */
function concludeFit(
	expected: readonly ExpectedField[],
	data: unknown,
	remarks: readonly ShapeDifference[],
): Findings {
	const empty = expected.find(
		({ name, type, fields }) => type === "array" && fields.length > 0 && isEmptyArray(valueAt(data, [name])),
	);
	if (empty === undefined) return { verdict: "fits", differences: remarks, data };
	const message = `${empty.name} is empty, so its items were not seen`;
	return { verdict: "unseen", differences: [...remarks, remark("empty_list", message)], data };
}

function isEmptyArray(value: unknown): boolean {
	return Array.isArray(value) && value.length === 0;
}

function compareEmpty(
	operation: Operation<unknown, unknown>,
	read: ReadResponse,
	remarks: readonly ShapeDifference[],
): Findings {
	const { dataWhenGone } = operation;
	const isDeletion = isJsonObject(dataWhenGone);
	const difference = breaking(
		"empty_body",
		isDeletion
			? `${read.status} with an empty body`
			: `${read.status} with an empty body: with the profile the call resolves to {}, without any field of its type`,
	);
	const whenEmpty = isDeletion ? { deleted: true } : {};
	return {
		verdict: "differs",
		differences: [...remarks, difference],
		remedy: { whenEmpty },
		isFixedByProfile: isDeletion,
	};
}

function compareError(call: ObservedCall, read: ReadResponse, unknownPathMark: string | undefined): Findings {
	const { operation, override, input, isRepeated = false } = call;
	const { status } = read;
	const code = shownGatewayCode(read.error?.code);
	const result = code === undefined ? String(status) : `${status} ${code}`;
	const remarks = describeErrorEnvelope(read);
	const differs = (difference: ShapeDifference, remedy?: Remedy): Findings => ({
		verdict: "differs",
		differences: [difference, ...remarks],
		...(remedy === undefined ? {} : { remedy }),
	});
	if (status === 401) {
		const verb = operation.method === "GET" ? "doctor" : "doctor --probe-body";
		return differs(breaking("signature_rejected", `${result}: the signature is rejected: run ${verb}`));
	}
	if (isRepeated) return compareRepeatedError(read, result, remarks);
	const isUnknownPath = unknownPathMark === undefined ? !hasEnvelope(read) : markOf(read) === unknownPathMark;
	if ((status === 404 || status === 405 || status === 501) && isUnknownPath) {
		// Where a path has no parameter, nothing else can be missing.
		const isCertain = !/\{\w+\}/.test(override?.path ?? operation.path);
		const message = isCertain
			? `${result}, as for a path that does not exist: the operation is elsewhere, or missing`
			: `${result}, as for a path that does not exist: the operation is elsewhere, or nothing was found`;
		return isCertain
			? differs(breaking("missing_path", message), { missingMethod: override?.method ?? operation.method })
			: { verdict: "unseen", differences: [remark("missing_path", message), ...remarks] };
	}
	if (status === 405) return differs(breaking("other_method", `${result}: the path has another method`));
	const names = fieldNames(read);
	if ((status === 400 || status === 422) && operation.provenance !== "documented") {
		const listed = names.length === 0 ? "" : `; it names ${names.join(", ")}`;
		const renames = findRenames(Object.keys(input), names);
		const message = `${result}: the gateway does not accept these fields${listed}`;
		return differs(breaking("request_rejected", message), renames.length === 0 ? undefined : { renames });
	}
	const reason = status === 429 ? "too many requests" : status >= 500 ? "the gateway failed" : "rejected";
	const isExpected = status === 404 && operation.provenance === "documented";
	const message = isExpected
		? `${result}: nothing was found, so a success was not seen`
		: `${result}: ${reason}, so a success was not seen`;
	return { verdict: "unseen", differences: [remark("rejected", message), ...remarks] };
}

/** The second of two identical sends succeeded. */
function compareRepeatedSuccess(read: ReadResponse, remarks: readonly ShapeDifference[]): Findings {
	const isReported = findDuplicateInfo(read.json) !== undefined;
	return isReported
		? {
				verdict: "differs",
				differences: [
					...remarks,
					breaking("duplicate", "the duplicate is reported in a success, so the client does not throw"),
				],
			}
		: {
				verdict: "unseen",
				differences: [
					...remarks,
					remark("duplicate", "the same text was accepted again: no duplicate was reported"),
				],
			};
}

/** The second of two identical sends was rejected. */
function compareRepeatedError(
	read: ReadResponse,
	result: string,
	remarks: readonly ShapeDifference[],
): Findings {
	const duplicate = duplicateInfoSchema.safeParse(read.error?.details);
	if (duplicate.success && duplicate.data.isDuplicate) return { verdict: "fits", differences: remarks };
	const place = findDuplicateInfo(read.json);
	const where =
		place === undefined
			? "the response has no DuplicateInfo"
			: `its fields are at ${place || "the top"} instead of error.details`;
	const message = `${result}: the client does not recognize the duplicate, since ${where}`;
	return { verdict: "differs", differences: [breaking("duplicate", message), ...remarks] };
}

/** Where an object with fields of DuplicateInfo is, as dotted keys. */
function findDuplicateInfo(value: unknown, place: readonly string[] = []): string | undefined {
	if (!isJsonObject(value) || place.length > 4) return undefined;
	if (value["isDuplicate"] === true || Object.hasOwn(value, "timeRemaining")) return place.join(".");
	for (const [key, member] of Object.entries(value)) {
		const found = isPlainKey(key) ? findDuplicateInfo(member, [...place, key]) : undefined;
		if (found !== undefined) return found;
	}
	return undefined;
}

function describeStatus(
	{ successStatus, provenance }: Operation<unknown, unknown>,
	{ status }: ReadResponse,
): ShapeDifference[] {
	if (provenance === "documented" || status === successStatus) return [];
	return [remark("other_status", `${status} instead of ${successStatus}, which the client accepts too`)];
}

function describeMeta({ hasEnvelope: hasMeta }: Operation<unknown, unknown>, { success }: ReadResponse) {
	if (!hasMeta || success === undefined || success.meta !== undefined) return [];
	return [remark("other_envelope", "meta has no requestId or no timestamp (section 2.1)")];
}

function describeErrorEnvelope(read: ReadResponse): ShapeDifference[] {
	if (hasEnvelope(read)) return [];
	const what = read.isPage ? "a web page" : read.json === undefined ? "text or nothing" : "other JSON";
	return [
		remark(
			"error_envelope",
			`the error is ${what} instead of the envelope of section 2.2, so it has no code`,
		),
	];
}

/** The fields that a validation error names, if they are plain names. */
function fieldNames({ error }: ReadResponse): string[] {
	const details = error?.details;
	return Array.isArray(details) ? details.map(({ field }) => field).filter(isPlainKey) : [];
}

/** Which of our fields a gateway seems to name differently. */
function findRenames(ours: readonly string[], theirs: readonly string[]): (readonly [string, string])[] {
	return theirs.flatMap((name) => {
		if (ours.includes(name)) return [];
		const field = ours.find((candidate) => similarity(candidate, name) > 0);
		return field === undefined ? [] : [[field, name] as const];
	});
}

/** What the gateway got from us, by the names that a response has. */
function knownValues(input: Readonly<Record<string, unknown>>): KnownValues {
	const { toNumber, number, ...rest } = input;
	const named: Record<string, unknown> = {
		...rest,
		userNumber: toNumber ?? rest["to"],
		number: number ?? toNumber,
	};
	return Object.fromEntries(
		Object.entries(named).flatMap(([name, value]) =>
			typeof value === "string" && value.length > 3 ? [[name, value]] : [],
		),
	);
}

function breaking(kind: ShapeDifference["kind"], message: string): ShapeDifference {
	return { kind, isBreaking: true, message };
}

function remark(kind: ShapeDifference["kind"], message: string): ShapeDifference {
	return { kind, isBreaking: false, message };
}
