import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type RunningDevServer, startDevForPeople } from "../support/dev-server.ts";
import { eventually } from "../support/eventually.ts";
import { machineAt, runCli, startCli } from "../support/run-cli.ts";
import { serve } from "../support/serve.ts";
import { ENDLESS } from "./support/receivers.ts";

const CONTACT = "+15551234567";

let home: string;
let env: Record<string, string>;
let dev: RunningDevServer & { readonly lines: readonly string[] };

beforeAll(async () => {
	home = mkdtempSync(join(tmpdir(), "messaging-gateway-endless-"));
	env = machineAt(home);
	dev = await startDevForPeople([], { env });
});

afterAll(async () => {
	await dev.end("SIGKILL");
	rmSync(home, { recursive: true });
});

describe.each(Object.entries(ENDLESS))("a receiver with %s", (_, listener) => {
	test("is one sentence in the terminal, and the event waits for its next attempt", async () => {
		await using receiver = await serve(listener);
		const before = dev.lines.length;
		await dev.act({ type: "destinations", inboundWebhookUrl: receiver.url });
		await dev.act({ type: "reply", from: CONTACT, text: "Hi" });
		const reason = "The receiver began its response and didn't end it within 10 s.";
		await eventually(() =>
			expect(dev.lines.slice(before)).toEqual([
				expect.stringMatching(/--- {2}→ inbound_message/),
				reason,
				"End each response, as response.end() does in Node: the gateway waits for its end.",
			]),
		);
		const [delivery] = (await dev.deliveries()).slice(-1);
		expect(delivery).toMatchObject({ state: "pending", diagnosis: { reason } });
		await dev.act({ type: "reset" });
	});

	test("is one sentence of trigger", async () => {
		await using receiver = await serve(listener);
		expect(await runCli(["trigger", "inbound_message", "--to", receiver.url], { env })).toEqual({
			code: 1,
			stdout: "",
			stderr: `error: no response from ${receiver.url}: it didn't end in time\nCheck that your application runs there, or give another URL with --to.\n`,
		});
	});

	test("is one line of listen, with its reason", async () => {
		await using receiver = await serve(listener);
		const args = ["listen", "--base-url", dev.baseUrl, "--forward-to", receiver.url];
		const child = startCli(args, { env });
		const lines: string[] = [];
		createInterface(child.stdout).on("line", (line) => lines.push(line));
		await expect.poll(() => lines.length).toBe(1);
		const address = /http:\S+\//.exec(lines[0] ?? "")?.[0] ?? "";
		expect((await runCli(["trigger", "inbound_message", "--to", address], { env })).code).toBe(1);
		await eventually(() =>
			expect(lines.slice(1)).toEqual([
				expect.stringMatching(/^inbound_message evt_\w+ verified → 502$/),
				expect.stringContaining("no complete response within 10 s"),
			]),
		);
		child.kill("SIGINT");
		await once(child, "close");
		expect(child.exitCode).toBe(0);
	});
});
