#!/usr/bin/env node
import process from "node:process";
import { runCommand } from "./run-command.ts";

// Whoever reads us, such as `head`, may stop before the end; that is no mistake.
process.stdout.on("error", () => process.exit());

process.exitCode = await runCommand(process.argv.slice(2));
