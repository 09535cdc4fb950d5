import { describeIssue, isJsonObject, validateOwn } from "../catalogue/check.ts";
import type { Operation } from "../catalogue/operation.ts";
import type { OperationProfile } from "../catalogue/profile.ts";
import type { SchemaIssue } from "../catalogue/schema.ts";
import type { FieldError } from "../errors.ts";
import { refuseField, refuseFields } from "./refusal.ts";
import type { RouteMatch } from "./router.ts";

type Fields = Record<string, unknown>;
type WireNames = Readonly<Record<string, string>>;

/** The numbers of the catalogue, which a query can only hold as text. */
const NUMBERS = new Set(["limit", "after", "before", "maxConsecutiveMessages", "durationMs", "partIndex"]);

/**
 * Puts an operation's input together from path, query and body, and undoes what the client does to it: the
 * profile's encoding first, then the wire's names.
 *
 * @throws Refusal when a part cannot be decoded, or the input does not fit the operation.
 */
export async function decodeInput<Input>(
	operation: Operation<Input, unknown>,
	request: { match: RouteMatch; query: URLSearchParams; body: Uint8Array },
	profile: OperationProfile | undefined,
): Promise<Input> {
	const fields: Fields = {
		...readQuery(request.query),
		...readJson(request.body),
		...readPath(request.match.parameters),
	};
	const wireFields = profile?.request?.decode?.(fields) ?? fields;
	const { input, misnamed } = toOurNames(wireFields, operation.wireNames);
	const result = await validateOwn(operation.input, input);
	if (result.issues === undefined && misnamed.length === 0) return result.value;
	const errors = (result.issues ?? []).flatMap((issue) => toFieldErrors(operation, issue, input));
	throw refuseFields([...misnamed.map(unknownField), ...errors]);
}

function readPath(parameters: Readonly<Record<string, string>>): Fields {
	return Object.fromEntries(
		Object.entries(parameters).map(([name, text]) => {
			try {
				return [name, decodeURIComponent(text)];
			} catch {
				throw refuseField(name, "must be percent-encoded UTF-8");
			}
		}),
	);
}

function readQuery(query: URLSearchParams): Fields {
	const fields: Fields = {};
	for (const name of new Set(query.keys())) {
		const [value, ...more] = query.getAll(name).map((text) => readQueryValue(name, text));
		fields[name] = more.length === 0 ? value : [value, ...more];
	}
	return fields;
}

function readQueryValue(name: string, text: string): string | number {
	return NUMBERS.has(name) && /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text;
}

function readJson(body: Uint8Array): Fields {
	if (body.length === 0) return {};
	let value: unknown;
	try {
		value = JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(body));
	} catch {
		throw refuseField("", "the body must be JSON");
	}
	if (isJsonObject(value)) return value;
	throw refuseField("", "the body must be a JSON object");
}

/** On the wire only the wire's names are known: one of ours that differs is a mistake there. */
function toOurNames(fields: Fields, wireNames: WireNames): { input: Fields; misnamed: string[] } {
	const ourNames = new Map(Object.entries(wireNames).map(([ours, wire]) => [wire, ours]));
	const known = Object.entries(fields).filter(([name]) => !Object.hasOwn(wireNames, name));
	return {
		input: Object.fromEntries(known.map(([name, value]) => [ourNames.get(name) ?? name, value])),
		misnamed: Object.keys(fields).filter((name) => Object.hasOwn(wireNames, name)),
	};
}

function unknownField(field: string): FieldError {
	return { field, issue: "unknown_field", message: "is not known" };
}

function toFieldErrors(
	{ input: schema, wireNames }: Pick<Operation<unknown, unknown>, "input" | "wireNames">,
	issue: SchemaIssue & { readonly code?: unknown; readonly keys?: unknown },
	input: Fields,
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

function hasValueAt(value: unknown, [head, ...rest]: readonly string[]): boolean {
	if (head === undefined) return value !== undefined;
	if (typeof value !== "object" || value === null) return false;
	return hasValueAt(Reflect.get(value, head), rest);
}
