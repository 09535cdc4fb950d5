import { requireVersion } from "../../support/versions.ts";
import { chromiumRuntime } from "./chromium-runtime.ts";
import { createProcessRuntime } from "./process-runtime.ts";
import type { Runtime } from "./runtime.ts";
import { workersRuntime } from "./workers-runtime.ts";

/** Every runtime that the package is for: of Node, the oldest release that it supports and each line after it. */
export const RUNTIMES: readonly Runtime[] = [
	createProcessRuntime({
		name: "Node 22.13",
		findCommand: () => requireVersion("node-22.13"),
		version: ["node", "22.13."],
	}),
	createProcessRuntime({
		name: "Node 22",
		findCommand: () => requireVersion("node-22"),
		version: ["node", "22."],
	}),
	createProcessRuntime({ name: "Node 24", findCommand: () => process.execPath, version: ["node", "24."] }),
	createProcessRuntime({
		name: "Node 26",
		findCommand: () => requireVersion("node-26"),
		version: ["node", "26."],
	}),
	createProcessRuntime({
		name: "Bun",
		findCommand: () => requireVersion("bun"),
		args: ["run"],
		version: ["bun", "1."],
	}),
	createProcessRuntime({
		name: "Deno",
		findCommand: () => requireVersion("deno"),
		args: ["run", "--allow-all", "--no-check"],
		version: ["deno", "2."],
	}),
	createProcessRuntime({
		name: "Deno without --allow-env",
		findCommand: () => requireVersion("deno"),
		args: ["run", "--allow-net", "--no-check", "--no-prompt"],
		hasRequire: false,
		version: ["deno", "2."],
	}),
	workersRuntime,
	chromiumRuntime,
];
