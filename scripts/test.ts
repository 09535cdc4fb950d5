/**
 * `npm test`: all checks for a change. Checks without a build run beside those that wait for one,
 * because the tests of servers and browsers leave the machine idle for much of their time.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";

/** A check and its command. */
interface Step {
	readonly name: string;
	readonly command: string;
	/** When its output is shown: as it comes, at its end, or only on failure. */
	readonly output: "as it comes" | "at its end" | "of a failure";
}

/** The prerequisites of the tests of the package, of servers and of browsers. */
const PREPARATION: readonly Step[] = [
	{ name: "commands of Debian", command: "node scripts/install-packages.ts", output: "of a failure" },
	{ name: "build", command: "npm run build", output: "of a failure" },
	{
		name: "runtimes, and releases of TypeScript",
		command: "npm ci --prefix test/versions --silent",
		output: "of a failure",
	},
	{
		name: "tools for the OpenAPI document",
		command: "npm ci --prefix test/openapi-tools --ignore-scripts --silent",
		output: "of a failure",
	},
	{
		name: "frameworks of the recipes",
		command: "npm ci --prefix test/recipes --ignore-scripts --silent",
		output: "of a failure",
	},
	{
		name: "Jest",
		command: "npm ci --prefix test/jest --ignore-scripts --silent",
		output: "of a failure",
	},
	{
		name: "clients of queues",
		command: "npm ci --prefix test/queue-clients --ignore-scripts --silent",
		output: "of a failure",
	},
];

/** The type check and the integration tests read them. */
const LIBRARIES: Step = {
	name: "libraries with transactions",
	command: "npm ci --prefix test/orms --ignore-scripts --legacy-peer-deps --silent",
	output: "of a failure",
};

const INTEGRATION: Step = {
	name: "integration and package tests",
	command: "vitest run --project integration",
	output: "as it comes",
};

/** They do not need each other or a build. */
const BESIDE: readonly Step[] = [
	{ name: "lint", command: "npm run lint", output: "of a failure" },
	{ name: "types", command: "npm run typecheck", output: "of a failure" },
	{
		name: "unit tests and their coverage",
		command: 'vitest run --coverage --project unit --project "zod subset" --project "mocked modules"',
		output: "at its end",
	},
];

/** How much of a failed step is repeated after all others, whose output would hide it. */
const REPEATED_LINES = 80;
const repeated: string[] = [];

const installed = pass(LIBRARIES);
const passed = await Promise.all([
	installed.then((isInstalled) => isInstalled && passInTurn(BESIDE)),
	Promise.all([installed, ...PREPARATION.map(pass)]).then(
		(prepared) => prepared.every(Boolean) && pass(INTEGRATION),
	),
]);
for (const failure of repeated) console.log(failure);
process.exitCode = passed.every(Boolean) ? 0 : 1;

/** Whether all of them succeed; the next ones run even if one fails. */
async function passInTurn(steps: readonly Step[]): Promise<boolean> {
	let all = true;
	for (const step of steps) all = (await pass(step)) && all;
	return all;
}

async function pass({ name, command, output }: Step): Promise<boolean> {
	const startedAt = performance.now();
	const child = spawn(command, { shell: true, stdio: ["ignore", "pipe", "pipe"] });
	let kept = "";
	for (const stream of [child.stdout, child.stderr]) {
		stream.setEncoding("utf8").on("data", (text: string) => {
			if (output === "as it comes") process.stdout.write(text);
			kept += text;
		});
	}
	const [code] = await once(child, "close");
	const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
	const line = `${code === 0 ? "✓" : "✗"} ${name} (${seconds} s)`;
	if (output === "at its end" || (code !== 0 && output === "of a failure")) console.log(kept);
	console.log(line);
	if (code !== 0) repeated.push([...kept.trimEnd().split("\n").slice(-REPEATED_LINES), line, ""].join("\n"));
	return code === 0;
}
