import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { ListeningGateway } from "messaging-gateway/testing/node";
import { type StartedProcess, startProcess } from "./started-process.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** The arguments that `npm run example` gives to Node. */
const COMMAND = readCommand();

/** What a run of `npm run example` wrote, and its exit code. */
export interface ExampleResult {
	readonly code: number;
	readonly stdout: string;
	readonly stderr: string;
}

/** Runs an example to its end: against a gateway, or without one against the local gateway that the command starts. */
export function runExample(name: string, gateway?: ListeningGateway): Promise<ExampleResult> {
	return runCommand([name], gateway);
}

/** Runs `npm run example` with these arguments. */
export function runCommand(args: readonly string[], gateway?: ListeningGateway): Promise<ExampleResult> {
	return new Promise((resolve) => {
		const options = { cwd: ROOT, env: { ...process.env, ...environmentFor(gateway) } };
		execFile(process.execPath, [...COMMAND, ...args], options, (error, stdout, stderr) => {
			resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr });
		});
	});
}

/** Starts an example that runs until it is stopped, and waits for a line. */
export function startExample(
	name: string,
	options: { ready: RegExp; gateway?: ListeningGateway; variables?: NodeJS.Dict<string> },
): Promise<StartedProcess> {
	const { ready, gateway, variables } = options;
	const environment = { ...environmentFor(gateway), ...variables };
	return startProcess([...COMMAND, name], { cwd: ROOT, environment, ready });
}

/** The variables of a client, without those that the tests were started with. */
export function environmentFor(gateway: ListeningGateway | undefined): NodeJS.Dict<string> {
	return {
		MESSAGING_GATEWAY_BASE_URL: gateway?.url,
		MESSAGING_GATEWAY_APP_ID: gateway?.local.appId,
		MESSAGING_GATEWAY_APP_SECRET: gateway?.local.appSecret,
		MESSAGING_GATEWAY_WEBHOOK_SECRET: gateway?.local.webhookSecret,
		REDIS_URL: undefined,
		DATABASE_URL: undefined,
		NO_COLOR: "1",
	};
}

function readCommand(): string[] {
	const { scripts } = JSON.parse(readFileSync(`${ROOT}/package.json`, "utf8"));
	const [node, ...args]: string[] = scripts.example.split(" ");
	if (node !== "node") throw new Error("`npm run example` no longer starts Node");
	return args;
}
