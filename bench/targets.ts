import {
	type CaseRecord,
	costOf,
	excessOver,
	findNamed,
	median,
	speedAgainst,
	type TableRecord,
} from "./cases.ts";
import { formatCost } from "./format.ts";
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

/** The figures of one contender and another that a limit applies to. */
const FIGURES = {
	"speed ≥": speedAgainst,
	"cost ≤": (...pair: Parameters<typeof speedAgainst>) => 1 / speedAgainst(...pair),
	"excess ≤": excessOver,
	"amount ≤": costOf,
};

const OURS = "messaging-gateway";

/** The SDKs of the same kind as the client: on fetch, with time-outs and retries. */
const FETCH_SDKS = ["@linqapp/sdk", "sendblue", "stripe on fetch", "openai"];

const TEXT = ["text, 163 B"];
const LARGER = ["webhook, 0.6 kB", "10 kB", "100 kB", "1 MB"];
const WEBHOOKS = ["1 kB, string", "1 kB, Buffer"];
const HASHING = "value, canonical bytes, SHA-256:";

/**
 * The targets of each table, with what users notice first. They were set from what prototypes measured. A size that
 * was reached is also a limit of the tests.
 */
export const TARGETS: Readonly<Record<string, readonly Target[]>> = {
	size: [
		["size of the client, gzip", "MessagingGateway", ["amount ≤", 27_000]],
		[
			"size of the webhook handler with the memory store, gzip",
			"createWebhookHandler + memoryStore",
			["amount ≤", 12_800],
		],
		["size of verifyWebhook, gzip", "verifyWebhook", ["amount ≤", 8_500]],
		["size of verifySignature, gzip", "verifySignature", ["amount ≤", 6_300]],
	],
	start: [
		["import of the client", OURS, ["cost ≤", 0.75, "@linqapp/sdk"], ["import"]],
		["import of the webhooks", `${OURS}/webhooks`, ["excess ≤", 14e6, "an empty module"], ["import"]],
		[
			"import of the client and its first call over HTTP",
			OURS,
			["cost ≤", 1.1, "@linqapp/sdk"],
			["import and first call"],
		],
	],
	receiver: [
		[
			"deliveries a second: Express, the webhook handler and Redis",
			"createWebhookHandler, Redis store",
			["speed ≥", 0.7, "createHmac alone"],
		],
	],
	"redis-store": [["an event in the Redis store", "redisStore", ["speed ≥", 0.7, "SET NX PX, SET XX PX"]]],
	"postgres-store": [
		["updates of finished events in PostgreSQL that write to indexes", "postgresStore", ["amount ≤", 5]],
	],
	"client-stub": [
		["a client's call on a fetch that responds at once", OURS, ["speed ≥", 1.3, ...FETCH_SDKS]],
	],
	"client-http": [
		["a client's call over HTTP, 16 in flight", OURS, ["speed ≥", 1, ...FETCH_SDKS], ["16 in flight"]],
	],
	"hash-body": [
		[`${HASHING} a text to send`, OURS, ["speed ≥", 0.75, "JSON.stringify"], TEXT, [22, 24]],
		[`${HASHING} from a webhook to 1 MB`, OURS, ["speed ≥", 0.55, "JSON.stringify"], LARGER, [22, 24]],
		[
			`${HASHING} any size, where JSON.stringify is twice as fast`,
			OURS,
			["speed ≥", 0.4, "JSON.stringify"],
			undefined,
			[26],
		],
		[`${HASHING} a text to send`, OURS, ["speed ≥", 1.8, "canonicalize"], TEXT],
		[`${HASHING} from a webhook to 1 MB`, OURS, ["speed ≥", 2, "canonicalize"], LARGER],
	],
	"sign-request": [
		["signRequest, its body included", OURS, ["speed ≥", 0.95, "JSON.stringify + node:crypto"], TEXT],
	],
	"verify-webhook": [
		["verifyWebhook", "verifyWebhook", ["speed ≥", 0.95, "createHmac + JSON.parse"], WEBHOOKS],
		["verifyWebhook", "verifyWebhook", ["speed ≥", 1.15, "stripe"], WEBHOOKS],
	],
	"verify-webhook-noble": [
		["verifyWebhook without native hashing", "verifyWebhook", ["speed ≥", 1.7, "standardwebhooks"]],
	],
	handler: [
		["the webhook handler with the memory store", "createWebhookHandler", ["cost ≤", 1.8, "verifyWebhook"]],
	],
	memory: [
		[
			"memory after a million verifications, a million deliveries and 10,000 calls at a time",
			"at the end",
			// Less than one byte for each.
			["excess ≤", 750_000, "after warm-up"],
			["1,000,000 verifications", "1,000,000 deliveries to a handler", "10,000 calls at a time"],
		],
		[
			"buffers of verifying a body of 1 MB, of which a copy would be 1 MB",
			"at the end",
			["excess ≤", 100_000, "after warm-up"],
			["buffers of a body of 1 MB"],
		],
	],
};

/** The target of an import's size in bytes, if it has one. */
export function findSizeTarget(name: string): number | undefined {
	const [, , limit] = TARGETS["size"]?.find(([, ours]) => ours === name) ?? [];
	return limit?.[1];
}

/** Whether a run meets a target. */
interface Verdict {
	readonly isMet: boolean;
	/** The row of a table under {@link VERDICT_HEAD}. */
	readonly cells: readonly string[];
}

/** What a verdict's cells are; of several cases, the one that is furthest from the target counts. */
export const VERDICT_HEAD = ["what", "compared with", "target", "measured", "where it is worst", ""];

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
	const cases = names?.map((name) => findNamed(table.cases, name)) ?? table.cases;
	const figures = cases.flatMap(({ name, unit, contenders }) =>
		(against.length === 0 ? [ours] : against).map((other) => ({
			name,
			unit,
			figure: FIGURES[kind](findNamed(contenders, ours), findNamed(contenders, other)),
		})),
	);
	const sign = kind === "speed ≥" ? -1 : 1;
	const [worst] = figures.toSorted((one, other) => sign * (other.figure - one.figure));
	if (worst === undefined) throw new Error(`the record lacks the cases of ${table.name}`);
	const { name, unit, figure } = worst;
	const amount = formatCost(bound, unit);
	const limits = {
		"speed ≥": `≥ ${bound} × the speed`,
		"cost ≤": `≤ ${bound} × the cost`,
		"excess ≤": `≤ ${amount} more`,
		"amount ≤": `≤ ${amount}`,
	};
	const isRatio = kind === "speed ≥" || kind === "cost ≤";
	const measured = isRatio ? figure.toFixed(2) : formatCost(figure, unit);
	const isMet = sign * figure <= sign * bound;
	return judge(isMet, what, against.join(", ") || "–", limits[kind], measured, name);
}

function judge(isMet: boolean, ...cells: readonly string[]): Verdict {
	return { isMet, cells: [...cells, isMet ? "met" : "**missed**"] };
}

function checkExponent({ name, cases }: TableRecord, maxExponent: number): Verdict {
	const exponent = fitExponent(cases);
	return judge(exponent <= maxExponent, name, "–", `exponent ≤ ${maxExponent}`, exponent.toFixed(2), "–");
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
