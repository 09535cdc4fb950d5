import type { ReadResponse } from "../../../library/client/response.ts";
import { shownGatewayCode } from "../../../library/errors.ts";
import { hasEnvelope, markOf } from "../calls/probe.ts";
import { compareRepeatedError } from "./compare-repeated.ts";
import {
	breaking,
	type Findings,
	type ObservedCall,
	type ProfileChange,
	remark,
	type ShapeDifference,
} from "./comparison.ts";
import { isPlainKey } from "./field-names.ts";

/** Finds out what an error shows: a missing path, other names of fields, or only that the success was not seen. */
export function compareError(
	call: ObservedCall,
	read: ReadResponse,
	unknownPathMark: string | undefined,
): Findings {
	const { operation, override, isRepeated = false, isDuplicate = false } = call;
	const { status } = read;
	const code = shownGatewayCode(read.error?.code);
	const result = code === undefined ? String(status) : `${status} ${code}`;
	const remarks = describeErrorEnvelope(read);
	const differs = (difference: ShapeDifference, remedy?: ProfileChange): Findings => ({
		verdict: "differs",
		differences: [difference, ...remarks],
		...(remedy === undefined ? {} : { remedy }),
	});
	if (status === 401) {
		const verb = operation.method === "GET" ? "doctor" : "doctor --probe-body";
		return differs(breaking("signature_rejected", `${result}: the signature is rejected: run ${verb}`));
	}
	if (isRepeated)
		return isDuplicate
			? { verdict: "fits", differences: remarks }
			: compareRepeatedError(read, result, remarks);
	const isUnknownPath = unknownPathMark === undefined ? !hasEnvelope(read) : markOf(read) === unknownPathMark;
	if ((status === 404 || status === 405 || status === 501) && isUnknownPath) {
		// Only a path with a parameter may stand for a record that does not exist.
		const isCertain = !/\{\w+\}/.test(override?.path ?? operation.path);
		const message = isCertain
			? `${result}, as for a path that does not exist: the operation is elsewhere, or missing`
			: `${result}, as for a path that does not exist: the operation is elsewhere, or nothing was found`;
		return isCertain
			? differs(
					breaking("missing_path", message),
					override === undefined ? { missingMethod: operation.method } : undefined,
				)
			: { verdict: "unseen", differences: [remark("missing_path", message), ...remarks] };
	}
	if (status === 405) return differs(breaking("other_method", `${result}: the path has another method`));
	if ((status === 400 || status === 422) && operation.provenance !== "documented") {
		const names = fieldNames(read);
		const listed = names.length === 0 ? "" : `; it names ${names.join(", ")}`;
		const message = `${result}: the gateway does not accept these fields${listed}`;
		return differs(breaking("request_rejected", message));
	}
	const reason = status === 429 ? "too many requests" : status >= 500 ? "the gateway failed" : "rejected";
	const isExpected = status === 404 && operation.provenance === "documented";
	const message = isExpected
		? `${result}: nothing was found, so a success was not seen`
		: `${result}: ${reason}, so a success was not seen`;
	return { verdict: "unseen", differences: [remark("rejected", message), ...remarks] };
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
