/** Compares two values; an object's members must be in the same order. */
export function assertEqual(actual: unknown, expected: unknown, what: string): void {
	const [seen, wanted] = [show(actual), show(expected)];
	if (seen !== wanted) throw new Error(`${what}: expected ${wanted}, got ${seen}`);
}

/** Throws where the condition does not hold. */
export function assert(condition: boolean, what: string): asserts condition {
	if (!condition) throw new Error(what);
}

/** Compares some members of a value. */
export function assertMembers(
	actual: unknown,
	expected: Readonly<Record<string, unknown>>,
	what: string,
): void {
	const object = new Object(actual) as Record<string, unknown>;
	for (const [name, value] of Object.entries(expected)) assertEqual(object[name], value, `${what}, ${name}`);
}

/** The error that `run` throws or rejects with. */
export async function errorOf(run: () => unknown, what: string): Promise<unknown> {
	try {
		await run();
	} catch (error) {
		return error;
	}
	throw new Error(`${what}: an error was expected, but nothing was thrown`);
}

/** Checks that `run` fails with an error that has these members. */
export async function assertFails(
	run: () => unknown,
	expected: Readonly<Record<string, unknown>>,
	what: string,
): Promise<void> {
	assertMembers(await errorOf(run, what), expected, what);
}

function show(value: unknown): string {
	if (value === undefined) return "undefined";
	return JSON.stringify(value, (_, member: unknown) =>
		member instanceof Uint8Array ? `bytes ${Array.from(member).join(" ")}` : member,
	);
}
