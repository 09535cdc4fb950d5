import type { Schema, SchemaIssue } from "../schema.ts";

/** What is wrong with a value: the properties of zod's issues that our messages are made of. */
export interface Details {
	readonly code: string;
	readonly message?: string | undefined;
	/** The keys from the value to the part that is wrong. */
	readonly path?: PropertyKey[];
	/** Which of the schema's later checks run: `true` all, `false` none, otherwise those of a length. */
	readonly continue?: boolean;
	readonly [ingredient: string]: unknown;
}

/** One way in which a value does not fit. */
export type Issue = Details & { readonly path: PropertyKey[] };

/**
 * Adds the issues of a value, and returns it. Only an object of a class, or with an own `__proto__`, is copied: zod's
 * copy has neither.
 */
export type Parse = (value: unknown, issues: Issue[]) => unknown;

/** A check beyond a value's type. */
export interface Check<Value> {
	/** What is wrong with a value. */
	find(value: Value): Details | undefined;
	/** Whether it checks anything that has a length, even if the type is wrong. */
	readonly isOfLength?: boolean;
}

/** A schema's type and parts under zod's names, which paths and messages are derived from. */
type Def = Readonly<Record<string, unknown>> & { readonly type: string };

/** A field that may be absent: no schema, so that only an object can have it. */
export interface OptionalField<Output> {
	readonly _zod: { readonly def: Def };
	readonly run: Parse;
	readonly isOptional: true;
	/** Only a type. */
	readonly output?: Output;
}

/** The type of a valid value. */
export type output<S> = S extends ZodMiniType<infer Output> ? Output : never;

/** Where notes for documents belong, which only zod keeps. */
export type Registry<Notes> = { readonly notes?: Notes };

type SafeParsed<Output> =
	| { readonly success: true; readonly data: Output; readonly error?: never }
	| { readonly success: false; readonly data?: never; readonly error: { readonly issues: SchemaIssue[] } };

/** A schema. */
export class ZodMiniType<Output = unknown> implements Schema<Output> {
	readonly _zod: { readonly def: Def };
	readonly run: Parse;
	readonly isOptional = false;
	readonly #parse: Parse;
	readonly #checks: readonly Check<Output>[];
	readonly #message: string | undefined;

	/** @param message - of the checks that have none. */
	constructor(def: Def, parse: Parse, checks: readonly Check<Output>[] = [], message?: string) {
		this._zod = { def };
		this.#parse = parse;
		this.#checks = checks;
		this.#message = message;
		this.run = checks.length === 0 ? parse : (value, issues) => this.#runChecks(value, issues);
	}

	get "~standard"(): Schema<Output>["~standard"] {
		const validate = (value: unknown) => {
			const { success, data, error } = this.safeParse(value);
			return success ? { value: data } : error;
		};
		return { version: 1, vendor: "messaging-gateway", validate };
	}

	check(...added: Check<Output>[]): ZodMiniType<Output> {
		return new ZodMiniType(this._zod.def, this.#parse, [...this.#checks, ...added], this.#message);
	}

	register<Notes>(_registry: Registry<Notes>, _notes: Notes): this {
		return this;
	}

	safeParse(value: unknown, { error: describe }: { error?(issue: object): string } = {}): SafeParsed<Output> {
		const found: Issue[] = [];
		const data = this.run(value, found);
		// A value without issues is of the schema's type.
		if (found.length === 0) return { success: true, data: data as Output };
		const issues = found.map((issue) => {
			const { inst, input, continue: _, message = describe?.(issue) ?? "Invalid input", ...shown } = issue;
			return { ...shown, message };
		});
		return { success: false, error: { issues } };
	}

	#runChecks(value: unknown, issues: Issue[]): unknown {
		const start = issues.length;
		const tooLong =
			this._zod.def.type === "array" && Array.isArray(value) && findTooLong(this.#checks, value);
		if (tooLong) {
			issues.push({ path: [], ...tooLong, continue: false });
			return value;
		}
		const output = this.#parse(value, issues);
		for (const check of this.#checks) {
			if (issues.length > start && isSkipped(check, output, issues.slice(start))) continue;
			// The type is right, or the check only reads the length, which the value has.
			const details = check.find(output as Output);
			if (details === undefined) continue;
			issues.push({ continue: true, path: [], ...details, message: details.message ?? this.#message });
		}
		return output;
	}
}

/** So that a list that is too long fails before its items are checked. */
function findTooLong(checks: readonly Check<never>[], value: unknown): Details | undefined {
	for (const { find, isOfLength } of checks) {
		if (!isOfLength) return undefined;
		const details = find(value as never);
		if (details?.code === "too_big") return details;
	}
	return undefined;
}

function isSkipped({ isOfLength }: Check<never>, value: unknown, issues: readonly Issue[]): boolean {
	if (!isOfLength) return issues.some((issue) => issue.continue !== true);
	const hasLength = value != null && (value as { length?: unknown }).length !== undefined;
	return !hasLength || issues.some((issue) => issue.continue === false);
}
