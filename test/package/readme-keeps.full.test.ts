import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { createLocalGateway } from "messaging-gateway/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createUserProject, DEPENDENCIES, type UserProject } from "../support/packed-package.ts";
import { readSnippets } from "../support/read-snippets.ts";
import { startProcess } from "../support/started-process.ts";

const SECRET = "readme-webhook-secret";
const CONTACT = "+15551234567";
const KEPT = "unknown-events.jsonl";

const PROGRAM = readSnippets().find(
	({ document, heading }) => document === "README.md" && heading === "Receive",
);

let project: UserProject;

beforeAll(async () => {
	project = await createUserProject(DEPENDENCIES);
	const [before, after, ...more] = PROGRAM?.code.split(".listen(3000)") ?? [];
	expect(more).toEqual([]);
	const listening = '.listen(process.env.PORT, "127.0.0.1", () => console.log("ready"))';
	project.write("receive.mjs", `${before}${listening}${after}`);
});

afterAll(() => project.remove());

/**
 * The program gets an event of a new type, and a known one with a field of another type.
 * @returns what the gateway sent, and the statuses that it got.
 */
async function receive(folder: string, expectedErrors?: RegExp) {
	await using program = await startProcess([join(project.folder, "receive.mjs")], {
		cwd: folder,
		environment: { MESSAGING_GATEWAY_WEBHOOK_SECRET: SECRET },
		ready: /^ready$/,
		expectedErrors,
	});
	await using local = createLocalGateway({
		readings: ["there are additional types of events", "accountId is a number"],
		webhookSecret: SECRET,
		deliverTo: `${program.url}/webhooks`,
	});
	await local.contact(CONTACT).reply("Hello");
	await local.settled();
	const bodies = local.deliveries.map(({ eventId, body }) => ({ eventId, rawBody: body }));
	const statuses = local.deliveries.flatMap(({ attempts }) => attempts.map(({ status }) => status));
	return { bodies, statuses };
}

test("the README's program keeps what is not as documented, and acknowledges it", async () => {
	const folder = mkdtempSync(join(project.folder, "run-"));
	const { bodies, statuses } = await receive(folder);
	expect(bodies.length).toBeGreaterThan(1);
	expect(statuses).toEqual(bodies.map(() => 200));
	const lines = readFileSync(join(folder, KEPT), "utf8").trimEnd().split("\n");
	const kept = lines.map((line) => JSON.parse(line));
	expect(kept).toHaveLength(bodies.length);
	expect(kept).toEqual(expect.arrayContaining(bodies));
	expect(statSync(join(folder, KEPT)).mode & 0o777).toBe(0o600);
});

test("what it cannot keep it does not acknowledge, and keeps it once it can", async () => {
	const folder = mkdtempSync(join(project.folder, "run-"));
	mkdirSync(join(folder, KEPT)); // Nobody can append to a folder.
	const { statuses } = await receive(folder, /handler_failed|EISDIR/);
	expect(new Set(statuses)).toEqual(new Set([500]));
	rmSync(join(folder, KEPT), { recursive: true });
	const { bodies } = await receive(folder);
	expect(existsSync(join(folder, KEPT))).toBe(true);
	expect(readFileSync(join(folder, KEPT), "utf8").trimEnd().split("\n")).toHaveLength(bodies.length);
});
