import { MessagingGateway } from "messaging-gateway";
import { connect, createLocalGateway, type LocalGateway } from "messaging-gateway/testing";
import { describeMessages } from "./message-table.ts";

const TO = "+15551234567";

/** A gateway of which a user in plain JavaScript may get an option wrong. */
function create(options: object): LocalGateway {
	return createLocalGateway(options);
}

/** What an act on a gateway says. */
async function on(act: (local: LocalGateway) => unknown, options: object = {}): Promise<unknown> {
	await using local = create(options);
	return await act(local);
}

/** What the gateway's own message says about a call. */
async function gatewayMessageOf(
	call: (gateway: MessagingGateway, local: LocalGateway) => PromiseLike<unknown>,
) {
	await using local = create({});
	const gateway = new MessagingGateway({ ...local.clientOptions, logLevel: "off", maxRetries: 0 });
	const error = await call(gateway, local).then(
		() => undefined,
		(reason: { gatewayMessage?: string }) => reason,
	);
	return error?.gatewayMessage ?? "none";
}

describeMessages("options of the local gateway", [
	[
		"a misspelt option",
		() => create({ deliver: "http://localhost:3000" }),
		'Unknown option "deliver". Did you mean "deliverTo"?',
	],
	[
		"a misspelt rule",
		() => create({ rules: { duplicateWindow: {} } }),
		'Unknown option "duplicateWindow" of rules. Did you mean "duplicateWindowSeconds"?',
	],
	[
		"a receiver without a scheme",
		() => create({ deliverTo: "localhost:3000" }),
		"deliverTo must be an absolute http or https URL without credentials, or a function",
	],
	[
		"an agent that is no number",
		() => create({ agents: ["555"] }),
		"agents[0] must be a number in E.164, such as +15551234567",
	],
	[
		"a secret of an app with quotes",
		() => create({ appSecret: '"secret-1"' }),
		"appSecret has quotes around it: remove them",
	],
	[
		"a reading that there is not",
		() => create({ readings: ["webhooks are never retried"] }),
		'readings[0]: there is no reading "webhooks are never retried". Did you mean "webhooks are not retried"? All names are in docs/readings.md, and in `readings` of messaging-gateway/testing',
	],
	[
		"rules in another word",
		() => create({ rules: "of" }),
		'rules must be "on", "off" or an object of rules. Did you mean "off"?',
	],
	[
		"several mistakes at once",
		() => create({ appId: "", deliverTo: "localhost:3000", agents: ["555"], delays: { sentMs: -1 } }),
		"appId must be 1 to 256 visible ASCII characters\nagents[0] must be a number in E.164, such as +15551234567\ndeliverTo must be an absolute http or https URL without credentials, or a function\ndelays.sentMs must be 0 or more",
	],
	["a negative delay", () => create({ delays: { sentMs: -1 } }), "delays.sentMs must be 0 or more"],
]);

describeMessages("acts on the local gateway", [
	[
		"a contact that is no number",
		() => on((local) => local.contact("555 1234")),
		"contact(): the contact must be an e-mail address, a short code of 3 to 6 digits, or a number in E.164: + and 7 to 15 digits, such as +15551234567",
	],
	[
		"a reaction before a message",
		() => on((local) => local.contact(TO).react("love")),
		"No message has reached this contact yet. Send one, and wait until it arrives: settled() in a test, `npx messaging-gateway wait` beside the command",
	],
	[
		"a misspelt field of a fault",
		() => on(({ faults }) => faults.respond({ status: 503, time: 1 } as never)),
		'Unknown option "time" of faults.respond. Did you mean "times"?',
	],
	[
		"a fault with no HTTP status",
		() => on(({ faults }) => faults.respond({ status: 99 })),
		"status must be an HTTP status from 200 to 599",
	],
	[
		"a clock set back",
		() => on((local) => (local.clock as { advance?: (ms: number) => unknown }).advance?.(-1)),
		"advance(ms): ms must be 0 or more",
	],
	[
		"an agent that there is not",
		() => on((local) => local.agent("+15559990000").goOffline()),
		"No agent has this number: register it first, or name it in the option agents.",
	],
	[
		"no gateway at its address",
		() => connect({ baseUrl: "http://127.0.0.1:9", token: "token-of-nobody-1" }),
		"No local gateway responded at http://127.0.0.1:9: start one with `npx messaging-gateway dev`, or give the baseUrl of another one (--base-url, MESSAGING_GATEWAY_BASE_URL).",
	],
	[
		"no token",
		() => connect({ baseUrl: "http://127.0.0.1:9" }),
		"token is missing: pass it to connect({ token }) and to `npx messaging-gateway dev --control-token`, or set MESSAGING_GATEWAY_CONTROL_TOKEN for both",
	],
]);

describeMessages("what the local gateway says", [
	[
		"the same text again",
		() =>
			gatewayMessageOf(async ({ messages }) => {
				await messages.sendText({ to: TO, text: "Hello" });
				await messages.sendText({ to: TO, text: "Hello" });
			}),
		"Blocked by the duplicate rule, scope contact: the same message was sent to this contact; 300 s are left. The option rules.duplicateWindowSeconds.contact changes it; 0 turns it off. For `messaging-gateway dev`, DUPLICATE_SAME_NUMBER_WINDOW_SECONDS does the same.",
	],
	[
		"a contact without a mapping",
		() => gatewayMessageOf(({ mappings }) => mappings.get("+15559990000")),
		"No agent is mapped to this number: create a mapping, or send first.",
	],
	[
		"a group that there is not",
		() => gatewayMessageOf(({ messages }) => messages.sendText({ groupId: "g", text: "Hi" })),
		"No group has this id: send to participants first.",
	],
	[
		"another secret",
		() =>
			gatewayMessageOf((gateway, { appId }) =>
				gateway.withCredentials({ appId, appSecret: "not-the-secret" }).queue.getStatus(),
			),
		"The request wasn't accepted: the signature doesn't match. Check the App Secret first. If you sign yourself, check the path too, and that you sign the body as canonical JSON.",
	],
	[
		"another app id",
		() =>
			gatewayMessageOf((gateway) =>
				gateway.withCredentials({ appId: "another", appSecret: "not-the-secret" }).queue.getStatus(),
			),
		"The request wasn't accepted: no App Secret is known for this app id: set the client's appId to one that the gateway has.",
	],
	[
		"an agent that there is not",
		() => gatewayMessageOf(({ messages }) => messages.sendText({ to: TO, from: "+15559990000", text: "Hi" })),
		"No agent has this number: register it first, or name it in the option agents.",
	],
	[
		"a path that there is not",
		() => gatewayMessageOf((gateway) => gateway.request("GET", "/nope")),
		"No operation has this path. Check it, and the path of baseUrl: docs/assumed.md lists all operations.",
	],
	[
		"an agent that is registered",
		() =>
			gatewayMessageOf(async ({ agents }) => {
				await agents.register({ agentNumber: "+15550000009" });
				await agents.register({ agentNumber: "+15550000009" });
			}),
		"An agent with this number is registered already.",
	],
]);
