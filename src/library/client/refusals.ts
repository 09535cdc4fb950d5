import type { Profile } from "../catalogue/profile.ts";
import type { ApiErrorContext } from "../errors.ts";
import { isJsonObject } from "../is-object.ts";

/** What is read of a refusal: not its message, which is for people. */
interface Refusal {
	readonly status: number;
	readonly error:
		| { readonly code: string | undefined; readonly details: ApiErrorContext["details"] }
		| undefined;
}

/** How gateways say that a nonce was used. A free message is never asked, and what is missing or malformed was not used. */
const USED_NONCE =
	/^(?!.*(missing|required|malformed|format))(?=.*nonce)(?=.*(used|reuse|replay|seen|duplicate|repeat|exist|consumed|spent|already|unique|conflict|collision))(?!.*unused)|^(request[_.:-]?)?replay(ed)?([_.:-]?(request|attack|detected))*$/;

/**
 * Whether a 4xx says that the request's nonce was used before. Only a copy of the request can carry its nonce, so the
 * gateway already has the request: it may be carried out.
 */
export function namesUsedNonce(
	read: Refusal & { readonly json: unknown },
	profile: Profile | undefined,
): boolean {
	if (read.status < 400 || read.status > 499) return false;
	const { usedNonce } = profile ?? {};
	if (usedNonce?.path !== undefined) return valueAt(read.json, usedNonce.path) === usedNonce.code;
	const reasons = reasonsOf(read);
	if (usedNonce !== undefined) return reasons.includes(usedNonce.code);
	return reasons.some((reason) => USED_NONCE.test(reason.toLowerCase()));
}

/** Whether a 401 names the timestamp as its reason. */
export function namesTimestamp(read: Refusal): boolean {
	return reasonsOf(read).some((reason) => /timestamp/i.test(reason));
}

/**
 * Whether a 401 gives no reason that holds for every copy of the request: it may be the refusal of a copy whose nonce was
 * used. A wrong signature is wrong in each of them.
 */
export function isBare401(read: Refusal): boolean {
	return read.status === 401 && !reasonsOf(read).some((reason) => /signature|timestamp/i.test(reason));
}

/** What an error names: its code, its reason, and the fields with their issues. Not its message. */
function reasonsOf({ error }: Refusal): string[] {
	const { code, details } = error ?? {};
	const given: unknown[] = Array.isArray(details)
		? details.map(({ field, issue }) => `${field} ${issue}`)
		: [isJsonObject(details) && details["reason"]];
	return [code, ...given].filter((reason) => typeof reason === "string");
}

/** The value at names with dots between them. */
export function valueAt(json: unknown, path: string): unknown {
	return path.split(".").reduce<unknown>((parent, name) => isJsonObject(parent) && parent[name], json);
}
