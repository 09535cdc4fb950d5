/** What an error of somebody else says of itself. */
interface ForeignError {
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
export function readFailure(error: unknown): Pick<ForeignError, "code" | "words"> {
	return findRoot(error);
}

/** The first error of the chain that has a code, which is what the network stack said; else the deepest one. */
function findRoot(error: unknown): ForeignError {
	let found = describe(error);
	let current: unknown = error;
	for (let depth = 0; depth < 5 && current instanceof Error && found.code === undefined; depth++) {
		found = describe(current);
		current = current.cause;
	}
	return found;
}

/** How runtimes write names and codes: words that begin with a capital, with a version's digit at most. */
const NAME = /^[A-Z][A-Za-z]{0,63}$/;
const CODE = /^(?=.{1,64}$)[A-Z][A-Za-z]*\d?(_[A-Z]+\d?)*$/;

function describe(error: unknown): ForeignError {
	if (!(error instanceof Error)) return { name: "Error", code: undefined, words: "" };
	const { name, message }: { name: unknown; message: unknown } = error;
	const code: unknown = "code" in error ? error.code : undefined;
	return {
		name: typeof name === "string" && NAME.test(name) ? name : "Error",
		code: typeof code === "string" && CODE.test(code) ? code : undefined,
		words: typeof message === "string" ? message : "",
	};
}
