import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { listTier } from "../support/tiers.ts";

/** What can make a test red by chance or by a slow machine: it belongs to another tier, or to the chaos. */
const FORBIDDEN: Readonly<Record<string, RegExp>> = {
	"a process that is stopped or killed": /\bSIG(?:STOP|KILL|TERM)\b|\.kill\(/,
	"a server of its own, which it could stop": /"[^"]*support\/servers\/[^"]*"/,
	"the chaos, but for its verdicts": /"(?:\.\.\/)+chaos\//,
	"the end of a real lease": /"[^"]*support\/real-lease\.ts"/,
	"memory that is read":
		/\bmemoryUsage\b|\bgetHeapStatistics\b|--expose-gc|\bnew (?:WeakRef|FinalizationRegistry)\b/,
	"a seed of its own": /\bMath\.random\(|\brandomInt\(|\bseed: Date\.now/,
	"a port that is chosen": /\bfree-port\.ts"|\.listen\((?!0\b)\d|"--port", "[1-9]/,
};

/** What depends on the machine's own time, unless the file has the time of a test. */
const OF_REAL_TIME: Readonly<Record<string, RegExp>> = {
	"a real time that passes":
		/\bsetTimeout\b[^}]*\} from "node:timers\/promises"|\bsetTimeout\([^()]*, (?:\d{3,}|\d+_\d+)\)/,
	"how fast something is": /\bperformance\.now\(|\bhrtime\b|\bcpuUsage\b|\buptime\(/,
};

/** What a source must not have. */
function findForbidden(source: string): string[] {
	const forbidden = source.includes("vi.useFakeTimers(") ? FORBIDDEN : { ...FORBIDDEN, ...OF_REAL_TIME };
	return Object.entries(forbidden).flatMap(([what, pattern]) => (pattern.test(source) ? [what] : []));
}

const files = listTier("first").filter((path) => !path.endsWith("first-tier.test.ts"));

test.each(files)("%s holds nothing that chance can turn red", (path) => {
	expect(findForbidden(readFileSync(path, "utf8"))).toEqual([]);
});

test("all that is forbidden is found", () => {
	const source = `import { startRedis } from "../support/servers/redis-server.ts";
		import { play } from "../chaos/play.ts";
		import { testRealLease } from "../integration/support/real-lease.ts";
		import { setTimeout as sleep } from "node:timers/promises";
		process.kill(id); process.memoryUsage(); performance.now(); Math.random(); server.listen(8080);`;
	expect(findForbidden(source).sort()).toEqual(Object.keys({ ...FORBIDDEN, ...OF_REAL_TIME }).sort());
	expect(findForbidden("vi.useFakeTimers(); setTimeout(resolve, 2_000); server.listen(0);")).toEqual([]);
});
