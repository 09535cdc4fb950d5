import { listSends } from "messaging-gateway/sends";
import { postgresSendStore } from "messaging-gateway/stores/postgres";
import { createLocalGateway } from "messaging-gateway/testing";
import { listen } from "messaging-gateway/testing/node";
import { Pool } from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { share } from "../support/shared/shared.ts";
import { environmentFor } from "../support/started-example.ts";
import type { StartedProcess } from "../support/started-process.ts";
import { type AgentProject, buildAgent } from "./support/agent-runtime/agent-project.ts";

const CONTACT = "+15551234567";

let agent: AgentProject;

beforeAll(async () => {
	agent = await buildAgent();
});

afterAll(() => agent?.[Symbol.asyncDispose]());

test("the documented channel compiles", () => {
	expect(agent.mistakes).toBe("");
});

/** Where the process is killed. Four statements of the send store belong to a post. */
const STEPS = [
	"before the turn is started",
	"before the post",
	...[1, 2, 3, 4].flatMap((count) => [`before statement ${count}`, `after statement ${count}`]),
	"before the request",
	"after the response",
	"after the post",
];

/** Nobody knows then whether the request has left: the post is in the list, and a rule or a person decides. */
const HELD = ["after statement 3", "before the request"];

test.each(STEPS)("a process that is killed %s posts once, or reports it", async (step) => {
	await using world = await createWorld();
	const { local } = world;
	const first = await world.start({ DIE_AT: step });
	await local.contact(CONTACT).reply("Hello");
	await expect.poll(() => isAlive(first)).toBe(false);
	const second = await world.start();
	await expect.poll(() => second.lines).toContain("posted");
	await local.settled();
	const isHeld = HELD.includes(step);
	expect(local.sent).toHaveLength(isHeld ? 0 : 1);
	expect(await world.listUnresolved()).toHaveLength(isHeld ? 1 : 0);
});

test("a turn whose process is killed before its delivery is acknowledged is run twice, and posts once", async () => {
	await using world = await createWorld();
	const { local } = world;
	const first = await world.start({ DIE_AT: "after the turn was started" });
	await local.contact(CONTACT).reply("Hello");
	await expect.poll(() => isAlive(first)).toBe(false);
	const second = await world.start();
	await expect.poll(() => second.lines.filter((line) => line === "posted")).toHaveLength(2);
	expect(local.sent).toHaveLength(1);
});

async function createWorld() {
	agent.forget();
	const resources = new AsyncDisposableStack();
	const { url: databaseUrl } = await share("postgres");
	const pool = new Pool({ connectionString: databaseUrl });
	resources.defer(() => pool.end());
	const sends = postgresSendStore(pool);
	await sends.createTable();
	let current: StartedProcess | undefined;
	const local = createLocalGateway({
		rules: "off",
		webhooks: { retryDelaysMs: Array(1_000).fill(300) },
		// Whatever is delivered goes to the process that was started last.
		deliverTo: async (request) => {
			const { search } = new URL(request.url);
			const { headers } = request;
			const body = await request.arrayBuffer();
			return fetch(`${current?.url}/eve/v1/gateway${search}`, { method: "POST", headers, body });
		},
	});
	resources.use(local);
	const gateway = resources.use(await listen(local));
	const environment = {
		...environmentFor(gateway),
		DATABASE_URL: databaseUrl,
		PUBLIC_URL: "http://agent.localhost",
	};
	return {
		local,
		sends,
		pool,
		gateway,
		async start(variables: NodeJS.Dict<string> = {}): Promise<StartedProcess> {
			current = resources.use(await agent.start({ ...environment, ...variables }));
			return current;
		},
		async listUnresolved(): Promise<string[]> {
			const keys = [];
			for await (const { key } of listSends(sends, { status: "unresolved" })) keys.push(key);
			return keys;
		},
		[Symbol.asyncDispose]: () => resources.disposeAsync(),
	};
}

async function isAlive({ url }: StartedProcess): Promise<boolean> {
	return fetch(`${url}/eve/v1/health`).then(
		() => true,
		() => false,
	);
}
