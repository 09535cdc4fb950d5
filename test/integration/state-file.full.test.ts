import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { MessagingGateway } from "messaging-gateway";
import { signRequest } from "messaging-gateway/signing";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { DeliveryView, Snapshot } from "../../src/tools/control/contract.ts";
import type { State } from "../../src/tools/control/state/state-schema.ts";
import { eventually } from "../support/eventually.ts";
import { readSavedState } from "../support/memory-state-file.ts";
import { type StartedProcess, startProcess } from "../support/started-process.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const ALICE = "+15551234567";
const CREDENTIALS = { appId: "local-app", appSecret: "local-app-secret" };

let folder: string;
let path: string;
let receiver: Server;
let deliverTo: string;
/** What the receiver answers; nothing at all while it is 0. */
let receiverStatus = 200;

beforeAll(async () => {
	folder = mkdtempSync(join(tmpdir(), "messaging-gateway-state-"));
	receiver = createServer((request, response) => {
		request.resume();
		if (receiverStatus !== 0) response.writeHead(receiverStatus).end();
	});
	await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
	deliverTo = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hooks`;
});

afterAll(() => {
	receiver.closeAllConnections();
	receiver.close();
	rmSync(folder, { recursive: true, force: true });
});

beforeEach((context) => {
	path = join(folder, `${context.task.id}.json`);
});

function start(): Promise<StartedProcess> {
	const script = "test/integration/support/controlled-process.ts";
	const args = ["--conditions=@messaging-gateway/source", script, path, deliverTo];
	return startProcess(args, { cwd: ROOT, environment: {}, ready: /^ready$/ });
}

function clientOf({ url }: StartedProcess): MessagingGateway {
	return new MessagingGateway({ ...CREDENTIALS, baseUrl: url });
}

async function read({ url }: StartedProcess, route: string) {
	const response = await fetch(`${url}/_local/${route}`, { headers: { Authorization: "Bearer token" } });
	expect(response.status).toBe(200);
	return response.json();
}

function snapshotOf(running: StartedProcess): Promise<Snapshot> {
	return read(running, "snapshot");
}

async function deliveriesOf(running: StartedProcess): Promise<readonly DeliveryView[]> {
	return (await read(running, "deliveries")).items;
}

async function act({ url }: StartedProcess, action: object): Promise<void> {
	const response = await fetch(`${url}/_local/actions`, {
		method: "POST",
		headers: { Authorization: "Bearer token" },
		body: JSON.stringify(action),
	});
	expect(response.status).toBe(200);
}

/** Waits until the file has a state with a part. */
async function untilSaved(hasPart: (saved: State) => boolean): Promise<void> {
	await eventually(() => expect(hasPart(readSavedState(path))).toBe(true));
}

test("a process that is killed loses nothing that it has written", async () => {
	receiverStatus = 200;
	const sent: string[] = [];
	{
		await using first = await start();
		const gateway = clientOf(first);
		await act(first, { type: "advance_clock", ms: 60_000 });
		for (let at = 0; at < 20; at++) {
			const to = `+1555100${1000 + at}`;
			sent.push((await gateway.messages.sendText({ to, text: `Hello ${at}` })).message.messageId);
		}
		await gateway.mappings.update("+15551001000", { maxConsecutiveMessages: 7 });
		// What came before is written before it, or together with it.
		await untilSaved(({ conversations }) =>
			conversations.some(({ mapping }) => mapping.maxConsecutiveMessages === 7),
		);
	}
	await using second = await start();
	const snapshot = await snapshotOf(second);
	expect(snapshot.messages.map(({ messageId }) => messageId)).toEqual(sent);
	expect(Math.round(snapshot.offsetMs / 60_000)).toBe(1);
	const { mapping } = await clientOf(second).mappings.get("+15551001000");
	expect(mapping).toMatchObject({ maxConsecutiveMessages: 7, outbound: 1 });
	const again = clientOf(second).messages.sendText({ to: "+15551001000", text: "Hello 0" });
	await expect(again).rejects.toMatchObject({ code: "duplicate_message" });
	await expect
		.poll(async () => (await snapshotOf(second)).messages.every(({ status }) => status === "read"))
		.toBe(true);
});

test("killed again and again while it works, it never forgets what it has written", async () => {
	receiverStatus = 200;
	const written: string[] = [];
	for (let round = 0; round < 4; round++) {
		await using running = await start();
		const gateway = clientOf(running);
		let sent = 0;
		const send = async (): Promise<string> => {
			const to = `+1555${round}${String(sent).padStart(6, "0")}`;
			const { message } = await gateway.messages.sendText({ to, text: `${round} ${sent++}` });
			return message.messageId;
		};
		const known = new Set((await snapshotOf(running)).messages.map(({ messageId }) => messageId));
		expect(written.filter((id) => !known.has(id))).toEqual([]);
		for (let count = 0; count < 10; count++) written.push(await send());
		await untilSaved(({ messages }) => messages.some(({ message }) => message.messageId === written.at(-1)));
		// Killed with more to write: in each round somewhere else.
		for (let count = 0; count < 3 * round; count++) await send();
		void send().catch(() => undefined);
	}
	await using last = await start();
	const { messages } = await snapshotOf(last);
	expect(messages.map(({ messageId }) => messageId)).toEqual(expect.arrayContaining(written));
});

test("a delivery that nobody answered is delivered after the restart", async () => {
	receiverStatus = 0;
	{
		await using first = await start();
		await act(first, { type: "reply", from: ALICE, text: "Hi" });
		const [delivery] = await deliveriesOf(first);
		expect(delivery).toMatchObject({ state: "pending", attempts: [] });
		await untilSaved(({ deliveries }) => deliveries.some(({ eventId }) => eventId === delivery?.eventId));
	}
	receiverStatus = 200;
	await using second = await start();
	await expect
		.poll(() => deliveriesOf(second))
		.toMatchObject([{ state: "delivered", attempts: [{ status: 200, check: { isValid: true } }] }]);
});

test("a request that was accepted is refused when it is replayed after the restart", async () => {
	receiverStatus = 200;
	const body = { to: ALICE, text: "Hello" };
	let signed: ReturnType<typeof signRequest> | undefined;
	const post = async ({ url }: StartedProcess): Promise<Response> => {
		signed ??= signRequest({ method: "POST", url: `${url}/message/text`, body, ...CREDENTIALS });
		return fetch(`${url}/message/text`, {
			method: "POST",
			headers: { ...signed.headers },
			body: signed.body ?? null,
		});
	};
	{
		await using first = await start();
		expect((await post(first)).status).toBe(202);
		await untilSaved(({ nonces }) => Object.keys(nonces).length === 1);
	}
	await using second = await start();
	const replay = await post(second);
	expect(await replay.json()).toMatchObject({ error: { details: { reason: "NONCE_REPLAYED" } } });
});

test("a process that is asked to end writes everything first", async () => {
	receiverStatus = 200;
	const first = await start();
	await act(first, { type: "reply", from: ALICE, text: "Last words" });
	await first.stop();
	await using second = await start();
	expect((await snapshotOf(second)).messages).toMatchObject([{ text: "Last words" }]);
});
