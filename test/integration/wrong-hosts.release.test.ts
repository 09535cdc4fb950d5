import { execFile } from "node:child_process";
import { cpSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { LINKED, type UserProject } from "../support/packed-package.ts";
import { PROCESS_LIFE_MS } from "../support/patience.ts";
import { startProcess } from "../support/started-process.ts";
import { createFrameworkProject, HANDLER, OBSERVED_HANDLER } from "./support/framework-apps.ts";
import { testReceiver } from "./support/receiver-suite.ts";

let project: UserProject;

beforeAll(async () => {
	project = await createFrameworkProject(LINKED);
	const hosts = new URL("../frameworks/hosts", import.meta.url).pathname;
	cpSync(hosts, project.folder, { recursive: true });
	project.write("observed-handler.ts", OBSERVED_HANDLER);
	project.write("webhooks.ts", HANDLER.replace("observed-handler.js", "observed-handler.ts"));
});

afterAll(() => project?.remove());

async function start(file: string, environment: Record<string, string>, expectedErrors?: RegExp) {
	const server = await startProcess([join(project.folder, file)], {
		cwd: project.folder,
		environment: { ...environment, NODE_ENV: "production" },
		ready: /listening on/,
		expectedErrors,
	});
	return { ...server, url: `${server.url}/webhooks`, mistakenUrl: `${server.url}/mistaken` };
}

testReceiver("Express 4", {
	hint: "above app.use(express.json())",
	drains: true,
	start: (environment) => start("express-4.js", environment),
});

testReceiver("Nest on Fastify", {
	hint: "leave payload and request.body alone",
	drains: true,
	start: (environment) => start("nest-on-fastify.js", environment),
});

/** What handles a delivery, and where. */
const HANDLED = { status: 200, runs: 1, hint: "" };

const FASTIFY = /toFastify\(webhooks\), \{ prefix: "\/webhooks" \}\), in Nest too$/;
const EXPRESS = /use toExpress\(webhooks\)$/;
const NODE = /use toNode\(webhooks\)$/;
const HONO = /use toHono\(webhooks\)$/;
const KOA = /use toNode\(webhooks\)\(ctx\.req, ctx\.res\) after ctx\.respond = false$/;

/** For each framework: the adapters that handle its deliveries, and what all others are told. */
const TABLE: Readonly<Record<string, { handledBy: readonly string[]; use: RegExp; status?: unknown }>> = {
	"node:http": { handledBy: ["toExpress", "toNode"], use: NODE },
	"Express 5": { handledBy: ["toExpress", "toNode"], use: EXPRESS },
	"Express 4": { handledBy: ["toExpress", "toNode"], use: EXPRESS },
	Fastify: { handledBy: [], use: FASTIFY },
	"a plugin of Fastify": { handledBy: ["toFastify"], use: FASTIFY, status: "the app does not start" },
	"Nest on Fastify": { handledBy: [], use: FASTIFY },
	Hono: { handledBy: ["toHono"], use: HONO },
	"Hono 4.8.3": { handledBy: ["toHono"], use: HONO },
	Koa: { handledBy: [], use: KOA },
	"h3 1": { handledBy: [], use: /use fromNodeMiddleware\(toNode\(webhooks\)\)/ },
	tRPC: {
		handledBy: [],
		use: /use webhooks\.handle|^Not acknowledged: headers is missing or empty: pass all headers/,
		status: expect.stringMatching(/^(rejected: ConfigurationError|resolved)$/),
	},
	"node-mocks-http": { handledBy: ["toExpress", "toNode"], use: /use webhooks\.handle/ },
	"node-mocks-http, with a parsed body": {
		handledBy: [],
		use: /a body parser ran before|the request's stream was read before|use webhooks\.handle/,
	},
};

test("every adapter in a route of every framework handles the delivery, or names what belongs there", async () => {
	const { stdout } = await promisify(execFile)(process.execPath, ["table.js"], {
		cwd: project.folder,
		timeout: PROCESS_LIFE_MS,
	});
	const rows: { host: string; adapter: string }[] = JSON.parse(stdout);
	expect(rows).toEqual(
		Object.entries(TABLE).flatMap(([host, { handledBy, use, status = 500 }]) =>
			["toExpress", "toNode", "toFastify", "toHono", "fetch", "handle"].map((adapter) => ({
				host,
				adapter,
				...(handledBy.includes(adapter) ? HANDLED : { status, runs: 0, hint: expect.stringMatching(use) }),
			})),
		),
	);
});
