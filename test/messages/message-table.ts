import { inspect } from "node:util";
import { describe, expect, test } from "vitest";

/** What a user does, and the whole sentence that comes of it: that of the error, or a string that the act returns. */
export type MessageRow = readonly [act: string, run: () => unknown, message: string];

/** What differs from run to run. */
const REQUEST_ID = /\b[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}\b/g;

/**
 * A table of messages: it is the whole test of what they say, so that other tests assert codes and fields. A request id is
 * written `ID`.
 */
export function describeMessages(title: string, rows: readonly MessageRow[]): void {
	describe(title, () => {
		test.each(rows)("%s", async (_act, run, message) => {
			expect((await readMessage(run)).replace(REQUEST_ID, "ID")).toBe(message);
		});
	});
}

async function readMessage(run: () => unknown): Promise<string> {
	let result: unknown;
	try {
		result = await run();
	} catch (error) {
		if (error instanceof Error) return error.message;
		throw error;
	}
	if (typeof result === "string") return result;
	throw new Error(`it neither failed nor returned a message, but ${inspect(result)}`);
}
