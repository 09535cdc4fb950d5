import { type CaseRecord, costOf, findNamed, median, type TableRecord } from "./cases.ts";
import { formatCost, type TextTable } from "./format.ts";
import type { Run } from "./run.ts";

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
};

const OURS = "messaging-gateway";
const HANDLER = "createWebhookHandler + memoryStore";

/** The SDKs of the same kind as the client: on fetch, with time-outs and retries. */
const SDKS = ["@linqapp/sdk", "sendblue", "stripe on fetch", "openai"];

const TEXT = ["text, 163 B"];
const LARGER = ["webhook, 0.6 kB", "10 kB", "1 MB"];
const WEBHOOKS = ["0.5 kB, string", "1 kB, string", "1 kB, Buffer"];
const LOADED = ["32 in flight"];
const LONG = ["1,000,000 deliveries to a handler", "10,000 calls at a time"];

/** The targets of each table, with what users notice first. A size's target is the limit of the tests, too. */
const TARGETS: Readonly<Record<string, readonly Target[]>> = {
	size: [
		["size of the client", "MessagingGateway", ["amount ≤", 30_000]],
		["size of the handler, memory store", HANDLER, ["amount ≤", 15_000]],
		["size of verifyWebhook", "verifyWebhook", ["amount ≤", 7_300]],
		["size of verifySignature", "verifySignature", ["amount ≤", 6_200]],
	],
	start: [
		["import of the client", OURS, ["cost ≤", 0.7, "@linqapp/sdk"], ["import"]],
		["import of the webhooks", `${OURS}/webhooks`, ["excess ≤", 12e6, "an empty module"], ["import"]],
	],
	deliveries: [
		["deliveries, memory store", "memory store", ["speed ≥", 0.74, "HMAC alone"], LOADED],
		["deliveries, Redis store", "Redis store", ["speed ≥", 0.65, "SET and SET by hand"], LOADED],
		["deliveries, PostgreSQL store", "PostgreSQL store", ["speed ≥", 0.6, "two statements by hand"], LOADED],
		["deliveries, PostgreSQL inbox", "PostgreSQL inbox", ["speed ≥", 0.65, "a transaction by hand"], LOADED],
	],
	"postgres-store": [["updates in PostgreSQL that write to indexes", "postgresStore", ["amount ≤", 5]]],
	"client-stub": [
		["a call on a stub", OURS, ["speed ≥", 1.4, ...SDKS], ["16 in flight"]],
		// Over HTTP the time of a call swings by more than the client adds.
		["what a call adds", OURS, ["excess ≤", 30_000, "fetch, signed by hand"]],
	],
	"hash-body": [
		["canonical bytes and hash, a text", OURS, ["speed ≥", 0.75, "JSON.stringify"], TEXT, [22, 24]],
		["canonical bytes and hash, larger", OURS, ["speed ≥", 0.55, "JSON.stringify"], LARGER, [22, 24]],
		// There, JSON.stringify is twice as fast.
		["canonical bytes and hash", OURS, ["speed ≥", 0.4, "JSON.stringify"], undefined, [26]],
		["canonical bytes and hash, a text", OURS, ["speed ≥", 1.8, "canonicalize"], TEXT],
		["canonical bytes and hash, larger", OURS, ["speed ≥", 2, "canonicalize"], LARGER],
	],
	"sign-request": [["signRequest", OURS, ["speed ≥", 0.95, "JSON.stringify + node:crypto"], TEXT]],
	"verify-webhook": [
		["verifyWebhook", "verifyWebhook", ["speed ≥", 0.9, "createHmac + JSON.parse"], WEBHOOKS],
		["verifyWebhook", "verifyWebhook", ["speed ≥", 1.25, "stripe"], WEBHOOKS],
	],
	memory: [
		// Less than one byte for each, and a tenth of a copy of the body.
		["memory at the end", "at the end", ["excess ≤", 750_000, "after warm-up"], LONG],
		["buffers", "at the end", ["excess ≤", 100_000, "after warm-up"], ["buffers of a body of 1 MB"]],
	],
};

/** The target in bytes of an import; not all have one. */
export function findSizeTarget(name: string): number | undefined {
	const [, , limit] = TARGETS["size"]?.find(([, ours]) => ours === name) ?? [];
	return limit?.[1];
}

/** Whether a run meets a target: the fastest quarter of the rounds and their median must agree, or nothing is decided. */
interface Verdict {
	readonly verdict: "met" | "missed" | "within the spread" | "not measured";
	/** The row of a table under {@link VERDICT_HEAD}. */
	readonly cells: readonly string[];
}

/** The targets, and whether each is met; of several cases, the one that is furthest from the target counts. */
export function targetsTable(run: Run): TextTable {
	return { head: VERDICT_HEAD, rows: checkTargets(run).map(({ cells }) => cells) };
}

const VERDICT_HEAD = ["what", "against", "target", "measured", "median", "worst case", ""];

/** Compares a run with the targets that concern its tables and its Node. */
export function checkTargets({ machine, tables }: Run): Verdict[] {
	const major = Number(/^v(\d+)/.exec(machine.node)?.[1]);
	return tables.flatMap((table) => {
		if (table.maxExponent !== undefined) return checkExponent(table, table.maxExponent);
		const targets = TARGETS[table.name] ?? [];
		const concerned = targets.filter(([, , , , nodes]) => nodes?.includes(major) ?? true);
		return concerned.map((target) => checkTarget(target, table));
	});
}

function checkTarget([what, ours, [kind, bound, ...against], names]: Target, table: TableRecord): Verdict {
	const unit = table.cases[0]?.unit ?? "ns";
	const isRatio = kind === "speed ≥" || kind === "cost ≤";
	const format = (figure: number) => (isRatio ? figure.toFixed(2) : formatCost(figure, unit));
	const end = { "speed ≥": " × the speed", "cost ≤": " × the cost", "excess ≤": " more", "amount ≤": "" }[
		kind
	];
	const target = `${kind.slice(-1)} ${isRatio ? bound : format(bound)}${end}`;
	const sign = kind === "speed ≥" ? -1 : 1;
	const [worst] = table.cases
		.filter(({ name }) => names?.includes(name) ?? true)
		.flatMap(({ name, contenders }) =>
			(against.length === 0 ? [ours] : against).map((other) => {
				const [one, two] = [findNamed(contenders, ours).costs, findNamed(contenders, other).costs];
				const fastest = FIGURES[kind](costOf({ costs: one }), costOf({ costs: two }));
				return { name, figures: [fastest, FIGURES[kind](median(one), median(two))] as const };
			}),
		)
		.toSorted((one, other) => sign * (other.figures[0] - one.figures[0]));
	const described = [what, against.join(", ") || "–", target];
	if (worst === undefined) return judge("not measured", ...described, "–", "–", "–");
	const { name, figures } = worst;
	const met = figures.filter((figure) => sign * figure <= sign * bound).length;
	const verdict = (["missed", "within the spread", "met"] as const)[met] ?? "missed";
	return judge(verdict, ...described, ...figures.map(format), name);
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
