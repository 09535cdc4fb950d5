import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DuplicateMessageError, MessagingGateway } from "messaging-gateway";
import { afterEach, beforeEach, expect, test } from "vitest";
import * as z from "zod/mini";
import type { DeliveryView, Snapshot } from "../../src/tools/control/contract.ts";
import { type RunningDevServer, startDev } from "../support/dev-server.ts";
import { eventually } from "../support/eventually.ts";
import { readSavedState } from "../support/memory-state-file.ts";
import { runCli, startCli } from "../support/run-cli.ts";
import { serve } from "../support/serve.ts";

const USER = "+15551234567";
const OTHER_USER = "+15557654321";
const TEXT = "Only once, please";

let folder: string;
let path: string;

beforeEach(() => {
	folder = mkdtempSync(join(tmpdir(), "messaging-gateway-dev-state-"));
	path = join(folder, "gateway.json");
});

afterEach(() => {
	rmSync(folder, { recursive: true });
});

/** What a restart keeps. */
type KeptState = Pick<Snapshot, "conversations" | "messages" | "agents" | "destinations"> & {
	readonly deliveries: readonly DeliveryView[];
};

async function readKept(dev: RunningDevServer): Promise<KeptState> {
	const { conversations, messages, agents, destinations } = await dev.snapshot();
	return { conversations, messages, agents, destinations, deliveries: await dev.deliveries() };
}

/** Creates conversations with texts, an attachment and a reaction, and waits until every delivery has ended. */
async function converse(dev: RunningDevServer): Promise<KeptState> {
	const attachments = [{ name: "note.txt", mimeType: "text/plain", data: btoa("a note") }];
	await dev.act({ type: "reply", from: OTHER_USER, text: "Hello", attachments });
	await dev.client.messages.sendText({ to: USER, text: TEXT });
	await untilSettled(dev);
	await dev.act({ type: "react", from: USER, reaction: "like" });
	return untilSettled(dev);
}

function untilSettled(dev: RunningDevServer): Promise<KeptState> {
	return eventually(async () => {
		const kept = await readKept(dev);
		expect(kept.messages.at(-1)?.status).toBe("read");
		expect(new Set(kept.deliveries.map(({ state }) => state))).toEqual(new Set(["delivered"]));
		return kept;
	});
}

/** Waits until every delivery is saved as delivered; everything else is saved before. */
async function untilSaved({ deliveries }: KeptState): Promise<void> {
	const expected = deliveries.map(({ eventId }) => [eventId, "delivered"]).sort();
	await eventually(() => {
		const { deliveries: saved } = readSavedState(path);
		expect(saved.map(({ eventId, state }) => [eventId, state]).sort()).toEqual(expected);
	});
}

test.each(["SIGKILL", "SIGTERM", "SIGHUP"] as const)("what happened is restored after %s", async (signal) => {
	let before: KeptState;
	{
		await using receiver = await serve((_, response) => void response.end());
		await using dev = await startDev(["--state", path, "--forward-to", receiver.url]);
		before = await converse(dev);
		if (signal === "SIGKILL") await untilSaved(before);
		expect(await dev.end(signal)).toBe(signal === "SIGKILL" ? null : 0);
	}
	await using dev = await startDev(["--state", path]);
	const after = await readKept(dev);
	expect(after).toEqual(before);
	expect(after.messages).toMatchObject([
		{ text: "Hello", attachments: [{ name: "note.txt" }] },
		{ text: TEXT, tapbacks: [{ reaction: "like" }] },
	]);
	const attached = z.object({ id: z.string() }).parse(after.messages[0]?.attachments[0]);
	expect(await (await dev.control(`attachments/${attached.id}`)).text()).toBe("a note");
	expect(after.conversations.find(({ key }) => key === USER)?.windows).not.toEqual([]);
	expect((await dev.client.mappings.get(USER)).mapping.userNumber).toBe(USER);
	const again = dev.client.messages.sendText({ to: USER, text: TEXT });
	await expect(again).rejects.toBeInstanceOf(DuplicateMessageError);
});

test("one whose output nobody reads any more keeps what happened, and lets go of the file", async () => {
	const child = startCli(["dev", "--port", "0", "--json", "--state", path]);
	const [first] = await once(child.stdout, "data");
	const { baseUrl, variables } = JSON.parse(String(first));
	const gateway = new MessagingGateway({
		baseUrl,
		appId: variables.MESSAGING_GATEWAY_APP_ID,
		appSecret: variables.MESSAGING_GATEWAY_APP_SECRET,
	});
	child.stdout.destroy();
	await gateway.messages.sendText({ to: USER, text: TEXT });
	await once(child, "close");
	expect([child.exitCode, readSavedState(path).messages]).toMatchObject([0, [{ message: { text: TEXT } }]]);
	expect(readdirSync(folder)).toEqual(["gateway.json"]);
});

test("the files are readable by their owner only", async () => {
	await using dev = await startDev(["--state", path]);
	await dev.client.messages.sendText({ to: USER, text: TEXT });
	const modes = readdirSync(folder).map((name) => (statSync(join(folder, name)).mode & 0o777).toString(8));
	expect(new Set(modes)).toEqual(new Set(["600"]));
});

test("a file in use is rejected", async () => {
	await using _ = await startDev(["--state", path]);
	const { code, stderr } = await runCli(["dev", "--port", "0", "--state", path]);
	expect([code, stderr]).toEqual([2, expect.stringContaining("is in use by another process")]);
});

test("a file of another program is rejected and not changed", async () => {
	writeFileSync(path, "my notes\n");
	const { code, stderr } = await runCli(["dev", "--port", "0", "--state", path]);
	expect([code, stderr]).toEqual([2, expect.stringContaining("isn't a state file of this package")]);
	expect(stderr).not.toMatch(/^\s+at /m);
	expect(readFileSync(path, "utf8")).toBe("my notes\n");
	expect(readdirSync(folder)).toEqual(["gateway.json"]);
});
