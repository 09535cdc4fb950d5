import * as z from "zod/mini";

/**
 * A schema that can check a value: the Standard Schema interface, which zod, valibot, arktype and others
 * implement. Hand any of them to `defineOperation`.
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

/** What a {@link Schema} says of a value. */
export type SchemaResult<Output> =
	| { readonly value: Output; readonly issues?: undefined }
	| { readonly issues: readonly SchemaIssue[] };

/** One way in which a value does not fit a {@link Schema}. */
export interface SchemaIssue {
	readonly message: string;
	readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** A text with known values that complete in the editor; an unknown value passes through. */
export type OpenEnum<Known extends string> = Known | (string & Record<never, never>);

/**
 * What schemas say beside their checks, for the OpenAPI document: the name of their interface as `id`, and
 * keywords of JSON Schema for what the checks cannot tell.
 */
export const schemaNotes = z.registry<{ id?: string; [keyword: string]: unknown }>();

/** A schema of a text whose known values are documentation: a value that is new tomorrow must not fail. */
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

/** Nothing to add where the two are the same; otherwise a property that no schema has, named as the reason. */
type MustEqual<Left, Right> =
	Equal<Declared<Left>, Declared<Right>> extends true ? unknown : { "schema and interface differ": never };

/**
 * Ties a schema to the interface that users see: they must have the same fields, optional and nullable
 * alike, or this does not compile. The interface's name is all of it that is left at run time.
 */
export function schemaOf<Interface>(name: string) {
	return <S extends z.ZodMiniType>(schema: S & MustEqual<z.output<S>, Interface>): z.ZodMiniType<Interface> =>
		// Equal but for index signatures, as the parameter's type has just proved.
		(schema as unknown as z.ZodMiniType<Interface>).register(schemaNotes, { id: name });
}

/** What a number that is not E.164 is told; the one message that `checkPhoneNumbers: false` lets pass. */
export const PHONE_NUMBER_MESSAGE = "must be an E.164 number: + and 8 to 15 digits, such as +15551234567";

/** A UUID on its way in. Its form is not checked: what is not as documented must not fail. */
export const receivedUuid = z.string().register(schemaNotes, { format: "uuid" });
