/** `npm test`: everything that must hold before a change lands. What is given after `--` goes to vitest. */
import { spawn } from "node:child_process";
import { once } from "node:events";

/** A check, and the command that makes it. */
interface Step {
	readonly name: string;
	readonly command: string;
}

const PREPARE: Step = { name: "commands of Debian", command: "node scripts/install-packages.ts" };

/** They do not need each other. */
const CHECKS: readonly Step[] = [
	{ name: "build", command: "npm run build" },
	{ name: "types", command: "npm run typecheck" },
	{ name: "lint", command: "npm run lint" },
	{ name: "releases of Node and TypeScript", command: "npm ci --prefix test/versions --silent" },
];

if ((await pass(PREPARE)) && (await Promise.all(CHECKS.map(pass))).every(Boolean)) {
	const vitest = spawn("vitest", ["run", "--coverage", ...process.argv.slice(2)], { stdio: "inherit" });
	const [code] = await once(vitest, "close");
	process.exitCode = code ?? 1;
} else process.exitCode = 1;

/** Whether a step succeeds; its output is shown only where it does not. */
async function pass({ name, command }: Step): Promise<boolean> {
	const startedAt = performance.now();
	const child = spawn(command, { shell: true, stdio: ["ignore", "pipe", "pipe"] });
	let output = "";
	for (const stream of [child.stdout, child.stderr])
		stream.setEncoding("utf8").on("data", (text) => (output += text));
	const [code] = await once(child, "close");
	const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
	console.log(`${code === 0 ? "✓" : "✗"} ${name} (${seconds} s)`);
	if (code !== 0) console.log(output);
	return code === 0;
}
