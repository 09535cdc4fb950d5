import { findInChain } from "./find-in-chain.ts";
import type { PostgresClient } from "./postgres-client.ts";
import { findCode } from "./postgres-errors.ts";

/** A client that accepts a statement with a name, as `pg` does. */
interface NamingClient {
	query(statement: {
		readonly name: string;
		readonly text: string;
		readonly values: (string | number)[];
	}): ReturnType<PostgresClient["query"]>;
}

/**
 * Whether a statement failed for its name, so that nothing was executed: the server has none of this name or another one
 * (PgBouncer may have changed servers), the columns of its table have changed, or something has changed its text, as a
 * tracer does that appends a comment.
 */
export function isOfName(error: unknown): boolean {
	return (
		["26000", "42P05"].includes(findCode(error) ?? "") ||
		/cached plan must not change result type|^Prepared statements must be unique/.test(
			String(findInChain(error, "message")),
		)
	);
}

/** Gives each statement a name, if the client is a Pool of `pg`: the server parses and plans it once for each connection. */
export function nameStatements(client: PostgresClient): PostgresClient {
	if (!isPoolOfPg(client)) return client;
	// Its type is that of a client without names: `pg` has both forms.
	const naming: NamingClient = client as unknown as NamingClient;
	const names = new Map<string, string>();
	let isNaming = true;
	return {
		async query(text, values) {
			if (!isNaming) return client.query(text, values);
			const name = names.get(text) ?? statementName(text);
			names.set(text, name);
			try {
				return await naming.query({ name, text, values });
			} catch (error) {
				if (!isOfName(error)) throw error;
				isNaming = false;
				return client.query(text, values);
			}
		},
	};
}

/**
 * Whether its `query` is the one of `pg` itself. One that somebody has put in its place may know strings alone, and so may
 * the clients of other packages.
 */
function isPoolOfPg(client: object): boolean {
	let owner: object | null = client;
	while (owner !== null && !Object.hasOwn(owner, "query")) owner = Object.getPrototypeOf(owner);
	return (
		owner !== null && ["connect", "totalCount", "waitingCount"].every((name) => Object.hasOwn(owner, name))
	);
}

/** The same for the same text, in every process and release. SHA-256 would bring its code into each bundle. */
export function statementName(text: string): string {
	let [first, second] = [0x811c9dc5, 0x1b873593];
	for (let at = 0; at < text.length; at++) {
		const code = text.charCodeAt(at);
		first = Math.imul(first ^ code, 0x01000193);
		second = Math.imul(second ^ code, 0x85ebca6b) + at;
	}
	return `messaging_gateway_${[first, second].map((half) => (half >>> 0).toString(16).padStart(8, "0")).join("")}`;
}
