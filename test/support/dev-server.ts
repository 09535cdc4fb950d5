import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { type ClientOptions, MessagingGateway } from "messaging-gateway";
import type { Action } from "../../src/tools/control/action.ts";
import type { DeliveryView, Snapshot } from "../../src/tools/control/contract.ts";
import { eventually } from "./eventually.ts";
import { type CliOptions, startCli } from "./run-cli.ts";

/** What `dev --json` writes first. */
export interface DevStart {
	readonly baseUrl: string;
	/** The console's address, with the token in its fragment. */
	readonly consoleUrl: string;
	readonly variables: Readonly<Record<string, string>>;
	readonly forwardTo?: string;
	/** What `--write-env --force` replaced. */
	readonly replaced?: readonly string[];
}

/** `messaging-gateway dev` in another process. */
export interface RunningDevServer extends DevStart, AsyncDisposable {
	/** The header of its control routes: `Authorization: Bearer …`. */
	readonly authorization: string;
	readonly clientOptions: Pick<ClientOptions, "baseUrl" | "appId" | "appSecret">;
	/** The secrets that it was started with, or has generated. */
	readonly appSecret: string;
	readonly webhookSecret: string;
	readonly client: MessagingGateway;
	/** Calls a control route, as the console does. */
	control(path: string, init?: RequestInit): Promise<Response>;
	act(action: Action): Promise<void>;
	snapshot(): Promise<Snapshot>;
	/** The webhooks, the oldest first. */
	deliveries(): Promise<readonly DeliveryView[]>;
	/** Ends it. @returns its exit code, `null` where the signal killed it. */
	end(signal: NodeJS.Signals): Promise<number | null>;
}

/** Starts `dev` on a free port, and waits until it listens. */
export async function startDev(
	args: readonly string[] = [],
	options: CliOptions = {},
): Promise<RunningDevServer> {
	const child = startCli(["dev", "--port", "0", "--json", ...args], options);
	const closed = once(child, "close");
	const errors = text(child.stderr);
	const lines = createInterface(child.stdout);
	// The lines after the first are read as well, or the process would wait for its reader.
	const [first] = await Promise.race([once(lines, "line"), closed.then(() => [undefined])]);
	if (typeof first !== "string") throw new Error(`dev ended: ${await errors}`);
	const start: DevStart & { error?: { message: string } } = JSON.parse(first);
	if (start.error !== undefined) throw new Error(`dev ended: ${start.error.message}`);
	return attach(child, start);
}

/** The same, with the lines that people see. */
export async function startDevForPeople(
	args: readonly string[] = [],
	options: CliOptions = {},
): Promise<RunningDevServer & { readonly lines: readonly string[] }> {
	const child = startCli(["dev", "--port", "0", ...args], options);
	const lines: string[] = [];
	createInterface(child.stdout).on("line", (line) => lines.push(line.trim()));
	await eventually(() => {
		if (!lines.some((line) => line.includes("give --state")))
			throw new Error(`dev has not started: ${lines}`);
	});
	const valueAfter = (start: RegExp): string => {
		const line = lines.find((line) => start.test(line)) ?? "";
		return line.replace(start, "");
	};
	const names = ["BASE_URL", "APP_ID", "APP_SECRET", "WEBHOOK_SECRET"].map(
		(name) => `MESSAGING_GATEWAY_${name}`,
	);
	const variables = Object.fromEntries(names.map((name) => [name, valueAfter(new RegExp(`^${name}=`))]));
	const start = {
		baseUrl: variables["MESSAGING_GATEWAY_BASE_URL"] ?? "",
		consoleUrl: valueAfter(/^Conversations +/),
		variables,
	};
	return { ...attach(child, start), lines };
}

/** Controls a started process. */
function attach(child: ChildProcess, start: DevStart): RunningDevServer {
	const closed = once(child, "close");
	const authorization = `Bearer ${start.consoleUrl.split("#token=")[1]}`;
	const clientOptions = {
		baseUrl: start.baseUrl,
		appId: start.variables["MESSAGING_GATEWAY_APP_ID"] ?? "",
		appSecret: start.variables["MESSAGING_GATEWAY_APP_SECRET"] ?? "",
	};

	function control(path: string, init: RequestInit = {}): Promise<Response> {
		const headers = { authorization, ...init.headers };
		return fetch(`${start.baseUrl}/_local/${path}`, { ...init, headers });
	}

	async function end(signal: NodeJS.Signals): Promise<number | null> {
		child.kill(signal);
		await closed;
		return child.exitCode;
	}

	return {
		...start,
		authorization,
		clientOptions,
		appSecret: clientOptions.appSecret,
		webhookSecret: start.variables["MESSAGING_GATEWAY_WEBHOOK_SECRET"] ?? "",
		client: new MessagingGateway({ ...clientOptions, logLevel: "off" }),
		control,
		async act(action) {
			const response = await control("actions", { method: "POST", body: JSON.stringify(action) });
			if (!response.ok) throw new Error(await response.text());
		},
		snapshot: async () => (await control("snapshot")).json(),
		deliveries: async () => (await (await control("deliveries")).json()).items,
		end,
		async [Symbol.asyncDispose]() {
			await end("SIGKILL");
		},
	};
}
