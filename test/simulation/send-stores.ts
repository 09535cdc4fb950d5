import type { SendStore } from "messaging-gateway/sends";
import type { PlayedPostgres } from "./postgres.ts";
import { openSqlite, seamOf } from "./stores.ts";
import type { Subject } from "./subject.ts";
import { Process, type World } from "./world.ts";

/** A store of sends, as each process reaches it; without a process, as it stands. */
export type SendStoreOf = (process?: Process) => SendStore;

/** Opens an empty store. */
export type OpenSends = (subject: Subject, world: World) => Promise<SendStoreOf>;

export const openMemorySends: OpenSends = async (subject, world) => {
	const store = subject.memorySendStore({ clock: new Process(world, "store", true).clock });
	return (process) => process?.through("store", store) ?? store;
};

/** SQLite itself, with the world's time. */
export const openSqliteSends: OpenSends = async ({ sqliteClientSendStore, sqliteSendTable }, world) => {
	const database = openSqlite(world, sqliteSendTable());
	const query = async (text: string, values: (string | number)[]) => database(text, values);
	return (process) => sqliteClientSendStore({ query: process ? seamOf(process, query) : query });
};

/** PostgreSQL itself, with the world's time. */
export function openPostgresSends(postgres: PlayedPostgres): OpenSends {
	return async ({ postgresSendStore }, world) => {
		await postgres.begin(world);
		const query = postgres.query.bind(postgres);
		return (process) => postgresSendStore({ query: process ? seamOf(process, query) : query });
	};
}
