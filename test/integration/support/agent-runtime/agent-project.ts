import { execFile } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { mkdtempDisposable } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { createUserProject, DEPENDENCIES } from "../../../support/packed-package.ts";
import { PROCESS_LIFE_MS } from "../../../support/patience.ts";
import { type StartedProcess, startProcess } from "../../../support/started-process.ts";

const run = promisify(execFile);
const RUNTIME = join(import.meta.dirname, "../../../agent-runtime");
const CHANNEL = "agent/channels/gateway.ts";
const EXAMPLE = join(import.meta.dirname, "../../../../examples/modules/agent-runtime/gateway.ts");

/** What an agent has beside its channel. Its model says something else each time, and takes its time. */
const AGENT = {
	"package.json": `{ "type": "module", "dependencies": { "eve": "*" } }`,
	"agent/instructions.md": "Answer.",
	"agent/agent.ts": `
		import { setTimeout as sleep } from "node:timers/promises";
		import { defineAgent } from "eve";
		import { mockModel } from "eve/evals";
		export default defineAgent({
			model: mockModel(async ({ lastUserMessage }) => {
				await sleep(50);
				return lastUserMessage + " is answered by " + crypto.randomUUID();
			}),
		});`,
	"agent/sandbox.ts": `
		import { defineSandbox } from "eve/sandbox";
		import { JustBashSandbox } from "eve/sandbox/just-bash";
		export const environment = JustBashSandbox.environment();
		export default defineSandbox(() => environment.open());`,
};

/** What the test changes in the channel: shorter leases, and places to die. */
const CHANGES: readonly (readonly [documented: string, tested: string])[] = [
	["import { Pool }", `import { createDyingPool, die, dyingFetch } from "../lib/dying";\nimport { Pool }`],
	["new MessagingGateway()", "new MessagingGateway({ fetch: dyingFetch })"],
	["postgresSendStore(openPool(),", "postgresSendStore(createDyingPool(openPool()),"],
	["sender: createSender({", "sender: createSender({ leaseMs: 3_000, keepInput: true,"],
	["maxHandlerMs: 10_000", "maxHandlerMs: 3_000, leaseMs: 2_000"],
	["\t\t\tawait untilPosted(", `\t\t\tdie("before the post");\n\t\t\tawait untilPosted(`],
	[
		`ifReused: "keep" }));`,
		`ifReused: "keep" }));\n\t\t\tdie("after the post");\n\t\t\tconsole.log("posted");`,
	],
	["\tawait send(message.text", `\tdie("before the turn is started");\n\tawait send(message.text`],
	["...user, attributes } });", `...user, attributes } });\n\tdie("after the turn was started");`],
];

/** The agent of examples/modules/agent-runtime, built. */
export interface AgentProject extends AsyncDisposable {
	/** The channel as it is documented compiles: what the compiler says. */
	readonly mistakes: string;
	start(environment: NodeJS.Dict<string>): Promise<StartedProcess>;
	/** Removes what it remembers between two processes. */
	forget(): void;
}

/** Builds the channel of the example with eve, beside the package as it is published. */
export async function buildAgent(): Promise<AgentProject> {
	if (!existsSync(join(RUNTIME, "node_modules")))
		throw new Error(
			"eve is missing: run `npm ci --prefix test/agent-runtime --ignore-scripts`, as `npm run test:release` does.",
		);
	const documented = readFileSync(EXAMPLE, "utf8");
	const project = await createUserProject([
		...DEPENDENCIES,
		"typescript",
		"@types/node",
		"undici-types",
		"@types/pg",
	]);
	// Beside eve: its bundler does not follow links to packages.
	const folder = await mkdtempDisposable(join(RUNTIME, "run-"));
	const write = (name: string, content: string): void => {
		mkdirSync(dirname(join(folder.path, name)), { recursive: true });
		writeFileSync(join(folder.path, name), content);
	};
	cpSync(join(project.folder, "node_modules"), join(folder.path, "node_modules"), { recursive: true });
	project.remove();
	for (const [name, content] of Object.entries({ ...AGENT, [CHANNEL]: documented })) write(name, content);
	write("tsconfig.json", JSON.stringify({ compilerOptions: COMPILER_OPTIONS, include: [CHANNEL] }));
	const compiled = run(process.execPath, ["node_modules/typescript/bin/tsc", "-p", "."], {
		cwd: folder.path,
	});
	const mistakes = (await compiled.catch((error: { stdout: string }) => error)).stdout;
	let channel = documented;
	for (const [before, tested] of CHANGES) {
		if (channel.split(before).length !== 2) throw new Error(`not once in the channel: ${before}`);
		channel = channel.replace(before, tested);
	}
	write(CHANNEL, channel);
	cpSync(join(import.meta.dirname, "dying.ts"), join(folder.path, "agent/lib/dying.ts"));
	// In a test it would not print that it listens.
	const environment = {
		EVE_TELEMETRY_DISABLED: "1",
		NODE_ENV: "production",
		TEST: undefined,
		VITEST: undefined,
	};
	await run(process.execPath, [join(RUNTIME, "node_modules/eve/bin/eve.js"), "build"], {
		cwd: folder.path,
		env: { ...process.env, ...environment } as NodeJS.ProcessEnv,
		timeout: PROCESS_LIFE_MS,
	});
	return {
		mistakes,
		forget: () => rmSync(join(folder.path, ".eve/.workflow-data"), { recursive: true, force: true }),
		start: (more) =>
			startProcess([".output/server/index.mjs"], {
				cwd: folder.path,
				environment: {
					...environment,
					HOST: "127.0.0.1",
					MESSAGING_GATEWAY_DIGEST_SECRET: "for digests",
					// As soon as this the step of a killed process is run again; by default it is a quarter of an hour.
					WORKFLOW_INLINE_OWNERSHIP_LEASE_SECONDS: "2",
					...more,
				},
				ready: /listening/i,
				// It tells of what it runs again, and the adapter of posts that were kept.
				expectedErrors: /^\[(workflow-sdk|world-local|chat-sdk:gateway)\]|^messaging-gateway: /,
			}),
		[Symbol.asyncDispose]: () => folder.remove(),
	};
}

const COMPILER_OPTIONS = {
	strict: true,
	exactOptionalPropertyTypes: true,
	target: "es2022",
	lib: ["es2024", "esnext.disposable", "dom", "dom.iterable"],
	module: "nodenext",
	types: ["node"],
	skipLibCheck: true,
	noEmit: true,
};
