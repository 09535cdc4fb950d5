import {
	type CaseRecord,
	type ContenderRecord,
	costOf,
	findNamed,
	speedAgainst,
	type TableRecord,
} from "./cases.ts";
import { formatBytes, formatCost, formatCount, type TextTable } from "./format.ts";
import type { Run } from "./run.ts";
import { BINDING_MS } from "./stores/times.ts";
import { checkTargets } from "./targets.ts";

/** The tables of docs/performance.md. */
export function createSpeedTables(run: Run): Readonly<Record<string, TextTable>> {
	return {
		...Object.fromEntries(run.tables.map((table) => [`speed-${table.name}`, contendersTable(table)])),
		"speed-targets": targetsTable(run),
	};
}

/** One row for each contender, one column for each case; ours in bold. */
function contendersTable({ cases, shows }: TableRecord): TextTable {
	const show = {
		speed: formatSpeed,
		cost: (contender: ContenderRecord, { unit }: CaseRecord) => formatCost(costOf(contender), unit),
		rate: formatRate,
	}[shows];
	const roles = cases.flatMap(({ contenders }) => contenders.map(({ name, role }) => [name, role] as const));
	return {
		head: ["", ...cases.map(({ name }) => name)],
		rows: [...new Map(roles)].map(([name, role]) => [
			role === "ours" ? `**${name}**` : name,
			...cases.map((place) => {
				const contender = place.contenders.find((other) => other.name === name);
				return contender === undefined ? "–" : show(contender, place);
			}),
		]),
	};
}

/** Every figure of a table, a line each. */
export function figuresTable({ cases }: TableRecord): TextTable {
	return {
		head: ["case", "contender", "cost", "speed of the floor", ""],
		rows: cases.flatMap((place) =>
			place.contenders.map((contender) => [
				place.name,
				contender.name,
				formatCost(costOf(contender), place.unit),
				formatSpeed(contender, place),
				Object.entries(contender.more ?? {})
					.map(([name, figure]) => `${name} ${formatCount(figure)}`)
					.join(", "),
			]),
		),
	};
}

/** How many times as fast as the floor of the case; a run may have recorded it in place of its rounds. */
function formatSpeed(contender: ContenderRecord, { contenders }: CaseRecord): string {
	const floor = contenders.find(({ role }) => role === "floor");
	const speed = contender.more?.["ratio"] ?? (floor && speedAgainst(contender, floor));
	return speed?.toFixed(2) ?? "–";
}

/** How often it is done in a second. */
function formatRate(contender: ContenderRecord, { unit }: CaseRecord): string {
	const cost = costOf(contender);
	return formatCount(unit === "a second" ? cost : 1e9 / cost, 2);
}

/** The targets, and whether each is met. */
export function targetsTable(run: Run): TextTable {
	return {
		head: ["what", "compared with", "target", "measured", "where it is worst", ""],
		rows: checkTargets(run).map(({ what, against, limit, measured, worstCase, isMet }) => [
			what,
			against.join(", ") || "–",
			limit,
			measured,
			worstCase,
			isMet ? "met" : "**missed**",
		]),
	};
}

/** The tables of docs/scaling.md. */
export function createStoreTables(run: Run): Readonly<Record<string, TextTable>> {
	return {
		"store-calls": callsTable(run),
		"store-bytes": bytesTable(run),
		"store-speeds": speedsTable(run),
		"store-rates": ratesTable(run),
		"store-capacity": capacityTable(run),
	};
}

/** Stores that differ in their settings or clients alone make the same calls. */
function callsTable({ tables }: Run): TextTable {
	return {
		head: [
			"store",
			"first delivery",
			"with `bindDelivery: false`",
			"repeat of a done event",
			"repeat in flight",
		],
		rows: ["redis", "postgres", "sqlite", "memory"].map((name) => {
			const { contenders } = findNamed(findNamed(tables, name).cases, "calls for one delivery");
			return [name, ...contenders.map((calls) => formatCount(costOf(calls)))];
		}),
	};
}

/** The settings that the guide recommends, for which the capacity is calculated. */
const RECOMMENDED = { redis: "redis, everysec", postgres: "postgres" } as const;

function bytesTable(run: Run): TextTable {
	const row = (label: string, store: string, part?: string) => [
		label,
		formatCount(bytesOf(run, store, "a done event", part)),
		formatCount(bytesOf(run, store, "a bound delivery", part)),
	];
	return {
		head: ["store", "a done event", "a bound delivery"],
		rows: [
			row("redis: memory", RECOMMENDED.redis),
			row("postgres: disk", RECOMMENDED.postgres),
			row("– of it the indexes", RECOMMENDED.postgres, "indexes"),
			row("– after `VACUUM FULL`", RECOMMENDED.postgres, "after VACUUM FULL"),
			row("sqlite: disk", "sqlite"),
			row("memory: heap", "memory"),
		],
	};
}

function bytesOf({ tables }: Run, store: string, piece: string, part = "total"): number {
	return costOf(findNamed(findNamed(findNamed(tables, store).cases, piece).contenders, part));
}

function speedsTable({ tables }: Run): TextTable {
	return {
		head: [
			"store",
			"server",
			"1 worker",
			"8 workers",
			"64 workers",
			"p50 / p99 with 8",
			"share of raw statements",
		],
		rows: tables.flatMap(({ name, server, cases }) => {
			if (server === undefined) return [];
			const cycles = [1, 8, 64].map((workers) => {
				const place = findNamed(cases, `full cycle, ${workers} in flight`);
				const [store = { name, role: "ours", costs: [] } as const] = place.contenders;
				return { store, rate: formatRate(store, place), share: formatSpeed(store, place) };
			});
			const { p50Ms = Number.NaN, p99Ms = Number.NaN } = cycles[1]?.store.more ?? {};
			const shares = cycles.map(({ share }) => share);
			return [
				[
					name,
					server === "none" ? "–" : server,
					...cycles.map(({ rate }) => rate),
					`${formatCount(p50Ms, 2)} / ${formatCount(p99Ms, 2)} ms`,
					shares.every((share) => share === "–") ? "–" : shares.join(" / "),
				],
			];
		}),
	};
}

function ratesTable({ tables }: Run): TextTable {
	return {
		head: ["store", "receivers", "events a second", "p50 / p99"],
		rows: findNamed(tables, "rates").cases.flatMap((place) =>
			place.contenders.map((receivers) => [
				place.name,
				receivers.name,
				formatRate(receivers, place),
				`${receivers.more?.["p50Ms"]} / ${receivers.more?.["p99Ms"]} ms`,
			]),
		),
	};
}

/** What is kept once a load has lasted for its retention, calculated from the bytes of a run. */
function capacityTable(run: Run): TextTable {
	const retentions = { "1 hour": 1, "1 day": 24, "7 days": 7 * 24 };
	return {
		head: ["events a second", "kept for", "records", "Redis, memory", "PostgreSQL, disk"],
		rows: [10, 1_000, 10_000].flatMap((eventsPerSecond) =>
			Object.entries(retentions).map(([label, hours]) => {
				const events = eventsPerSecond * hours * 3_600;
				// A bound delivery is kept as long as a stranger could repeat it, whatever the retention is.
				const deliveries = Math.ceil((eventsPerSecond * BINDING_MS) / 1000);
				const bytes = (store: string) =>
					events * bytesOf(run, store, "a done event") + deliveries * bytesOf(run, store, "a bound delivery");
				return [
					formatCount(eventsPerSecond),
					label,
					formatRecords(events + deliveries),
					formatBytes(bytes(RECOMMENDED.redis)),
					formatBytes(bytes(RECOMMENDED.postgres)),
				];
			}),
		),
	};
}

/** Records in thousands, millions or billions. */
function formatRecords(records: number): string {
	if (records < 1e6) return formatCount(records, 2);
	return records >= 1e9
		? `${formatCount(records / 1e9, 2)} billion`
		: `${formatCount(records / 1e6, 2)} million`;
}
