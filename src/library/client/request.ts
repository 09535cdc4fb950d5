import { dropUndefined } from "../catalogue/check.ts";
import { invalidInput } from "../catalogue/invalid-input.ts";
import { type HttpMethod, type Operation, pathParameters, usesQuery } from "../catalogue/operation.ts";
import type { ChosenRoute, MappedRequest } from "../catalogue/operation-map.ts";
import type { OperationProfile, Profile } from "../catalogue/profile.ts";
import { isWord } from "../check-options.ts";
import { CanonicalJsonError, ConfigurationError, InputError } from "../errors.ts";
import { isJsonObject } from "../is-object.ts";
import type { Bytes } from "../signing/bytes.ts";
import { bodyBytes } from "../signing/dialect.ts";

/** A gateway's parsed base URL. */
export interface BaseUrl {
	/** Without a trailing slash. */
	readonly href: string;
	/** Its path; `"/"` if it has none. */
	readonly path: string;
}

/** The parts of a request, before they are written into a URL and bytes. */
export interface RequestParts
	extends Omit<MappedRequest, "headers">,
		Partial<Pick<MappedRequest, "headers">> {
	readonly method: HttpMethod;
	/** The path with `{name}` for its parameters, as errors, hooks and logs show it. */
	readonly pathTemplate: string;
	/** The escaped path. */
	readonly path: string;
}

/** A request that is ready to be signed and sent, as often as needed. */
export interface PreparedRequest {
	method: string;
	url: string;
	base: BaseUrl;
	/** The URL, parsed: its path and query are those of the request line. */
	parsedUrl: URL;
	/** The bytes that are hashed and sent. */
	body: Bytes | undefined;
	/** Those of the operation. @default none */
	headers?: Readonly<Record<string, string>> | undefined;
}

/**
 * Parses a base URL.
 * @throws TypeError if it is not an absolute URL.
 */
export function readBaseUrl(url: string): BaseUrl {
	const { origin, pathname } = new URL(url);
	const path = pathname.replace(/\/+$/, "");
	return { href: origin + path, path: path || "/" };
}

/** The method and path of an operation, with the profile applied. */
export function routeOf(
	operation: Operation<unknown, unknown>,
	override: OperationProfile | undefined,
	{ mapper }: Profile,
	input: unknown,
): ChosenRoute {
	if (mapper !== undefined) return mapper.routeOf(operation, override, input);
	const { method = operation.method, path = operation.path } = override ?? {};
	return { method, pathTemplate: path, request: undefined };
}

/**
 * Splits an operation's flat input into path, query and body; renames fields that have another name on the wire.
 * @param input - a copy of the caller's input: a profile's codec may get this very object.
 * @param id - 32 hex digits, for the UUID of a map. @default random ones
 */
export function splitInput(
	operation: Operation<unknown, unknown>,
	input: Record<string, unknown>,
	override: OperationProfile | undefined,
	profile: Profile = {},
	id?: string,
): RequestParts {
	const route = routeOf(operation, override, profile, input);
	const { method, pathTemplate } = route;
	if (route.request !== undefined && profile.mapper !== undefined) {
		const parts = profile.mapper.encode(operation, route, input, { profile, id });
		return { method, pathTemplate, path: writePath(pathTemplate, parts.params), ...parts };
	}
	const { wireNames } = operation;
	const renamed = { ...input };
	for (const [name, wireName] of Object.entries(wireNames)) {
		if (!Object.hasOwn(input, name)) continue;
		delete renamed[name];
		renamed[wireName] = input[name];
	}
	let fields: unknown = renamed;
	try {
		if (override?.request?.encode !== undefined) fields = override.request.encode(renamed);
	} catch {
		// Reported below: a codec's own message may quote the input.
		fields = undefined;
	}
	if (!isJsonObject(fields)) {
		throw new InputError(`profile.operations["${operation.id}"].request.encode failed on this input`);
	}
	const params: Record<string, unknown> = {};
	const rest = { ...fields };
	for (const name of pathParameters(pathTemplate)) {
		params[name] = fields[name];
		delete rest[name];
	}
	const path = writePath(pathTemplate, params);
	if (usesQuery(method)) return { method, pathTemplate, path, params, query: rest, body: undefined };
	const body = Object.keys(rest).length === 0 ? undefined : rest;
	return { method, pathTemplate, path, params, query: {}, body };
}

/** Writes the parts into a URL under the base URL, and into canonical bytes. */
export function prepareRequest(
	{ method, pathTemplate, path, query, body, headers }: RequestParts,
	base: BaseUrl,
	profile: Profile | undefined,
): PreparedRequest {
	if (method === "GET" && body !== undefined) throw invalidInput("body", "isn't allowed with GET");
	const urlWithoutQuery = base.href + path;
	const url = urlWithoutQuery + writeQuery(query);
	// Behind a base URL, anything that starts with a slash can be parsed.
	const parsedUrl = path.startsWith("/") ? parseUrl(url) : undefined;
	// The URL's path must be exactly the given one: no other path may be signed.
	if (parsedUrl === undefined || parsedUrl.origin + parsedUrl.pathname !== urlWithoutQuery) {
		throw new ConfigurationError(
			`${method} ${pathTemplate}: the path would change in the URL, e.g. by the removal of dot segments`,
		);
	}
	return { method, url: parsedUrl.href, base, parsedUrl, body: writeBody(body, profile), headers };
}

/** The last URL that was parsed: most calls of a client have the same one. */
let lastUrl: { readonly text: string; readonly parsed: URL } | undefined;

function parseUrl(text: string): URL {
	if (lastUrl?.text !== text) lastUrl = { text, parsed: new URL(text) };
	return lastUrl.parsed;
}

/** Fills in a template. Every value is escaped; an empty one or a dot segment is rejected. */
export function writePath(template: string, params: Readonly<Record<string, unknown>>): string {
	return template.replace(/\{(\w+)\}/g, (_, name: string) => {
		const value = params[name];
		const segment = isWritable(value) ? String(value) : "";
		if (segment === "" || segment === "." || segment === ".." || !segment.isWellFormed()) {
			throw invalidInput(name, "must be a non-empty string that is valid in a path");
		}
		return encodeURIComponent(segment);
	});
}

/** Whether a value has one form in a URL: NaN and a function would be sent as words. */
function isWritable(value: unknown): boolean {
	return typeof value === "string" || Number.isFinite(value);
}

function writeQuery(parameters: Readonly<Record<string, unknown>>): string {
	const search = new URLSearchParams();
	for (const [name, value] of Object.entries(parameters)) {
		const shown = isWord(name) ? name : "query";
		for (const item of Array.isArray(value) ? value : [value]) {
			if (item === undefined || item === null) continue;
			if (!isWritable(item) && typeof item !== "boolean")
				throw invalidInput(shown, "must be a string, a number or an array of them");
			const string = String(item);
			if (!string.isWellFormed()) throw invalidInput(shown, "must not contain a lone surrogate");
			search.append(name, string);
		}
	}
	const query = search.toString();
	return query === "" ? "" : `?${query}`;
}

/** The canonical bytes of a body. @throws InputError when it has none. */
export function writeBody(body: unknown, profile: Profile | undefined): Bytes | undefined {
	try {
		return bodyBytes(body, profile?.signing);
	} catch (error) {
		throw error instanceof ConfigurationError ? error : noCanonicalForm(error);
	}
}

/** The error for an input without canonical JSON, from what writing it threw. */
export function noCanonicalForm(error: unknown): InputError {
	// An error from the caller's `toJSON` or getter could contain anything, so only ours is shown.
	const cause = error instanceof CanonicalJsonError ? error : undefined;
	const reason = cause?.message ?? "it can't be serialized as JSON";
	const issues = [{ path: "", message: reason }];
	return new InputError(`The body can't be sent as JSON: ${reason}`, issues, cause && { cause });
}

/** Turns an input into a plain copy without `undefined`; rejects a value that is not an object. */
export function normalizeInput(input: unknown): Record<string, unknown> {
	let plain: unknown;
	try {
		plain = dropUndefined(input);
	} catch {
		throw new InputError("The input couldn't be read: one of its getters threw");
	}
	if (!isJsonObject(plain)) {
		throw new InputError("The input must be an object", [{ path: "", message: "must be an object" }]);
	}
	return plain;
}
