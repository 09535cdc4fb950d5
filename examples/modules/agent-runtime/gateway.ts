/**
 * A channel of eve, an agent runtime: it takes a message, and posts the answer when it is complete, in another process perhaps. The
 * post is named by the message that it answers. Goes to `agent/channels/gateway.ts`.
 *
 * The key comes from the message and not from the turn: a webhook that is delivered again starts a second turn, and a turn that is run
 * again asks the model again. With `"keep"` what was posted stands. What the runtime says later by itself needs another key. The state
 * must outlive the process: it knows whom a thread is with. Posts without a key are made each time, also the sentences that eve posts by
 * itself when a turn fails.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { createPostgresState } from "@chat-adapter/state-pg";
import { chatSdkChannel } from "eve/channels/chat-sdk";
import { isMessagingGatewayError, MessagingGateway } from "messaging-gateway";
import { createGatewayAdapter } from "messaging-gateway/chat";
import { createSender, observeSend } from "messaging-gateway/sends";
import { postgresSendStore, postgresStore } from "messaging-gateway/stores/postgres";
import { Pool } from "pg";

const url = process.env["DATABASE_URL"] ?? "postgres://localhost/postgres";
const openPool = () =>
	new Pool({ connectionString: url, connectionTimeoutMillis: 2_000 }).on("error", (error) =>
		console.error(error.message),
	);
const client = new MessagingGateway();
const sends = postgresSendStore(openPool(), { createIfMissing: true });
const gateway = createGatewayAdapter({
	gateway: client,
	sender: createSender({
		// reads MESSAGING_GATEWAY_DIGEST_SECRET
		gateway: client,
		store: sends,
		statusCallback: (token) => `${process.env["PUBLIC_URL"]}/eve/v1/gateway?send=${token}`,
	}),
	webhooks: { store: postgresStore(openPool(), { createIfMissing: true }), maxHandlerMs: 10_000 },
	onStatus: (event) => observeSend(sends, event),
});
const { bot, channel, send } = chatSdkChannel({
	userName: "bot",
	adapters: { gateway },
	state: createPostgresState({ url }),
	concurrency: "concurrent",
	streaming: false,
	turnPolicy: "queue",
	events: {
		async "message.completed"({ finishReason, message, turnId }, { thread }, { session }) {
			if (finishReason === "tool-calls" || !message || !thread) return;
			await bot.initialize(); // after a restart no webhook may have done it
			const messageId = session.auth.current?.attributes.messageId;
			const key = messageId === undefined ? `${session.id}:${turnId}` : `answer-to-${messageId}`;
			await untilPosted(() => gateway.post(thread.id, { markdown: message }, { key, ifReused: "keep" }));
		},
	},
});
bot.onDirectMessage(async (thread, message) => {
	const attributes = { messageId: message.id };
	const user = { principalType: "user", principalId: message.author.userId };
	await send(message.text, { thread, auth: { authenticator: "gateway", ...user, attributes } });
});
export default channel;

/** eve logs what a handler throws, and goes on: it does not call the handler again. */
async function untilPosted(post: () => Promise<unknown>) {
	for (let tries = 0; ; tries++) {
		try {
			return await post();
		} catch (error) {
			if (!isMessagingGatewayError(error) || tries === 10) throw error;
			// A killed process holds the send for a minute: the error has the rest of it.
			const waitMs = "retryAfterMs" in error ? error.retryAfterMs : undefined;
			await sleep(waitMs ?? 1_000 * 2 ** tries);
		}
	}
}
