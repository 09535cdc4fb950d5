import { afterAll, beforeAll, expect, test } from "vitest";
import { buildNextProject, type NextProject } from "../support/next-project.ts";
import { EXAMPLE_SECRET, proveExample } from "../support/prove-example.ts";
import { testReceiver } from "../support/receiver-suite.ts";

let project: NextProject;

beforeAll(async () => {
	project = await buildNextProject();
});

afterAll(() => project?.remove());

test("a build without a secret in the environment knows the routes of both routers", () => {
	expect(project.built).toContain("ƒ /webhooks");
	expect(project.built).toContain("ƒ /api/observed");
});

test("a client component with types alone loads no code of the package", () => {
	// The mark of its errors, which every entry of the package brings.
	const mark = "messaging-gateway.error";
	expect(project.readScripts("with-code")).toContain(mark);
	expect(project.readScripts("types-only")).toContain("The message is");
	expect(project.readScripts("types-only")).not.toContain(mark);
});

test("the example prints each event of a local gateway once", async () => {
	await using example = await project.start({ MESSAGING_GATEWAY_WEBHOOK_SECRET: EXAMPLE_SECRET });
	await proveExample(example);
});

testReceiver("the App Router of Next.js", {
	hint: "hand over the raw bytes",
	async start(environment) {
		const server = await project.start(environment);
		return { ...server, url: `${server.url}/observed`, mistakenUrl: `${server.url}/mistaken` };
	},
});

testReceiver("the Pages Router of Next.js", {
	hint: "bodyParser: false",
	drains: true,
	async start(environment) {
		const server = await project.start(environment);
		return { ...server, url: `${server.url}/api/observed`, mistakenUrl: `${server.url}/api/mistaken` };
	},
});
