import { isJsonObject, isPlainObject } from "../../is-object.ts";
import {
	type Check,
	type Details,
	type Issue,
	type OptionalField,
	type output,
	type Parse,
	type Registry,
	ZodMiniType,
} from "./type.ts";

/** A string without checks: the only keys that a record can have. */
class AnyString extends ZodMiniType<string> {
	readonly isKey = true;
}

export function string(): AnyString {
	return new AnyString({ type: "string" }, accept(isString, expected("string")));
}

export function base64(message?: string): ZodMiniType<string> {
	const find = (value: string) => (isBase64(value) ? undefined : { code: "invalid_format" });
	return new ZodMiniType(
		{ type: "string" },
		accept(isString, expected("string", message)),
		[{ find }],
		message,
	);
}

export function number(): ZodMiniType<number> {
	return new ZodMiniType({ type: "number" }, accept(Number.isFinite, expected("number")));
}

/** A safe integer; also a check of numbers. */
export function int(message?: string): ZodMiniType<number> & Check<number> {
	const find = (value: number): Details | undefined => {
		if (Number.isSafeInteger(value)) return undefined;
		if (!Number.isInteger(value)) return { ...expected("int", message), continue: false };
		return value > 0
			? { code: "too_big", maximum: Number.MAX_SAFE_INTEGER, message }
			: { code: "too_small", minimum: Number.MIN_SAFE_INTEGER, message };
	};
	const parse = accept(Number.isFinite, expected("number", message));
	return Object.assign(new ZodMiniType<number>({ type: "number" }, parse, [{ find }], message), { find });
}

export function boolean(): ZodMiniType<boolean> {
	return new ZodMiniType({ type: "boolean" }, accept(isBoolean, expected("boolean")));
}

export function unknown(): ZodMiniType {
	return new ZodMiniType({ type: "unknown" }, (value) => value);
}

export function literal<const Value extends string | number | boolean>(only: Value): ZodMiniType<Value> {
	return new ZodMiniType(
		{ type: "literal" },
		accept((value) => value === only, { code: "invalid_value", values: [only] }),
	);
}

function enumOf<const Value extends string>(known: readonly Value[], message?: string): ZodMiniType<Value> {
	const isKnown = (value: unknown) => known.some((each) => each === value);
	return new ZodMiniType(
		{ type: "enum", entries: { ...known } },
		accept(isKnown, { code: "invalid_value", values: known, message }),
		[],
		message,
	);
}

export { enumOf as enum };

export function nullable<Output>(innerType: ZodMiniType<Output>): ZodMiniType<Output | null> {
	const run: Parse = (value, issues) => (value === null ? value : innerType.run(value, issues));
	return new ZodMiniType({ type: "nullable", innerType }, run);
}

export function readonly<Output>(innerType: ZodMiniType<Output>): ZodMiniType<Readonly<Output>> {
	return new ZodMiniType({ type: "readonly", innerType }, innerType.run);
}

export function optional<Output>(innerType: ZodMiniType<Output>): OptionalField<Output | undefined> {
	const run: Parse = (value, issues) => (value === undefined ? value : innerType.run(value, issues));
	return { _zod: { def: { type: "optional", innerType } }, run, isOptional: true };
}

export function exactOptional<Output>(innerType: ZodMiniType<Output>): OptionalField<Output> {
	return { _zod: { def: { type: "optional", innerType } }, run: innerType.run, isOptional: true };
}

export function union<const Options extends readonly [ZodMiniType, ZodMiniType, ...ZodMiniType[]]>(
	options: Options,
	message?: string,
): ZodMiniType<output<Options[number]>> {
	const run: Parse = (value, issues) => {
		const failures: Issue[][] = [];
		for (const option of options) {
			const found: Issue[] = [];
			const result = option.run(value, found);
			if (found.length === 0) return result;
			failures.push(found);
		}
		// If the type of one option alone is right, its issues describe best what is wrong.
		const [closest, ...others] = failures.filter((found) => found.every((issue) => issue.continue === true));
		if (closest !== undefined && others.length === 0) issues.push(...closest);
		else reject(value, issues, { code: "invalid_union", message });
		return value;
	};
	return new ZodMiniType({ type: "union", options }, run, [], message);
}

/** A union of objects, of which the value of one field names one. */
export function discriminatedUnion<const Options extends readonly [ZodMiniType, ...ZodMiniType[]]>(
	discriminator: string,
	options: Options,
	message?: string,
): ZodMiniType<output<Options[number]>> {
	const run: Parse = (value, issues) => {
		if (!isJsonObject(value)) return reject(value, issues, expected("object", message));
		const option = options.find(
			(each) => fieldOf(each, discriminator)?.safeParse(value[discriminator]).success,
		);
		if (option !== undefined) return option.run(value, issues);
		issues.push({ code: "invalid_union", errors: [], discriminator, path: [discriminator], message });
		return value;
	};
	return new ZodMiniType({ type: "union", options, discriminator }, run, [], message);
}

function fieldOf({ _zod }: ZodMiniType, name: string): ZodMiniType | undefined {
	const shape = _zod.def["shape"];
	const field = isJsonObject(shape) ? shape[name] : undefined;
	return field instanceof ZodMiniType ? field : undefined;
}

/** The type of a list with such items. */
type Items<List extends readonly ZodMiniType[]> = { -readonly [Index in keyof List]: output<List[Index]> };

export function tuple<const List extends readonly [ZodMiniType, ...ZodMiniType[]]>(
	items: List,
): ZodMiniType<Items<List>> {
	const { length } = items;
	return new ZodMiniType({ type: "tuple", items }, (value, issues) => {
		if (!Array.isArray(value)) return reject(value, issues, expected("tuple"));
		const limit = { inclusive: true, origin: "array" };
		if (value.length < length) return reject(value, issues, { code: "too_small", minimum: length, ...limit });
		if (value.length > length) reject(value, issues, { code: "too_big", maximum: length, ...limit });
		let result: Record<number, unknown> = value;
		for (const [index, { run }] of items.entries()) {
			result = withMember(result, value, index, runAt(index, run, value[index], issues));
		}
		return result;
	});
}

export function array<Item extends ZodMiniType>(element: Item): ZodMiniType<output<Item>[]> {
	return new ZodMiniType({ type: "array", element }, (value, issues) => {
		if (!Array.isArray(value)) return reject(value, issues, expected("array"));
		let result: Record<number, unknown> = value;
		for (let index = 0; index < value.length; index++) {
			result = withMember(result, value, index, runAt(index, element.run, value[index], issues));
		}
		return result;
	});
}

export function record<Value>(
	_keyType: AnyString,
	valueType: ZodMiniType<Value>,
): ZodMiniType<Record<string, Value>> {
	return new ZodMiniType({ type: "record", valueType }, (value, issues) => {
		if (!isPlainObject(value)) return reject(value, issues, expected("record"));
		const ordinary = toOrdinary(value, []);
		let result = ordinary;
		for (const key of Object.keys(ordinary)) {
			result = withMember(result, ordinary, key, runAt(key, valueType.run, ordinary[key], issues));
		}
		return result;
	});
}

/** The fields of an object. */
type Shape = Readonly<Record<string, ZodMiniType | OptionalField<unknown>>>;

/** The type of an object with such fields. */
type Fields<S extends Shape> = {
	[Name in keyof S as S[Name] extends ZodMiniType ? Name : never]: output<S[Name]>;
} & {
	[Name in keyof S as S[Name] extends ZodMiniType ? never : Name]?: S[Name] extends OptionalField<
		infer Output
	>
		? Output
		: never;
};

/** An object whose other fields are left out. */
export function object<S extends Shape>(shape: S): ZodMiniType<Fields<S>> {
	const names = Object.keys(shape);
	const run = runShape(shape);
	return new ZodMiniType({ type: "object", shape }, (value, issues) => {
		const result = run(value, issues);
		if (!isJsonObject(result)) return result;
		const present = names.filter((name) => name in result);
		return Object.fromEntries(present.map((name) => [name, result[name]]));
	});
}

export function looseObject<S extends Shape>(shape: S): ZodMiniType<Fields<S>> {
	return new ZodMiniType({ type: "object", shape, catchall: unknown() }, runShape(shape));
}

export function strictObject<S extends Shape>(shape: S): ZodMiniType<Fields<S>> {
	const def = { type: "object", shape };
	const run = runShape(shape);
	return new ZodMiniType(def, (value, issues) => {
		const result = run(value, issues);
		const keys: string[] = [];
		if (isJsonObject(value)) for (const key in value) if (!Object.hasOwn(shape, key)) keys.push(key);
		const details = { code: "unrecognized_keys", keys, inst: { _zod: { def } }, continue: true };
		return keys.length === 0 ? result : reject(result, issues, details);
	});
}

function runShape(shape: Shape): Parse {
	const names = Object.keys(shape);
	const fields = Object.entries(shape).map(([name, { run, isOptional }]) => ({ name, run, isOptional }));
	return (value, issues) => {
		if (!isJsonObject(value)) return reject(value, issues, expected("object"));
		const ordinary = toOrdinary(value, names);
		let result = ordinary;
		for (const { name, run, isOptional } of fields) {
			const member = ordinary[name];
			const isAbsent = member === undefined && !(name in ordinary);
			if (isAbsent && isOptional) continue;
			const before = issues.length;
			result = withMember(result, ordinary, name, runAt(name, run, member, issues));
			if (isAbsent && issues.length === before) issues.push({ ...expected("nonoptional"), path: [name] });
		}
		return result;
	};
}

/** Runs a member, and puts its key before the paths of its issues. */
function runAt(key: PropertyKey, run: Parse, value: unknown, issues: Issue[]): unknown {
	const start = issues.length;
	const result = run(value, issues);
	for (let index = start; index < issues.length; index++) issues[index]?.path.unshift(key);
	return result;
}

/** Puts a member that is a copy into a copy of its container; otherwise nothing changes. */
function withMember<Key extends string | number>(
	result: Record<Key, unknown>,
	container: Record<Key, unknown>,
	key: Key,
	member: unknown,
): Record<Key, unknown> {
	if (Object.is(member, container[key])) return result;
	const copy = result === container ? Object.assign(Array.isArray(container) ? [] : {}, container) : result;
	copy[key] = member;
	return copy;
}

function toOrdinary(value: Record<string, unknown>, names: readonly string[]): Record<string, unknown> {
	if (isPlainObject(value) && !Object.hasOwn(value, "__proto__")) return value;
	const keys = names.filter((name) => name in value);
	for (const key in value) if (key !== "__proto__") keys.push(key);
	return Object.fromEntries(keys.map((key) => [key, value[key]]));
}

function isString(value: unknown): boolean {
	return typeof value === "string";
}

function isBoolean(value: unknown): boolean {
	return typeof value === "boolean";
}

function accept(fits: (value: unknown) => boolean, details: Details): Parse {
	return (value, issues) => (fits(value) ? value : reject(value, issues, details));
}

function reject(value: unknown, issues: Issue[], details: Details): unknown {
	issues.push({ ...details, input: value, path: [] });
	return value;
}

function expected(type: string, message?: string): Details {
	return { code: "invalid_type", expected: type, message };
}

/** `atob` allows whitespace, and lacks nothing but the padding. */
function isBase64(value: string): boolean {
	if (/\s/.test(value) || value.length % 4 !== 0) return false;
	try {
		atob(value);
		return true;
	} catch {
		return false;
	}
}

export function registry<Notes>(): Registry<Notes> {
	return {};
}
