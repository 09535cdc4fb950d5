import { readFileSync } from "node:fs";
import { type ClientOptions, MessagingGateway } from "messaging-gateway";
import { createSender, memorySendStore, type SendStore } from "messaging-gateway/sends";
import { createAdjustableClock, createLocalGateway, createWebhookRequest } from "messaging-gateway/testing";
import {
	createWebhookHandler,
	memoryStore,
	PermanentWebhookError,
	signWebhook,
	type WebhookHandlerOptions,
} from "messaging-gateway/webhooks";
import { expect, test } from "vitest";

const SECRET = "webhook-secret";
const NOW = 1_767_225_600_000;
const TEN_MINUTES = 600_000;
const MESSAGE = { to: "+15551234567", text: "Hello" };

/** The lines of the guide, a pattern each; an ellipsis stands for a word that differs, such as an id. */
const DOCUMENTED = Array.from(
	readFileSync("docs/troubleshooting.md", "utf8").matchAll(/^```text\n([\s\S]*?)^```$/gm),
	([, block = ""]) => block.trimEnd().split("\n"),
).flat();

test("every line of the guide is one that the code writes", async () => {
	const written = (await Promise.all([webhookLines(), callLines(), senderLines()])).flat();
	expect(DOCUMENTED.length).toBeGreaterThan(10);
	const unwritten = DOCUMENTED.filter((line) => !written.some((other) => toPattern(line).test(other)));
	expect(unwritten, written.join("\n")).toEqual([]);
});

/** The first line of `console.error(line, ...thrown)` for each failure of a webhook handler. */
async function webhookLines(): Promise<string[]> {
	const lines: string[] = [];
	const refused = Object.assign(new Error("connect ECONNREFUSED 127.0.0.1:5432"), { code: "ECONNREFUSED" });
	const deliver = async (options: Partial<WebhookHandlerOptions>, payload?: unknown): Promise<void> => {
		const handler = createWebhookHandler({
			secret: SECRET,
			store: memoryStore(),
			on: { unknown: () => undefined },
			onError: (_, { line, thrown }) => lines.push([line, ...thrown.map(describe)].join(" ")),
			...options,
		} as WebhookHandlerOptions);
		const signed = { secret: SECRET, ...(options.clock && { timestamp: NOW / 1_000 }) };
		if (payload === undefined) await handler.fetch(createWebhookRequest("status", {}, signed));
		else {
			const body = JSON.stringify(payload);
			await handler.handle({ headers: signWebhook({ body, ...signed }), body });
		}
	};
	const failWith = (error: Error) => ({
		on: { status: () => Promise.reject(error), unknown: () => undefined },
	});
	await deliver({ secret: "another-secret" });
	await deliver({ clock: clockAt(NOW + TEN_MINUTES) });
	await deliver({ clock: clockAt(NOW - TEN_MINUTES) });
	await deliver(failWith(new TypeError("Cannot read properties of undefined (reading 'id')")));
	const third = { status: "acquired", token: 3, attempt: 3 } as const;
	await deliver({
		...failWith(new TypeError("Cannot read properties of undefined (reading 'id')")),
		store: { ...memoryStore(), claim: async () => third },
	});
	await deliver(failWith(new PermanentWebhookError("there is no such order")));
	await deliver({
		profile: {
			events: {
				decode: () => {
					throw new TypeError("the decoder is wrong");
				},
			},
		},
	});
	await deliver({}, [{ type: "one" }, { type: "two" }]);
	await deliver({ store: { ...memoryStore(), claim: () => Promise.reject(refused) } });
	await deliver({ store: { ...memoryStore(), complete: () => Promise.reject(refused) } });
	return lines;
}

/** The first line of `console.error(error)` for each failure of a call. */
async function callLines(): Promise<string[]> {
	// A Date header has whole seconds, and time that passes would be one less.
	const startMs = 1_767_225_600_000;
	await using local = createLocalGateway({ clock: createAdjustableClock({ frozen: true, startMs }) });
	const send = (options: ClientOptions = {}): Promise<string> =>
		lineOf(new MessagingGateway({ ...local.clientOptions, ...options }).messages.sendText(MESSAGE));
	const lines = [
		await send({ appSecret: "another-secret" }),
		await send({ clock: clockAt(startMs + TEN_MINUTES), correctClockSkew: false }),
	];
	const logger = { ...console, warn: (line: string) => lines.push(line) };
	await send({ clock: clockAt(startMs + TEN_MINUTES), logger });
	local.faults.respond({ status: 503 });
	return [...lines, await send()];
}

/** The lines of a sender, and of a worker around it. */
async function senderLines(): Promise<string[]> {
	await using local = createLocalGateway();
	const send = (key: string, store: SendStore): Promise<string> => {
		const gateway = new MessagingGateway({ ...local.clientOptions, maxRetries: 0 });
		return lineOf(createSender({ gateway, store, digestSecret: "digest-secret" }).send(key, MESSAGE));
	};
	const fail = (): Promise<never> => Promise.reject(new Error("connect ECONNREFUSED"));
	const failed = await send("order-1", { ...memorySendStore(), read: fail });
	await send("order-1", memorySendStore());
	const blocked = [await send("order-2", memorySendStore())];
	local.faults.respond({ status: 429 });
	blocked.push(await send("order-3", memorySendStore()));
	return [failed, ...blocked.map((line) => line.replace(/^\w+/, "order-4711-shipped"))];
}

async function lineOf(call: PromiseLike<unknown>): Promise<string> {
	return call.then(String, describe);
}

function describe(error: unknown): string {
	return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}

function clockAt(now: number) {
	return { now: () => now, setTimer: () => () => undefined };
}

function toPattern(line: string): RegExp {
	return new RegExp(`^${line.replaceAll(/[$()*+.?[\\\]^{|}]/g, "\\$&").replaceAll("…", "\\S+")}$`);
}
