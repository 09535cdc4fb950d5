import type { Profile } from "../../../library/catalogue/profile.ts";
import { isJsonObject } from "../../../library/is-object.ts";

/** What a repeated request shows of how the gateway rejects a nonce that was used. */
export interface NonceRejection {
	/** What the profile says of it; `undefined` if the client recognizes it by itself, or nothing tells it apart. */
	readonly usedNonce: Profile["usedNonce"];
	readonly sentence: string;
}

/** A response to a GET: its status, and its JSON. */
interface SeenJson {
	readonly status: number;
	readonly json: unknown;
}

/** A code that a profile can say, and no number or id that a request repeats. */
const CODE = /^(?!.*\d{3})[a-z][\w.:-]{1,63}$/i;

/** Codes of several reasons: a profile that named one would take every such rejection for a repeated nonce. */
const OF_MANY = /^(unauthori[sz]ed|forbidden|invalid|error|bad_?request|auth\w*|access_?denied|\d+)$/i;

/** How the client recognizes a nonce that was used without a profile. */
const KNOWN = /nonce|replay/i;

/**
 * Sends one signed GET twice, and the second one again, and compares the rejections with that of a wrong signature.
 * @param get - makes a GET with these headers.
 */
export async function learnNonce(
	sign: () => Readonly<Record<string, string>>,
	get: (headers: Readonly<Record<string, string>>) => Promise<SeenJson | undefined>,
): Promise<NonceRejection | undefined> {
	const headers = sign();
	const first = await get(headers);
	if (first === undefined || isRejection(first)) return undefined;
	const second = await get(headers);
	if (second === undefined || second.status >= 500 || second.status === 429) return undefined;
	if (!isRejection(second)) {
		return { usedNonce: undefined, sentence: "a request that came twice was carried out twice" };
	}
	const third = await get(headers);
	const forged = await get(forge(sign()));
	if (third === undefined || forged === undefined) return undefined;
	const rejected = `a request that came twice gets ${second.status}`;
	if (namesNonceInFields(second.json) && !namesNonceInFields(forged.json))
		return { usedNonce: undefined, sentence: `${rejected}, told by error.details` };
	const found = textsOf(second.json).filter(
		({ path, text }) =>
			CODE.test(text) &&
			!OF_MANY.test(text) &&
			textAt(third.json, path) === text &&
			textAt(forged.json, path) !== text,
	);
	const named = found.find(({ text }) => KNOWN.test(text)) ?? found[0];
	if (named === undefined)
		return { usedNonce: undefined, sentence: `${rejected}, which nothing tells from a wrong signature` };
	const { path, text } = named;
	const isRead = path === "error.code" || path === "error.details.reason";
	const sentence = `${rejected}, told by ${path}`;
	if (isRead && KNOWN.test(text)) return { usedNonce: undefined, sentence };
	return { usedNonce: { code: text, ...(isRead ? {} : { path }) }, sentence };
}

function isRejection({ status }: SeenJson): boolean {
	return status === 400 || status === 401 || status === 403 || status === 409 || status === 422;
}

/** Changes one digit of a signature. */
function forge(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
	const authorization = headers["Authorization"] ?? "";
	return {
		...headers,
		Authorization: authorization.slice(0, -1) + (authorization.endsWith("0") ? "1" : "0"),
	};
}

/** Whether the error is a list of fields with the nonce among them, which the client reads by itself. */
function namesNonceInFields(json: unknown): boolean {
	const error = isJsonObject(json) ? json["error"] : undefined;
	const details = isJsonObject(error) ? error["details"] : undefined;
	return Array.isArray(details) && KNOWN.test(JSON.stringify(details));
}

interface FoundText {
	readonly path: string;
	readonly text: string;
}

/** Every text in an object of a few levels that may be a code: not a message, which is for people. */
function textsOf(json: unknown, names: readonly string[] = []): FoundText[] {
	if (!isJsonObject(json) || names.length > 4) return [];
	return Object.entries(json).flatMap(([name, value]) => {
		if (!/^(?!.*\d{3})[\w-]+$/.test(name) || /message|title|description|id$/i.test(name)) return [];
		const path = [...names, name];
		return typeof value === "string" ? [{ path: path.join("."), text: value }] : textsOf(value, path);
	});
}

function textAt(json: unknown, path: string): unknown {
	return textsOf(json).find((found) => found.path === path)?.text;
}
