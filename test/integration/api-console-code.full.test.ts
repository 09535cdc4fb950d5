import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { createLocalGateway } from "messaging-gateway/testing";
import { type ListeningGateway, listen } from "messaging-gateway/testing/node";
import ts from "typescript";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { OperationId } from "../../src/library/catalogue/index.ts";
import { prepare } from "../../src/tools/console/api/call/prepare.ts";
import { writeCurlCode } from "../../src/tools/console/api/code/curl-code.ts";
import { writeSdkCode } from "../../src/tools/console/api/code/sdk-code.ts";
import type { RequestContent } from "../../src/tools/console/api/form/read-request.ts";
import { apiOperation, operationIds, sampleContent } from "../support/api-console.ts";
import { operationSamples } from "../support/operation-samples.ts";

const run = promisify(execFile);
const root = new URL("../../", import.meta.url);

/** Characters that break carelessly concatenated code. */
const NASTY = `it's "quoted" \`date\` $HOME $(id) \${x} \\n \\\\ %s !! # ; & | <a> \t\r\n\u2028 é 🎉 ''`;

const APP_ID = "app'1\"$x";
const SECRET = "s'ecret \"$HOME` with-spaces";

let server: ListeningGateway;
let folder: string;

beforeAll(async () => {
	const gateway = createLocalGateway({
		appId: APP_ID,
		appSecret: SECRET,
		rules: "off",
		baseUrl: "http://localhost/gate'way",
	});
	server = await listen(gateway);
	folder = await mkdtemp(join(tmpdir(), "api-console-"));
});

afterAll(async () => {
	await rm(folder, { recursive: true });
	await server.close();
	await server.local[Symbol.asyncDispose]();
});

function environment(): NodeJS.ProcessEnv {
	return { ...process.env, MESSAGING_GATEWAY_APP_SECRET: SECRET, HOME: "/nonexistent" };
}

async function runCurl(id: OperationId, content: RequestContent): Promise<unknown> {
	const operation = apiOperation(id);
	const prepared = prepare(operation, content, server.url);
	if ("problem" in prepared) throw new Error(prepared.problem);
	const code = writeCurlCode(prepared, APP_ID, operation.isSigned);
	const file = join(folder, "call.sh");
	await writeFile(file, code);
	const { stdout } = await run("bash", [file], { env: environment(), maxBuffer: 2 ** 24 });
	return JSON.parse(stdout);
}

async function runSdk(id: OperationId, content: RequestContent): Promise<unknown> {
	const code = writeSdkCode(apiOperation(id), content, { baseUrl: server.url, appId: APP_ID });
	const program = code.replace("console.log(data);", "console.log(JSON.stringify(data));");
	expect(program).not.toBe(code);
	const flags = ["--conditions=@messaging-gateway/source", "--input-type=module", "--eval"];
	const { stdout } = await run(process.execPath, [...flags, program], { cwd: root, env: environment() });
	return JSON.parse(stdout);
}

const ways = [
	["curl", runCurl],
	["TypeScript", runSdk],
] as const;

describe.each(ways)("as %s", (_, call) => {
	test("a text arrives as entered", async () => {
		const content = sampleContent("messages.sendText", { to: "+15551234567", text: NASTY });
		await call("messages.sendText", content);
		expect(server.local.sent.at(-1)?.text).toBe(NASTY);
	});

	test("path and query parameters arrive", async () => {
		const agent = sampleContent("agents.list", { status: "online", limit: 1 });
		expect(JSON.stringify(await call("agents.list", agent))).toContain("+15550000001");
		const contact = sampleContent("messages.checkCapability", { toNumber: "+15550001003" });
		expect(JSON.stringify(await call("messages.checkCapability", contact))).toContain("SMS");
	});

	test("an unsigned operation is called", async () => {
		expect(await call("health.check", sampleContent("health.check"))).toMatchObject({ status: "ok" });
	});

	test("a request that no typed method would send is sent", async () => {
		const content = { params: {}, query: {}, body: { to: "1", text: NASTY, "new'field": [NASTY] } };
		const ended = await call("messages.sendText", content).catch((error: { stderr: string }) => error.stderr);
		expect(JSON.stringify(ended)).toContain("VALIDATION_ERROR");
	});
});

test("a body longer than a command line is sent by curl", async () => {
	const data = "A".repeat(400_000);
	const attachment = { data, name: "a'b.m4a", mimeType: "audio/mp4" };
	const content = sampleContent("messages.sendVoiceNote", { to: "+15551234567", attachment });
	expect(await runCurl("messages.sendVoiceNote", content)).toMatchObject({ ok: true });
});

test("the script's nonce is a UUID", async () => {
	await runCurl("queue.getStatus", sampleContent("queue.getStatus"));
	const nonce = server.local.requests.at(-1)?.headers["x-nonce"];
	expect(nonce).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/);
});

test("the TypeScript of every operation compiles", () => {
	const files = new Map(
		operationIds.map((id) => {
			const content = sampleContent(id, operationSamples[id].input);
			const code = writeSdkCode(apiOperation(id), content, { baseUrl: "http://a", appId: "a" });
			return [new URL(`generated-${id}.ts`, root).pathname, code];
		}),
	);
	expect(compile(files)).toEqual([]);
});

/** The compiler's diagnostics for files in memory. */
function compile(files: ReadonlyMap<string, string>): string[] {
	const config = ts.readConfigFile(new URL("tsconfig.json", root).pathname, ts.sys.readFile);
	const { options } = ts.parseJsonConfigFileContent(config.config, ts.sys, root.pathname);
	const host = ts.createCompilerHost(options);
	const { fileExists, readFile, getSourceFile } = host;
	host.fileExists = (name) => files.has(name) || fileExists(name);
	host.readFile = (name) => files.get(name) ?? readFile(name);
	host.getSourceFile = (name, ...rest) => {
		const text = files.get(name);
		return text === undefined ? getSourceFile(name, ...rest) : ts.createSourceFile(name, text, rest[0], true);
	};
	const program = ts.createProgram([...files.keys()], options, host);
	return [...files.keys()].flatMap((name) =>
		[
			...program.getSyntacticDiagnostics(program.getSourceFile(name)),
			...program.getSemanticDiagnostics(program.getSourceFile(name)),
		].map(
			({ messageText, file }) => `${file?.fileName}: ${ts.flattenDiagnosticMessageText(messageText, "\n")}`,
		),
	);
}
