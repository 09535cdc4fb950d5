/**
 * A process that writes keys to a file of SQLite, 16 at a time, prints each as soon as it has its answer, and kills itself
 * at a chosen statement: `node sqlite-writer.ts PATH NAME COUNT [before|after STATEMENT NTH]`.
 */
import { writeSync } from "node:fs";
import process from "node:process";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { sqliteStore } from "messaging-gateway/stores/sqlite";

const [path = "", name, count, moment, word = "", nth] = process.argv.slice(2);

/** The connections of the store, by their statements. */
const databases = new Set<DatabaseSync>();
const { prepare } = DatabaseSync.prototype;
DatabaseSync.prototype.prepare = function (sql) {
	databases.add(this);
	const statement = prepare.call(this, sql);
	return word !== "" && sql.includes(word) ? killing(statement) : statement;
};

let runs = 0;

function killing(statement: StatementSync): StatementSync {
	const { all } = statement;
	statement.all = (...values: never[]) => {
		runs += 1;
		const isLast = runs === Number(nth);
		if (isLast && moment === "before") process.kill(process.pid, "SIGKILL");
		const rows = Reflect.apply(all, statement, values);
		if (isLast) process.kill(process.pid, "SIGKILL");
		return rows;
	};
	return statement;
}

const store = sqliteStore({ path });
let next = 0;

async function write(): Promise<void> {
	while (next < Number(count)) {
		const key = `${name}:${next++}`;
		await store.remember(key, 3_600_000);
		// At once: what a killed process had in a buffer would be lost.
		writeSync(1, `${key}\n`);
	}
}

await Promise.all(Array.from({ length: 16 }, write));
for (const database of databases)
	writeSync(1, `synchronous ${Object.values(prepare.call(database, "PRAGMA synchronous").get() ?? {})}\n`);
