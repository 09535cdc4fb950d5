import { ConfigurationError } from "../errors.ts";
import { type Bytes, utf8 } from "./bytes.ts";
import { serialize } from "./canonical-json.ts";
import { sha256Hex } from "./hash.ts";

/**
 * What the specification leaves open about signing (section 5.1: "not shown"). Each default is our assumption.
 */
export interface SigningProfile {
	/**
	 * How a body becomes the text that is hashed and sent: RFC 8785, JSON in insertion order, or a function
	 * from the body to that text.
	 * @default "rfc8785"
	 */
	canonicalBody?: ("rfc8785" | "json" | ((body: unknown) => string)) | undefined;
	/**
	 * Which path is signed: as it stands on the request line, or without the base address's own path.
	 * @default "request_line"
	 */
	path?: "request_line" | "without_base_path" | undefined;
	/**
	 * Whether the query string, with its question mark, is part of the signed path.
	 * @default "excluded"
	 */
	query?: "excluded" | "included" | undefined;
	/**
	 * What is hashed when there is no body: the empty string (section 5.1), or the text `{}`.
	 * @default "empty_string"
	 */
	emptyBody?: "empty_string" | "empty_object" | undefined;
}

/** The part of a profile that signing reads. */
export interface WithSigningProfile {
	signing?: SigningProfile | undefined;
}

const CHOICES = {
	canonicalBody: ["rfc8785", "json"],
	path: ["request_line", "without_base_path"],
	query: ["excluded", "included"],
	emptyBody: ["empty_string", "empty_object"],
} as const;

/** Refuses an unknown choice, which would otherwise sign every request wrongly without a word. */
export function assertSigningProfile(signing: SigningProfile): void {
	for (const [name, value] of Object.entries(signing)) {
		const allowed: readonly string[] | undefined = CHOICES[name as keyof typeof CHOICES];
		if (allowed === undefined) {
			throw new ConfigurationError(
				`profile.signing.${name} is not known: use ${Object.keys(CHOICES).join(", ")}`,
			);
		}
		if (value === undefined || (name === "canonicalBody" && typeof value === "function")) continue;
		if (!allowed.includes(value as string)) {
			throw new ConfigurationError(`profile.signing.${name} must be one of ${allowed.join(", ")}`);
		}
	}
}

/** The text of a body: the bytes of this text are hashed, and these bytes are sent. */
export function canonicalBody(body: unknown, signing: SigningProfile | undefined): string {
	const form = signing?.canonicalBody ?? "rfc8785";
	if (typeof form === "function") {
		const text: unknown = form(body);
		if (typeof text === "string") return text;
		throw new ConfigurationError(
			"profile.signing.canonicalBody must return a text, and not a promise of one",
		);
	}
	return serialize(body, form === "json" ? "insertion" : "sorted");
}

/** The bytes of a body, or `undefined` where there is none. */
export function bodyBytes(body: unknown, signing: SigningProfile | undefined): Bytes | undefined {
	return body === undefined ? undefined : utf8(canonicalBody(body, signing));
}

/** `bodyHash` of section 5.1, over the bytes that are sent. */
export function hashBytes(bytes: Uint8Array | undefined, signing: SigningProfile | undefined): string {
	return sha256Hex(bytes ?? (signing?.emptyBody === "empty_object" ? "{}" : ""));
}

/** A path and its query, as they stand on a request line. */
export interface PathParts {
	readonly pathname: string;
	/** With its question mark; empty where there is none. */
	readonly search: string;
}

/** What the request line of a URL will be. `url` is absolute, or a path with or without a query. */
export function toRequestLine(url: string | URL): PathParts {
	return parseUrl(toAbsolute(url));
}

/**
 * The same, for a URL that is to be signed.
 * @throws ConfigurationError when its path has dot segments: the URL parser removes them, in every spelling, and the
 * segments before them.
 */
export function toSignedRequestLine(url: string | URL): PathParts {
	const absolute = toAbsolute(url);
	const parsed = parseUrl(absolute);
	if (parsed.href === absolute || hasAllSegments(absolute, parsed.pathname)) return parsed;
	throw new ConfigurationError(
		"url has a dot segment, which is not part of the path that is requested: check the values in it, since encodeURIComponent keeps dots",
	);
}

/** Whether a parsed path has the segments that were written, as far as their number and what is empty goes. */
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
 * Goes through the URL parser even for a bare path: the request line carries what it makes of it. The host goes before it
 * as text, since `//a/b` resolved against a base would name the host `a` and lose its first segment.
 */
function toAbsolute(url: string | URL): string {
	return isBarePath(url) ? `http://path.invalid${url}` : String(url);
}

function parseUrl(absolute: string): URL {
	try {
		return new URL(absolute);
	} catch {
		throw new ConfigurationError("url must be an absolute URL, or a path that starts with a slash");
	}
}

/** What the request line of a received request was: a bare path is it, to the letter, dot segments included. */
export function readRequestLine(url: string | URL): PathParts {
	if (!isBarePath(url)) return toRequestLine(url);
	const queryAt = url.indexOf("?");
	return queryAt === -1
		? { pathname: url, search: "" }
		: { pathname: url.slice(0, queryAt), search: url.slice(queryAt) };
}

/** The path as it is signed. */
export function signedPath(
	{ pathname, search }: PathParts,
	basePath: string | undefined,
	signing: SigningProfile | undefined,
): string {
	const path = signing?.path === "without_base_path" ? withoutBase(pathname, basePath) : pathname;
	return signing?.query === "included" ? path + search : path;
}

function withoutBase(pathname: string, basePath = ""): string {
	const base = basePath.replace(/\/+$/, "");
	return base !== "" && pathname.startsWith(`${base}/`) ? pathname.slice(base.length) : pathname;
}

function isBarePath(url: string | URL): url is string {
	return typeof url === "string" && url.startsWith("/");
}
