import { MessagingGateway } from "messaging-gateway";
import { createSender, memorySendStore, resolveSend } from "messaging-gateway/sends";
import { createLocalGateway } from "messaging-gateway/testing";
import { describeMessages } from "../support/message-table.ts";

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
		"gateway must be a MessagingGateway: pass new MessagingGateway(). " +
			"store is required: memorySendStore() in development, sqliteSendStore, postgresSendStore or another one that outlives the process in production",
	],
	[
		"a URL as the store",
		() => create({ store: "redis://localhost" }),
		"store must be an object with the functions read, insert, replace, find, list",
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
		"digestSecret is missing. Pass it to createSender, or set MESSAGING_GATEWAY_DIGEST_SECRET",
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
		"statusCallback must return a URL that contains the token unchanged",
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
		"This key was already used with another input. Use a new key, " +
			'keep the first input with ifReused: "keep", or check that all processes have the same digestSecret',
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
		"the store failed (ECONNREFUSED): its error is left out, since it may hold values: log it in the store",
	],
	[
		"a decision on a key that there is not",
		() => resolveSend(memorySendStore(), KEY, "give_up"),
		"This store has no send with this key: check both",
	],
	[
		"another decision",
		() => resolveSend(memorySendStore(), KEY, "giveup" as never),
		"the decision must be one of accepted, send_again, give_up",
	],
]);
