import { ConfigurationError } from "../errors.ts";

/** The part of a profile that allows other handles. */
export interface HandleProfile {
	readonly handlePattern?: string | undefined;
}

/** @throws ConfigurationError if `profile.handlePattern` is no regular expression. */
export function assertHandlePattern(pattern: unknown): void {
	if (pattern === undefined) return;
	const name = "profile.handlePattern";
	if (typeof pattern !== "string" || pattern === "")
		throw new ConfigurationError(`${name} must be a string: a regular expression, such as "user-[0-9]+"`);
	try {
		// Alone, too: a parenthesis too many would fit into the group around it.
		new RegExp(pattern, "u");
		compile(pattern);
	} catch {
		throw new ConfigurationError(`${name} must be a regular expression that compiles with the flag u`);
	}
}

/** Whether a profile allows a handle that is no number, e-mail address or short code. */
export function matchesHandlePattern(value: string, profile: HandleProfile | undefined): boolean {
	const pattern = profile?.handlePattern;
	return pattern !== undefined && compile(pattern).test(value);
}

/** A pattern that only a whole value matches, as JSON Schema needs it. */
export function wholePattern(pattern: string): string {
	return `^(?:${pattern})$`;
}

/** The last one: a program has one profile, mostly. */
let last: { readonly pattern: string; readonly compiled: RegExp } | undefined;

function compile(pattern: string): RegExp {
	if (last?.pattern !== pattern) last = { pattern, compiled: new RegExp(wholePattern(pattern), "u") };
	return last.compiled;
}
