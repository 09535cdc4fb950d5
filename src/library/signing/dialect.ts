import { assertOneOf, shownKey } from "../check-options.ts";
import { ConfigurationError } from "../errors.ts";
import { parseUrl, UUID } from "../host.ts";
import { BODY_FORMS, writeInBodyForm } from "./body-forms.ts";
import { type Bytes, utf8 } from "./bytes.ts";
import { serialize } from "./canonical-json.ts";
import { SECRET_ENCODINGS } from "./decode-secret.ts";
import { hmacKeyOf, sha256Hex } from "./hash.ts";

/**
 * Describes how your gateway signs requests. Each default is assumed.
 * @see Specification, section 5.1
 */
export interface SigningProfile {
	/**
	 * The encoding of an App Secret that you give as a string. It is text, with its UTF-8 as the key, or hex, base64,
	 * or base64 after a prefix such as `whsec_`. Bytes are never decoded.
	 * @default "text"
	 */
	secret?: "text" | "hex" | "base64" | "prefixed_base64" | undefined;
	/**
	 * How to write a body as the string that is hashed and sent. Choose RFC 8785, JSON in insertion order, another JSON
	 * library's form by name, or a function from the body to that string.
	 * @default "rfc8785"
	 */
	canonicalBody?:
		| "rfc8785"
		| "json"
		| "ascii"
		| "ascii_spaced"
		| "ascii_slashes"
		| "slashes"
		| "html_escaped"
		| "no_nulls"
		| ((body: unknown) => string)
		| undefined;
	/**
	 * The path to sign: as it is on the request line, or without the path of the base address. Either has its escapes,
	 * or is decoded, as Go, Django and ASP.NET show it to a handler.
	 * @default "request_line"
	 */
	path?: "request_line" | "without_base_path" | "decoded" | "decoded_without_base_path" | undefined;
	/**
	 * Whether the signed path includes the query string, with its question mark. It is either as on the request line,
	 * or with its parameters sorted by name.
	 * @default "excluded"
	 */
	query?: "excluded" | "included" | "sorted" | undefined;
	/**
	 * The string to hash if there is no body: an empty one, as documented, or `{}`.
	 * @default "empty_string"
	 */
	emptyBody?: "empty_string" | "empty_object" | undefined;
	/**
	 * The unit of `X-Timestamp`: milliseconds, as documented, or whole seconds. Timestamps in options and results are
	 * milliseconds with both.
	 * @default "milliseconds"
	 */
	timestamp?: "milliseconds" | "seconds" | undefined;
}

/** A profile with only the part that signing reads. */
export interface WithSigningProfile {
	signing?: SigningProfile | undefined;
}

/**
 * The four headers of a signed request.
 * @see Specification, section 5.1
 */
export interface SignatureHeaders {
	/** The app id, in clear. */
	"X-App-Id": string;
	/** The time of signing, in Unix milliseconds. */
	"X-Timestamp": string;
	/** A UUID, unique to this request. */
	"X-Nonce": string;
	/** `HMAC ` and the signature, in lower-case hex. */
	Authorization: string;
}

/** A request that is ready to be signed, with what makes its signature unique. */
export interface UnsignedRequest {
	readonly method: string;
	readonly line: PathParts;
	/** The path of the base address. */
	readonly basePath?: string | undefined;
	/** The bytes that are sent. */
	readonly body: Uint8Array | undefined;
	/** In Unix milliseconds. */
	readonly timestamp: number;
	readonly nonce: string;
}

/** What is signed of a request. */
export interface StringToSign {
	/** Lower-case hex SHA-256 of the body. */
	readonly bodyHash: string;
	readonly stringToSign: string;
	/** As it is on the wire. */
	readonly timestamp: number;
}

const CHOICES = {
	secret: SECRET_ENCODINGS,
	canonicalBody: BODY_FORMS,
	path: ["request_line", "without_base_path", "decoded", "decoded_without_base_path"],
	query: ["excluded", "included", "sorted"],
	emptyBody: ["empty_string", "empty_object"],
	timestamp: ["milliseconds", "seconds"],
} as const satisfies {
	readonly [Name in keyof SigningProfile]-?: readonly Extract<SigningProfile[Name], string>[];
};

/** Rejects an unknown choice, which would otherwise silently sign every request wrongly. */
export function assertSigningProfile(signing: SigningProfile): void {
	for (const [name, value] of Object.entries(signing)) {
		if (!isChoice(name)) {
			throw new ConfigurationError(
				`profile.signing.${shownKey(name)} isn't known: use ${Object.keys(CHOICES).join(", ")}`,
			);
		}
		if (value === undefined || (name === "canonicalBody" && typeof value === "function")) continue;
		assertOneOf(`profile.signing.${name}`, value, CHOICES[name]);
	}
}

function isChoice(name: string): name is keyof typeof CHOICES {
	return Object.hasOwn(CHOICES, name);
}

/** The bytes of a body in its canonical form, which are hashed and sent, or `undefined` if there is none. */
export function bodyBytes(body: unknown, signing: SigningProfile | undefined): Bytes | undefined {
	if (body === undefined) return undefined;
	const form = signing?.canonicalBody;
	if (form === undefined) return utf8(serialize(body, "sorted"));
	if (typeof form !== "function") {
		assertOneOf("profile.signing.canonicalBody", form, BODY_FORMS);
		return utf8(writeInBodyForm(body, form));
	}
	const canonical: unknown = form(body);
	if (typeof canonical === "string") return utf8(canonical);
	throw new ConfigurationError("profile.signing.canonicalBody must return a string, not a promise");
}

/**
 * Joins the five parts, as they are on the wire (section 5.1, steps 1 and 2).
 * @throws ConfigurationError if the path has an escape that cannot be decoded.
 */
export function writeStringToSign(
	{ method, line, basePath, body, timestamp, nonce }: UnsignedRequest,
	signing: SigningProfile | undefined,
): StringToSign {
	const bodyHash = hashBytes(body, signing);
	const path = signedPath(line, basePath, signing);
	const written = writeTimestamp(timestamp, signing);
	const stringToSign = `${method.toUpperCase()}\n${path}\n${bodyHash}\n${written}\n${nonce}`;
	return { bodyHash, stringToSign, timestamp: written };
}

/**
 * Signs a request with HMAC-SHA-256 (section 5.1, step 3).
 * @throws ConfigurationError when the secret is unusable.
 */
export function signWithSecret(
	unsigned: UnsignedRequest & { readonly appId: string },
	appSecret: string | Uint8Array,
	signing: SigningProfile | undefined,
) {
	const { timestamp, ...signed } = writeStringToSign(unsigned, signing);
	const toError = (problem: string): ConfigurationError => new ConfigurationError(`appSecret ${problem}`);
	const key = hmacKeyOf(appSecret, toError, signing?.secret);
	const signature = key.signHex(signed.stringToSign);
	return { ...signed, signature, headers: signatureHeaders(unsigned, timestamp, signature) };
}

/** @param timestamp - as it is on the wire. */
export function signatureHeaders(
	{ appId, nonce }: { readonly appId: string; readonly nonce: string },
	timestamp: number,
	signature: string,
): SignatureHeaders {
	return {
		"X-App-Id": appId,
		"X-Timestamp": String(timestamp),
		"X-Nonce": nonce,
		Authorization: `HMAC ${signature}`,
	};
}

/** `bodyHash` of section 5.1, over the bytes that are sent. */
export function hashBytes(bytes: Uint8Array | undefined, signing: SigningProfile | undefined): string {
	return sha256Hex(bytes ?? (signing?.emptyBody === "empty_object" ? "{}" : ""));
}

/** A path and its query, as they are on a request line. */
export interface PathParts {
	readonly pathname: string;
	/** With its question mark; empty if there is none. */
	readonly search: string;
}

/** What the request line of a URL will be. `url` is absolute, or a path with or without a query. */
export function toRequestLine(url: string | URL): URL {
	const parsed = parseUrl(toAbsolute(url));
	if (parsed !== undefined) return parsed;
	throw new ConfigurationError("url must be an absolute URL, or a path that starts with a slash");
}

/**
 * The same, for a URL that is to be signed.
 * @throws ConfigurationError if its path has dot segments: the URL parser removes them, in every spelling, and the
 * segments before them.
 */
export function toSignedRequestLine(url: string | URL): PathParts {
	const absolute = toAbsolute(url);
	const parsed = toRequestLine(absolute);
	if (parsed.href === absolute || hasAllSegments(absolute, parsed.pathname)) return parsed;
	throw new ConfigurationError(
		"url has a dot segment, which isn't part of the path that is requested: check the values in it, since encodeURIComponent keeps dots",
	);
}

/** Whether a parsed path has as many segments as were written, with the same ones empty. */
function hasAllSegments(absolute: string, pathname: string): boolean {
	const [address = ""] = absolute.trim().split(/[?#]/);
	const path = address.replace(/^[^:]*:[\\/]*[^\\/]*/, "") || "/";
	const written = path.split(/[\\/]/);
	const parsed = pathname.split("/");
	return (
		written.length === parsed.length && parsed.every((name, at) => (name === "") === (written[at] === ""))
	);
}

/**
 * Even a bare path goes through the URL parser, since its output is on the request line. The host is put in front as a
 * string: resolved against a base, `//a/b` would name the host `a` and lose its first segment.
 */
function toAbsolute(url: string | URL): string {
	return isBarePath(url) ? `http://path.invalid${url}` : String(url);
}

/** The request line of a received request: a bare path is used unchanged, dot segments included. */
export function readRequestLine(url: string | URL): PathParts {
	if (!isBarePath(url)) return toRequestLine(url);
	const queryAt = url.indexOf("?");
	return queryAt === -1
		? { pathname: url, search: "" }
		: { pathname: url.slice(0, queryAt), search: url.slice(queryAt) };
}

/**
 * The path as it is signed.
 * @throws ConfigurationError if it has an escape that cannot be decoded.
 */
export function signedPath(
	{ pathname, search }: PathParts,
	basePath: string | undefined,
	signing: SigningProfile | undefined,
): string {
	const form = signing?.path ?? "request_line";
	const below = form.endsWith("without_base_path") ? withoutBase(pathname, basePath) : pathname;
	const path = form.startsWith("decoded") ? decodePath(below) : below;
	if (signing?.query === "sorted") return path + sortQuery(search);
	return signing?.query === "included" ? path + search : path;
}

/** Parameters of the same name keep their order. */
function sortQuery(search: string): string {
	if (search.length < 2) return "";
	const nameOf = (pair: string): string => pair.replace(/=.*/s, "");
	const compare = (left: string, right: string): number => Number(left > right) - Number(left < right);
	const pairs = search.slice(1).split("&");
	return `?${pairs.sort((left, right) => compare(nameOf(left), nameOf(right))).join("&")}`;
}

function decodePath(path: string): string {
	try {
		return decodeURIComponent(path);
	} catch {
		throw new ConfigurationError("The path has an escape that isn't UTF-8, so it can't be decoded");
	}
}

function withoutBase(pathname: string, basePath = ""): string {
	const base = basePath.replace(/\/+$/, "");
	return pathname.startsWith(`${base}/`) ? pathname.slice(base.length) : pathname;
}

/** The value of `X-Timestamp` for a Unix time in milliseconds. */
export function writeTimestamp(timestampMs: number, signing: SigningProfile | undefined): number {
	return signing?.timestamp === "seconds" ? Math.floor(timestampMs / 1000) : timestampMs;
}

export function isUuid(value: unknown): value is string {
	return typeof value === "string" && UUID.test(value);
}

/** The Unix time in milliseconds of an `X-Timestamp`; NaN if it has none. */
export function readTimestamp(value: string | null, signing: SigningProfile | undefined): number {
	const time = value === null ? Number.NaN : Number(value);
	return signing?.timestamp === "seconds" ? time * 1000 : time;
}

function isBarePath(url: string | URL): url is string {
	return typeof url === "string" && url.startsWith("/");
}
