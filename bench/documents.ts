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
import { checkTargets, VERDICT_HEAD } from "./targets.ts";

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
		head: ["case", "contender", "cost", "× floor", ""],
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
	return { head: VERDICT_HEAD, rows: checkTargets(run).map(({ cells }) => cells) };
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
function callsTable(run: Run): TextTable {
	const deliveries = [
		"first delivery",
		"with `bindDelivery: false`",
		"repeat of a done event",
		"repeat in flight",
	];
	return {
		head: ["store", ...deliveries],
		rows: ["redis", "postgres", "sqlite", "memory"].map((store) => {
			const { contenders } = findPlace(run, store, "calls for one delivery");
			return [store, ...contenders.map((calls) => formatCount(costOf(calls)))];
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

function bytesOf(run: Run, store: string, piece: string, part = "total"): number {
	return costOf(findNamed(findPlace(run, store, piece).contenders, part));
}

function findPlace({ tables }: Run, table: string, place: string): CaseRecord {
	return findNamed(findNamed(tables, table).cases, place);
}

function speedsTable(run: Run): TextTable {
	const workers = ["1 worker", "8 workers", "64 workers"];
	return {
		head: ["store", "server", ...workers, "p50 / p99 with 8", "share of raw statements"],
		rows: run.tables.flatMap(({ name, server }) => {
			if (server === undefined) return [];
			const places = [1, 8, 64].map((count) => findPlace(run, name, `full cycle, ${count} in flight`));
			const show = (format: typeof formatRate) =>
				places.map((place) =>
					place.contenders
						.slice(0, 1)
						.map((store) => format(store, place))
						.join(),
				);
			const { p50Ms = Number.NaN, p99Ms = Number.NaN } = places[1]?.contenders[0]?.more ?? {};
			const times = `${formatCount(p50Ms, 2)} / ${formatCount(p99Ms, 2)} ms`;
			// The store in memory has neither a server nor raw statements.
			const isAlone = server === "none";
			const shares = isAlone ? "–" : show(formatSpeed).join(" / ");
			return [[name, isAlone ? "–" : server, ...show(formatRate), times, shares]];
		}),
	};
}

function ratesTable({ tables }: Run): TextTable {
	return {
		head: ["store", "receivers", "events a second", "p50 / p99"],
		rows: findNamed(tables, "rates").cases.flatMap((place) =>
			place.contenders.map((receivers) => {
				const { p50Ms, p99Ms } = receivers.more ?? {};
				return [place.name, receivers.name, formatRate(receivers, place), `${p50Ms} / ${p99Ms} ms`];
			}),
		),
	};
}

/** What is kept once a load has lasted for its retention, calculated from the bytes of a run. */
function capacityTable(run: Run): TextTable {
	const retentions = { "1 hour": 1, "1 day": 24, "7 days": 7 * 24 };
	const createRow = (perSecond: number, [label, hours]: readonly [string, number]) => {
		const events = perSecond * hours * 3_600;
		// A bound delivery is kept as long as a stranger could repeat it, whatever the retention is.
		const deliveries = Math.ceil((perSecond * BINDING_MS) / 1000);
		const bytes = [RECOMMENDED.redis, RECOMMENDED.postgres].map((store) =>
			formatBytes(
				events * bytesOf(run, store, "a done event") + deliveries * bytesOf(run, store, "a bound delivery"),
			),
		);
		return [formatCount(perSecond), label, formatRecords(events + deliveries), ...bytes];
	};
	return {
		head: ["events a second", "kept for", "records", "Redis, memory", "PostgreSQL, disk"],
		rows: [10, 1_000, 10_000].flatMap((perSecond) =>
			Object.entries(retentions).map((retention) => createRow(perSecond, retention)),
		),
	};
}

/** Records in thousands, millions or billions. */
function formatRecords(records: number): string {
	if (records >= 1e9) return `${formatCount(records / 1e9, 2)} billion`;
	return records >= 1e6 ? `${formatCount(records / 1e6, 2)} million` : formatCount(records, 2);
}
