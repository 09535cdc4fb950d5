#!/usr/bin/env node
import process from "node:process";
import { describeOldNode } from "./node-version.ts";

const complaint = describeOldNode(process.versions.node);
if (complaint === undefined) {
	// Not above: an older Node cannot load it, and would only say which of its modules is missing.
	const { runCommand } = await import("./run-command.ts");
	// Whoever reads us, such as `head`, may stop before the end; that is no mistake.
	process.stdout.on("error", () => process.exit());
	process.exitCode = await runCommand(process.argv.slice(2));
} else {
	process.stderr.write(`${complaint}\n`);
	process.exitCode = 1;
}
