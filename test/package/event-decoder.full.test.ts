import { once } from "node:events";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";
import type { Profile } from "messaging-gateway";
import { listen } from "messaging-gateway/testing/node";
import { signWebhook, verifyWebhook } from "messaging-gateway/webhooks";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createUserProject, DEPENDENCIES, type UserProject } from "../support/packed-package.ts";
import { readSnippets } from "../support/read-snippets.ts";
import { startCli } from "../support/run-cli.ts";

const SECRET = "event-decoder-secret";

const BLOCKS = readSnippets().filter(({ document }) => document === "docs/profile-reference.md");
/** The event that the guide shows, and its decoder. */
const EVENT = BLOCKS.find(({ code }) => code.includes('"event": "message.received"'))?.code ?? "";
const DECODER = BLOCKS.find(({ code }) => code.includes("events: {\n    decode: (payload)"))?.code ?? "";

let project: UserProject;
let file: string;
let profile: Profile;

beforeAll(async () => {
	project = await createUserProject(DEPENDENCIES);
	file = project.write("profile.mjs", DECODER);
	profile = (await import(pathToFileURL(file).href)).default;
});

afterAll(() => project.remove());

function read(body: string, options: { profile?: Profile } = {}) {
	return verifyWebhook(
		{ body, headers: signWebhook({ body, secret: SECRET }) },
		{ secret: SECRET, ...options },
	);
}

describe("the guide's decoder", () => {
	test("makes a message of the guide's event, which is unknown without it", () => {
		expect(read(EVENT)).toMatchObject({ kind: "unknown", reason: "type" });
		expect(read(EVENT, { profile })).toMatchObject({
			kind: "inbound_message",
			filled: ["outbound", "groupId", "attachments"],
			data: {
				messageId: "4711",
				text: "Hello",
				timestamp_ms: 1_767_225_600_000,
				outbound: false,
				groupId: null,
				attachments: [],
			},
		});
	});

	test("makes a status of a status", () => {
		const { data } = JSON.parse(EVENT);
		const status = { event: "message.status", data: { ...data, outbound: true, status: "delivered" } };
		expect(read(JSON.stringify(status), { profile })).toMatchObject({
			kind: "status",
			data: { messageId: "4711", status: "delivered" },
		});
	});

	test.each([
		["another event", { event: "contact.typing", data: { from: "+15551234567" } }],
		["a message without data", { event: "message.received" }],
		["a message whose data is a string", { event: "message.received", data: "Hello" }],
		["no event", {}],
	])("leaves %s unknown, and what was received in it", (_title, payload) => {
		expect(read(JSON.stringify(payload), { profile })).toMatchObject({ kind: "unknown", data: payload });
	});
});

test.each([
	["without the profile", [], "unknown"],
	["with the profile", ["--profile", "profile.mjs"], "inbound_message"],
])("listen --payload %s shows the event as it came", async (_title, args, kind) => {
	await using server = await listen({});
	const [first, second] = await showEvent(["--base-url", server.url, ...args]);
	expect(first).toMatchObject({ listening: expect.any(String) });
	expect(second).toMatchObject({ kind, verified: true, payload: EVENT });
	// What it shows is what the decoder gets.
	expect(read(String(second?.["payload"]), { profile }).kind).toBe("inbound_message");
});

/** Delivers the guide's event to `listen --payload`. @returns the lines that it shows. */
async function showEvent(args: readonly string[]): Promise<Record<string, unknown>[]> {
	const child = startCli(["listen", "--json", "--payload", ...args], {
		cwd: project.folder,
		env: { MESSAGING_GATEWAY_APP_SECRET: "local-app-secret", MESSAGING_GATEWAY_WEBHOOK_SECRET: SECRET },
	});
	const shown: Record<string, unknown>[] = [];
	for await (const line of createInterface(child.stdout)) {
		shown.push(JSON.parse(line));
		if (shown.length > 1) break;
		const headers = signWebhook({ body: EVENT, secret: SECRET });
		await fetch(String(shown[0]?.["listening"]), { method: "POST", headers, body: EVENT });
	}
	child.kill("SIGTERM");
	await once(child, "exit");
	return shown;
}
