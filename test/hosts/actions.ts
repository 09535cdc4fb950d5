/** What users do with the package, run inside a host: each action is a cell of its row. */
import { MessagingGateway, WebhookVerificationError } from "messaging-gateway";
import * as doctor from "messaging-gateway/doctor";
import * as sends from "messaging-gateway/sends";
import { signRequest } from "messaging-gateway/signing";
import * as dynamodb from "messaging-gateway/stores/dynamodb";
import * as postgres from "messaging-gateway/stores/postgres";
import * as redis from "messaging-gateway/stores/redis";
import * as sqliteClient from "messaging-gateway/stores/sqlite-client";
import { createLocalGateway } from "messaging-gateway/testing";
import type { ListeningGateway } from "messaging-gateway/testing/node";
import { createWebhookHandler, memoryStore, signWebhook, verifyWebhook } from "messaging-gateway/webhooks";
import * as capture from "messaging-gateway/webhooks/capture";
import * as hono from "messaging-gateway/webhooks/hono";
import type { Action } from "./matrix.ts";

/** A gateway that the host reaches by its own `fetch`: the options that it gives, as JSON has them. */
export type Gateway = Omit<ListeningGateway["clientOptions"], "clock" | "profile">;

/** What became of each action: `"works"`, or its error. */
export type Cells = Readonly<Record<Action | "guard", string>>;

/** What users import beside what the other actions use. Without ky, which is another package. */
const ENTRIES = { capture, doctor, dynamodb, hono, postgres, redis, sends, sqliteClient };

const SECRET = "the-secret-of-the-webhooks";
const BODY = new Uint8Array([0x7b, 0x7d]);

const RUNS: Readonly<Record<keyof Cells, (clientOptions: Gateway) => void | Promise<void>>> = {
	/** What does not load leaves no cells at all. */
	import: () => {
		for (const [name, entry] of Object.entries(ENTRIES)) expect(Object.keys(entry).length > 0, name);
	},
	/** Before the others, since a hash that was made before must not be what makes it work. */
	send: async (clientOptions) => {
		const gateway = new MessagingGateway(clientOptions);
		const { message } = await gateway.messages.sendText({ to: "+15551234567", text: "From a host" });
		expect(message.status === "queued", `the status is ${message.status}`);
	},
	sign: () => {
		const url = "https://gateway.example/message/text";
		const { headers } = signRequest({ method: "POST", url, appId: "a", appSecret: "s", body: { text: "é" } });
		expect(/^HMAC [0-9a-f]{64}$/.test(headers.Authorization), headers.Authorization);
	},
	verify: () => {
		const { kind } = verifyWebhook({ body: BODY, headers: sign() }, { secret: SECRET });
		expect(kind === "unknown", kind);
	},
	handle: async () => {
		const errors: unknown[] = [];
		const on = { unknown: () => undefined };
		const onError = (error: unknown) =>
			errors.push(error instanceof WebhookVerificationError ? error.hiddenCause : error);
		const webhooks = createWebhookHandler({ secret: SECRET, store: memoryStore(), on, onError });
		const { status } = await webhooks.handle({ headers: sign(), body: BODY });
		if (status !== 200) throw errors[0];
	},
	"local gateway": async () => {
		const local = createLocalGateway();
		const gateway = new MessagingGateway(local.clientOptions);
		await gateway.messages.sendText({ to: "+15551234567", text: "Hello" });
		await local.settled();
		expect(local.sent[0]?.status === "read", `the status is ${local.sent[0]?.status}`);
	},
	/** An App Secret, where strangers have the code. */
	guard: () => {
		new MessagingGateway({ baseUrl: "https://gateway.example", appId: "a", appSecret: "s" });
	},
};

function sign(): Record<string, string> {
	// With an id it needs no random numbers: what verifies needs none.
	return signWebhook({ body: BODY, secret: SECRET, eventId: "evt_1" });
}

function expect(condition: boolean, problem: string): void {
	if (!condition) throw new Error(problem);
}

/** Runs every action, one after the other. */
export async function runActions(clientOptions: Gateway): Promise<Cells> {
	const cells: Record<string, string> = {};
	for (const [name, run] of Object.entries(RUNS)) {
		try {
			await run(clientOptions);
			cells[name] = "works";
		} catch (error) {
			cells[name] = String(error);
		}
	}
	return cells as Cells;
}
