#!/usr/bin/env node
import process from "node:process";
import { describeOldNode } from "./node-version.ts";

const problem = describeOldNode(process.versions.node);
if (problem === undefined) {
	// A static import would fail on an older Node, before the version check.
	const { runCommand } = await import("#run-command");
	// A reader such as `head` may close the pipe early; that is not an error.
	process.stdout.on("error", () => process.exit());
	process.exitCode = await runCommand(process.argv.slice(2));
} else {
	process.stderr.write(`${problem}\n`);
	process.exitCode = 1;
}
