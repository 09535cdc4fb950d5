/** What an error of somebody else says of itself. */
export interface ForeignError {
	readonly name: string;
	readonly code: string | undefined;
	/** To be matched, never to be shown: it may hold the URL, the headers or the body. */
	readonly words: string;
}

/**
 * A stand-in for a foreign error as a `cause`: its name and code alone. Printing an error prints its causes, and the
 * original may hold the URL, the headers, the body or a secret.
 */
export function toSafeCause(error: unknown): Error {
	const { name, code } = findRoot(error);
	const message = code ?? "its own words are left out";
	const cause = new Error(message);
	// The stack would point here, not at what failed.
	cause.stack = `${name}: ${message}`;
	return Object.assign(cause, { name }, code === undefined ? {} : { code });
}

/** The code of a failed connection, wherever the runtime keeps it in the chain of causes, and the words beside it. */
export function readFailure(error: unknown): ForeignError {
	return findRoot(error);
}

/** The first error of the chain that has a code, which is what the network stack said; else the deepest one. */
function findRoot(error: unknown): ForeignError {
	let found = describe(error);
	let current: unknown = error;
	for (let depth = 0; depth < 5 && isError(current) && found.code === undefined; depth++) {
		found = describe(current);
		current = current.cause;
	}
	return found;
}

/** How runtimes write names and codes: words that begin with a capital, with a version's digit at most. */
const NAME = /^[A-Z][A-Za-z]{0,63}$/;
const CODE = /^(?=.{1,64}$)[A-Z][A-Za-z]*\d?(_[A-Z]+\d?)*$/;

/** By its shape: under test runners with a context of their own, the platform's errors are no instances of ours. */
function isError(value: unknown): value is Error {
	const { name, message } = (value ?? {}) as Partial<Error>;
	return typeof name === "string" && typeof message === "string";
}

function describe(error: unknown): ForeignError {
	if (!isError(error)) return { name: "Error", code: undefined, words: "" };
	const { name, message } = error;
	const code: unknown = "code" in error ? error.code : undefined;
	return {
		name: NAME.test(name) ? name : "Error",
		code: typeof code === "string" && CODE.test(code) ? code : undefined,
		words: message,
	};
}
