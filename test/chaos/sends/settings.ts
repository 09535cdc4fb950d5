import type { SendStore } from "messaging-gateway/sends";
import { postgresSendStore } from "messaging-gateway/stores/postgres";
import { sqliteSendStore } from "messaging-gateway/stores/sqlite";
import pg from "pg";
import type { ChildSettings } from "../children.ts";
import type { StoreAddress } from "../servers.ts";
import { retry } from "../until.ts";

/** The settings of a worker. */
export interface WorkerSettings extends ChildSettings {
	readonly store: StoreAddress;
	readonly gatewayUrl: string;
}

export const APP = { appId: "chaos-app", appSecret: "chaos-app-secret" } as const;

/** One call of `send` that a worker makes. */
export interface Job {
	readonly id: number;
	readonly key: string;
	readonly to: string;
	readonly text: string;
	readonly hasCallback: boolean;
}

/** What a call of `send` came to; a code is that of an error. */
export type JobResult =
	| { readonly status: "accepted" | "given_up" | "unresolved" }
	| { readonly status: "error"; readonly code: string };

/** A line that a worker prints. */
export interface JobNote {
	readonly id: number;
	readonly result: JobResult;
}

/** Opens a store of sends that several processes share, without waiting for its server. */
export async function openSendStore({ kind, address }: StoreAddress): Promise<SendStore & AsyncDisposable> {
	if (kind === "sqlite") {
		// A call blocks its whole process, so its time is short; the file may be locked at the moment.
		const store = await retry(async () => sqliteSendStore({ path: address }));
		return { ...store, [Symbol.asyncDispose]: async () => store.close() };
	}
	const pool = new pg.Pool({ connectionString: address, max: 4, connectionTimeoutMillis: 1_000 });
	pool.on("error", () => undefined);
	return { ...postgresSendStore(pool), [Symbol.asyncDispose]: () => pool.end() };
}
