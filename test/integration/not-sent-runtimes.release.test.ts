import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { createSecureServer, type Http2SecureServer, type ServerHttp2Stream } from "node:http2";
import { createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { type ClosedPort, holdClosedPort } from "../support/closed-port.ts";
import { createUserProject, type UserProject } from "../support/packed-package.ts";
import { type OtherVersion, requireVersion } from "../support/versions.ts";
import { MESSAGE, REQUEST_ID } from "../support/wire.ts";
import { createCertificate } from "./support/certificate.ts";
import type { Ending } from "./support/send-once.ts";

const run = promisify(execFile);

type NodeVersion = Extract<OtherVersion, `node-${string}`> | "node-24";
const NODES: readonly NodeVersion[] = ["node-22.13", "node-22", "node-24", "node-26"];

let project: UserProject;
let closed: ClosedPort;

beforeAll(async () => {
	project = await createUserProject();
	closed = await holdClosedPort();
	await build({
		entryPoints: [new URL("./support/send-once.ts", import.meta.url).pathname],
		outfile: join(project.folder, "send-once.mjs"),
		bundle: true,
		format: "esm",
		target: "es2022",
		external: ["messaging-gateway", "node:*"],
	});
});

afterAll(async () => {
	project?.remove();
	await closed?.[Symbol.asyncDispose]();
});

function findNode(version: NodeVersion): string {
	return version === "node-24" ? process.execPath : requireVersion(version);
}

async function runProgram(
	command: readonly string[],
	args: readonly string[],
	env: Readonly<Record<string, string>> = {},
): Promise<Ending> {
	const [file = "", ...before] = command;
	const { stdout } = await run(file, [...before, "send-once.mjs", ...args], {
		cwd: project.folder,
		env: { ...process.env, NODE_OPTIONS: "", NO_PROXY: "", ...env },
		timeout: 30_000,
		killSignal: "SIGKILL",
	});
	return JSON.parse(stdout);
}

/** A name of two addresses, at which nothing listens. */
const TWO_ADDRESSES = "127.0.0.1 two.test\\n::1 two.test\\n";

describe.each(NODES)("%s: nothing left, so that it is not_sent", (version) => {
	test("a port that refuses", async () => {
		expect(await runProgram([findNode(version)], [closed.url])).toMatchObject({
			outcome: "not_sent",
			code: "ECONNREFUSED",
		});
	});

	test("a name that does not exist", async () => {
		expect(await runProgram([findNode(version)], ["http://gateway.invalid"])).toMatchObject({
			outcome: "not_sent",
		});
	});

	test("no file left for a connection", async () => {
		const shell = ["sh", "-c", 'ulimit -n 64; exec "$@"', "sh", findNode(version)];
		expect(await runProgram(shell, [closed.url, "files"])).toMatchObject({
			outcome: "not_sent",
			code: "EMFILE",
		});
	});

	describe.runIf(process.platform === "linux")("in a network of its own", () => {
		const inNamespace = (set: string) => [
			...["unshare", "--user", "--map-root-user", "--net", "--mount", "sh", "-c"],
			...[`${set}; exec "$@"`, "sh", findNode(version)],
		];

		test.each([
			["no network", "true", "http://192.0.2.1", "ENETUNREACH"],
			// Linux says the one, gVisor the other.
			["no IPv6", "true", "http://[2001:db8::1]", expect.stringMatching(/^(EADDRNOTAVAIL|ENETUNREACH)$/)],
			[
				"two addresses, both refused",
				`ip link set lo up; h=$(mktemp); printf '${TWO_ADDRESSES}' > $h; mount --bind $h /etc/hosts; rm $h`,
				"http://two.test:8080",
				"ECONNREFUSED",
			],
		])("%s", async (_title, set, baseUrl, code) => {
			expect(await runProgram(inNamespace(set), [baseUrl])).toMatchObject({ outcome: "not_sent", code });
		});
	});
});

test("Node's permissions without --allow-net", async () => {
	const node = [requireVersion("node-26"), "--permission", "--allow-fs-read=*"];
	expect(await runProgram(node, [closed.url])).toMatchObject({
		outcome: "not_sent",
		code: "ERR_ACCESS_DENIED",
	});
});

test.each<[title: string, args: readonly string[], baseUrl: string | undefined, said: RegExp]>([
	["without --allow-net", [], undefined, /^Requires net access to /],
	["with a port that refuses", ["--allow-net"], undefined, /client error \(Connect\)/],
	["with a name that does not exist", ["--allow-net"], "http://gateway.invalid", /dns error/],
	["with a port that it blocks", ["--allow-net"], "http://127.0.0.1:9", /port 9 (is|are) blocked/],
])("Deno %s", async (_title, args, baseUrl = closed.url, said) => {
	const deno = [requireVersion("deno"), "run", "--no-prompt", "--allow-read", "--allow-env", ...args];
	expect(await runProgram(deno, [baseUrl])).toMatchObject({
		outcome: "not_sent",
		said: expect.stringMatching(said),
	});
});

/** Listens until the end of the test. */
async function listen(server: Server | Http2SecureServer): Promise<number> {
	const sockets = new Set<Socket>();
	server.on("connection", (socket: Socket) => sockets.add(socket.on("error", () => undefined)));
	onTestFinished(() => {
		for (const socket of sockets) socket.destroy();
		server.close();
	});
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	const address = server.address();
	return typeof address === "object" && address !== null ? address.port : 0;
}

test("Deno after a reset, at a gateway that then listens no more: sent once, and unknown", async () => {
	const requests: string[] = [];
	const server = createServer((socket) => {
		let request = "";
		socket.setEncoding("utf8").on("data", (chunk: string) => {
			request += chunk;
			if (!request.endsWith("}")) return;
			requests.push(request);
			server.close();
			socket.resetAndDestroy();
		});
	});
	const url = `http://127.0.0.1:${await listen(server)}`;
	const deno = [requireVersion("deno"), "run", "--no-prompt", "--allow-read", "--allow-env", "--allow-net"];
	expect(await runProgram(deno, [url])).toMatchObject({ outcome: "unknown" });
	expect(requests).toEqual([expect.stringMatching(/\r\ncontent-length: \d+\r\n/i)]);
});

describe("a proxy that hangs up at CONNECT", () => {
	test.each<[version: NodeVersion, outcome: string]>([
		["node-26", "not_sent"],
		// It tries again until the attempt's time is over.
		["node-24", "unknown"],
	])("%s: %s", async (version, outcome) => {
		let tunnels = 0;
		const proxy = createServer((socket) =>
			socket
				.on("error", () => undefined)
				.once("data", () => {
					tunnels += 1;
					socket.destroy();
				}),
		);
		const url = `http://127.0.0.1:${await listen(proxy)}`;
		const ending = await runProgram([findNode(version)], ["https://gateway.invalid"], {
			NODE_USE_ENV_PROXY: "1",
			HTTPS_PROXY: url,
		});
		expect(ending).toMatchObject({ outcome });
		expect(tunnels).toBeGreaterThan(0);
	});
});

describe("over HTTP/2, which Node 26 speaks by default", () => {
	/** HTTP/2's codes (RFC 9113, section 7). */
	const INTERNAL_ERROR = 2;
	const REFUSED_STREAM = 7;
	const CANCEL = 8;

	test.each<[title: string, outcome: string, respond: (stream: ServerHttp2Stream) => void]>([
		[
			"a response",
			"sent",
			(stream) => {
				stream.respond({ ":status": 202, "content-type": "application/json" });
				const meta = { requestId: REQUEST_ID, timestamp: "2026-01-01T00:00:00.000Z" };
				stream.end(JSON.stringify({ ok: true, data: { message: MESSAGE }, meta }));
			},
		],
		["REFUSED_STREAM", "not_sent", (stream) => stream.close(REFUSED_STREAM)],
		["INTERNAL_ERROR", "unknown", (stream) => stream.close(INTERNAL_ERROR)],
		["CANCEL", "unknown", (stream) => stream.close(CANCEL)],
		["GOAWAY", "unknown", (stream) => stream.session?.destroy(undefined, 0)],
	])("%s: %s", async (_title, outcome, respond) => {
		const certificate = createCertificate(["127.0.0.1"]);
		const trusted = join(project.folder, "authority.pem");
		writeFileSync(trusted, certificate.cert);
		const bodies: string[] = [];
		const server = createSecureServer(certificate, (request) => {
			let body = "";
			request
				.setEncoding("utf8")
				.on("data", (chunk: string) => {
					body += chunk;
				})
				.on("end", () => {
					bodies.push(body);
					request.stream.on("error", () => undefined);
					respond(request.stream);
				});
		}).on("sessionError", () => undefined);
		const baseUrl = `https://127.0.0.1:${await listen(server)}`;
		const ending = await runProgram([requireVersion("node-26")], [baseUrl], {
			NODE_EXTRA_CA_CERTS: trusted,
		});
		expect(ending).toMatchObject({ outcome });
		expect(bodies).toHaveLength(1);
		expect(bodies[0]).toContain("Grüße 🎉");
	});
});
