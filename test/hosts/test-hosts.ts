import { expect, test } from "vitest";
import type { Cells } from "./actions.ts";
import { ACTIONS, HOSTS, type HostName, type HostRow, type HostTest } from "./matrix.ts";

/** Runs the actions in a host. @param variant - one of its row; `""` if it has none. */
type HostRun = (variant: string) => Promise<Cells>;

/**
 * Runs each host that the matrix has for a test, and compares what became of the actions with its row. The compiler asks
 * for a run of each row, so none is left out, and none is run without a row.
 */
export function testHosts<Test extends HostTest>(
	name: Test,
	runs: Readonly<Record<HostName<Test>, HostRun>>,
): void {
	const runOf = new Map<string, HostRun>(Object.entries(runs));
	for (const row of HOSTS.filter((host: HostRow) => host.test === name)) {
		for (const variant of variantsOf(row)) {
			test(`${row.name} ${variant}`.trim(), async () => {
				expect(await runOf.get(row.name)?.(variant)).toEqual(expectedCells(row));
			});
		}
	}
}

function variantsOf({ variants = [""] }: HostRow): readonly string[] {
	return variants;
}

function expectedCells({ lacks = {}, isPublic = false }: HostRow): Record<keyof Cells, unknown> {
	const cells = ACTIONS.map((action) => [
		action,
		lacks[action] === undefined ? "works" : startsWith(`This environment has no ${lacks[action]}\\b`),
	]);
	const guard = isPublic ? startsWith("appSecret in a browser or an app can be read by everybody") : "works";
	return { ...Object.fromEntries(cells), guard };
}

/** How a ConfigurationError starts. */
function startsWith(message: string): unknown {
	return expect.stringMatching(`^ConfigurationError: ${message}`);
}
