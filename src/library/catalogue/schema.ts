import * as z from "zod/mini";

/**
 * Checks a value. Zod, valibot, arktype and other libraries implement this Standard Schema interface: hand any of their
 * schemas to `defineOperation`.
 * @see https://standardschema.dev
 */
export interface Schema<Output> {
	readonly "~standard": {
		readonly version: 1;
		readonly vendor: string;
		readonly validate: (value: unknown) => SchemaResult<Output> | Promise<SchemaResult<Output>>;
		readonly types?: { readonly input: unknown; readonly output: Output } | undefined;
	};
}

/** The result of a {@link Schema} for a value. */
export type SchemaResult<Output> =
	| { readonly value: Output; readonly issues?: undefined }
	| { readonly issues: readonly SchemaIssue[] };

/** One mismatch between a value and a {@link Schema}. */
export interface SchemaIssue {
	readonly message: string;
	readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** A string with known values that complete in the editor. Unknown values pass through. */
export type OpenEnum<Known extends string> = Known | (string & Record<never, never>);

/**
 * Annotations of schemas for the OpenAPI document: the name of the interface as `id`, and JSON Schema keywords that
 * cannot be derived from the checks.
 */
export const schemaNotes = z.registry<{ id?: string; [keyword: string]: unknown }>();

/** A string schema whose known values are only documentation: new values must not fail. */
export function openEnum<const Known extends string>(
	known: readonly Known[],
): z.ZodMiniType<OpenEnum<Known>> {
	// The same set of values at run time; the type only adds completion.
	return z.string().register(schemaNotes, { examples: known }) as z.ZodMiniType<OpenEnum<Known>>;
}

/** A type without index signatures, at every depth: loose objects compare by their declared fields. */
type Declared<T> = T extends readonly unknown[]
	? { [Index in keyof T]: Declared<T[Index]> }
	: T extends object
		? { [Key in keyof T as string extends Key ? never : Key]: Declared<T[Key]> }
		: T;

type Equal<Left, Right> =
	(<T>() => T extends Left ? 1 : 2) extends <T>() => T extends Right ? 1 : 2 ? true : false;

/** `unknown` if both types are equal; otherwise a property that no schema has, named after the reason. */
type MustEqual<Left, Right> =
	Equal<Declared<Left>, Declared<Right>> extends true ? unknown : { "schema and interface differ": never };

/**
 * Ties a schema to the interface that users see. This only compiles if both have the same fields, with the same
 * optional and nullable ones. At run time only the interface's name remains.
 */
export function schemaOf<Interface>(name: string) {
	return <S extends z.ZodMiniType>(schema: S & MustEqual<z.output<S>, Interface>): z.ZodMiniType<Interface> =>
		// The parameter's type proves that they are equal except for index signatures.
		(schema as unknown as z.ZodMiniType<Interface>).register(schemaNotes, { id: name });
}

/** A UUID in a response or event. Its form is not checked: a different id must not fail. */
export const receivedUuid = z.string().register(schemaNotes, { format: "uuid" });

/** Milliseconds in a response. That they are an integer is not checked: a fraction must not fail. */
export const receivedMilliseconds = z.number().register(schemaNotes, { type: "integer", format: "int64" });
