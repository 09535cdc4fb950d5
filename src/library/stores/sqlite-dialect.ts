import { ConfigurationError } from "../errors.ts";
import type { SqlDialect } from "./sql-store.ts";

const NOW = "CAST(round(unixepoch('subsec') * 1000) AS INTEGER)";
const IS_OVER = `record.expires_at <= ${NOW}`;

export const SQLITE: SqlDialect = {
	now: NOW,
	greatest: "max",
	key: "text PRIMARY KEY",
	skipLocked: "",
	// It has no statements in a WITH that write, so both rows are written by one upsert that treats each as its state needs. A row
	// of a source may depend on what stands in the table. Whether the binding is read before it is written, or after, the key
	// is the same: one that is over gets the new key.
	bindAndClaim: (table) => `
INSERT INTO ${table} AS record (key, state, token, attempt, value, lease_ends_at, expires_at)
VALUES
	($1, 'bound', NULL, NULL, $2, NULL, ${NOW} + $3),
	(
		coalesce((SELECT value FROM ${table} WHERE key = $1 AND expires_at > ${NOW}), $2),
		'held', ${NOW}, 1, $6, ${NOW} + $4, ${NOW} + $5
	)
ON CONFLICT (key) DO UPDATE SET
	state = excluded.state,
	token = max(record.token + 1, excluded.token),
	attempt = CASE WHEN ${IS_OVER} THEN excluded.attempt ELSE record.attempt + 1 END,
	value = CASE WHEN ${IS_OVER} OR excluded.state = 'held' THEN excluded.value ELSE record.value END,
	lease_ends_at = excluded.lease_ends_at,
	expires_at = CASE WHEN ${IS_OVER} OR excluded.state = 'held' THEN excluded.expires_at ELSE record.expires_at END
WHERE excluded.state = 'bound' OR ${IS_OVER} OR (record.state <> 'done' AND record.lease_ends_at <= ${NOW})
RETURNING CASE WHEN state = 'bound' THEN value END AS bound_key, token, attempt, EXISTS (
	SELECT 1 FROM ${table} AS event
	WHERE event.key = ${table}.value AND event.state = 'done' AND event.expires_at > ${NOW}
) AS is_done`,
};

/** SQLite rejects an index whose table has its schema in front. */
export function assertNoSchema(table: string): void {
	if (table.includes(".")) throw new ConfigurationError("table must be a name without a schema in front");
}
