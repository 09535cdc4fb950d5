import type { DatabaseSync } from "node:sqlite";
import { systemClock } from "../../../library/runtime.ts";
import type { NonceStore } from "../../../library/signing/nonce-store.ts";

/** The table of {@link createFileNonceStore}. */
export const NONCE_TABLE = `CREATE TABLE nonces (key TEXT PRIMARY KEY, expires_at INTEGER NOT NULL) WITHOUT ROWID;
CREATE INDEX nonces_expires_at ON nonces (expires_at)`;

/** Expired nonces are removed after this many writes. */
const NONCES_PER_SWEEP = 100;

/** Creates a nonce store in a database that only this process uses. */
export function createFileNonceStore(database: DatabaseSync): NonceStore {
	const insert = database.prepare(
		`INSERT INTO nonces (key, expires_at) VALUES (?, ?)
		ON CONFLICT (key) DO UPDATE SET expires_at = excluded.expires_at WHERE nonces.expires_at <= ?`,
	);
	const select = database.prepare("SELECT 1 FROM nonces WHERE key = ? AND expires_at > ?");
	const sweep = database.prepare("DELETE FROM nonces WHERE expires_at <= ?");
	let written = 0;
	return {
		async remember(key, ttlMs) {
			const now = systemClock.now();
			written++;
			if (written % NONCES_PER_SWEEP === 0) sweep.run(now);
			return insert.run(key, Math.ceil(now + ttlMs), now).changes === 1;
		},
		async has(key) {
			return select.get(key, systemClock.now()) !== undefined;
		},
	};
}
