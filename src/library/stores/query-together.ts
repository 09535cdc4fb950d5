import { toHex } from "../runtime.ts";
import { StoreError } from "../store-calls/store-error.ts";
import type { Rows, Statement } from "./transactions.ts";

interface QueryResult {
	readonly rows: Rows;
	readonly command: string;
}

/** The part of a `pg` client that is used: several statements in one text have an array as their result. */
interface TextClient {
	query(text: string): Promise<QueryResult | QueryResult[]>;
}

/** Runs statements in one round trip. If one fails, those after it are not run. */
export async function queryTogether(
	client: TextClient,
	statements: readonly Statement[],
): Promise<QueryResult[]> {
	const results = await client.query(statements.map(inlineValues).join(";\n"));
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
