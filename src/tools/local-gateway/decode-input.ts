import { describeIssue, validateOwn } from "../../library/catalogue/check.ts";
import { allowsHandles } from "../../library/catalogue/handle.ts";
import type { OperationId } from "../../library/catalogue/index.ts";
import { namesPath } from "../../library/catalogue/known-path.ts";
import { findExcesses } from "../../library/catalogue/limits.ts";
import type { Operation } from "../../library/catalogue/operation.ts";
import type { RequestMap, RouteMap } from "../../library/catalogue/operation-map.ts";
import type { OperationProfile } from "../../library/catalogue/profile.ts";
import type { SchemaIssue } from "../../library/catalogue/schema.ts";
import type { FieldError } from "../../library/errors.ts";
import { isJsonObject } from "../../library/is-object.ts";
import { routesIn } from "../../library/maps/choose-route.ts";
import { decodeUtf8 } from "../../library/signing/bytes.ts";
import { type MappedInput, readMappedRequest } from "./maps/read-mapped-request.ts";
import { inputOfRoute } from "./maps/route-choice.ts";
import { invalidField, invalidFields } from "./request-rejection.ts";
import type { RouteMatch } from "./router.ts";
import type { GatewaySettings } from "./settings.ts";

type InputFields = Record<string, unknown>;

/** The parts of a request that hold an operation's input. */
export interface InputParts {
	readonly match: Pick<RouteMatch, "parameters">;
	readonly query: URLSearchParams;
	readonly body: Uint8Array;
}

/** The parts of a request to one of the gateway's operations. */
export interface RoutedParts extends InputParts {
	readonly match: Pick<RouteMatch, "parameters" | "route">;
	readonly headers: Headers;
}

type DecodeSettings = Pick<GatewaySettings, "profile" | "limits" | "unknownFields">;

/** The `issue` of a field that no schema names. */
const UNKNOWN_FIELD = "unknown_field";

/** The fields in queries that are numbers, of the gateway's operations and its control's. */
const NUMBERS = new Set(["limit", "after", "before", "maxConsecutiveMessages", "durationMs", "partIndex"]);

/** Those that are true or false. */
const FLAGS = new Map([
	["true", true],
	["false", false],
]);
const FLAG_NAMES = new Set(["failed", "probe"]);

/**
 * Builds an operation's input from path, query and body. It undoes what the client does: first the profile's
 * encoding, then the names of the wire.
 *
 * @throws RequestRejection when a part cannot be decoded, or the input is invalid.
 */
export async function decodeInput<Input>(
	operation: Operation<Input, unknown, OperationId>,
	request: RoutedParts,
	settings: DecodeSettings,
): Promise<Input> {
	const { value, errors } = await readInput(operation, request, settings);
	if (value !== undefined && errors.length === 0) return value;
	throw invalidFields(errors);
}

/** Of the routes with one method and path, the one whose operation has the fewest objections to the request. */
export async function chooseMatch(
	matches: readonly RouteMatch[],
	request: Omit<RoutedParts, "match">,
	settings: DecodeSettings,
): Promise<RouteMatch | undefined> {
	const [only, ...others] = matches;
	if (others.length === 0) return only;
	const judged = await Promise.all(
		matches.map(async (match) => {
			const operation: Operation<unknown, unknown, OperationId> = match.operation;
			const objections = await readInput(operation, { ...request, match }, settings).then(
				({ errors }) => errors.length,
				// A body that is no JSON is none for any of them.
				() => Number.POSITIVE_INFINITY,
			);
			return { match, objections, isForRest: match.route.when === undefined };
		}),
	);
	judged.sort(
		(a, b) =>
			(a.objections === b.objections ? 0 : a.objections - b.objections) ||
			Number(a.isForRest) - Number(b.isForRest),
	);
	return judged[0]?.match;
}

/** Reads and checks an input. @throws RequestRejection when a part cannot be decoded. */
async function readInput<Input>(
	operation: Operation<Input, unknown, OperationId>,
	request: RoutedParts,
	{ profile, limits, unknownFields }: DecodeSettings,
): Promise<{ readonly value: Input | undefined; readonly errors: readonly FieldError[] }> {
	const { route } = request.match;
	const override = profile.operations?.[operation.id];
	const read =
		route.request === undefined
			? readPlain(operation, request, override)
			: readMapped(operation, request, route.request);
	const others = routesIn(operation, override).slice(1);
	const input = { ...inputOfRoute(route, others, operation.input), ...read.input };
	if (unknownFields === "ignored") await removeUnknown(operation, input);
	const result = await validateOwn(operation.input, input, allowsHandles(profile));
	const placeOf = (path: string): string => placeOfField(operation, route.request, path);
	const errors = [
		...read.wrong.map(wrongField),
		...missingFields(route, input),
		...(unknownFields === "ignored" ? [] : read.unknown.map(unknownField)),
		...[
			...(result.issues ?? []),
			...findExcesses(input, limits).map(({ path, message }) => ({ path: [path], message })),
		].flatMap((issue) => toFieldErrors(operation, issue, input, placeOf)),
	];
	return { value: result.issues === undefined ? result.value : undefined, errors };
}

/** The input of an operation whose fields keep their names and places, or have a function of the profile. */
function readPlain(
	operation: Operation<unknown, unknown, OperationId>,
	request: InputParts,
	override: OperationProfile | undefined,
): MappedInput {
	const fields = readFields(request);
	const wireFields = override?.request?.decode?.(fields) ?? fields;
	const { input, misnamed } = toOurNames(wireFields, operation.wireNames);
	return { input, unknown: misnamed, wrong: [] };
}

function readMapped(
	operation: Operation<unknown, unknown, OperationId>,
	{ match, query, headers, body }: RoutedParts,
	map: RequestMap,
): MappedInput {
	const params = readPath(match.parameters);
	const readable = { input: operation.input, readText: readValue };
	const read = readMappedRequest(map, { params, query, headers, body: readJson(body) }, readable);
	if (namesPath(operation.input, "from")) return read;
	// A default sender, where only the gateway asks for it.
	const { from: _, ...input } = read.input;
	return { ...read, input };
}

/** The fields that the route's condition needs. */
function missingFields({ when = {} }: Pick<RouteMap, "when">, input: InputFields): FieldError[] {
	return Object.entries(when).flatMap(([field, wanted]) => {
		const given = input[field];
		if (wanted === true)
			return given === undefined ? [{ field, issue: "required", message: "is required" }] : [];
		return given === wanted ? [] : [wrongField(field)];
	});
}

/** Where a field of ours is on the wire. */
function placeOfField(
	{ wireNames }: Pick<Operation<unknown, unknown>, "wireNames">,
	map: RequestMap | undefined,
	path: string,
): string {
	const [head = "", ...rest] = path.split(".");
	if (map === undefined) return [wireNames[head] ?? head, ...rest].join(".");
	const [place] = Object.entries(map).find(([, source]) => sourceField(source) === head) ?? [path];
	return place.replace(/^\?|^header:|[{}]/g, "");
}

function sourceField(source: RequestMap[string]): string | undefined {
	if (typeof source === "string") return source.split(".")[0];
	return "from" in source ? source.from : "each" in source ? source.each : undefined;
}

function wrongField(place: string): FieldError {
	return { field: place, issue: "invalid", message: "isn't what this route needs" };
}

/** The fields of path, query and body, by their names on the wire. @throws RequestRejection when one cannot be decoded. */
export function readFields({ match, query, body }: InputParts): InputFields {
	return { ...readQuery(query), ...readJson(body), ...readPath(match.parameters) };
}

async function removeUnknown<Input>(
	operation: Operation<Input, unknown, OperationId>,
	input: InputFields,
): Promise<void> {
	const { issues = [] } = await validateOwn(operation.input, input);
	for (const { field, issue } of issues.flatMap((each) => toFieldErrors(operation, each, input))) {
		if (issue === UNKNOWN_FIELD) removeAt(input, field.split("."));
	}
}

function readPath(parameters: Readonly<Record<string, string>>): InputFields {
	return Object.fromEntries(
		Object.entries(parameters).map(([name, value]) => {
			try {
				return [name, decodeURIComponent(value)];
			} catch {
				throw invalidField(name, "must be percent-encoded UTF-8");
			}
		}),
	);
}

function readQuery(query: URLSearchParams): InputFields {
	const fields: InputFields = {};
	for (const name of new Set(query.keys())) {
		const [value, ...more] = query.getAll(name).map((item) => readValue(name, item));
		fields[name] = more.length === 0 ? value : [value, ...more];
	}
	return fields;
}

function readValue(name: string, value: string): unknown {
	if (NUMBERS.has(name) && /^-?\d+(\.\d+)?$/.test(value)) return Number(value);
	return FLAG_NAMES.has(name) ? (FLAGS.get(value) ?? value) : value;
}

function readJson(body: Uint8Array): InputFields {
	if (body.length === 0) return {};
	let value: unknown;
	try {
		value = JSON.parse(decodeUtf8(body));
	} catch {
		throw invalidField("", "the body must be JSON");
	}
	if (isJsonObject(value)) return value;
	throw invalidField("", "the body must be a JSON object");
}

/** Renames fields from the wire; `misnamed` are those that arrive under our name instead of their wire name. */
function toOurNames(
	fields: InputFields,
	wireNames: Readonly<Record<string, string>>,
): { input: InputFields; misnamed: string[] } {
	const ourNames = new Map(Object.entries(wireNames).map(([ours, wire]) => [wire, ours]));
	const known = Object.entries(fields).filter(([name]) => !Object.hasOwn(wireNames, name));
	return {
		input: Object.fromEntries(known.map(([name, value]) => [ourNames.get(name) ?? name, value])),
		misnamed: Object.keys(fields).filter((name) => Object.hasOwn(wireNames, name)),
	};
}

function unknownField(field: string): FieldError {
	return { field, issue: UNKNOWN_FIELD, message: "isn't known" };
}

function toFieldErrors(
	{ input: schema }: Pick<Operation<unknown, unknown>, "input">,
	issue: SchemaIssue & { readonly code?: unknown; readonly keys?: unknown },
	input: InputFields,
	placeOf: (path: string) => string = (path) => path,
): FieldError[] {
	const { path, message } = describeIssue(schema, issue);
	if (issue.code === "unrecognized_keys" && Array.isArray(issue.keys)) {
		return issue.keys.map((key) => unknownField(path === "" ? String(key) : `${path}.${String(key)}`));
	}
	const field = placeOf(path);
	const isMissing = path !== "" && !hasValueAt(input, path.split("."));
	return [
		isMissing ? { field, issue: "required", message: "is required" } : { field, issue: "invalid", message },
	];
}

function removeAt(value: unknown, [head = "", ...rest]: readonly string[]): void {
	if (typeof value !== "object" || value === null) return;
	if (rest.length === 0) Reflect.deleteProperty(value, head);
	else removeAt(Reflect.get(value, head), rest);
}

function hasValueAt(value: unknown, [head, ...rest]: readonly string[]): boolean {
	if (head === undefined) return value !== undefined;
	if (typeof value !== "object" || value === null) return false;
	return hasValueAt(Reflect.get(value, head), rest);
}
