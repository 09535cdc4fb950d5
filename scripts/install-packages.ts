/** Installs the Debian packages that the tests need, or says which ones; where none is missing it prints nothing. */
import { spawnSync } from "node:child_process";
import { decideStep, findCommand, findMissingPackages } from "./needed-commands.ts";

const missing = findMissingPackages();
const step = decideStep(missing, process.getuid?.() === 0, findCommand("apt-get") !== undefined);
if (step.do === "refuse") {
	console.error(step.line);
	process.exitCode = 1;
} else if (step.do === "install") {
	console.log(step.line);
	const done = runApt("update", "-qq") && runApt("install", "-y", "--no-install-recommends", ...missing);
	if (!done) process.exitCode = 1;
}

/** Whether apt-get succeeds; its output is shown only where it does not. */
function runApt(...args: string[]): boolean {
	const { status, output } = spawnSync("apt-get", args, {
		env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
		stdio: ["ignore", "pipe", "pipe"],
		encoding: "utf8",
	});
	if (status !== 0) console.error(output.join(""));
	return status === 0;
}
