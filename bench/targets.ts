import {
	type CaseRecord,
	type ContenderRecord,
	costOf,
	findNamed,
	median,
	type Role,
	type TableRecord,
} from "./cases.ts";
import { formatCost, formatCount, formatFigure, type TextTable } from "./format.ts";
import type { Run } from "./run.ts";
import { DELIVERED } from "./settings.ts";

/** One aim of the benchmark. */
type Target = readonly [
	what: string,
	ours: string,
	limit: Limit,
	/** In each of these cases. @default all of the table */
	cases?: readonly string[] | undefined,
	/** The major versions of Node that it is for. @default all */
	nodes?: readonly number[],
];

/**
 * How many times the speed or the cost, or how much more or at most in the table's unit. It holds against each of
 * what is named, and so against the best of them.
 */
type Limit = readonly [kind: keyof typeof FIGURES, bound: number, ...against: string[]];

/** The figure that a limit applies to, of our cost and another one. */
const FIGURES = {
	"speed ≥": (ours: number, other: number) => other / ours,
	"cost ≤": (ours: number, other: number) => ours / other,
	"excess ≤": (ours: number, other: number) => ours - other,
	"amount ≤": (ours: number) => ours,
	"rate ≥": (ours: number) => 1e9 / ours,
};

const OURS = "messaging-gateway";
const OVER_NODE_HTTP = `${OURS}, nodeHttpFetch`;
const LONG = ["10,000 calls at a time", `${DELIVERED.memory.toLocaleString("en")} deliveries to a handler`];
const TEXT = ["text, 163 B"];
const LARGER = ["10 kB"];
const BY_HAND = "node:http, signed by hand";

/** What is aimed at where users feel it, by its table. */
const GOALS: Readonly<Record<string, readonly Target[]>> = {
	"full-store": [
		["a delivery to a full memoryStore", "full, old records expire", ["cost ≤", 2, "a store with room"]],
		[
			"a delivery that a full memoryStore rejects",
			"full, nothing expires",
			["cost ≤", 2, "a store with room"],
		],
	],
	settled: [["settled(), for each send", "no receiver", ["amount ≤", 100_000]]],
	test: [["a test", "createLocalGateway", ["cost ≤", 1, "MSW"]]],
	"send-cpu": [["processor time of a send", OVER_NODE_HTTP, ["cost ≤", 1.15, BY_HAND]]],
	"sender-memory": [["memory of a sender", OVER_NODE_HTTP, ["amount ≤", 130_000_000]]],
	"first-send": [["from the start to the first send", OVER_NODE_HTTP, ["amount ≤", 80e6]]],
	"first-webhook": [["from the start to the first webhook", "verifyWebhook", ["amount ≤", 18e6]]],
	inbox: [["deliveries, inbox", "postgresInbox", ["speed ≥", 0.5, "a transaction by hand"]]],
	sqlite: [["deliveries, SQLite", "sqliteStore", ["rate ≥", 2_500]]],
	redis: [["deliveries, Redis", "redisStore", ["speed ≥", 0.8, "by hand, with a lease"]]],
	// What it blocks is told by its size.
	attachment: [["an attachment of 64 MiB", OVER_NODE_HTTP, ["cost ≤", 1.5, BY_HAND], ["64 MiB"]]],
};

/** The tables of what users feel. */
export const ROWS: readonly string[] = Object.keys(GOALS);

/** What is quick enough already, and must not get worse, by its table. Sizes have their own, in bench/results/sizes.json. */
const CEILINGS: Readonly<Record<string, readonly Target[]>> = {
	call: [["what a call adds", OURS, ["excess ≤", 30_000, "fetch, signed by hand"]]],
	"hash-body": [
		["canonical bytes and hash, a text", OURS, ["speed ≥", 0.75, "JSON.stringify"], TEXT, [22, 24]],
		["canonical bytes and hash, larger", OURS, ["speed ≥", 0.55, "JSON.stringify"], LARGER, [22, 24]],
		// There, JSON.stringify is twice as fast.
		["canonical bytes and hash", OURS, ["speed ≥", 0.4, "JSON.stringify"], undefined, [26]],
		["canonical bytes and hash, a text", OURS, ["speed ≥", 1.8, "canonicalize"], TEXT],
		["canonical bytes and hash, larger", OURS, ["speed ≥", 2, "canonicalize"], LARGER],
	],
	"sign-request": [["signRequest", OURS, ["speed ≥", 0.95, "JSON.stringify + node:crypto"]]],
	"verify-webhook": [
		["verifyWebhook", "verifyWebhook", ["speed ≥", 0.9, "createHmac + JSON.parse"]],
		["verifyWebhook", "verifyWebhook", ["speed ≥", 1.25, "stripe"]],
	],
	memory: [
		// Less than three bytes for each, and a tenth of a copy of the body.
		["memory at the end", "at the end", ["excess ≤", 750_000, "after warm-up"], LONG],
		["buffers", "at the end", ["excess ≤", 100_000, "after warm-up"], ["buffers of a body of 1 MB"]],
	],
	"postgres-updates": [["updates in PostgreSQL that write to indexes", "postgresStore", ["amount ≤", 5]]],
};

const TARGETS = { goals: GOALS, ceilings: CEILINGS } as const;
export type TargetKind = keyof typeof TARGETS;

/** Whether a run meets a target: the fastest quarter of the rounds and their median must agree, or nothing is decided. */
interface Verdict {
	readonly verdict: "met" | "missed" | "within the spread" | "not measured";
	/** The row of a table under {@link VERDICT_HEAD}. */
	readonly cells: readonly string[];
	/** The case that it was decided by, if it was measured. */
	readonly worst?: CaseRecord | undefined;
}

/** The targets, and whether each is met; of several cases, the one that is furthest from the target counts. */
export function targetsTable(run: Run, kind?: TargetKind): TextTable {
	return { head: VERDICT_HEAD, rows: checkTargets(run, kind).map(({ cells }) => cells) };
}

const NOT_MEASURED: TableRecord = { name: "", shows: "cost", cases: [] };

/** Where users feel it: each goal with our median, that of the best peer, and that of what is written by hand. */
export function goalsTable(run: Run): TextTable {
	const rows = Object.entries(GOALS).flatMap(([row, targets]) =>
		targets.map((target) => {
			const [what, ours] = target;
			const table = run.tables.find(({ name }) => name === row) ?? NOT_MEASURED;
			const { cells, worst } = checkTarget(target, table);
			const [, against = "", limit = "", , measured = "", , verdict = ""] = cells;
			const goal = against === "–" ? limit : `${limit} of ${against}`;
			const show = (among: readonly ContenderRecord[] = []) => {
				const [best] = among.toSorted((one, other) => median(one.costs) - median(other.costs));
				if (best === undefined || worst === undefined) return "–";
				const figure = formatFigure(median(best.costs), worst.unit, table.shows);
				return best.role === "peer" ? `${figure}, ${best.name}` : figure;
			};
			const ofRole = (role: Role) => worst?.contenders.filter((contender) => contender.role === role);
			const now = worst?.contenders.filter(({ name }) => name === ours);
			return [what, show(now), show(ofRole("peer")), show(ofRole("floor")), goal, measured, verdict];
		}),
	);
	return { head: ["what", "now", "best peer", "by hand", "goal", "measured", ""], rows };
}

const VERDICT_HEAD = ["what", "against", "target", "measured", "median", "worst case", ""];

/** Compares a run with the targets that concern its tables and its Node. */
export function checkTargets({ machine, tables }: Run, kind?: TargetKind): Verdict[] {
	const major = Number(/^v(\d+)/.exec(machine.node)?.[1]);
	return tables.flatMap((table) => {
		if (table.maxExponent !== undefined) return checkExponent(table, table.maxExponent);
		const targets = (kind ? [TARGETS[kind]] : Object.values(TARGETS)).flatMap(
			(each) => each[table.name] ?? [],
		);
		const concerned = targets.filter(([, , , , nodes]) => nodes?.includes(major) ?? true);
		return concerned.map((target) => checkTarget(target, table));
	});
}

/** What follows a bound. */
const ENDS = {
	"speed ≥": " × the speed",
	"cost ≤": " × the cost",
	"excess ≤": " more",
	"amount ≤": "",
	"rate ≥": "",
} as const satisfies Record<keyof typeof FIGURES, string>;

function checkTarget([what, ours, [kind, bound, ...against], names]: Target, table: TableRecord): Verdict {
	const unit = table.cases[0]?.unit ?? "ns";
	const isRatio = kind === "speed ≥" || kind === "cost ≤";
	const format = (figure: number) => {
		if (kind === "rate ≥") return `${formatCount(figure, 2)} a second`;
		return isRatio ? figure.toFixed(2) : formatCost(figure, unit);
	};
	const target = `${kind.slice(-1)} ${isRatio ? bound : format(bound)}${ENDS[kind]}`;
	const sign = kind.endsWith("≥") ? -1 : 1;
	const [worst] = table.cases
		.filter(({ name }) => names?.includes(name) ?? true)
		.flatMap((place) =>
			(against.length === 0 ? [ours] : against).map((other) => {
				const [{ costs: one }, { costs: two }] = [
					findNamed(place.contenders, ours),
					findNamed(place.contenders, other),
				];
				const fastest = FIGURES[kind](costOf({ costs: one }), costOf({ costs: two }));
				return { place, figures: [fastest, FIGURES[kind](median(one), median(two))] as const };
			}),
		)
		.toSorted((one, other) => sign * (other.figures[0] - one.figures[0]));
	const described = [what, against.join(", ") || "–", target];
	if (worst === undefined) return judge("not measured", ...described, "–", "–", "–");
	const { place, figures } = worst;
	const met = figures.filter((figure) => sign * figure <= sign * bound).length;
	const verdict = (["missed", "within the spread", "met"] as const)[met] ?? "missed";
	return { ...judge(verdict, ...described, ...figures.map(format), place.name), worst: place };
}

function judge(verdict: Verdict["verdict"], ...cells: readonly string[]): Verdict {
	return { verdict, cells: [...cells, verdict === "missed" ? "**missed**" : verdict] };
}

function checkExponent({ name, cases }: TableRecord, maxExponent: number): Verdict {
	const exponent = fitExponent(cases);
	const verdict = exponent <= maxExponent ? "met" : "missed";
	return judge(verdict, name, "–", `exponent ≤ ${maxExponent}`, exponent.toFixed(2), "–", "–");
}

/** Least squares over logarithms: 0 where the size, with which a case's name begins, does not matter; 1 if linear. */
function fitExponent(cases: readonly CaseRecord[]): number {
	const sizes = cases.map(({ name }) => Math.log(Number.parseInt(name, 10)));
	const costs = cases.map(({ contenders }) => Math.log(median(contenders.map(costOf))));
	const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
	const distances = sizes.map((size) => size - sum(sizes) / sizes.length);
	const covariance = sum(distances.map((distance, at) => distance * (costs[at] ?? Number.NaN)));
	return covariance / sum(distances.map((distance) => distance ** 2));
}
