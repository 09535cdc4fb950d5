import { describe, expect, test, vi } from "vitest";
import { guardClient } from "../../../../src/library/stores/guard-client.ts";
import { type Outcomes, testOutcomes } from "../../../support/outcomes.ts";

/** A client of a pool, guarded. */
function createClient() {
	const query = vi.fn((statement: unknown) => statement);
	const release = vi.fn();
	const end = vi.fn();
	const client = {
		query,
		release,
		end,
		processID: 7,
		on() {
			return this;
		},
	};
	return { query, release, end, ...guardClient(client) };
}

/** What becomes of a statement, as text or in an object. */
function outcomeOf(statement: string): string {
	const outcomes = [statement, { text: statement }].map((given) => {
		const { handle, query } = createClient();
		try {
			handle.query(given);
		} catch (error) {
			expect(query).not.toHaveBeenCalled();
			return (error as Error).message;
		}
		expect(query.mock.calls).toEqual([[given]]);
		return "sent";
	});
	expect(outcomes[0]).toBe(outcomes[1]);
	return String(outcomes[0]);
}

const named = (statements: readonly string[]): Record<string, string> =>
	Object.fromEntries(statements.map((statement) => [JSON.stringify(statement), statement]));

const STATEMENTS: Outcomes<string> = {
	"the inbox begins and ends its transaction: use SAVEPOINT and ROLLBACK TO in a handler": named([
		"COMMIT",
		"\n commit and chain",
		"/* c */COMMIT",
		"/* two */ /* of them */ COMMIT",
		"/* one /* in another */ */ROLLBACK",
		"/**/ROLLBACK",
		"/* -- */COMMIT",
		"-- a line\nCOMMIT",
		"-- a line /*\r\tCOMMIT",
		";COMMIT",
		" ; ;\n;END",
		"/* c */;-- a line\n;ABORT",
		"PREPARE/**/TRANSACTION 'later'",
		"BEGIN",
		"START -- a line\n/* c */ TRANSACTION",
		"ROLLBACK; SELECT 1",
		"ROLLBACK /* TO */ WORK",
	]),
	sent: named([
		"SELECT 1",
		"/* COMMIT */ SELECT 1",
		"/* /* */ COMMIT */ SELECT 1",
		"-- COMMIT",
		"-- COMMIT\nSELECT 1",
		"-- /*\nSELECT 'COMMIT' -- */",
		"/* never ended COMMIT",
		"ROLLBACK TO before",
		"/* c */ rollback work to savepoint before",
		"ROLLBACK/**/TO before",
		"ROLLBACK WORK -- a line\nTO SAVEPOINT before",
		"PREPARE transactions AS SELECT 1",
		"SELECT BEGIN",
		"RECOMMIT",
		"ROLLBACK WORK TO before",
		"SELECT 'a'; -- COMMIT",
		"",
		";",
	]),
};

describe("a guarded client", () => {
	testOutcomes(STATEMENTS, outcomeOf);

	test.each(["release", "end"] as const)("does not pass %s() on, and says why", (name) => {
		const guarded = createClient();
		const call: unknown = Reflect.get(guarded.handle, name);
		expect(call).toThrow(
			`the inbox releases its client when the transaction is over: a handler must not call ${name}()`,
		);
		expect(guarded[name]).not.toHaveBeenCalled();
	});

	test("stays guarded where a method returns the client itself", () => {
		const { handle, release } = createClient();
		const call: unknown = Reflect.get(handle.on(), "release");
		expect(call).toThrow("must not call release()");
		expect(release).not.toHaveBeenCalled();
	});

	test("shows the client's properties", () => {
		expect(createClient().handle.processID).toBe(7);
	});

	test("runs nothing once it is closed", () => {
		const { handle, query, close } = createClient();
		close();
		expect(() => handle.query("SELECT 1")).toThrow("await everything that a handler starts");
		expect(query).not.toHaveBeenCalled();
	});

	test("finds the first word of a long statement in a time that grows with its length", () => {
		const { handle, query } = createClient();
		handle.query(`${"/*".repeat(200_000)} COMMIT`);
		handle.query(`${"-- ;\n".repeat(100_000)}SELECT 1`);
		handle.query(`${"/**/".repeat(100_000)}SELECT 1`);
		expect(query).toHaveBeenCalledTimes(3);
	});
});
