import { once } from "node:events";
import { connect } from "messaging-gateway/testing";
import { describe, expect, test } from "vitest";
import { holdClosedPort } from "../support/closed-port.ts";
import { startDev } from "../support/dev-server.ts";
import { reply, startServer } from "../support/http-server.ts";
import { runCli, runCliForJson, startCli } from "../support/run-cli.ts";
import { startForwardProxy } from "./support/forward-proxy.ts";

const ALICE = "+15551234567";
const TOKEN = "a-token-of-this-test";
const PASSWORD = "a-password-of-the-proxy";

/** What a proxy does, and how it is started for a gateway on a port. */
const PROXIES = [
	["rejects tunnels with 502", (port: number) => proxyAt(startForwardProxy(port, "502 Bad Gateway"))],
	["rejects tunnels with 403", (port: number) => proxyAt(startForwardProxy(port, "403 Forbidden"))],
	["passes requests on", (port: number) => proxyAt(startForwardProxy(port))],
	["refuses connections", async () => ({ requested: [], ...(await holdClosedPort()) })],
] as const;

async function proxyAt(starting: ReturnType<typeof startForwardProxy>) {
	const proxy = await starting;
	return {
		url: `http://127.0.0.1:${proxy.port}`,
		requested: proxy.requested,
		[Symbol.asyncDispose]: () => proxy[Symbol.asyncDispose](),
	};
}

describe.each(PROXIES)("behind a proxy that %s", (name, startProxy) => {
	test("the command and the local gateway reach this machine without it", async () => {
		await using receiver = await startServer(reply(200, {}));
		const receiverUrl = receiver.url.replace("127.0.0.1", "localhost");
		await using proxy = await startProxy(Number(new URL(receiver.url).port));
		const env: Record<string, string> = {
			MESSAGING_GATEWAY_CONTROL_TOKEN: TOKEN,
			NODE_USE_ENV_PROXY: "1",
			HTTP_PROXY: proxy.url.replace("//", `//user:${PASSWORD}@`),
		};
		await using dev = await startDev(["--no-rules", "--forward-to", receiverUrl], { env });
		Object.assign(env, dev.variables);
		const run = async (...args: string[]) => {
			const { code, stdout, stderr } = await runCli(args, { env });
			expect([args[0], code, stderr]).toEqual([args[0], 0, ""]);
			return stdout;
		};

		await run("send", "--to", ALICE, "--text", "Hello");
		await run("contact", "reply", "--from", ALICE, "--text", "Yes");
		await (await connect({ baseUrl: dev.baseUrl, token: TOKEN })).settled();
		expect(await run("log")).toContain("inbound_message");
		expect(await run("call", "health.check")).toContain("ok");
		expect((await dev.deliveries()).map(({ attempts }) => attempts.map(({ status }) => status))).toEqual([
			[200],
			[200],
			[200],
			[200],
		]);
		await run("trigger", "status", "--to", receiverUrl);
		expect(receiver.received.map(({ headers }) => headers.host)).toEqual(
			Array(5).fill(new URL(receiverUrl).host),
		);
		expect(proxy.requested).toEqual([]);
	});

	test("the doctor says what an application meets, and what is there without it", async () => {
		await using dev = await startDev([], { env: { MESSAGING_GATEWAY_CONTROL_TOKEN: TOKEN } });
		const { host, port } = new URL(dev.baseUrl);
		await using proxy = await startProxy(Number(port));
		const env = {
			...dev.variables,
			NODE_USE_ENV_PROXY: "1",
			HTTP_PROXY: proxy.url.replace("//", `//user:${PASSWORD}@`),
		};
		const { code, value } = await runCliForJson(["doctor"], { env });
		const passesOn = name === "passes requests on";
		expect(code).toBe(passesOn ? 0 : 1);
		expect(value.findings).toEqual([
			{
				cause: "environment_proxy",
				certainty: passesOn ? "likely" : "certain",
				isBlocking: !passesOn,
				message: expect.stringContaining(
					passesOn
						? `the proxy in HTTP_PROXY (${new URL(proxy.url).host})`
						: `Without the proxy ${host} responds.`,
				),
				fix: expect.stringContaining("Set NO_PROXY=localhost,127.0.0.1 "),
			},
		]);
		expect(JSON.stringify(value)).not.toContain(PASSWORD);
		const excluded = await runCliForJson(["doctor"], { env: { ...env, NO_PROXY: "localhost,127.0.0.1" } });
		expect([excluded.code, excluded.value.findings]).toEqual([0, []]);

		await dev.end("SIGINT");
		const ended = await runCliForJson(["doctor"], { env });
		expect(ended.value.findings[0]).toMatchObject({ cause: "connection_refused", certainty: "certain" });
	});
});

test("listen forwards to this machine without a proxy", async () => {
	await using receiver = await startServer(reply(200, {}));
	await using proxy = await startForwardProxy(1, "403 Forbidden");
	await using dev = await startDev();
	const env = {
		...dev.variables,
		MESSAGING_GATEWAY_CONTROL_TOKEN: dev.authorization.replace("Bearer ", ""),
		NODE_USE_ENV_PROXY: "1",
		HTTP_PROXY: `http://127.0.0.1:${proxy.port}`,
	};
	const child = startCli(["listen", "--json", "--forward-to", receiver.url], { env });
	const closed = once(child, "close");
	await once(child.stdout, "data");
	await dev.act({ type: "reply", from: ALICE, text: "Yes" });
	await expect.poll(() => receiver.received.length).toBe(1);
	child.kill("SIGINT");
	await closed;
	expect(proxy.requested).toEqual([]);
});

test("a gateway on another machine that the proxy does not reach is named with the proxy", async () => {
	await using proxy = await startForwardProxy(1, "403 Forbidden");
	const env = {
		MESSAGING_GATEWAY_BASE_URL: "https://gateway.example",
		MESSAGING_GATEWAY_APP_ID: "app-1",
		MESSAGING_GATEWAY_APP_SECRET: "a-secret-of-this-test",
		NODE_USE_ENV_PROXY: "1",
		HTTPS_PROXY: `http://user:${PASSWORD}@127.0.0.1:${proxy.port}`,
	};
	const { code, stdout } = await runCli(["doctor"], { env });
	expect(code).toBe(1);
	expect(stdout).toContain(
		`likely: GET /health got no response from gateway.example through the proxy in HTTPS_PROXY (127.0.0.1:${proxy.port}), which responded with 403 instead of connecting to it.`,
	);
	const sent = await runCli(["send", "--to", ALICE, "--text", "Hello"], { env });
	expect([sent.code, sent.stderr]).toEqual([1, expect.stringContaining("through the proxy in HTTPS_PROXY")]);
	expect(stdout + sent.stderr).not.toContain(PASSWORD);
});
