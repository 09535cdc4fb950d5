import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { createLocalGateway, createWebhookRequest } from "messaging-gateway/testing";
import { listen } from "messaging-gateway/testing/node";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createUserProject, type UserProject } from "../support/packed-package.ts";

const run = promisify(execFile);
const SNIPPETS = readSnippets("README.md");
const NAMES = ["send.ts", "receive.ts", "app.test.ts", "failure.ts"] as const;
const GUIDES = ["client", "errors", "local-gateway", "observability", "scaling", "webhooks"];

let project: UserProject;

beforeAll(() => {
	project = createUserProject();
	for (const [at, name] of NAMES.entries()) project.write(name, SNIPPETS[at] ?? "");
	for (const guide of GUIDES) {
		for (const [at, snippet] of readSnippets(`docs/${guide}.md`).entries()) {
			const ending = snippet.includes('from "vitest"') ? "test.ts" : "ts";
			project.write(`${guide}-${at + 1}.${ending}`, snippet);
		}
	}
	// The module that the other snippets of its guide import.
	project.write("webhooks.ts", readSnippets("docs/webhooks.md")[0] ?? "");
	const options = {
		compilerOptions: {
			// What `tsc --init` writes.
			strict: true,
			exactOptionalPropertyTypes: true,
			noUncheckedIndexedAccess: true,
			verbatimModuleSyntax: true,
			isolatedModules: true,
			noEmit: true,
			target: "es2022",
			lib: ["es2024", "esnext.disposable", "dom", "dom.iterable"],
			module: "nodenext",
			types: ["node"],
			skipLibCheck: true,
		},
	};
	project.write("tsconfig.json", JSON.stringify(options));
}, 60_000);

afterAll(() => project.remove());

test("every TypeScript snippet of the README is one of those tested here", () => {
	expect(SNIPPETS).toHaveLength(NAMES.length);
});

test("the snippets of README and guides compile in an empty project", async () => {
	const tsc = join(project.folder, "node_modules/typescript/bin/tsc");
	const result = await run(process.execPath, [tsc, "-p", project.folder]).catch(
		(error: { stdout: string }) => error,
	);
	expect(result.stdout).toBe("");
}, 60_000);

test("the sending snippets do what they say", async () => {
	await using local = createLocalGateway();
	await using server = await listen(local);
	const env = {
		...process.env,
		MESSAGING_GATEWAY_BASE_URL: server.url,
		MESSAGING_GATEWAY_APP_ID: local.appId,
		MESSAGING_GATEWAY_APP_SECRET: local.appSecret,
	};
	const sent = await run(process.execPath, ["send.ts"], { cwd: project.folder, env });
	expect(sent.stdout).toMatch(/^[0-9a-f-]{36} queued\n1 sent, 0 received\n$/);
	const refused = await run(process.execPath, ["failure.ts"], { cwd: project.folder, env });
	expect(refused.stdout).toMatch(/^sent already; [\d.]+ s left\n$/);
}, 60_000);

test("the local gateway's guide shows what happens", async () => {
	const { stdout } = await run(process.execPath, ["local-gateway-1.ts"], { cwd: project.folder });
	expect(stdout).toBe("[ 'read' ]\n");
}, 60_000);

test("the receiving snippet accepts what is signed and refuses what is not", async () => {
	const secret = "snippet-secret";
	project.write(
		"call-receive.ts",
		`import { POST } from "./receive.ts";
const { url, headers, body } = JSON.parse(process.argv[2]);
const response = await POST(new Request(url, { method: "POST", headers, body }));
console.log("answer", response.status, await response.text());`,
	);
	const call = async (
		kind: "inbound_message" | "inbound_reaction" | "status",
		key: string,
	): Promise<string> => {
		const request = createWebhookRequest(kind, {}, { secret: key });
		const delivery = {
			url: request.url,
			headers: Object.fromEntries(request.headers),
			body: await request.text(),
		};
		const { stdout } = await run(process.execPath, ["call-receive.ts", JSON.stringify(delivery)], {
			cwd: project.folder,
			env: { ...process.env, MESSAGING_GATEWAY_WEBHOOK_SECRET: secret },
		});
		return stdout;
	};
	expect(await call("inbound_message", secret)).toMatch(/^evt_\w+: a text of \d+ characters\nanswer 200 \n$/);
	expect(await call("inbound_reaction", secret)).toMatch(/^evt_\w+: love\nanswer 200 \n$/);
	expect(await call("status", secret)).toMatch(/^evt_\w+: [0-9a-f-]{36} is delivered\nanswer 200 \n$/);
	expect(await call("status", "another-secret")).toBe("answer 401 signature_mismatch\n");
}, 60_000);

test("the snippets of a user's tests pass", async () => {
	const vitest = join(project.folder, "node_modules/vitest/vitest.mjs");
	const { stdout } = await run(process.execPath, [vitest, "run", "--root", project.folder], {
		cwd: project.folder,
		env: { ...process.env, NO_COLOR: "1" },
	});
	expect(stdout).toMatch(/Test Files\s+3 passed/);
}, 60_000);

function readSnippets(path: string): string[] {
	const markdown = readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");
	return Array.from(markdown.matchAll(/```ts\n([\s\S]*?)```/g), (match) => match[1] ?? "");
}
