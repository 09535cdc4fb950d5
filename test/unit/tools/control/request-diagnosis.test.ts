import { type ClientOptions, MessagingGateway } from "messaging-gateway";
import { profileFromJson } from "messaging-gateway/maps";
import { signRequest } from "messaging-gateway/signing";
import { createAdjustableClock, type LocalGatewayOptions } from "messaging-gateway/testing";
import { afterEach, describe, expect, test } from "vitest";
import type { Action } from "../../../../src/tools/control/action.ts";
import type { RequestView } from "../../../../src/tools/control/contract.ts";
import {
	type ControlledGateway,
	createControlledGateway,
} from "../../../../src/tools/control/create-controlled-gateway.ts";
import type { REQUEST_WORDS } from "../../../../src/tools/control/diagnosis/request-words.ts";
import { MAPPED_PROFILE } from "../../../support/mapped-profile.ts";
import { repeatingSigner } from "../../../support/repeating-signer.ts";
import { AGENT, ALICE } from "../../../support/signed-client.ts";

let world: ControlledGateway;
afterEach(() => world.local.close());

function clientOf(options: ClientOptions = {}): MessagingGateway {
	const own = { ...world.local.clientOptions, maxRetries: 0, logLevel: "off" } as const;
	return new MessagingGateway({ ...own, ...options });
}

/** A signed request that no client would send. */
async function post(body: object, headers: Record<string, string> = {}): Promise<Response> {
	const { baseUrl, appId, appSecret, clock } = world.local.clientOptions;
	const url = `${baseUrl}/message/text`;
	const signed = await signRequest({ method: "POST", url, body, appId, appSecret, timestamp: clock.now() });
	const init = { method: "POST", headers: { ...signed.headers, ...headers }, body: JSON.stringify(body) };
	return world.local.fetch(new Request(url, init));
}

const get = (path: string, method = "GET"): Promise<Response> =>
	world.local.fetch(new Request(world.local.baseUrl + path, { method }));

const text = (client: MessagingGateway, words = "Hello") =>
	client.messages.sendText({ to: ALICE, text: words });

/** A failure, and what its fix says to do. */
interface Failure {
	readonly options?: LocalGatewayOptions;
	readonly breaking?: (client: MessagingGateway) => unknown;
	/** The request that fails; by default a text, with `client`. */
	readonly failing?: (client: MessagingGateway) => Promise<unknown>;
	/** How the client that fails differs. */
	readonly client?: () => ClientOptions;
	readonly reason: string;
	/** What the fix says beside its action. */
	readonly fixing?: (client: MessagingGateway) => unknown;
	/** The request as the fix says; by default a text. */
	readonly fixed?: (client: MessagingGateway) => Promise<unknown>;
}

const fault = (choice: Extract<Action, { type: "request_fault" }>["fault"]) => () =>
	world.control.act({ type: "request_fault", fault: choice });

let isBroken = true;
const brokenNonces = {
	async remember() {
		if (isBroken) throw new Error("full");
		return true;
	},
};

const FAILURES: { readonly [Cause in keyof typeof REQUEST_WORDS]: Failure } = {
	response_by_fault: {
		breaking: fault({ kind: "respond", status: 503 }),
		reason: "A fault responded 503 instead of the gateway.",
	},
	connection_broken_by_fault: {
		breaking: fault({ kind: "drop", when: "before" }),
		reason: "A fault broke the connection, so the client got no response.",
	},
	response_corrupted_by_fault: {
		breaking: fault({ kind: "corrupt", as: "html" }),
		reason: "The gateway processed the request, and a fault corrupted its response.",
		fixed: (client) => text(client, "Another"),
	},
	signed_with_webhook_secret: {
		client: () => ({ appSecret: world.local.webhookSecret }),
		reason: "The request is signed with the webhook secret instead of the App Secret.",
	},
	signed_with_secret_of_another_app: {
		options: { apps: { other: "the-secret-of-another-app" } },
		client: () => ({ appSecret: "the-secret-of-another-app" }),
		reason: "The request is signed with the App Secret of another app id.",
	},
	signed_in_another_form: {
		client: () => ({ profile: { signing: { canonicalBody: "json" } } }),
		reason:
			"The App Secret is correct, but the client signs in another form: it signs the body with its fields unsorted.",
	},
	other_app_secret: {
		client: () => ({ appSecret: "wrong" }),
		reason:
			"The signature matches no secret of this gateway: the client has another App Secret, or the request was changed after it was signed.",
	},
	other_app_id: {
		client: () => ({ appId: "nobody" }),
		reason: "The app id of the request isn't that of this gateway, local-app.",
	},
	not_signed: {
		failing: () => get("/agent"),
		reason: "The request isn't signed: X-App-Id is missing.",
	},
	signature_malformed: {
		failing: () => post({ to: ALICE, text: "Hello" }, { Authorization: "Bearer hidden" }),
		reason:
			"The request is signed in a form that no gateway accepts: Authorization must be HMAC and 64 lower-case hex digits.",
	},
	clock_differs: {
		breaking: fault({ kind: "skew", ms: 600_000 }),
		client: () => ({ correctClockSkew: false }),
		reason:
			"The clocks of client and gateway differ: X-Timestamp is 600 s behind the gateway's clock; 300 s are accepted.",
	},
	nonce_repeated: {
		client: () => ({
			appSecret: undefined,
			signer: repeatingSigner(world.local.clientOptions.appSecret),
		}),
		async failing(client) {
			await text(client, "First");
			await text(client, "Second");
		},
		reason: "The same signed request arrived before: its nonce was used.",
	},
	nonce_not_checked: {
		options: { nonceStore: brokenNonces },
		breaking: () => {
			isBroken = true;
		},
		reason: "The nonce couldn't be checked: its store is full (see maxEntries) or doesn't respond.",
		fixing: () => {
			isBroken = false;
		},
	},
	body_too_large: {
		options: { profile: { limits: { attachmentBytes: 3 } } },
		client: () => ({ profile: {} }),
		failing: (client) =>
			client.messages.sendAttachments({
				to: ALICE,
				attachments: [{ data: "AAAAAAAA", encoding: "base64", name: "a.png", mimeType: "image/png" }],
			}),
		reason: "An attachment may have up to 3 bytes (profile.limits): give a URL instead.",
	},
	wrong_base_path: {
		client: () => ({ baseUrl: `${world.local.baseUrl}/api/v1` }),
		reason: "The client uses another base path: /api/v1/message/text is an operation, but not at this path.",
	},
	unknown_path: {
		failing: () => get("/messages/15551234567"),
		reason: "No operation has the path /messages/….",
	},
	wrong_method: {
		failing: () => get("/health", "DELETE"),
		reason: "The path /health has no DELETE.",
	},
	duplicate: {
		breaking: (client) => text(client),
		reason:
			"The duplicate rule blocked the message: the same one was sent to this contact and by this account, and stays blocked for another 5 min.",
	},
	too_many_unanswered: {
		options: { rules: { maxConsecutiveMessages: 1 } },
		breaking: (client) => text(client, "First"),
		reason: "The contact hasn't replied to the last messages, 1 of them, and the rules allow no more.",
	},
	no_agent_online: {
		breaking: () => world.local.agent(AGENT).goOffline(),
		reason: "No agent is online and not blocked, so nothing can be sent.",
	},
	agent_blocked: {
		breaking: (client) => client.agents.block(AGENT),
		failing: (client) => client.messages.sendText({ to: ALICE, text: "Hello", from: AGENT }),
		reason: "The agent is blocked, so it doesn't send.",
		fixing: (client) => client.agents.unblock(AGENT),
	},
	invalid_fields: {
		failing: () => post({ to: "nobody", text: "Hello" }),
		reason:
			"The request is invalid: to must not be a sender's name, which is one-way; give an e-mail address, a short code of 3 to 6 digits, or a number in E.164: + and 7 to 15 digits, such as +15551234567.",
	},
	not_found: {
		failing: (client) => client.messages.get("nothing"),
		reason: "No message has this id; a messageGuid exists once it is sent.",
	},
	conflict: {
		failing: (client) => client.agents.register({ agentNumber: AGENT }),
		reason: "An agent with this number is registered already.",
	},
	not_supported: {
		failing: (client) =>
			client.messages.sendVoiceNote({
				to: ALICE,
				attachment: { url: "https://a.example/a.txt", name: "a.txt" },
			}),
		reason:
			"A voice note must be MP3, M4A, AAC, CAF, WAV, AIFF or AMR: give its mimeType, or a name with such an extension.",
	},
	unavailable: {
		options: { maxEntries: 1 },
		breaking: (client) => text(client, "First"),
		reason:
			"Too many messages or deliveries are pending: wait, check that the receiver responds, or raise maxEntries.",
		fixing: () => world.local.settled(),
	},
	gateway_failed: {
		options: {
			profile: {
				operations: {
					"messages.sendText": {
						response: {
							decode: (data) => data,
							encode(data) {
								if (isBroken) throw new Error("no");
								return data;
							},
						},
					},
				},
			},
		},
		breaking: () => {
			isBroken = true;
		},
		reason: "The local gateway, or a codec of its profile, failed with Error.",
		fixing: () => {
			isBroken = false;
		},
		fixed: (client) => text(client, "Another"),
	},
};

function lastRequest(): RequestView {
	const [request] = world.control.requests({ limit: 1 }).items;
	if (request === undefined) throw new Error("there was no request");
	return request;
}

describe.each(Object.entries(FAILURES))("%s", (cause, failure) => {
	const { options, breaking, failing = text, client = () => ({}), reason, fixing, fixed = text } = failure;

	test("has one sentence, and its fix fixes it", async () => {
		world = createControlledGateway({ ...options, clock: createAdjustableClock({ frozen: true }) });
		await breaking?.(clientOf());
		await failing(clientOf(client())).catch(() => undefined);
		const { diagnosis } = lastRequest();
		expect(diagnosis).toMatchObject({ cause, reason });
		const { remedies = [], ...words } = diagnosis ?? {};
		expect(JSON.stringify(words)).not.toMatch(/hidden|15551234567(?!\.")|Hello/);

		for (const action of remedies[0]?.actions ?? []) await world.control.act(action);
		await fixing?.(clientOf());
		await fixed(clientOf());
		expect(lastRequest()).not.toHaveProperty("diagnosis");
	});
});

test("each remedy of a duplicate ends it", async () => {
	world = createControlledGateway({ clock: createAdjustableClock({ frozen: true }) });
	for (const at of [0, 1]) {
		await text(clientOf(), `text ${at}`);
		await text(clientOf(), `text ${at}`).catch(() => undefined);
		for (const action of lastRequest().diagnosis?.remedies[at]?.actions ?? [])
			await world.control.act(action);
		await text(clientOf(), `text ${at}`);
	}
	expect(lastRequest()).not.toHaveProperty("diagnosis");
});

test.each([
	["a text", (client: MessagingGateway) => text(client), ALICE],
	["a mapping", (client: MessagingGateway) => client.mappings.get(ALICE), ALICE],
	["a number in a longer path", () => get(`/mapping/${"1".repeat(100)}`), undefined],
	["an unknown path", () => get("/nothing"), undefined],
	["what is no number, of any length", () => post({ to: "x".repeat(100_000), text: "Hello" }), undefined],
	["participants of no group", () => post({ participants: [1], text: "Hello" }), undefined],
])("%s is about its conversation", async (_what, send, key) => {
	world = createControlledGateway();
	await send(clientOf()).catch(() => undefined);
	expect(lastRequest().conversationKey).toBe(key);
});

test("a send to a group is about it, with its id or its members", async () => {
	world = createControlledGateway({ rules: "off" });
	const participants = [ALICE, "+15557654321"];
	const { message } = await clientOf().messages.sendText({ participants, text: "Hello" });
	expect(lastRequest().conversationKey).toBe(message.groupId);
	await clientOf().messages.sendText({ groupId: message.groupId ?? "", text: "Hello" });
	expect(lastRequest().conversationKey).toBe(message.groupId);
});

test.each<[what: string, send: (client: MessagingGateway) => Promise<unknown>]>([
	["a text", (client) => text(client)],
	["a sign of typing", (client) => client.messages.stopTyping({ to: ALICE })],
	["a receipt", (client) => client.messages.markRead({ to: ALICE })],
	["a read", (client) => client.messages.checkCapability(ALICE)],
])("%s of a profile with maps is about its conversation", async (_what, send) => {
	world = createControlledGateway({ profile: profileFromJson(MAPPED_PROFILE) });
	await send(clientOf()).catch(() => undefined);
	expect(lastRequest().conversationKey).toBe(ALICE);
});

test("a large body is not searched for what it was signed with", async () => {
	world = createControlledGateway();
	const data = new Uint8Array(1_000_000);
	const attachments = [{ data, name: "a.png" }];
	const client = clientOf({ appSecret: world.local.webhookSecret });
	await client.messages.sendAttachments({ to: ALICE, attachments }).catch(() => undefined);
	expect(lastRequest().diagnosis?.cause).toBe("other_app_secret");
});
