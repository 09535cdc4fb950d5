import type { SendStore } from "messaging-gateway/sends";
import { postgresSendStore } from "messaging-gateway/stores/postgres";
import { sqliteSendStore } from "messaging-gateway/stores/sqlite";
import pg from "pg";
import { retry } from "../until.ts";
import { FastClock } from "./fast-clock.ts";
import { SENDS_VARIABLE, type SendsSettings } from "./settings.ts";

/** How long a worker holds a send, in milliseconds of the fast clock. */
export const LEASE_MS = 90_000;

/** What a process needs to send: its settings, the shared time and the shared store. */
export interface SenderParts extends AsyncDisposable {
	readonly settings: SendsSettings;
	readonly clock: FastClock;
	readonly store: SendStore;
	/** Creates the store's table if it is missing. */
	createTable(): Promise<void>;
}

/** Reads the settings from the environment, and opens the store. */
export function openParts(): Promise<SenderParts> {
	return createParts(JSON.parse(process.env[SENDS_VARIABLE] ?? "") as SendsSettings);
}

/** Opens the store of these settings. */
export async function createParts(settings: SendsSettings): Promise<SenderParts> {
	const clock = new FastClock(settings.startMs);
	const { kind, address } = settings.store;
	if (kind === "sqlite") {
		// Another process may hold the file's lock at the moment.
		const store = await retry(async () => sqliteSendStore({ path: address }));
		return {
			settings,
			clock,
			store: clock.quicken(store),
			createTable: async () => undefined,
			[Symbol.asyncDispose]: async () => store.close(),
		};
	}
	const pool = new pg.Pool({ connectionString: address, max: 10 });
	pool.on("error", () => undefined);
	const store = postgresSendStore(pool);
	return {
		settings,
		clock,
		store: clock.quicken(store),
		createTable: () => store.createTable(),
		[Symbol.asyncDispose]: () => pool.end(),
	};
}
