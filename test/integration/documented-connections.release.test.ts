import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { createLocalGateway } from "messaging-gateway/testing";
import { type ListeningGateway, listen } from "messaging-gateway/testing/node";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { createModuleProject, type ModuleProject, readCommand } from "../support/documented-modules.ts";
import { TEST_TIMEOUT_MS } from "../support/patience.ts";
import { serve } from "../support/serve.ts";
import { requireVersion } from "../support/versions.ts";
import { MAPPING, ok, USER } from "../support/wire.ts";
import { startForwardProxy } from "./support/forward-proxy.ts";

/** A name that nothing but the proxy knows: a call that went past it would not find the gateway. */
const BEHIND_PROXY = "gateway.test:8080";

let project: ModuleProject;

beforeAll(async () => {
	project = await createModuleProject();
});

afterAll(() => project?.remove());

/** What a client reads from the environment. */
function variablesFor(baseUrl: string): Record<string, string> {
	const { appId, appSecret } = createLocalGateway();
	return {
		MESSAGING_GATEWAY_BASE_URL: baseUrl,
		MESSAGING_GATEWAY_APP_ID: appId,
		MESSAGING_GATEWAY_APP_SECRET: appSecret,
	};
}

const WITH_MODULE = 'import { gateway } from "./proxy.js";';
const WITHOUT =
	'import { MessagingGateway } from "messaging-gateway"; const gateway = new MessagingGateway();';
const SEND = `
	const sent = await gateway.messages.sendText({ to: "${USER}", text: "Hello" }).catch((error) => error);
	console.log(sent.outcome ?? sent.message.status);`;
const READ = `for (let count = 0; count < 10; count++) await gateway.mappings.get("${USER}");`;

describe("a proxy", () => {
	let server: ListeningGateway;

	beforeAll(async () => {
		server = await listen();
	});

	afterAll(() => server.close());
	afterEach(() => server.local.reset());

	/** Runs a script whose gateway is reached through a proxy alone. */
	function run(script: string, environment: Record<string, string>, node?: string): Promise<string> {
		const variables = { ...variablesFor(`http://${BEHIND_PROXY}`), ...environment };
		return project.run(script, { environment: variables, node: node ?? process.execPath });
	}

	describe.each([
		["22.13", () => requireVersion("node-22.13")],
		["24", () => process.execPath],
		["26", () => requireVersion("node-26")],
	])("through undici on Node %s", (_release, findNode) => {
		test("has every call in tunnels that are kept, and gets its password", async () => {
			await using proxy = await startForwardProxy(server.port);
			const url = `http://user:p%40ss@127.0.0.1:${proxy.port}`;
			expect(await run(WITH_MODULE + SEND + READ, { PROXY_URL: url }, findNode())).toBe("queued");
			expect(server.local.requests).toHaveLength(11);
			expect(new Set(proxy.requested)).toEqual(new Set([BEHIND_PROXY]));
			expect(proxy.requested.length).toBeLessThan(5);
			expect(proxy.authorization).toBe(`Basic ${Buffer.from("user:p@ss").toString("base64")}`);
		});

		test("that refuses its tunnel is tried again, and the message is sent once", async () => {
			await using proxy = await startForwardProxy(server.port);
			proxy.rejectNext();
			const url = `http://127.0.0.1:${proxy.port}`;
			expect(await run(WITH_MODULE + SEND, { PROXY_URL: url }, findNode())).toBe("queued");
			expect(server.local.sent).toHaveLength(1);
		});
	});

	test("that is down makes a send not_sent", async () => {
		expect(await run(WITH_MODULE + SEND, { PROXY_URL: "http://127.0.0.1:9" })).toBe("not_sent");
	});

	test.each([
		["22", () => requireVersion("node-22")],
		["24", () => process.execPath],
		["26", () => requireVersion("node-26")],
	])("is taken from the environment by Node %s", async (_release, findNode) => {
		const [name, value] = readCommand("docs/network.md", "A proxy").split(/[= ]/);
		expect([name, value]).toEqual(["NODE_USE_ENV_PROXY", "1"]);
		await using proxy = await startForwardProxy(server.port);
		const url = `http://127.0.0.1:${proxy.port}`;
		const environment = { NODE_USE_ENV_PROXY: "1", HTTP_PROXY: url, HTTPS_PROXY: url };
		expect(await run(WITHOUT + SEND, environment, findNode())).toBe("queued");
		expect(proxy.requested[0]).toContain(BEHIND_PROXY);
		const https = { MESSAGING_GATEWAY_BASE_URL: "https://gateway.test" };
		await run(WITHOUT + SEND, { ...environment, ...https }, findNode());
		expect(proxy.requested.at(-1)).toBe("gateway.test:443");
	});

	test("in the environment alone is passed by", async () => {
		await using proxy = await startForwardProxy(server.port);
		const environment = { HTTP_PROXY: `http://127.0.0.1:${proxy.port}` };
		expect(await run(WITHOUT + SEND, environment)).toBe("not_sent");
		expect(proxy.requested).toEqual([]);
	});
});

/**
 * A gateway that keeps its answers back until it is asked for its release, and counts what comes until then. Who asks
 * for `/holding/N` is answered as soon as it keeps N answers back.
 */
async function startHoldingGateway() {
	const counts = { connections: 0, reads: 0, sends: 0 };
	const sockets = new Set<Socket>();
	const held: ServerResponse[] = [];
	const watchers: { readonly count: number; readonly response: ServerResponse }[] = [];
	let isReleased = false;
	const body = await ok({ mapping: MAPPING }).text();
	const tellWatchers = (): void => {
		for (const { count, response } of watchers) if (held.length >= count) response.end();
	};
	const server = await serve((request, response) => {
		const [, path = "", count] = request.url?.split("/") ?? [];
		if (path === "holding") {
			watchers.push({ count: Number(count), response });
			tellWatchers();
		} else if (path === "release") {
			isReleased = true;
			for (const waiting of [...held, response]) waiting.end(body);
		} else {
			counts.connections = sockets.add(request.socket).size;
			counts[request.method === "GET" ? "reads" : "sends"]++;
			if (isReleased) response.end(body);
			else held.push(response);
			tellWatchers();
		}
	});
	return { ...server, counts };
}

describe("connections", () => {
	const PATIENT = `{ attemptTimeoutMs: ${TEST_TIMEOUT_MS}, timeoutMs: ${TEST_TIMEOUT_MS} }`;

	/** A hundred reads and a send; all get their answers once so many requests are at the gateway. */
	const script = (url: string, requests: number, send: string) => `
		const reads = Array.from({ length: 100 }, () => gateway.mappings.get("${USER}", ${PATIENT}));
		const send = (options) => gateway.messages.sendText({ to: "${USER}", text: "Hello" }, options);
		const untilHeld = () => fetch("${url}/holding/${requests}");
		${send}
		await fetch("${url}/release");
		await Promise.all(reads);`;

	test("are as many as the page says, and are used again; a send that waits in vain is unknown", async () => {
		await using server = await startHoldingGateway();
		const module = 'import { gateway } from "./connections.js";';
		const send = `
			await untilHeld();
			await send({ attemptTimeoutMs: 100 }).catch(({ code, outcome }) => console.log(code, outcome));`;
		const source = module + script(server.url, 32, send);
		const printed = project.run(source, { environment: variablesFor(server.url) });
		expect(await printed).toBe("timeout unknown");
		expect(server.counts).toEqual({ connections: 32, reads: 100, sends: 0 });
	});

	test("are as many as there are calls without it", async () => {
		await using server = await startHoldingGateway();
		const send = `
			const sent = send(${PATIENT}).catch(() => undefined);
			await untilHeld();`;
		const source = WITHOUT + script(server.url, 101, send);
		await project.run(source, { environment: variablesFor(server.url) });
		expect(server.counts).toEqual({ connections: 101, reads: 100, sends: 1 });
	});
});
