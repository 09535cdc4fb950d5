import { execFile } from "node:child_process";
import { cpSync, existsSync, globSync, readFileSync, symlinkSync } from "node:fs";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { build } from "esbuild";
import { canonicalize } from "messaging-gateway/signing";
import { listen } from "messaging-gateway/testing/node";
import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openBrowser, openPage } from "../support/browser.ts";
import { createUserProject, type UserProject } from "../support/packed-package.ts";
import { PROCESS_LIFE_MS } from "../support/patience.ts";
import { type RunningServer, serve } from "../support/serve.ts";
import { Compiler, RELEASES } from "./support/compile.ts";
import { requireOpenApiTool } from "./support/openapi-tools.ts";

const run = promisify(execFile);
const GUIDE = readFileSync("docs/openapi.md", "utf8");
const EXAMPLE = "examples/modules/openapi";

/** The programs of the example that call the gateway. */
const PROGRAMS = [
	{ name: "with-openapi-fetch", exactOptionalPropertyTypes: true },
	// What @hey-api/openapi-ts and Kubb generate for every document, not for ours, does not compile with it.
	{ name: "with-hey-api", exactOptionalPropertyTypes: false },
	{ name: "with-orval", exactOptionalPropertyTypes: true },
	{ name: "with-kubb", exactOptionalPropertyTypes: false },
];
/** The script of the example that a page runs. */
const VIEWER = { name: "viewer", exactOptionalPropertyTypes: true };
const CELLS = RELEASES.slice(1).flatMap((release) =>
	[...PROGRAMS, VIEWER].map((program) => ({ ...program, release })),
);

/** Where the example expects `dev`. */
const DEV_URL = "http://localhost:8080";

let compiler: Compiler;
let project: UserProject;

beforeAll(async () => {
	compiler = new Compiler();
	project = await createUserProject();
	for (const name of ["openapi-fetch", "swagger-ui-dist", "@kubb"]) {
		symlinkSync(requireOpenApiTool(name), join(project.folder, "node_modules", name));
	}
	cpSync(EXAMPLE, project.folder, { recursive: true });
	const [, write = ""] = /^```sh\n(.+)$/m.exec(GUIDE) ?? [];
	await runLine(write.replace("https://gateway.example", DEV_URL));
	for (const [, line = ""] of GUIDE.matchAll(/^\|.* `(npx .+?)` \|/gm)) await runLine(line);
});

afterAll(() => {
	compiler[Symbol.dispose]();
	project.remove();
});

test("every program of the example is run, and the guide shows the one that signs as it is", () => {
	// The others: what signs, what sends for orval, two configurations and the viewer.
	expect(globSync("*.ts", { cwd: EXAMPLE })).toHaveLength(PROGRAMS.length + 5);
	const shown = Array.from(
		GUIDE.matchAll(/^```ts\n\/\/ ([\w-]+\.ts)\n([\s\S]*?)^```$/gm),
		([, name = "", code]) => {
			const source = readFileSync(join(EXAMPLE, name), "utf8").replaceAll("\t", "  ");
			expect(source).toContain(code);
			return name;
		},
	);
	expect(shown).toEqual(["signed-fetch.ts"]);
});

test.each(CELLS)(
	"$name compiles with strict TypeScript $release",
	async ({ release, name, ...strictness }) => {
		const problems = await compiler.compile({
			release,
			folder: project.folder,
			files: [`${name}.ts`],
			options: {
				...strictness,
				lib: ["es2022", "dom", "dom.iterable"],
				types: ["node"],
				module: "esnext",
				moduleResolution: "bundler",
			},
		});
		expect(problems).toEqual([]);
	},
);

test.each(PROGRAMS)("$name makes signed calls to the local gateway", async ({ name }) => {
	await using server = await listen();
	const { stdout } = await runProgram(name, server.url, server.local.appSecret);
	expect(stdout.trim().split("\n")).toEqual(printedBy(name));
	// Some escape the plus sign, some do not.
	const paths = server.local.requests.map(({ method, path }) => `${method} ${decodeURIComponent(path)}`);
	expect(paths).toEqual(["POST /message/text", "GET /mapping/+15551234567"]);

	const wrong = await runProgram(name, server.url, "another-secret");
	expect(wrong.stdout.trim().split("\n")).toEqual(["UNAUTHORIZED", "UNAUTHORIZED"]);
});

test("the viewer sends what it signed", async () => {
	await using server = await listen();
	await using site = await serveViewer(server.url);
	await using browser = await openBrowser();
	const { page } = await openPage(browser, "about:blank");
	page.on("dialog", (dialog) => dialog.accept(server.local.appSecret));
	await page.goto(site.url);

	const message = { to: "+15551234567", text: "Grüße\u0001 👋" };
	await execute(page, "sendText", async (form) => {
		const body = form.getByRole("textbox");
		expect(JSON.parse(await body.inputValue())).toEqual({ to: message.to, text: "Hello" });
		await body.fill(JSON.stringify(message, null, 4));
	});
	await execute(page, "listMessages", async (form) => {
		await form.getByPlaceholder("toNumber").fill(message.to);
		await form.getByPlaceholder("limit").fill("10");
	});
	expect(server.local.sent).toMatchObject([message]);
	expect(server.local.requests).toMatchObject([
		{ method: "POST", path: "/message/text", body: canonicalize(message), status: 202 },
		{ method: "GET", path: "/analytics/conversation/%2B15551234567", query: "?limit=10", status: 200 },
	]);
});

/** Serves the page of the example, with the files of the project; its document names the gateway's address. */
function serveViewer(gatewayUrl: string): Promise<RunningServer> {
	return serve((request, response) => {
		const { pathname } = new URL(request.url ?? "/", "http://localhost");
		if (pathname === "/") {
			const page = readFileSync(join(EXAMPLE, "viewer.html"));
			response.setHeader("Content-Type", "text/html; charset=utf-8").end(page);
			return;
		}
		const file = join(project.folder, pathname);
		if (!existsSync(file)) {
			response.writeHead(404).end();
			return;
		}
		response.setHeader("Content-Type", pathname.endsWith(".css") ? "text/css" : "text/plain");
		response.end(readFileSync(file, "utf8").replaceAll(DEV_URL, gatewayUrl));
	});
}

/** Executes an operation in Swagger UI, and waits for its response. */
async function execute(page: Page, operation: string, fill: (form: Locator) => Promise<void>): Promise<void> {
	const form = page.locator(`.opblock[id$="${operation}"]`);
	await form.locator(".opblock-summary-control").click();
	await form.getByRole("button", { name: "Try it out" }).click();
	await fill(form);
	await form.getByRole("button", { name: "Execute" }).click();
	await form.locator(".live-responses-table .response").waitFor();
}

/** What the comments of a program say that it prints. */
function printedBy(name: string): string[] {
	const code = readFileSync(join(project.folder, `${name}.ts`), "utf8");
	return Array.from(code.matchAll(/console\.log\(.*\); \/\/ (.+)$/gm), ([, printed = ""]) => printed);
}

/** Runs a line of the guide with the installed commands. */
async function runLine(line: string): Promise<void> {
	const [npx, command = "", ...args] = line.split(" ");
	expect(npx).toBe("npx");
	// Kubb would send what it was used for.
	const env = { ...process.env, DO_NOT_TRACK: "1" };
	const place = { cwd: project.folder, env, timeout: PROCESS_LIFE_MS };
	if (command === "esbuild") {
		await run(resolve("node_modules/.bin/esbuild"), args, place);
		return;
	}
	const file =
		command === "messaging-gateway"
			? join(project.folder, "node_modules/messaging-gateway/dist/cli/messaging-gateway.js")
			: requireOpenApiTool(`.bin/${command}`);
	await run(process.execPath, [file, ...args], place);
}

/** Bundles a program, as its users do, and runs it. */
async function runProgram(name: string, baseUrl: string, appSecret: string): Promise<{ stdout: string }> {
	const outfile = join(project.folder, `${name}.mjs`);
	await build({
		entryPoints: [join(project.folder, `${name}.ts`)],
		outfile,
		bundle: true,
		format: "esm",
		platform: "node",
	});
	return run(process.execPath, [outfile], {
		timeout: PROCESS_LIFE_MS,
		env: {
			...process.env,
			MESSAGING_GATEWAY_BASE_URL: baseUrl,
			MESSAGING_GATEWAY_APP_ID: "local-app",
			MESSAGING_GATEWAY_APP_SECRET: appSecret,
		},
	});
}
