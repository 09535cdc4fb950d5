import { dropUndefined, isJsonObject } from "../catalogue/check.ts";
import { type HttpMethod, type Operation, pathParameters, usesQuery } from "../catalogue/operation.ts";
import type { OperationProfile, Profile } from "../catalogue/profile.ts";
import { isWord } from "../check-options.ts";
import { CanonicalJsonError, ConfigurationError, InputError } from "../errors.ts";
import type { Bytes } from "../signing/bytes.ts";
import { bodyBytes } from "../signing/dialect.ts";
import type { BaseUrl } from "./base-url.ts";

/** The parts of a request, before they are written into a URL and bytes. */
export interface RequestParts {
	method: HttpMethod;
	/** The path with `{name}` for its parameters: what errors, hooks and logs show. */
	pathTemplate: string;
	/** The escaped path. */
	path: string;
	/** What stands in the path, unescaped. */
	params: Readonly<Record<string, unknown>>;
	query: Readonly<Record<string, unknown>>;
	/** `undefined` for a request without a body. */
	body: unknown;
}

/** A request that is ready to be signed and sent, as often as needed. */
export interface PreparedRequest {
	method: string;
	/** The absolute URL. */
	url: string;
	/** The base address that it stands under. */
	base: BaseUrl;
	/** The same, parsed: its path and query are those that will stand on the request line. */
	parsedUrl: URL;
	/** The bytes that are hashed, and sent. */
	body: Bytes | undefined;
}

/** Where an operation is in the caller's profile. */
export function routeOf(
	operation: Operation<unknown, unknown>,
	override: OperationProfile | undefined,
): Pick<RequestParts, "method" | "pathTemplate"> {
	const { method = operation.method, path = operation.path } = override ?? {};
	return { method, pathTemplate: path };
}

/**
 * Splits an operation's flat input into path, query and body; renames fields that the wire calls otherwise.
 * @param input - a copy of what the caller gave: a profile's codec may get this very object.
 */
export function splitInput(
	operation: Operation<unknown, unknown>,
	input: Record<string, unknown>,
	override: OperationProfile | undefined,
): RequestParts {
	const { method, pathTemplate } = routeOf(operation, override);
	const renamed = renameFields(input, operation.wireNames);
	const fields = runCodec(override?.request?.encode, renamed, operation.id);
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

function renameFields(
	input: Record<string, unknown>,
	names: Readonly<Record<string, string>>,
): Record<string, unknown> {
	if (!Object.keys(names).some((name) => Object.hasOwn(input, name))) return input;
	const nameOf = (name: string) => (Object.hasOwn(names, name) && names[name]) || name;
	return Object.fromEntries(Object.entries(input).map(([name, value]) => [nameOf(name), value]));
}

/** Writes the parts into a URL and canonical bytes. */
export function prepareRequest(
	parts: RequestParts,
	base: BaseUrl,
	profile: Profile | undefined,
): PreparedRequest {
	if (parts.method === "GET" && parts.body !== undefined) throw invalidField("body", "cannot go with a GET");
	const parsedUrl = writeUrl(parts, base);
	return {
		method: parts.method,
		url: parsedUrl.href,
		base,
		parsedUrl,
		body: writeBody(parts.body, profile),
	};
}

/** The URL under the base address, checked to have the very path that was written: no other one may be signed. */
function writeUrl({ method, pathTemplate, path, query }: RequestParts, base: BaseUrl): URL {
	const address = base.href + path;
	const text = address + writeQuery(query);
	const url = URL.canParse(text) ? new URL(text) : undefined;
	if (path.startsWith("/") && url !== undefined && url.origin + url.pathname === address) return url;
	throw new ConfigurationError(
		`${method} ${pathTemplate}: the path would be requested as another one, such as with its dot segments removed`,
	);
}

/** Fills a template in. Every value is escaped; one that would vanish or climb is refused. */
export function writePath(template: string, params: Readonly<Record<string, unknown>>): string {
	return template.replace(/\{(\w+)\}/g, (_, name: string) => {
		const value = params[name];
		const text = typeof value === "string" || typeof value === "number" ? String(value) : "";
		if (text === "" || text === "." || text === ".." || !text.isWellFormed()) {
			throw invalidField(name, "must be a text that can stand in a path");
		}
		return encodeURIComponent(text);
	});
}

function writeQuery(query: Readonly<Record<string, unknown>>): string {
	const search = new URLSearchParams();
	for (const [name, value] of Object.entries(query)) {
		const shown = isWord(name) ? name : "query";
		for (const item of Array.isArray(value) ? value : [value]) {
			if (item === undefined || item === null) continue;
			if (typeof item === "object") throw invalidField(shown, "must be a string, a number or a list of them");
			const text = String(item);
			if (!text.isWellFormed()) throw invalidField(shown, "must not hold half of a surrogate pair");
			search.append(name, text);
		}
	}
	const text = search.toString();
	return text === "" ? "" : `?${text}`;
}

/** The canonical bytes of a body. @throws InputError when it has none. */
export function writeBody(body: unknown, profile: Profile | undefined): Bytes | undefined {
	try {
		return bodyBytes(body, profile?.signing);
	} catch (error) {
		if (error instanceof ConfigurationError) throw error;
		// The message of a `toJSON` or getter of the caller's could hold anything, so only ours is repeated.
		const reason = error instanceof CanonicalJsonError ? error.message : "it could not be written as JSON";
		throw new InputError(`the body has no canonical form: ${reason}`, [{ path: "", message: reason }]);
	}
}

function runCodec(
	encode: ((fields: Record<string, unknown>) => Record<string, unknown>) | undefined,
	fields: Record<string, unknown>,
	operationId: string,
): Record<string, unknown> {
	if (encode === undefined) return fields;
	let encoded: unknown;
	try {
		encoded = encode(fields);
	} catch {
		// Told below: a codec's own words may repeat the input.
	}
	if (isJsonObject(encoded)) return encoded;
	throw new InputError(`profile.operations["${operationId}"].request.encode failed on this input`);
}

function invalidField(name: string, message: string): InputError {
	return new InputError(`${name} ${message}`, [{ path: name, message }]);
}

/** Turns an input into a plain copy without `undefined`; refuses what is not an object. */
export function normalizeInput(input: unknown): Record<string, unknown> {
	let plain: unknown;
	try {
		plain = dropUndefined(input);
	} catch {
		throw new InputError("the input could not be read: one of its getters failed");
	}
	if (!isJsonObject(plain)) {
		throw new InputError("the input must be an object", [{ path: "", message: "must be an object" }]);
	}
	return plain;
}
