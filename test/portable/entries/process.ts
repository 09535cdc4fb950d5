/** Node, Bun and Deno: prints one line. */
import process from "node:process";
import { inspect } from "node:util";
import { runActions } from "../../hosts/actions.ts";
import type { ProcessReport } from "../runtimes/process-runtime.ts";
import { GIVEN, runHere } from "./run-here.ts";

interface Inspector {
	inspect(value: unknown): string;
}

/** Bun and Deno have their own functions for inspecting values on their consoles. */
const { Bun, Deno } = globalThis as { Bun?: Inspector; Deno?: Inspector };

const report: ProcessReport = {
	versions: { ...process.versions },
	loadedFrom: import.meta.resolve("messaging-gateway"),
	results: await runHere({
		isBrowser: false,
		reportsRefusedConnections: true,
		inspect: (Bun ?? Deno ?? { inspect }).inspect,
	}),
	actions: await runActions(GIVEN.servers.gateway),
};
console.log(JSON.stringify(report));
