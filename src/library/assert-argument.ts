import { ConfigurationError } from "./errors.ts";

/**
 * Rejects anything but an object with these methods: untyped code would notice only at the first delivery.
 * @param what - what the function needs.
 * @param example - an argument that has it.
 */
export function assertArgument(
	name: string,
	what: string,
	example: string,
	given: unknown,
	methods: readonly string[] = [],
): void {
	if (!hasMethods(given, methods)) throw wrongArgument(name, what, example, given);
}

/** The error for an argument that a function cannot use. */
export function wrongArgument(
	name: string,
	what: string,
	example: string,
	given: unknown,
): ConfigurationError {
	return new ConfigurationError(`${name} needs ${what}: ${name}(${example})${describeGiven(given)}`);
}

/** Whether an object has these methods. A function may have them too: some clients are tags of templates as well. */
export function hasMethods(given: unknown, methods: readonly string[]): boolean {
	const isFunction = typeof given === "function" && methods.length > 0;
	return (
		(isFunction || (typeof given === "object" && given !== null)) &&
		methods.every((method) => typeof Reflect.get(given, method) === "function")
	);
}

/** What was passed, as a sentence after another one; empty for an object, since the first sentence says what it lacks. */
export function describeGiven(given: unknown): string {
	if (given == null) return `. You passed ${given}`;
	if (typeof given === "function")
		return ". You passed a function: call it first, or with new if it is a class";
	if (typeof given !== "object") return `. You passed a ${typeof given}`;
	return "then" in given ? ". You passed a Promise: await it first" : "";
}

/**
 * Runs every check of some options, so that one error has all that is wrong.
 * @throws ConfigurationError with a line for each mistake.
 */
export function assertAll(checks: readonly (() => void)[]): void {
	const problems: string[] = [];
	for (const check of checks) {
		try {
			check();
		} catch (error) {
			if (!(error instanceof ConfigurationError)) throw error;
			problems.push(error.message);
		}
	}
	if (problems.length > 0) throw new ConfigurationError(problems.join("\n"));
}
