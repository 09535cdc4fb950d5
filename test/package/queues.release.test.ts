import { mkdirSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createUserProject, DEPENDENCIES, type UserProject } from "../support/packed-package.ts";
import { readSnippets, type Snippet } from "../support/snippets/read-snippets.ts";

const ROOT = new URL("../..", import.meta.url).pathname;
const CLIENTS = join(ROOT, "test/queue-clients");

/** What the snippets import besides the clients of `test/queue-clients`. */
const LINKED = [
	...DEPENDENCIES,
	"typescript",
	"@types/node",
	"undici-types",
	"pg",
	"@types/pg",
	"@types/aws-lambda",
];

/** Sections whose blocks `snippets.test.ts` runs against their servers. */
const RUN_ELSEWHERE = ["pg-boss", "BullMQ"];

const SNIPPETS = readSnippets().filter(
	({ document, language, heading }) =>
		document === "docs/queues.md" && language === "ts" && !RUN_ELSEWHERE.includes(heading),
);

let project: UserProject;

beforeAll(async () => {
	project = await createUserProject(LINKED);
	for (const name of Object.keys(readClients())) {
		const target = join(project.folder, "node_modules", name);
		mkdirSync(dirname(target), { recursive: true });
		symlinkSync(join(CLIENTS, "node_modules", name), target);
	}
	for (const snippet of SNIPPETS) project.write(`${fileName(snippet)}.ts`, snippet.code);
});

afterAll(() => project?.remove());

const compile = () => project.compile({ compilerOptions: { noEmit: true } });

test("there is a snippet for each broker", () => {
	expect(SNIPPETS.map(({ heading }) => heading)).toEqual([
		"Others",
		"RabbitMQ",
		"NATS JetStream",
		"SQS FIFO",
		"Kafka",
	]);
	for (const { code } of SNIPPETS.slice(1)) expect(code).toMatch(/shardOf\(event|orderingKey\(event/);
});

test("the snippets compile against the types of the clients", async () => {
	expect(await compile()).toBe("");
});

test("each client is used by a snippet", () => {
	const code = SNIPPETS.map((snippet) => snippet.code).join("\n");
	for (const name of Object.keys(readClients())) expect(code).toContain(`from "${name}"`);
	expect(readdirSync(join(CLIENTS, "node_modules"))).toContain("amqplib");
});

function readClients(): Record<string, string> {
	return JSON.parse(readFileSync(join(CLIENTS, "package.json"), "utf8")).dependencies;
}

/** The name that a snippet begins with, or that of its section. */
function fileName({ code, heading }: Snippet): string {
	const [, name] = /^\/\/ ([\w-]+)\.ts\n/.exec(code) ?? [];
	return name ?? heading.toLowerCase().replaceAll(" ", "-");
}
