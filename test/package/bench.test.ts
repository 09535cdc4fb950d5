import { spawnSync } from "node:child_process";
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, onTestFinished, test } from "vitest";
import { checkTargets } from "../../bench/speed/check-targets.ts";
import { printVerdicts } from "../../bench/speed/print-record.ts";
import { findCase, findContender, findTable, type SpeedRecord } from "../../bench/speed/record.ts";
import { TABLES } from "../../bench/speed/table.ts";
import { type Limit, TARGETS, type Target } from "../../bench/targets.ts";
import { requireVersion } from "../support/versions.ts";

const RECORDED: SpeedRecord = JSON.parse(
	readFileSync(new URL("../../bench/results/speed.json", import.meta.url), "utf8"),
);
const PEERS = new URL("../../bench/peers/", import.meta.url);

describe("the recorded run", () => {
	test("has every table, with at least nine rounds", () => {
		expect(RECORDED.tables.map(({ name }) => name)).toEqual(Object.keys(TABLES));
		expect(RECORDED.settings.rounds).toBeGreaterThanOrEqual(9);
	});

	test.each(
		RECORDED.tables.flatMap((table) =>
			table.cases.map((place) => [`${table.name}, ${place.name}`, place, table] as const),
		),
	)(
		"%s has ours, and a floor where speeds are shown, with as many costs each",
		(_, { contenders }, table) => {
			const roles = new Set(contenders.map(({ role }) => role));
			expect(roles).toContain("ours");
			if (table.shows !== "cost") expect(roles).toContain("floor");
			expect(new Set(contenders.map(({ costs }) => costs.length)).size).toBe(1);
			for (const { costs } of contenders) {
				expect(costs).not.toEqual([]);
				for (const cost of costs) expect(cost).toBeGreaterThanOrEqual(table.unit === "percent" ? 0 : 1);
			}
		},
	);
});

const READ_ALL = `
import { readFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { SourceTextModule } from "node:vm";
for (const file of process.argv.slice(1))
	new SourceTextModule(stripTypeScriptTypes(readFileSync(file, "utf8")), { identifier: file });
`;

test.each(["node-22", "node-26"] as const)(
	"%s, which can be measured as well, reads the benchmark",
	(version) => {
		const folder = fileURLToPath(new URL("../../bench/", import.meta.url));
		const files = globSync("{at-end,memory/**/*,peers/load,sizes/**/*,speed/**/*,stores/subjects/*}.ts", {
			cwd: folder,
		}).map((file) => join(folder, file));
		expect(files.length).toBeGreaterThan(25);
		const flags = ["--experimental-vm-modules", "--no-warnings", "--input-type=module"];
		const { stderr, status } = spawnSync(requireVersion(version), [...flags, "--eval", READ_ALL, ...files]);
		expect(stderr.toString()).toBe("");
		expect(status).toBe(0);
	},
);

test.each(TARGETS.map((target) => [`${target.what}: ${target.against.join(", ")}`, target]))(
	"the target names what there is: %s",
	(_, { table, cases, ours, against }) => {
		expect(cases).not.toEqual([]);
		const recorded = findTable(RECORDED, table);
		const places = cases?.map((name) => findCase(recorded, name)) ?? recorded.cases;
		for (const place of places) {
			expect(findContender(place, ours).role).toBe("ours");
			for (const other of against) findContender(place, other);
		}
	},
);

test("every table has a target", () => {
	expect(new Set(TARGETS.map(({ table }) => table))).toEqual(new Set(Object.keys(TABLES)));
});

test("the peers have exact versions, and their lock names no registry", () => {
	const { dependencies }: { dependencies: Record<string, string> } = JSON.parse(
		readFileSync(new URL("package.json", PEERS), "utf8"),
	);
	for (const version of Object.values(dependencies)) expect(version).toMatch(/^\d+\.\d+\.\d+$/);
	expect(readFileSync(new URL("package-lock.json", PEERS), "utf8")).not.toContain('"resolved"');
});

describe("a check", () => {
	/** Ours costs 2, 4, 6 where the other one costs 4, 4, 4: twice, once and two thirds as fast. */
	const record: SpeedRecord = {
		recordedAt: "2026-01-01T00:00:00.000Z",
		machine: { node: "v24.0.0", platform: "p", cpu: "c", cores: 1, loadBefore: 0, loadAfter: 0 },
		settings: { rounds: 3, sliceMs: 1 },
		tables: [
			{
				name: "sums",
				title: "Sums",
				unit: "ns",
				shows: "speed",
				cases: [
					createCase("small", { ours: [2, 4, 6], slow: [8, 8, 8], fast: [4, 4, 4] }),
					createCase("large", { ours: [8, 8, 8], slow: [16, 16, 16], fast: [4, 4, 4] }),
				],
			},
		],
	};

	test.each([
		["fast enough", { speedAtLeast: 1 }, ["fast"], ["small"], true, 1],
		["too slow", { speedAtLeast: 1.01 }, ["fast"], ["small"], false, 1],
		["too slow in one of the cases", { speedAtLeast: 1 }, ["fast"], ["small", "large"], false, 0.5],
		["too slow for the fastest of several", { speedAtLeast: 2 }, ["slow", "fast"], ["small"], false, 1],
		["cheap enough", { costAtMost: 2 }, ["fast"], ["large"], true, 2],
		["too expensive", { costAtMost: 1.9 }, ["fast"], ["large"], false, 2],
		["a small enough excess", { excessAtMost: 4 }, ["fast"], ["large"], true, 4],
		["too large an excess", { excessAtMost: 3.9 }, ["fast"], ["large"], false, 4],
		["small enough", { atMost: 8 }, [], ["small", "large"], true, 8],
		["too large", { atMost: 7 }, [], ["small", "large"], false, 8],
	] satisfies [string, Limit, string[], string[], boolean, number][])(
		"recognises %s",
		(_, limit, against, cases, isMet, measured) => {
			expect(checkTargets(record, [createTarget({ limit, against, cases })])).toMatchObject([
				{ isMet, measured },
			]);
		},
	);

	test("names the case that is furthest from the target", () => {
		const limit = { speedAtLeast: 1 };
		const verdicts = checkTargets(record, [
			createTarget({ limit, against: ["fast"], cases: ["small", "large"] }),
		]);
		expect(verdicts).toMatchObject([{ worstCase: "large" }]);
		expect(printVerdicts(verdicts)).toMatch(/fast +≥ 1 × the speed +0\.50 +large +MISSED/);
	});

	test("without cases is about all of the table", () => {
		const { cases: _, ...everywhere } = createTarget({});
		expect(checkTargets(record, [everywhere])).toMatchObject([{ worstCase: "large", measured: 0.5 }]);
	});

	test("leaves out what is for another Node, or for a table that was not measured", () => {
		expect(checkTargets(record, [createTarget({ nodes: [26] })])).toEqual([]);
		expect(checkTargets(record, [createTarget({ nodes: [24] })])).toHaveLength(1);
		expect(checkTargets(record, [createTarget({ table: "others" })])).toEqual([]);
	});

	test("throws on a target for a case or contender that the record lacks", () => {
		expect(() => checkTargets(record, [createTarget({ cases: ["huge"] })])).toThrow("the case huge of sums");
		expect(() => checkTargets(record, [createTarget({ against: ["none"] })])).toThrow("the contender none");
	});

	test.each([
		["succeeds if all targets are met", 17, 0],
		["fails if one is missed", 19, 1],
	])("%s", (_, cost, status) => {
		const handler = [
			{ name: "createWebhookHandler", role: "ours" as const, costs: [cost] },
			{ name: "verifyWebhook", role: "floor" as const, costs: [10] },
		];
		const cases = [{ name: "1 kB, string", contenders: handler }];
		const tables = [{ name: "handler", title: "The handler", unit: "ns", shows: "speed", cases }];
		const folder = mkdtempSync(join(tmpdir(), "bench-check-"));
		onTestFinished(() => rmSync(folder, { recursive: true }));
		const path = join(folder, "record.json");
		writeFileSync(path, JSON.stringify({ ...record, tables }));
		const main = fileURLToPath(new URL("../../bench/speed/main.ts", import.meta.url));
		const run = spawnSync(process.execPath, [main, "--from", path, "--check"], { encoding: "utf8" });
		expect(run.stdout).toContain(status === 0 ? "met" : "MISSED");
		expect(run.status).toBe(status);
	});

	function createTarget(fields: Partial<Target>): Target {
		return {
			what: "sums",
			table: "sums",
			cases: ["small"],
			ours: "ours",
			against: ["fast"],
			limit: { speedAtLeast: 1 },
			...fields,
		};
	}

	function createCase(name: string, costs: Record<"ours" | "slow" | "fast", number[]>) {
		const contenders = Object.entries(costs).map(([contender, costs]) => ({
			name: contender,
			role: contender === "ours" ? ("ours" as const) : ("peer" as const),
			costs,
		}));
		return { name, contenders };
	}
});
