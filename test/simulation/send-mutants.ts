import type { SimulatedMutant } from "./play.ts";

const RUN = "src/library/sends/run-send.ts";
const RECORD = "src/library/sends/record.ts";
const VERDICT = "src/library/sends/verdict.ts";
const RESOLVE = "src/library/sends/resolve-send.ts";
const MEMORY = "src/library/stores/memory-send-store.ts";

export const SEND_MUTANTS: readonly SimulatedMutant[] = [
	{
		id: "mark-not-awaited",
		file: RUN,
		find: "if (!(await records.write(key, version + 1, record))) return undefined;",
		replacement: "records.write(key, version + 1, record).catch(() => undefined);",
	},
	{
		id: "posted-without-a-mark",
		file: RUN,
		find: 'await recordEnd(sender, key, marked, { outcome: "not_sent" });\n\t\tthrow error;',
		replacement: "void error;\n\t\treturn marked;",
	},
	{
		id: "unknown-counted-as-refused",
		file: RUN,
		find: "return { outcome: error.outcome, errorCode: error.code, httpStatus };",
		replacement: 'return { outcome: "rejected" as const, errorCode: error.code, httpStatus };',
	},
	{
		id: "refusal-of-a-copy-counted-as-rejection",
		file: "src/library/client/response.ts",
		find: 'if (namesUsedNonce(read, profile)) return "unknown";',
		replacement: "",
		seeds: 150,
	},
	{
		id: "refusal-without-a-reason-believed",
		file: RUN,
		find: "return { isRejected: isRepeated || rejection instanceof AuthenticationError };",
		replacement: "return { isRejected: true };",
		seeds: 1_000,
	},
	{
		id: "progress-ignored",
		file: RUN,
		find: 'if (verdict?.status === "in_progress") throw inProgress(verdict.retryAfterMs);',
		replacement: "",
	},
	{
		id: "unresolved-sent-again",
		file: RUN,
		find: 'if (verdict !== undefined && verdict.status !== "open")\n\t\treturn isOther ? { ...verdict, kept: true } : verdict;',
		replacement: 'if (verdict?.status === "accepted") return verdict;',
	},
	{
		id: "claim-not-compared",
		file: RUN,
		find: "if (!(await records.write(key, version, claimed))) return undefined;",
		replacement: "await records.write(key, version, claimed);",
		seeds: 100,
	},
	{
		id: "signed-after-the-lease",
		file: RUN,
		find: "if (!lease().isCertain)",
		replacement: "if (false as boolean)",
		seeds: 800,
	},
	{
		id: "lease-by-the-wall-clock",
		file: "src/library/store-calls/lease-time.ts",
		find: "const awakeMs = monotonicNow(clock) - monotonicAt;",
		replacement: "const awakeMs = wallMs;",
		seeds: 3_000,
	},
	{
		id: "end-dated-too-early",
		file: RUN,
		find: "const latest = leaseEndsAt - lease().leftMs;",
		replacement: "const latest = 0 * (leaseEndsAt - lease().leftMs);",
	},
	{
		id: "version-not-compared",
		file: MEMORY,
		find: "if (row?.version !== version) return false;",
		replacement: "if (row === undefined) return false;",
		seeds: 200,
	},
	{
		id: "intent-overwritten",
		file: MEMORY,
		find: "if (rows.has(key)) return false;",
		replacement: "",
	},
	{
		id: "attempts-forgotten",
		file: RECORD,
		find: "[...record.attempts.filter((other) => !isNotAccepted(other)), attempt]",
		replacement: "[attempt]",
		seeds: 300,
	},
	{
		id: "forged-status-counts",
		file: RECORD,
		find: "const before = record.attempts.find((attempt) => attempt.token === token);",
		replacement: "const before = record.attempts.at(-1);",
	},
	{
		id: "status-proves-nothing",
		file: RECORD,
		find: 'return outcome === "accepted" || deliveryStatus !== undefined;',
		replacement: 'return outcome === "accepted";',
	},
	{
		id: "uncertain-counts-as-open",
		file: VERDICT,
		find: 'if (uncertain.length === 0) return { status: "open" };',
		replacement: 'if (uncertain.length < 2) return { status: "open" };',
	},
	{
		id: "late-arrival-forgotten",
		file: VERDICT,
		find: "return Math.max(0, last + LATE_ARRIVAL_MS - now);",
		replacement: "return Math.max(0, last - now);",
		seeds: 800,
	},
	{
		id: "given-up-forgotten",
		file: VERDICT,
		find: 'if (record.decision === "give_up") return { status: "given_up" };',
		replacement: "",
		seeds: 150,
	},
	{
		id: "decided-while-it-runs",
		file: RESOLVE,
		find: 'if (verdict.status === "in_progress") throw inProgress(verdict.retryAfterMs);',
		replacement: "",
		seeds: 250,
	},
	{
		id: "server-error-counted-as-refused",
		file: "src/library/client/response.ts",
		find: "status < 500 && status !== 408 && status !== 499",
		replacement: "status !== 408 && status !== 499",
	},
];
