import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createLocalGateway } from "messaging-gateway/testing";
import { describe, expect, test } from "vitest";
import { type NeededCommand, requireCommand } from "../../scripts/needed-commands.ts";
import { certify } from "../../src/tools/cli/certify/certify.ts";
import { eventually } from "../support/eventually.ts";
import { onFreePort } from "../support/free-port.ts";
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

/** What is written instead of a part of a receiver's source. */
interface Mistake {
	readonly file: string;
	readonly right: string;
	readonly wrong: string;
}

/** Starts a receiver that prints a line for each event that it processes. */
function startReceiver(language: Language, mistake?: Mistake) {
	return onFreePort((port) => startOn(String(port), language, mistake));
}

async function startOn(port: string, { folder, command, args }: Language, mistake?: Mistake) {
	const data = mkdtempSync(join(tmpdir(), "messaging-gateway-language-"));
	const sources = join(data, "sources");
	cpSync(resolve("examples/modules/languages", folder), sources, { recursive: true });
	if (mistake !== undefined) {
		const file = join(sources, mistake.file);
		const source = readFileSync(file, "utf8");
		expect(source.split(mistake.right)).toHaveLength(2);
		writeFileSync(
			file,
			source.replace(mistake.right, () => mistake.wrong),
		);
	}
	const [file = command, ...more] = dyingWithParent("SIGKILL", [requireCommand(command), ...args(port)]);
	const child = spawn(file, more, {
		cwd: sources,
		env: {
			...process.env,
			MESSAGING_GATEWAY_WEBHOOK_SECRET: SECRET,
			EVENTS_FILE: join(data, "events.json"),
			PYTHONDONTWRITEBYTECODE: "1",
		},
		stdio: ["ignore", "pipe", "pipe"],
		timeout: PROCESS_LIFE_MS,
		killSignal: "SIGKILL",
	});
	let printed = "";
	child.stdout.on("data", (text) => (printed += text));
	let errors = "";
	child.stderr.on("data", (text) => (errors += text));
	const ended = once(child, "close");
	async function end(): Promise<void> {
		child.kill("SIGKILL");
		await ended;
		rmSync(data, { recursive: true });
	}
	const url = `http://127.0.0.1:${port}/webhooks`;
	try {
		// A stranger on its port would respond as well.
		await eventually(() => (child.exitCode === null ? fetch(url) : undefined));
		if (child.exitCode !== null) throw new Error(`it ended: ${errors}`);
	} catch (error) {
		await end();
		throw error;
	}
	return {
		url,
		readCount: async () => printed.match(/^processed: /gm)?.length ?? 0,
		[Symbol.asyncDispose]: end,
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

/** The status of the response to the first delivery of a local gateway. */
async function deliverFirst(deliverTo: string): Promise<number | undefined> {
	await using local = createLocalGateway({
		deliverTo,
		webhookSecret: SECRET,
		webhooks: { retryDelaysMs: [] },
	});
	await local.contact("+15551234567").reply("");
	await local.settled();
	return local.deliveries[0]?.attempts[0]?.status;
}

describe.concurrent("the first delivery of a local gateway", () => {
	test.each(Object.entries(LANGUAGES))("is acknowledged by the receiver in %s", async (_name, language) => {
		await using receiver = await startReceiver(language);
		expect(await deliverFirst(receiver.url)).toBe(200);
		await expect.poll(receiver.readCount).toBe(1);
	});

	const inPython = (written: string): Mistake => ({
		file: "webhooks.py",
		right: 'timestamp.encode() + b"." + body',
		wrong: `timestamp.encode() + b"." + ${written}.encode()`,
	});
	const inPhp = (written: string): Mistake => ({
		file: "webhooks.php",
		right: '"$timestamp.$body", $secret',
		wrong: `"$timestamp." . ${written}, $secret`,
	});

	test.each<[name: string, verified: string, plant: (verified: string) => Mistake]>([
		["Python's standard library", "json.dumps(json.loads(body))", inPython],
		["Python's standard library", "json.dumps(json.loads(body), ensure_ascii=False)", inPython],
		["Python's standard library", 'json.dumps(json.loads(body), separators=(",", ":"))', inPython],
		["Python's standard library", "json.dumps(json.loads(body), sort_keys=True)", inPython],
		["Flask", "json.dumps(json.loads(body), indent=2)", inPython],
		["PHP", "json_encode(json_decode($body))", inPhp],
		["PHP", "json_encode(json_decode($body, true))", inPhp],
		["PHP", "json_encode(json_decode($body), JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE)", inPhp],
		["PHP", "json_encode(json_decode($body), JSON_PRETTY_PRINT)", inPhp],
	])("is rejected by the one in %s if it verifies %s", async (name, verified, plant) => {
		const language = LANGUAGES[name];
		if (language === undefined) throw new Error(`there is no receiver in ${name}`);
		await using receiver = await startReceiver(language, plant(verified));
		expect(await deliverFirst(receiver.url)).toBe(401);
		expect(await receiver.readCount()).toBe(0);
	});
});
