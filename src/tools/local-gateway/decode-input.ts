import { describeIssue, validateOwn } from "../../library/catalogue/check.ts";
import { allowsHandles } from "../../library/catalogue/handle.ts";
import type { OperationId } from "../../library/catalogue/index.ts";
import { findExcesses } from "../../library/catalogue/limits.ts";
import type { Operation } from "../../library/catalogue/operation.ts";
import type { SchemaIssue } from "../../library/catalogue/schema.ts";
import type { FieldError } from "../../library/errors.ts";
import { isJsonObject } from "../../library/is-object.ts";
import { decodeUtf8 } from "../../library/signing/bytes.ts";
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
	request: InputParts,
	{ profile, limits, unknownFields }: Pick<GatewaySettings, "profile" | "limits" | "unknownFields">,
): Promise<Input> {
	const fields = readFields(request);
	const wireFields = profile.operations?.[operation.id]?.request?.decode?.(fields) ?? fields;
	const { input, misnamed } = toOurNames(wireFields, operation.wireNames);
	if (unknownFields === "ignored") await removeUnknown(operation, input);
	const result = await validateOwn(operation.input, input, allowsHandles(profile));
	const errors = [
		...(unknownFields === "ignored" ? [] : misnamed.map(unknownField)),
		...[
			...(result.issues ?? []),
			...findExcesses(input, limits).map(({ path, message }) => ({ path: [path], message })),
		].flatMap((issue) => toFieldErrors(operation, issue, input)),
	];
	if (result.issues === undefined && errors.length === 0) return result.value;
	throw invalidFields(errors);
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
	return { field, issue: UNKNOWN_FIELD, message: "is not known" };
}

function toFieldErrors(
	{ input: schema, wireNames }: Pick<Operation<unknown, unknown>, "input" | "wireNames">,
	issue: SchemaIssue & { readonly code?: unknown; readonly keys?: unknown },
	input: InputFields,
): FieldError[] {
	const { path, message } = describeIssue(schema, issue);
	if (issue.code === "unrecognized_keys" && Array.isArray(issue.keys)) {
		return issue.keys.map((key) => unknownField(path === "" ? String(key) : `${path}.${String(key)}`));
	}
	const [head = "", ...rest] = path.split(".");
	const field = [wireNames[head] ?? head, ...rest].join(".");
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
