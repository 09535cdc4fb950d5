import { format } from "node:util";
import { afterAll, afterEach, beforeAll, beforeEach, expect } from "vitest";

/** Node's warning about experimental modules, such as `node:sqlite`. */
const EXPERIMENTAL = "ExperimentalWarning";

/** What was written without being expected. */
const written: string[] = [];

const { error, warn } = console;

function noteWarning(warning: Error): void {
	if (warning.name !== EXPERIMENTAL) written.push(`${warning.name}: ${warning.message}`);
}

/** A test that expects lines on the console replaces it by a spy of its own. */
function expectNothing(): void {
	expect(written.splice(0), "written to the console, or warned of by Node").toEqual([]);
}

/** For each test, since a spy of an earlier one would hide the lines of later ones. */
function noteLines(): void {
	console.error = (...values) => void written.push(format(...values));
	console.warn = (...values) => void written.push(format(...values));
}

beforeAll(() => {
	process.on("warning", noteWarning);
	noteLines();
});
beforeEach(noteLines);
afterEach(expectNothing);
afterAll(() => {
	process.off("warning", noteWarning);
	Object.assign(console, { error, warn });
	expectNothing();
});
