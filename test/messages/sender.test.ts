import { MessagingGateway } from "messaging-gateway";
import { createSender, memorySendStore, resolveSend } from "messaging-gateway/sends";
import { createLocalGateway } from "messaging-gateway/testing";
import { describeMessages } from "./message-table.ts";

const KEY = "order-4711-shipped";
const HELLO = { to: "+15551234567", text: "Hello" };

/** A sender that a user in plain JavaScript may set up wrong. */
function create(options: object = {}) {
	const gateway = new MessagingGateway({ ...createLocalGateway().clientOptions, logLevel: "off" });
	return createSender({ gateway, store: memorySendStore(), digestSecret: "a-secret-of-digests", ...options });
}

describeMessages("the options of a sender", [
	[
		"nothing at all",
		() => createSender({} as never),
		"gateway must be a MessagingGateway: pass new MessagingGateway()\n" +
			"store is required. Use memorySendStore() in development, and sqliteSendStore or postgresSendStore in production",
	],
	[
		"a URL as the store",
		() => create({ store: "redis://localhost" }),
		"store must be what memorySendStore(), sqliteSendStore(…) or postgresSendStore(…) returns. You passed a string",
	],
	[
		"a misspelt option",
		() => create({ digestSecrets: "x" }),
		'Unknown option "digestSecrets" of createSender. Did you mean "digestSecret"?',
	],
	[
		"a pasted secret",
		() => create({ digestSecret: "'x'" }),
		"digestSecret has quotes around it: remove them",
	],
	[
		"no secret",
		() => create({ digestSecret: undefined }).send(KEY, HELLO),
		"digestSecret is missing. Pass it to createSender, or set MESSAGING_GATEWAY_DIGEST_SECRET. Make one: `openssl rand -hex 32`",
	],
	[
		"retries",
		() => create().send(KEY, HELLO, { maxRetries: 1 } as never),
		'Unknown option "maxRetries" of the call: a sender makes one attempt, so call it again with the same key',
	],
	[
		"a callback for one send",
		() => create().send(KEY, { ...HELLO, statusCallback: "https://app.example" } as never),
		"statusCallback is an option of createSender: leave it out here",
	],
	[
		"a callback without its token",
		() => create({ statusCallback: () => "https://app.example" }).send(KEY, HELLO),
		'statusCallback must put its token into the URL: (token) => "https://app.example/webhooks?send=" + token',
	],
]);

describeMessages("sends by key", [
	["no key", () => create().send("", HELLO), "key must be a string of 1 to 256 visible ASCII characters"],
	[
		"a key for two messages",
		async () => {
			const sender = create();
			await sender.send(KEY, HELLO);
			return sender.send(KEY, { ...HELLO, text: "Goodbye" });
		},
		'Not sent: this key belongs to another message. Use a new key, or ifReused: "keep" to keep that message. ' +
			"If the input is the same, give all processes one digestSecret",
	],
	[
		"two workers at once",
		async () => {
			const sender = create();
			return (await Promise.allSettled([sender.send(KEY, HELLO), sender.send(KEY, HELLO)]))
				.flatMap((result) => (result.status === "rejected" ? [String(result.reason.message)] : []))
				.join("\n");
		},
		"Another worker is making this send: call again in 60 s (retryAfterMs)",
	],
	[
		"a store that fails",
		() =>
			create({
				store: {
					...memorySendStore(),
					read: async () => Promise.reject(Object.assign(new Error("private"), { code: "ECONNREFUSED" })),
				},
			}).send(KEY, HELLO),
		"This call sent nothing. The store failed (ECONNREFUSED): check its server and address. Then call again with the same key",
	],
	[
		"a decision on a key that there is not",
		() => resolveSend(memorySendStore(), KEY, "give_up"),
		"Nothing was changed: this store has no send with this key. Check the key, and that this is the store that you passed to createSender",
	],
	[
		"another decision",
		() => resolveSend(memorySendStore(), KEY, "giveup" as never),
		"The decision must be one of accepted, send_again, give_up",
	],
]);
