import { toHex } from "../runtime.ts";
import { StoreError } from "../store-calls/store-error.ts";
import { statementName } from "./named-statements.ts";
import type { Rows, Statement } from "./transactions.ts";

interface QueryResult {
	readonly rows: Rows;
	readonly command: string;
}

/** The part of a `pg` client that is used: several statements in one text have an array as their result. */
interface TextClient {
	query(text: string): Promise<QueryResult | QueryResult[]>;
}

/** The statements that each connection has under their names. */
const prepared = /* @__PURE__ */ new WeakMap<object, Set<string>>();

/**
 * Runs statements in one round trip. Those with values have names, by which the server keeps their plans: it plans a text
 * with the values in it again each time.
 */
export async function executeTogether(
	client: TextClient,
	statements: readonly Statement[],
): Promise<QueryResult[]> {
	const known = prepared.get(client) ?? new Set();
	const missing = statements.filter(({ text, values }) => values.length > 0 && !known.has(text));
	if (missing.length > 0) {
		await client.query(missing.map(({ text }) => `PREPARE ${statementName(text)} AS ${text}`).join(";\n"));
		for (const { text } of missing) known.add(text);
		prepared.set(client, known);
	}
	return send(client, statements.map(toExecution));
}

function toExecution({ text, values }: Statement): string {
	return values.length > 0 ? `EXECUTE ${statementName(text)}(${values.map(toLiteral).join()})` : text;
}

/** Runs statements in one round trip. If one fails, those after it are not run. */
export function queryTogether(client: TextClient, statements: readonly Statement[]): Promise<QueryResult[]> {
	return send(client, statements.map(inlineValues));
}

async function send(client: TextClient, statements: readonly string[]): Promise<QueryResult[]> {
	const results = await client.query(statements.join(";\n"));
	if (Array.isArray(results) && results.length === statements.length) return results;
	throw new StoreError(
		"the inbox's Pool must return a result for each statement of a text, as that of pg does",
	);
}

/** A text with several statements has no values of its own. */
function inlineValues({ text, values }: Statement): string {
	return text.replace(/\$(\d+)/g, (_, number: string) => toLiteral(values[Number(number) - 1] ?? ""));
}

/** Only hexadecimal digits of a text reach the statement: there is nothing to escape. */
function toLiteral(value: string | number): string {
	if (Number.isSafeInteger(value)) return String(value);
	return `convert_from(decode('${toHex(new TextEncoder().encode(String(value)))}', 'hex'), 'UTF8')`;
}
