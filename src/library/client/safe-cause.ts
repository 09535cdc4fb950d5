import { shownErrorCode, shownErrorName } from "../errors.ts";
import { WRITTEN } from "./written.ts";

export interface ForeignError {
	readonly name: string;
	readonly code: string | undefined;
	/** The system call that failed, such as `"connect"`; empty if it names none. */
	readonly syscall: string;
	/** Whether its request may have been written to a connection, if it is an error of our own transport. */
	readonly isWritten?: unknown;
	/** What an `AggregateError` holds. */
	readonly errors: readonly unknown[];
	/** Its message, only for matching, never to be printed: it may contain the URL, the headers or the body. */
	readonly rawMessage: string;
}

/**
 * A safe `cause` for a foreign error, with only its name and code. Printing an error prints its causes, and the
 * original may contain the URL, the headers, the body or a secret.
 */
export function toSafeCause(error: unknown): Error {
	const { name, code } = readFailure(error);
	const message = code ?? "its message is left out";
	const cause = new Error(message);
	// The stack would point here, not at the failure.
	cause.stack = `${name}: ${message}`;
	// Not assigned, since hardened hosts freeze the name of the class.
	Object.defineProperty(cause, "name", { value: name });
	return Object.assign(cause, code && { code });
}

/**
 * What is known about a failed connection, from wherever the runtime keeps it in the chain of causes: the first error with
 * a code, which is the network stack's; otherwise the deepest one.
 */
export function readFailure(error: unknown): ForeignError {
	let found = describe(error);
	let current: unknown = error;
	for (let depth = 0; depth < 5 && isError(current) && found.code === undefined; depth++) {
		found = describe(current);
		current = current.cause;
	}
	return found;
}

/** By its shape: in the separate context of a test runner, the platform's errors are not instances of our `Error`. */
function isError(value: unknown): value is Error {
	const { name, message } = (value ?? {}) as Partial<Error>;
	return typeof name === "string" && typeof message === "string";
}

function describe(error: unknown): ForeignError {
	if (!isError(error)) return { name: "Error", code: undefined, syscall: "", errors: [], rawMessage: "" };
	const {
		name,
		message,
		code,
		syscall,
		errors: members,
		[WRITTEN]: isWritten,
	} = error as Error & Record<string, unknown>;
	const errors: readonly unknown[] = Array.isArray(members) ? members : [];
	return {
		name: shownErrorName(name) ?? "Error",
		code: shownErrorCode(code),
		syscall: typeof syscall === "string" ? syscall : "",
		isWritten,
		errors,
		// Node leaves the message of an AggregateError empty.
		rawMessage: message || errors.map((member) => (isError(member) ? member.message : "")).join("; "),
	};
}
