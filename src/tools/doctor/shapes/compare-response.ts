import { toTemplate } from "../../../library/client/caller.ts";
import { routeOf } from "../../../library/client/request.ts";
import { isSuccess } from "../../../library/client/response.ts";
import { compareError } from "./compare-error.ts";
import { compareSuccess } from "./compare-success.ts";
import {
	breaking,
	type Findings,
	type ObservedCall,
	type ProfileChange,
	type ShapeComparison,
} from "./comparison.ts";
import { redactBody } from "./redact.ts";

/** A comparison, and what a profile can do about its differences. */
export interface ComparedCall {
	readonly comparison: ShapeComparison;
	readonly remedy: ProfileChange | undefined;
	/** Whether the gateway responded with a success. */
	readonly isSuccess: boolean;
	/** The response's data under our names, as far as it was found. */
	readonly data: unknown;
}

/**
 * Compares a response with the catalogue.
 * @param unknownPathMark - the mark of the response to a path that no gateway has, if one came.
 */
export async function compareResponse(
	call: ObservedCall,
	unknownPathMark: string | undefined,
): Promise<ComparedCall> {
	const { operation, override, profile, input, detail, read, failure = "there was no response" } = call;
	const { method, pathTemplate } = routeOf(operation, override, profile, input);
	const isAccepted = read !== undefined && isSuccess(operation, read);
	const found: Findings =
		read === undefined
			? { verdict: "differs", differences: [breaking("no_response", failure)] }
			: isAccepted
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
	return { comparison, remedy, isSuccess: isAccepted, data };
}
