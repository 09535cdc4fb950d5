/** A Worker that runs the rules of every store over D1, and in a Durable Object over its storage. */
import type { SqliteClient } from "messaging-gateway/stores/sqlite-client";
import { CLIENT_CASES } from "./sqlite-cases.ts";

/** What is used of D1. */
interface Database {
	prepare(sql: string): {
		bind(...values: (string | number)[]): { all(): Promise<{ results: Record<string, unknown>[] }> };
	};
}

/** What is used of a Durable Object's storage. */
interface Storage {
	sql: { exec(sql: string, ...values: (string | number)[]): { toArray(): Record<string, unknown>[] } };
}

interface Bindings {
	DB: Database;
	OBJECT: { getByName(name: string): { fetch(request: Request): Promise<Response> } };
}

/** Runs the case that the path numbers. @returns what is wrong, or an empty body. */
async function respond({ url }: Request, client: SqliteClient): Promise<Response> {
	const found = CLIENT_CASES[Number(new URL(url).pathname.slice(1))];
	try {
		if (found === undefined) throw new Error(`there is no case at ${url}`);
		await found.run(client);
		return new Response();
	} catch (error) {
		return new Response(String(error));
	}
}

export class StoringObject {
	readonly #storage: Storage;

	constructor({ storage }: { storage: Storage }) {
		this.#storage = storage;
	}

	fetch(request: Request): Promise<Response> {
		return respond(request, {
			query: (sql, values) => this.#storage.sql.exec(sql, ...values).toArray(),
		});
	}
}

export default {
	fetch(request: Request, { DB, OBJECT }: Bindings): Promise<Response> {
		if (new URL(request.url).hostname === "object") return OBJECT.getByName("one").fetch(request);
		return respond(request, {
			query: async (sql, values) =>
				(
					await DB.prepare(sql)
						.bind(...values)
						.all()
				).results,
		});
	},
};
