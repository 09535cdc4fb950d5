// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are parts of sources.
import type { Mutant } from "./mutant.ts";

const MEMORY = ["test/unit/library/stores"];
const SQL = ["test/integration/stores-sqlite.test", "test/integration/stores-sqlite-client.test"];
/** Of writers that are killed: a tier of their own, so the path is whole. */
const KILLS = ["test/integration/sqlite-kills.full.test"];
const TOGETHER = "src/library/stores/commit-together.ts";
const REDIS = ["test/integration/stores-redis"];
const DYNAMODB = ["test/unit/library/stores/dynamodb-store"];
const INBOX = ["test/unit/library/stores/postgres-inbox", "test/integration/inbox-postgres"];
/** It compares the digests of the scripts. */
const SCRIPTS_TEST = "test/unit/library/stores/redis-scripts.test.ts";

const IN_MEMORY: readonly Mutant[] = [
	{
		id: "memory-complete-any-token",
		file: "src/library/stores/memory.ts",
		find: "record === undefined || record.token !== token || record.state",
		replacement: "record === undefined || record.state",
		harm: "A worker that lost its lease marks an event as done while another one runs it.",
		tests: MEMORY,
	},
	{
		id: "memory-release-any-token",
		file: "src/library/stores/memory.ts",
		find: 'record?.state === "held" && record.token === token',
		replacement: 'record?.state === "held"',
		harm: "A worker that lost its lease releases or extends another one's.",
		tests: MEMORY,
	},
	{
		id: "memory-lease-not-compared",
		file: "src/library/stores/memory.ts",
		find: 'if (known?.state === "held" && known.leaseEndsAt > now) {',
		replacement: 'if (known?.state === "held") {',
		harm: "An event whose worker died is never run again.",
		tests: MEMORY,
	},
	{
		id: "deadline-order-lost-after-a-deletion",
		file: "src/library/stores/deadline-map.ts",
		find: "if (last !== undefined && last !== entry) this.#moveTo(entry.place, last);",
		replacement: "if (last !== undefined && last !== entry) this.#moveTo(0, last);",
		harm: "A full store takes a binding that is valid for one that is over, or finds none that is over.",
		tests: MEMORY,
	},
	{
		id: "memory-evicts-held",
		file: "src/library/stores/memory.ts",
		find: "held.firstOver(now) ??",
		replacement: "held.firstOver(Number.POSITIVE_INFINITY) ??",
		harm: "A full store forgets an event that is being processed, which then runs twice.",
		tests: MEMORY,
	},
	{
		id: "memory-token-forgotten",
		file: "src/library/stores/memory.ts",
		find: "forgottenToken = Math.max(forgottenToken, read(key)?.token ?? 0);",
		replacement: "",
		harm: "After a clock was set back a forgotten event gets an old token, which its old worker still has.",
		tests: MEMORY,
	},
];

const IN_SQL: readonly Mutant[] = [
	{
		id: "sql-claims-held",
		file: "src/library/stores/sql-store.ts",
		find: " AND record.lease_ends_at <= ${now})\nRETURNING token",
		replacement: ")\nRETURNING token",
		harm: "Two workers process one event at the same time.",
		tests: SQL,
	},
	{
		id: "sql-claims-done",
		file: "src/library/stores/sql-store.ts",
		find: "(record.state <> 'done' AND record.lease_ends_at <= ${now})",
		replacement: "(record.lease_ends_at <= ${now})",
		harm: "A finished event runs again once its last lease is over.",
		tests: SQL,
	},
	{
		id: "sql-extend-any-token",
		file: "src/library/stores/sql-store.ts",
		find: "${now} + $3)\nWHERE key = $1 AND token = $2 AND state = 'held'",
		replacement: "${now} + $3)\nWHERE key = $1 AND (token = $2 OR key = $1) AND state = 'held'",
		harm: "A worker that lost its lease extends another one's, and goes on.",
		tests: SQL,
	},
	{
		id: "sql-complete-any-token",
		file: "src/library/stores/sql-store.ts",
		find: "WHERE key = $1 AND token = $2 AND state <> 'free'",
		replacement: "WHERE key = $1 AND (token = $2 OR key = $1) AND state <> 'free'",
		harm: "A worker that lost its lease marks an event as done while another one runs it.",
		tests: SQL,
	},
	{
		id: "sql-release-any-token",
		file: "src/library/stores/sql-store.ts",
		find: "attempt = attempt - $3\nWHERE key = $1 AND token = $2",
		replacement: "attempt = attempt - $3\nWHERE key = $1 AND (token = $2 OR key = $1)",
		harm: "A worker that lost its lease releases another one's: the event runs twice at once.",
		tests: SQL,
	},
	{
		id: "sql-binding-replaced",
		file: "src/library/stores/sql-store.ts",
		find: "THEN excluded.value ELSE record.value END",
		replacement: "THEN excluded.value ELSE excluded.value END",
		harm: "A captured delivery runs again under another event id.",
		tests: SQL,
	},
	{
		id: "sql-own-claim-unknown",
		file: "src/library/stores/sql-store.ts",
		find: "value === callId",
		replacement: "value !== callId",
		harm: "A client that sends a claim again finds it held, and nobody processes the event for a lease.",
		tests: SQL,
	},
	{
		id: "sql-nonce-forgotten",
		file: "src/library/stores/sql-store.ts",
		find: "expires_at = excluded.expires_at\nWHERE ${isOver} OR record.value = excluded.value",
		replacement: "expires_at = excluded.expires_at",
		harm: "A captured request can be replayed.",
		tests: SQL,
	},
	{
		id: "sql-sweeps-living",
		file: "src/library/stores/sql-store.ts",
		find: "WHERE expires_at <= ${now} ORDER BY",
		replacement: "WHERE true ORDER BY",
		harm: "A sweep removes finished events, whose next delivery runs again.",
		tests: SQL,
	},
];

const AT_THE_BOUNDARY: readonly Mutant[] = [
	{
		id: "late-claim-kept",
		file: "src/library/store-calls/call-store.ts",
		find: "storeTimeoutMs, clock, late)",
		replacement: "storeTimeoutMs, clock)",
		harm: "An event that was claimed too late is held for its whole lease, and nobody works on it.",
		tests: ["test/unit/library/stores/late-claims"],
	},
	{
		id: "late-claim-released-under-the-delivered-key",
		file: "src/library/stores/bound-store.ts",
		find: "releaseLate(store, claim.boundKey ?? key, claim)",
		replacement: "releaseLate(store, key, claim)",
		harm: "A late claim of a copy holds the event for its whole lease, and nobody works on it.",
		tests: ["test/unit/library/stores/late-claims"],
	},
	{
		id: "contract-unchecked",
		file: "src/library/store-calls/call-store.ts",
		find: "if (holds(value)) return value;",
		replacement: "if (holds(value) || value !== null) return value;",
		harm: "A nonce store that resolves to anything but false accepts a replayed request.",
		tests: ["test/unit/library/signing/nonce-store"],
	},
	{
		id: "serialization-failure-not-repeated",
		file: "src/library/stores/postgres-errors.ts",
		find: '["40001", "40P01"].includes',
		replacement: '["40P01"].includes',
		harm: "On a database whose default is serializable a good part of the events gets 503.",
		tests: ["test/unit/library/stores/postgres-errors"],
	},
	{
		id: "repeated-in-a-foreign-transaction",
		file: "src/library/stores/postgres-send-store.ts",
		find: "createSqlSendStore(createRun(transaction, described), table, POSTGRES)",
		replacement:
			"createSqlSendStore(((run) => (...given) => run(...given).catch(() => run(...given)))(createRun(transaction, described)), table, POSTGRES)",
		harm: "The application sees 25P02 in place of the 40001 that tells it to try its transaction again.",
		tests: ["test/unit/library/stores/postgres-errors"],
	},
];

const IN_SQLITE: readonly Mutant[] = [
	{
		id: "sqlite-claims-delivered-id",
		file: "src/library/stores/sqlite-dialect.ts",
		find: "coalesce((SELECT value FROM ${table} WHERE key = $1 AND expires_at > ${NOW}), $2)",
		replacement: "$2",
		harm: "A captured delivery runs again under another event id.",
		tests: SQL,
	},
	{
		id: "sqlite-held-called-done",
		file: "src/library/stores/sqlite-dialect.ts",
		find: " AND event.state = 'done' AND",
		replacement: " AND",
		harm: "An event is acknowledged while its first run may still fail.",
		tests: SQL,
	},
	{
		id: "sqlite-client-values-by-place",
		file: "src/library/stores/sqlite-client.ts",
		find: 'statement.replaceAll("$", "?")',
		replacement: "statement",
		harm: "D1 gives each value to the place of another one, and no event is ever completed.",
		tests: SQL,
	},
	{
		id: "sqlite-answers-before-commit",
		file: TOGETHER,
		find: 'prepare("COMMIT").all();\n\t\t\tfor (const answer of answers) answer();',
		replacement: 'for (const answer of answers) answer();\n\t\t\tprepare("COMMIT").all();',
		harm: "An event is acknowledged whose record is then not committed, and it runs again.",
		tests: MEMORY,
	},
	{
		id: "sqlite-answers-a-turn-before-commit",
		file: TOGETHER,
		find: 'prepare("COMMIT").all();\n\t\t\tfor (const answer of answers) answer();',
		replacement:
			'for (const answer of answers) answer();\n\t\t\tqueueMicrotask(() => queueMicrotask(() => queueMicrotask(() => prepare("COMMIT").all())));',
		harm: "A process that dies between the two has answered for what is not there.",
		tests: KILLS,
	},
	{
		id: "sqlite-constraint-fails-all",
		file: TOGETHER,
		find: "if (!isOwn(error)) throw error;",
		replacement: "if (error !== null) throw error;",
		harm: "One statement that breaks a constraint fails up to 99 others.",
		tests: MEMORY,
	},
	{
		id: "sqlite-full-disk-fails-one",
		file: TOGETHER,
		find: "(errcode & 0xff) === SQLITE_CONSTRAINT",
		replacement: "errcode > 0",
		harm: "What ran before the disk was full is answered, and was undone.",
		tests: MEMORY,
	},
	{
		id: "sqlite-statements-tried-again",
		file: TOGETHER,
		find: "for (const { reject } of together) reject(error);",
		replacement: "waiting.unshift(...together);\n\t\t\tthrow error;",
		harm: "Statements whose transaction failed run once more, although their callers may have given up.",
		tests: MEMORY,
	},
	{
		id: "sqlite-not-rolled-back",
		file: TOGETHER,
		find: "rollBack();\n\t\t\tfor",
		replacement: "for",
		harm: "After one failure no statement of the process runs any more.",
		tests: MEMORY,
	},
	{
		id: "sqlite-commit-not-on-disk",
		file: "src/library/stores/sqlite-store.ts",
		find: "PRAGMA synchronous = FULL",
		replacement: "PRAGMA synchronous = NORMAL",
		harm: "A machine that loses power forgets finished events, which run again.",
		tests: KILLS,
	},
];

const IN_REDIS: readonly Mutant[] = [
	{
		id: "redis-claims-held",
		file: "src/library/stores/redis-scripts.ts",
		find: "if state == 'held' and tonumber(leaseEndsAt) > now then",
		replacement: "if state == 'held' and tonumber(leaseEndsAt) > 2 * now then",
		harm: "Two workers process one event at the same time.",
		tests: REDIS,
		except: SCRIPTS_TEST,
	},
	{
		id: "redis-lease-not-compared",
		file: "src/library/stores/redis-scripts.ts",
		find: "if state == 'held' and tonumber(leaseEndsAt) > now then",
		replacement: "if state == 'held' then",
		harm: "An event whose worker died is not run again before its record ends.",
		tests: REDIS,
		except: SCRIPTS_TEST,
	},
	{
		id: "redis-extend-any-token",
		file: "src/library/stores/redis-scripts.ts",
		find: "${READ_TIME}\nif state ~= 'held' or token ~= ARGV[1] then",
		replacement: "${READ_TIME}\nif state ~= 'held' then",
		harm: "A worker that lost its lease extends another one's, and goes on.",
		tests: REDIS,
		except: SCRIPTS_TEST,
	},
	{
		id: "redis-complete-any-token",
		file: "src/library/stores/redis-scripts.ts",
		find: "if state == 'free' or token ~= ARGV[1] then",
		replacement: "if state == 'free' then",
		harm: "A worker that lost its lease marks an event as done while another one runs it.",
		tests: REDIS,
		except: SCRIPTS_TEST,
	},
	{
		id: "redis-release-any-token",
		file: "src/library/stores/redis-scripts.ts",
		find: "${READ_RECORD}\nif state ~= 'held' or token ~= ARGV[1] then",
		replacement: "${READ_RECORD}\nif state ~= 'held' then",
		harm: "A worker that lost its lease releases another one's: the event runs twice at once.",
		tests: REDIS,
		except: SCRIPTS_TEST,
	},
	{
		id: "redis-own-claim-unknown",
		file: "src/library/stores/redis-scripts.ts",
		find: "if claimId == ${id} then",
		replacement: "if false then",
		harm: "A client that sends a claim again finds it held, and nobody processes the event for a lease.",
		tests: REDIS,
		except: SCRIPTS_TEST,
	},
	{
		id: "redis-binding-replaced",
		file: "src/library/stores/redis-scripts.ts",
		find: "\nif redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2])",
		replacement: "\nif redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])",
		harm: "A captured delivery runs again under another event id.",
		tests: REDIS,
		except: SCRIPTS_TEST,
	},
];

const IN_DYNAMODB: readonly Mutant[] = [
	{
		id: "dynamodb-own-success-not-known",
		file: "src/library/stores/dynamodb-store.ts",
		find: "current?.revision === revision ? undefined : { found: current }",
		replacement: "{ found: current }",
		harm: "A delivery whose claim the client sent twice is rejected, and nobody processes the event.",
		tests: DYNAMODB,
	},
	{
		id: "dynamodb-clocks-trusted",
		file: "src/library/stores/dynamodb-store.ts",
		find: "time + maxClockSkewMs <= now",
		replacement: "time <= now",
		harm: "A process whose clock is ahead takes an event from one that works on it.",
		tests: DYNAMODB,
	},
	{
		id: "dynamodb-removal-awaited",
		file: "src/library/stores/dynamodb-store.ts",
		find: "found?.bound_key === undefined || isPast(found.expires_at, now)",
		replacement: "found?.bound_key === undefined",
		harm: "A delivery stays bound until DynamoDB removes it, which may be days later.",
		tests: DYNAMODB,
	},
	{
		id: "dynamodb-read-behind",
		file: "src/library/stores/dynamodb-store.ts",
		find: "ConsistentRead: true,",
		replacement: "",
		harm: "A worker that reads what is behind loses its lease, and the event runs again.",
		tests: DYNAMODB,
	},
	{
		id: "dynamodb-removed-too-soon",
		file: "src/library/stores/dynamodb-store.ts",
		find: "record.expires_at + 2 * maxClockSkewMs",
		replacement: "record.expires_at",
		harm: "A clock that is behind gives a removed event a token that an old worker still has.",
		tests: DYNAMODB,
	},
	{
		id: "dynamodb-complete-any-token",
		file: "src/library/stores/dynamodb-records.ts",
		find: '"#state = :state AND #token = :token"',
		replacement: '"#state = :state"',
		harm: "A worker that lost its lease marks an event as done while another one runs it.",
		tests: DYNAMODB,
	},
];

const IN_INBOX: readonly Mutant[] = [
	{
		id: "inbox-repeats-done",
		file: "src/library/stores/inbox-statements.ts",
		find: "(record.state <> 'done' AND record.lease_ends_at <= ${now})",
		replacement: "true",
		harm: "Each delivery of an event commits its effects once more.",
		tests: INBOX,
	},
	{
		id: "inbox-own-commit-unnoticed",
		file: "src/library/stores/inbox-statements.ts",
		find: "IS NOT DISTINCT FROM $1::text)",
		replacement: "IS DISTINCT FROM $1::text || 'x')",
		harm: "A handler that commits by itself has its effects twice, without a word.",
		tests: INBOX,
	},
	{
		id: "inbox-keeps-given-up",
		file: "src/library/stores/inbox-statements.ts",
		find: 'return ending === "undo" ?',
		replacement: "return false ?",
		harm: "What a handler wrote before it gave the event up is committed.",
		tests: INBOX,
	},
	{
		id: "inbox-isolation-unchecked",
		file: "src/library/stores/inbox-run.ts",
		find: 'begun?.["isolation"] !== "read committed"',
		replacement: "begun === undefined",
		harm: "With another isolation level a repeat fails over and over, or reads an old record.",
		tests: INBOX,
	},
	{
		id: "inbox-late-statement",
		file: "src/library/stores/guard-client.ts",
		find: "if (isClosed) {",
		replacement: "if (false) {",
		harm: "What a handler did not await runs in the transaction of another event.",
		tests: INBOX,
	},
];

export const STORES: readonly Mutant[] = [
	...IN_MEMORY,
	...IN_SQL,
	...AT_THE_BOUNDARY,
	...IN_SQLITE,
	...IN_REDIS,
	...IN_DYNAMODB,
	...IN_INBOX,
];
