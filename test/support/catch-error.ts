/** The error that `run` throws or rejects with; fails the test if there is none. */
export function catchError(run: () => unknown): unknown {
	try {
		run();
	} catch (error) {
		return error;
	}
	throw new Error("expected an error, but nothing was thrown");
}

/** The error that a promise rejects with; fails the test if it resolves. */
export async function catchRejection(promise: Promise<unknown>): Promise<unknown> {
	try {
		await promise;
	} catch (error) {
		return error;
	}
	throw new Error("expected a rejection, but the promise resolved");
}

/** The code of the error that a promise rejects with. */
export async function codeOf(promise: Promise<unknown>): Promise<unknown> {
	return Reflect.get(Object(await catchRejection(promise)), "code");
}
