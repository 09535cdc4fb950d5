// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are parts of sources.
import type { SimulatedMutant } from "./play.ts";

const SQL = "src/library/stores/sql-store.ts";
const POSTGRES = "src/library/stores/postgres-store.ts";
const SQLITE = "src/library/stores/sqlite-dialect.ts";
const SENDS = "src/library/stores/sql-send-store.ts";
const DYNAMODB = "src/library/stores/dynamodb-store.ts";
const CONDITIONS = "src/library/stores/dynamodb-records.ts";
const SCRIPTS = "src/library/stores/redis-scripts.ts";
const INBOX = "src/library/stores/inbox-run.ts";
const STATEMENTS = "src/library/stores/inbox-statements.ts";
const RUNNER = "src/library/webhooks/inbox-runner.ts";

/** Changes of the SQL statements of events, and of the one that binds and claims in SQLite. */
export const SQL_MUTANTS: readonly SimulatedMutant[] = [
	{
		id: "lease-not-compared",
		file: SQLITE,
		find: "(record.state <> 'done' AND record.lease_ends_at <= ${NOW})\nRETURNING CASE",
		replacement: "record.state <> 'done'\nRETURNING CASE",
	},
	{
		id: "done-forgotten",
		file: SQLITE,
		find: "(record.state <> 'done' AND record.lease_ends_at <= ${NOW})\nRETURNING CASE",
		replacement: "record.lease_ends_at <= ${NOW}\nRETURNING CASE",
	},
	{
		id: "token-does-not-grow",
		file: SQLITE,
		find: "max(record.token + 1, excluded.token)",
		replacement: "record.token",
	},
	{
		id: "completed-by-a-stale-run",
		file: SQL,
		find: "WHERE key = $1 AND token = $2 AND state <> 'free'",
		replacement: "WHERE key = $1 AND $2 > 0 AND state <> 'free'",
		seeds: 1_000,
	},
	{
		id: "released-by-a-stale-run",
		file: SQL,
		find: "attempt = attempt - $3\nWHERE key = $1 AND token = $2 AND state = 'held'",
		replacement: "attempt = attempt - $3\nWHERE key = $1 AND state = 'held' AND $2 > 0",
		seeds: 1_000,
	},
	{
		id: "delivery-bound-anew",
		file: SQLITE,
		find: "value = CASE WHEN ${IS_OVER} OR excluded.state = 'held' THEN excluded.value ELSE record.value END",
		replacement: "value = excluded.value",
	},
	{
		id: "in-flight-called-done",
		file: SQL,
		find: 'if (state === "done")',
		replacement: "if (found !== undefined)",
	},
	{
		id: "combined-claim-under-the-delivered-id",
		file: SQLITE,
		find: "coalesce((SELECT value FROM ${table} WHERE key = $1 AND expires_at > ${NOW}), $2)",
		replacement: "$2",
	},
	{
		id: "combined-in-flight-called-done",
		file: SQLITE,
		find: " AND event.state = 'done' AND",
		replacement: " AND",
	},
];

/** Changes of the statements that bind and claim in PostgreSQL. */
export const POSTGRES_MUTANTS: readonly SimulatedMutant[] = [
	{
		id: "lease-not-compared",
		file: SQL,
		find: "(record.state <> 'done' AND record.lease_ends_at <= ${now})\nRETURNING token",
		replacement: "record.state <> 'done'\nRETURNING token",
	},
	{
		id: "done-forgotten",
		file: SQL,
		find: "(record.state <> 'done' AND record.lease_ends_at <= ${now})\nRETURNING token",
		replacement: "record.lease_ends_at <= ${now}\nRETURNING token",
	},
	{
		id: "token-does-not-grow",
		file: SQL,
		find: "${greatest}(record.token + 1, excluded.token)",
		replacement: "record.token",
	},
	{
		id: "combined-claim-under-the-delivered-id",
		file: POSTGRES,
		find: "SELECT bound_key, 'held'",
		replacement: "SELECT $2::text, 'held'",
	},
	{
		id: "combined-in-flight-called-done",
		file: POSTGRES,
		find: "WHERE key = bound.bound_key AND state = 'done' AND",
		replacement: "WHERE key = bound.bound_key AND",
	},
	{
		id: "combined-claim-without-its-binding",
		file: SQL,
		find: "value = CASE WHEN ${isOver} THEN excluded.value ELSE record.value END",
		replacement: "value = excluded.value",
	},
];

/** Changes of the scripts in Redis. */
export const REDIS_MUTANTS: readonly SimulatedMutant[] = [
	{
		id: "lease-not-compared",
		file: SCRIPTS,
		find: "if state == 'held' and tonumber(leaseEndsAt) > now then",
		replacement: "if false then",
	},
	{
		id: "done-forgotten",
		file: SCRIPTS,
		find: "if state == 'done' then return {'done'} end",
		replacement: "",
	},
	{
		id: "token-does-not-grow",
		file: SCRIPTS,
		find: "token = math.max(token + 1, now)",
		replacement: "token = math.max(token, 1)",
	},
	{
		id: "completed-by-a-stale-run",
		file: SCRIPTS,
		find: "if state == 'free' or token ~= ARGV[1]",
		replacement: "if state == 'free'",
		seeds: 2_000,
	},
	{
		id: "released-by-a-stale-run",
		file: SCRIPTS,
		find: "if state ~= 'held' or token ~= ARGV[1] then return 0 end\nredis.call('SET', KEYS[1], string.format('free",
		replacement: "if state ~= 'held' then return 0 end\nredis.call('SET', KEYS[1], string.format('free",
		seeds: 6_000,
	},
	{
		id: "delivery-bound-anew",
		file: SCRIPTS,
		find: "if redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2])",
		replacement: "if redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])",
	},
	{
		id: "delivery-bound-anew-with-a-claim",
		file: SCRIPTS,
		find: "if not redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2])",
		replacement: "if not redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])",
	},
	{
		id: "combined-claim-under-the-delivered-id",
		file: SCRIPTS,
		find: "if bound ~= ARGV[1] then return",
		replacement: "if false then return",
	},
	{
		id: "claimed-under-the-delivered-id-afterwards",
		file: "src/library/stores/redis-store.ts",
		find: "const claimed = await claim(boundKey, times);",
		replacement: "const claimed = await claim(key, times);",
	},
];

/** Changes of the store in DynamoDB. */
export const DYNAMODB_MUTANTS: readonly SimulatedMutant[] = [
	{
		id: "clocks-trusted",
		file: DYNAMODB,
		find: "time + maxClockSkewMs <= now",
		replacement: "time <= now",
		seeds: 3_000,
	},
	{
		id: "lease-not-compared",
		file: DYNAMODB,
		find: 'state === "held" && !isPast(lease_ends_at, now)',
		replacement: "false",
	},
	{
		id: "done-forgotten",
		file: DYNAMODB,
		find: 'if (state === "done") return { result: { status: "done" } };',
		replacement: "",
	},
	{
		id: "token-does-not-grow",
		file: DYNAMODB,
		find: "Math.max((found?.token ?? 0) + 1, Math.floor(now))",
		replacement: "found?.token ?? Math.floor(now)",
	},
	{
		id: "completed-by-a-stale-run",
		file: CONDITIONS,
		find: '"#state = :state AND #token = :token"',
		replacement: '"#state = :state"',
		seeds: 1_000,
	},
	{
		id: "released-by-a-stale-run",
		file: DYNAMODB,
		find: "found?.token === token && states.includes",
		replacement: "found !== undefined && states.includes",
	},
	{
		id: "written-over-a-change",
		file: CONDITIONS,
		find: '"revision = :revision"',
		replacement: '"attribute_not_exists(nothing)"',
	},
	{
		id: "written-over-another-record",
		file: CONDITIONS,
		find: '"attribute_not_exists(#key)"',
		replacement: '"attribute_not_exists(nothing)"',
	},
];

/** Changes of the store in DynamoDB that matter to who is the first. */
export const FIRSTS_MUTANTS: readonly SimulatedMutant[] = [
	{
		id: "own-success-not-known",
		file: DYNAMODB,
		find: "current?.revision === revision ? undefined : { found: current }",
		replacement: "{ found: current }",
		seeds: 200,
	},
	{
		id: "read-behind",
		file: DYNAMODB,
		find: "ConsistentRead: true,",
		replacement: "",
		seeds: 300,
	},
	{
		id: "held-until-it-is-removed",
		file: DYNAMODB,
		find: 'state === "held" && !isPast(lease_ends_at, now)',
		replacement: 'found?.state === "held"',
	},
	{
		id: "bound-until-it-is-removed",
		file: DYNAMODB,
		find: "found?.bound_key === undefined || isPast(found.expires_at, now)",
		replacement: "found?.bound_key === undefined",
	},
	{
		id: "remembered-until-it-is-removed",
		file: DYNAMODB,
		find: 'found === undefined || isPast(found.expires_at, now)\n\t\t\t\t\t? { record: { state: "seen"',
		replacement: 'found === undefined\n\t\t\t\t\t? { record: { state: "seen"',
	},
	{
		id: "removed-before-it-is-past",
		file: DYNAMODB,
		find: "record.expires_at + 2 * maxClockSkewMs",
		replacement: "record.expires_at - 2 * maxClockSkewMs",
	},
	{
		id: "clocks-trusted",
		file: DYNAMODB,
		find: "time + maxClockSkewMs <= now",
		replacement: "time <= now",
		seeds: 200,
	},
];

/** Changes of the SQL statements of sends. */
export const SQL_SEND_MUTANTS: readonly SimulatedMutant[] = [
	{
		id: "version-not-compared",
		file: SENDS,
		find: "WHERE key = $1 AND version = $2 RETURNING key",
		replacement: "WHERE key = $1 AND $2 > 0 RETURNING key",
		seeds: 200,
	},
	{
		id: "version-does-not-grow",
		file: SENDS,
		find: "SET version = version + 1,",
		replacement: "SET",
	},
	{
		id: "inserted-over-another",
		file: SENDS,
		find: "ON CONFLICT (key) DO NOTHING RETURNING key",
		replacement:
			"ON CONFLICT (key) DO UPDATE SET id = excluded.id, data = excluded.data, version = 1 RETURNING key",
	},
];

/** Changes of the inbox. */
export const INBOX_MUTANTS: readonly SimulatedMutant[] = [
	{
		id: "lock-not-asked",
		file: STATEMENTS,
		find: "pg_try_advisory_xact_lock(hashtextextended($1, 0))",
		replacement: "hashtextextended($1, 0) IS NOT NULL",
	},
	{
		id: "binding-rolled-back-with-its-run",
		file: "src/library/stores/pool-transactions.ts",
		find: "[BEGIN, binding, COMMIT_AND_BEGIN, ...opening]",
		replacement: '[BEGIN, binding, { ...COMMIT_AND_BEGIN, text: "SELECT 1" }, ...opening]',
		seeds: 300,
	},
	{
		id: "bound-elsewhere-and-run",
		file: INBOX,
		find: 'if (boundKey !== this.#options.key) return { status: "bound_elsewhere", boundKey };',
		replacement: "",
	},
	{
		id: "record-found-and-run-again",
		file: INBOX,
		find: "if (found !== undefined) return this.#rollBack(found);",
		replacement: "",
	},
	{
		id: "in-flight-acknowledged",
		file: RUNNER,
		find: 'if (result.status === "in_flight") return respondWith(503, "in_flight", RETRY_MS);',
		replacement: 'if (result.status === "in_flight") return ACKNOWLEDGED_BEFORE;',
	},
	{
		id: "commit-not-known-acknowledged",
		file: RUNNER,
		find: "return storeUnavailable(job.report, error);",
		replacement: "return ACKNOWLEDGED;",
	},
	{
		id: "failed-run-commits",
		file: RUNNER,
		find: 'return ended.error instanceof PermanentWebhookError ? "undo" : "roll_back";',
		replacement: 'return "commit";',
	},
	{
		id: "permanent-failure-keeps-its-effect",
		file: STATEMENTS,
		find: 'return ending === "undo" ?',
		replacement: 'return ending === String("commit") ?',
		seeds: 150,
	},
	{
		id: "time-over-commits",
		file: RUNNER,
		find: 'if (ended.kind === "over") return "abandon";',
		replacement: 'if (ended.kind === "over") return "commit";',
	},
	{
		id: "handler-not-cut-off",
		file: "src/library/stores/guard-client.ts",
		find: "\t\t\tisClosed = true;\n",
		replacement: "",
	},
	{
		id: "started-in-a-transaction-that-is-over",
		file: INBOX,
		find: 'await opened.query("SELECT 1", []);',
		replacement: "",
		seeds: 1_500,
	},

	{
		id: "handle-open-until-the-commit",
		file: INBOX,
		find: "opened.close?.();",
		replacement: "",
	},
	{
		id: "broken-run-acknowledged",
		file: RUNNER,
		find: 'return respondWith(500, "handler_failed");\n\t\t\t\t}\n\t\t\t} catch',
		replacement: "return ACKNOWLEDGED;\n\t\t\t\t}\n\t\t\t} catch",
	},
	{
		id: "lost-connection-does-not-interrupt",
		file: RUNNER,
		find: 'lost?.addEventListener("abort", () => end("lost"));',
		replacement: "",
		seeds: 250,
	},
	{
		id: "idle-transaction-kept",
		file: STATEMENTS,
		find: "const idleMs = Math.min(Math.ceil(maxHandlerMs + storeTimeoutMs), MAX_TIMER_MS);",
		replacement:
			"const idleMs = Math.min(maxHandlerMs - maxHandlerMs + storeTimeoutMs - storeTimeoutMs, MAX_TIMER_MS);",
		seeds: 200,
	},
	{
		id: "record-not-in-the-transaction",
		file: STATEMENTS,
		find: "{ text: `SAVEPOINT ${savepoint}`, values: [] },",
		replacement:
			"{ text: 'COMMIT', values: [] }, { text: 'BEGIN', values: [] }, { text: `SAVEPOINT ${savepoint}`, values: [] },",
	},
	{
		id: "response-not-waited-for",
		file: INBOX,
		find: "await Promise.race([running, givenUp]);",
		replacement: "await Promise.race([running.catch(() => undefined), givenUp]);",
	},
];
