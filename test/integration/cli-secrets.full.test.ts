import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { text } from "node:stream/consumers";
import { createWebhookHandler, memoryStore } from "messaging-gateway/webhooks";
import { toNode } from "messaging-gateway/webhooks/node";
import type { Browser } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { openBrowser, openPage } from "../support/browser.ts";
import { startDev } from "../support/dev-server.ts";
import { onFreePort } from "../support/free-port.ts";
import { machineAt, runCli, startCli } from "../support/run-cli.ts";
import { serve } from "../support/serve.ts";

const USER = "+15551234567";
const PUBLIC_SECRETS = /local-(app|webhook)-secret/;

let home: string;
/** The environment of a machine where the command was never run. */
let machine: Record<string, string>;

beforeEach(() => {
	home = mkdtempSync(join(tmpdir(), "messaging-gateway-machine-"));
	machine = machineAt(home);
});

afterEach(() => {
	rmSync(home, { recursive: true });
});

/** The files of a folder, but the record of where `dev` runs, which is no secret. */
function filesOf(folder: string): string[] {
	return readdirSync(folder, { recursive: true, withFileTypes: true })
		.filter((entry) => entry.isFile() && basename(entry.parentPath) !== "running")
		.map(({ parentPath, name }) => join(parentPath, name));
}

describe("the secrets of dev", () => {
	test("are created at the first start, and the same at the next", async () => {
		let first: Readonly<Record<string, string>>;
		{
			await using dev = await startDev([], { env: machine });
			first = dev.variables;
			expect(JSON.stringify(first)).not.toMatch(PUBLIC_SECRETS);
			expect(first["MESSAGING_GATEWAY_APP_ID"]).toBe("local-app");
			await dev.client.agents.list();
		}
		const [token = "", file = "", ...others] = filesOf(home).sort();
		expect(others).toEqual([]);
		expect([token, file].map((path) => statSync(path).mode & 0o777)).toEqual([0o600, 0o600]);
		await using dev = await startDev([], { env: machine });
		for (const name of ["MESSAGING_GATEWAY_APP_SECRET", "MESSAGING_GATEWAY_WEBHOOK_SECRET"]) {
			expect(dev.variables[name]).toBe(first[name]);
			expect(readFileSync(file, "utf8")).toContain(first[name]);
		}
	});

	test("differ on another machine, and the public ones are rejected", async () => {
		await using dev = await startDev([], { env: machine });
		await using other = await startDev();
		expect(other.clientOptions.appSecret).not.toBe(dev.clientOptions.appSecret);
		const args = ["call", "agents.list", "--base-url", dev.baseUrl];
		const env = { ...machine, MESSAGING_GATEWAY_APP_SECRET: "local-app-secret" };
		expect((await runCli(args, { env })).code).toBe(1);
	});

	test("are the same for two concurrent first starts", async () => {
		const starts = await Promise.all([startDev([], { env: machine }), startDev([], { env: machine })]);
		const secrets = starts.map(({ variables }) => variables["MESSAGING_GATEWAY_APP_SECRET"]);
		await Promise.all(starts.map((dev) => dev[Symbol.asyncDispose]()));
		expect(secrets[0]).toBe(secrets[1]);
	});

	test("come from variables if set, and are then not kept", async () => {
		const fixed = { MESSAGING_GATEWAY_APP_SECRET: "one", MESSAGING_GATEWAY_WEBHOOK_SECRET: "two" };
		await using dev = await startDev([], { env: { ...machine, ...fixed } });
		expect(dev.variables).toMatchObject(fixed);
		expect(filesOf(home).map((path) => basename(path))).toEqual(["control-token.json"]);
	});

	test("are printed with the path of their file", async () => {
		const child = startCli(["dev", "--port", "0"], { env: machine });
		child.stdout.once("data", () => child.kill("SIGINT"));
		const output = await text(child.stdout);
		expect(output).toMatch(/MESSAGING_GATEWAY_APP_SECRET=local-app-[0-9a-f]{48}\n/);
		expect(output).toContain(
			`Secrets not set by a variable are kept in ${filesOf(home).sort()[1]}; the other verbs read them there.`,
		);
	});
});

describe("on the machine where dev has run", () => {
	test("the other verbs need no configuration", async () => {
		await using dev = await startDev([], { env: machine });
		const verbs = [
			["send", "--to", USER, "--text", "Hello"],
			["call", "agents.list"],
			["doctor"],
			["call", "messages.typing", "--set", `to=${USER}`, "state=start"],
		];
		for (const verb of verbs) {
			const { code, stderr } = await runCli([...verb, "--base-url", dev.baseUrl], { env: machine });
			expect([verb[0], code, stderr]).toEqual([verb[0], 0, ""]);
		}
	});

	test("trigger signs with the secret that dev signs with", async () => {
		await using dev = await startDev([], { env: machine });
		const secret = dev.variables["MESSAGING_GATEWAY_WEBHOOK_SECRET"];
		const webhooks = createWebhookHandler({
			secret: secret ?? "",
			store: memoryStore(),
			on: { unknown: () => undefined },
		});
		await using receiver = await serve(toNode(webhooks));
		const { code } = await runCli(["trigger", "status", "--to", receiver.url], { env: machine });
		expect(code).toBe(0);
	});

	test("listen verifies what dev sends", async () => {
		await using dev = await startDev([], { env: machine });
		const child = startCli(["listen", "--json", "--base-url", dev.baseUrl], { env: machine });
		let output = "";
		child.stdout.setEncoding("utf8").on("data", (piece) => {
			output += piece;
		});
		await expect.poll(() => output).toContain("registered");
		await dev.act({ type: "reply", from: USER, text: "Hi" });
		await expect.poll(() => output).toContain('"verified":true');
		child.kill("SIGINT");
		await text(child.stderr);
	});
});

test.each([
	["MESSAGING_GATEWAY_APP_SECRET", ["send", "--to", USER, "--text", "Hello"]],
	["MESSAGING_GATEWAY_WEBHOOK_SECRET", ["trigger", "status"]],
	["MESSAGING_GATEWAY_WEBHOOK_SECRET", ["listen"]],
])("if dev never ran, the error of a verb without %s has a hint: %j", async (variable, args) => {
	const { code, stderr } = await runCli(args, { env: machine });
	expect(stderr).toContain("this machine has no local secrets yet");
	expect(stderr).toContain("Start `npx messaging-gateway dev`, which creates them");
	expect(stderr).toContain(variable);
	expect([code, filesOf(home)]).toEqual([2, []]);
});

describe("in the console", () => {
	let browser: Browser;

	beforeAll(async () => {
		browser = await openBrowser();
	});

	afterAll(async () => {
		await browser.close();
	});

	test("the token fills in the App Secret and the app id", async () => {
		await using dev = await startDev([], { env: { ...machine, MESSAGING_GATEWAY_APP_ID: "my-app" } });
		const token = dev.authorization.replace("Bearer ", "");
		const { page, problems } = await openPage(browser, `${dev.baseUrl}/docs#token=${token}&agents.list`);
		await page.getByText(`my-app at ${dev.baseUrl}, secret set`).waitFor();
		expect(page.url()).toBe(`${dev.baseUrl}/docs#agents.list`);
		await page.getByRole("button", { name: "Send", exact: true }).click();
		await page.getByRole("region", { name: "Response" }).getByText("200 OK").waitFor();
		// It is in no attribute, text node or storage of the page.
		const secret = dev.clientOptions.appSecret;
		const kept = await page.evaluate(() => JSON.stringify([{ ...sessionStorage }, { ...localStorage }]));
		expect(await page.content()).not.toContain(secret);
		expect(kept).not.toContain(secret);
		expect(problems).toEqual([]);
		await page.context().close();
	});

	test("they are also filled in after a link from the conversations", async () => {
		await using dev = await startDev([], { env: machine });
		const { page } = await openPage(browser, dev.consoleUrl);
		await page.getByRole("link", { name: "API" }).click();
		await page.getByText("secret set").waitFor();
		await page.context().close();
	});

	test("the token stays for new tabs and a restart, and a link in one tab opens the others", async () => {
		const context = await browser.newContext();
		const heading = { name: "One more step" };
		const args: string[] = [];
		const tab = await context.newPage();
		{
			await using dev = await onFreePort((port) => startDev(["--port", String(port)], { env: machine }));
			args.push("--port", new URL(dev.baseUrl).port);
			await tab.goto(dev.baseUrl);
			await tab.getByRole("heading", heading).waitFor();
			const linked = await context.newPage();
			await linked.goto(dev.consoleUrl);
			await tab.getByText("Live", { exact: true }).waitFor();
		}
		await tab.getByText("Reconnecting…").waitFor();
		await using dev = await startDev(args, { env: machine });
		const opened = await context.newPage();
		await opened.goto(dev.baseUrl);
		await opened.getByText("Live", { exact: true }).waitFor();
		await tab.getByText("Live", { exact: true }).waitFor();
		await context.close();
	});

	test("a rejected token is removed, and the form is shown", async () => {
		await using dev = await startDev([], { env: machine });
		const { page } = await openPage(browser, `${dev.baseUrl}/#token=that-of-another-machine`);
		await page.getByRole("heading", { name: "One more step" }).waitFor();
		await page.getByText("The token is missing or wrong").waitFor();
		expect(await page.evaluate(() => localStorage.length)).toBe(0);
		await page.context().close();
	});

	test("without the token the page shows how to get it, and a secret can be pasted", async () => {
		await using dev = await startDev([], { env: machine });
		const { page } = await openPage(browser, `${dev.baseUrl}/docs#agents.list`);
		await page.getByText("its link to this page fills it in").waitFor();
		await page.getByLabel("App Secret", { exact: true }).fill(dev.appSecret);
		await page.getByRole("button", { name: "Send", exact: true }).click();
		await page.getByRole("region", { name: "Response" }).getByText("200 OK").waitFor();
		await page.context().close();
	});

	test("a token in a link followed within the page is accepted", async () => {
		await using dev = await startDev([], { env: machine });
		const { page } = await openPage(browser, `${dev.baseUrl}/docs#agents.list`);
		await page.getByText("its link to this page fills it in").waitFor();
		await page.evaluate(
			(token) => {
				location.hash = `token=${token}`;
			},
			dev.authorization.replace("Bearer ", ""),
		);
		await page.getByText("secret set").waitFor();
		await page.context().close();
	});

	test("nothing served without the token contains a secret", async () => {
		await using dev = await startDev([], { env: machine });
		const { variables } = dev;
		for (const path of ["/", "/docs", "/openapi.json", "/_local/credentials", "/_local/snapshot"]) {
			const body = await (await fetch(dev.baseUrl + path)).text();
			expect(body).not.toContain(variables["MESSAGING_GATEWAY_APP_SECRET"]);
			expect(body).not.toContain(variables["MESSAGING_GATEWAY_WEBHOOK_SECRET"]);
		}
		expect(JSON.stringify(await dev.snapshot())).not.toContain(variables["MESSAGING_GATEWAY_APP_SECRET"]);
	});
});
