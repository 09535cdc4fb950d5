import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { type NeededCommand, requireCommand } from "../../scripts/needed-commands.ts";
import { certify } from "../../src/tools/cli/certify/certify.ts";
import { eventually } from "../support/eventually.ts";
import { findFreePort } from "../support/free-port.ts";
import { PROCESS_LIFE_MS } from "../support/patience.ts";
import { dyingWithParent } from "../support/servers/server-process.ts";

const SECRET = "webhook-secret-of-the-languages";

interface Language {
	readonly folder: string;
	readonly command: NeededCommand;
	readonly args: (port: string) => string[];
}

const LANGUAGES: Readonly<Record<string, Language>> = {
	"Python's standard library": {
		folder: "python",
		command: "python3",
		args: (port) => ["-B", "server.py", port],
	},
	Flask: {
		folder: "python",
		command: "flask",
		args: (port) => ["--app", "flask_app", "run", "--port", port],
	},
	PHP: { folder: "php", command: "php", args: (port) => ["-S", `127.0.0.1:${port}`, "webhooks.php"] },
};

/** Starts a receiver that prints a line for each event that it processes. */
async function startReceiver({ folder, command, args }: Language) {
	const data = mkdtempSync(join(tmpdir(), "messaging-gateway-language-"));
	const port = String(await findFreePort());
	const [file = command, ...more] = dyingWithParent("SIGKILL", [requireCommand(command), ...args(port)]);
	const child = spawn(file, more, {
		cwd: resolve("test/languages", folder),
		env: {
			...process.env,
			MESSAGING_GATEWAY_WEBHOOK_SECRET: SECRET,
			EVENTS_FILE: join(data, "events.json"),
			PYTHONDONTWRITEBYTECODE: "1",
		},
		stdio: ["ignore", "pipe", "ignore"],
		timeout: PROCESS_LIFE_MS,
		killSignal: "SIGKILL",
	});
	let printed = "";
	child.stdout.on("data", (text) => (printed += text));
	const ended = once(child, "close");
	const url = `http://127.0.0.1:${port}/webhooks`;
	await eventually(() => fetch(url));
	return {
		url,
		readCount: async () => printed.match(/^processed: /gm)?.length ?? 0,
		async [Symbol.asyncDispose]() {
			child.kill("SIGKILL");
			await ended;
			rmSync(data, { recursive: true });
		},
	};
}

describe.concurrent("certify finds nothing wrong with the receiver in", () => {
	test.each(Object.entries(LANGUAGES))("%s", async (_name, language) => {
		await using receiver = await startReceiver(language);
		const kinds = ["inbound_message", "inbound_reaction", "status"] as const;
		const found: string[] = [];
		let count = 0;
		const shared = { secret: SECRET, appSecret: undefined, profile: undefined, kinds };
		for await (const check of certify({ ...receiver, ...shared })) {
			count++;
			const { name, verdict, responses } = check;
			if (verdict !== "right") found.push(`${name}: ${verdict} (${responses.join(", ")})`);
		}
		expect(found).toEqual([]);
		expect(count).toBeGreaterThan(28);
	});
});
