import { once } from "node:events";
import { text } from "node:stream/consumers";
import { MessagingGateway } from "messaging-gateway";
import { createWebhookRequest } from "messaging-gateway/testing";
import { type ListeningGateway, listen } from "messaging-gateway/testing/node";
import { createWebhookHandler, memoryStore } from "messaging-gateway/webhooks";
import { toNode } from "messaging-gateway/webhooks/node";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createModuleProject, type ModuleProject, readCommand } from "../support/documented-modules.ts";
import { onFreePort } from "../support/free-port.ts";
import { startCli } from "../support/run-cli.ts";
import { serve } from "../support/serve.ts";
import { startTunnel } from "./support/tunnel.ts";

const ALICE = "+15551234567";
const BOB = "+15557654321";
const TEXT = "Your order 1042 is on its way.";

let project: ModuleProject;
let server: ListeningGateway;

beforeAll(async () => {
	project = await createModuleProject();
	// The account's window would hide that a reply has ended the contact's.
	server = await listen({ rules: { duplicateWindowSeconds: { account: 0 } } });
});

afterAll(async () => {
	await server?.close();
	project?.remove();
});

afterEach(() => server.local.reset());

/** Runs a script that finds the gateway in its environment. */
function run(script: string, more: Record<string, string> = {}): Promise<string> {
	const { baseUrl, appId, appSecret } = server.clientOptions;
	const environment = {
		MESSAGING_GATEWAY_BASE_URL: baseUrl,
		MESSAGING_GATEWAY_APP_ID: appId,
		MESSAGING_GATEWAY_APP_SECRET: appSecret,
		MESSAGING_GATEWAY_DIGEST_SECRET: "for digests",
		...more,
	};
	return project.run(script, { environment });
}

describe("an unknown outcome", () => {
	/** Calls the sender of the module, in a process of its own for each script. */
	const sending = (statements: string, more: Record<string, string> = {}): Promise<string> =>
		run(
			`
			import { resolveSend } from "messaging-gateway/sends";
			import { sender, store, webhooks } from "./send-once.js";
			const message = { to: "${ALICE}", text: "${TEXT}" };
			const ends = [];
			async function send(key, input = message) {
				try {
					const { status, proof } = await sender.send(key, input);
					ends.push(proof ? \`\${status} by \${proof}\` : status);
				} catch (error) {
					ends.push(error.code);
				}
			}
			${statements}
			console.log(ends.join());`,
			{ PUBLIC_URL: "http://127.0.0.1:9", ...more },
		);

	/** Each test has a key of its own, since the file is kept. */
	let keys = 0;
	let key: string;
	beforeEach(() => {
		key = `order-${++keys}-shipped`;
	});

	const posts = () => server.local.requests.filter(({ method }) => method === "POST");
	const recipients = (): unknown[] => server.local.sent.map(({ to }) => to);

	test("does not occur where nothing goes wrong, and the message is sent once", async () => {
		expect(await sending(`await send("${key}"); await send("${key}");`)).toBe(
			"accepted by response,accepted by response",
		);
		expect(await sending(`await send("${key}");`)).toBe("accepted by response");
		expect(posts()).toHaveLength(1);
	});

	test.each([
		["was accepted", "after", [ALICE]],
		["never arrived", "before", []],
	] as const)("of a message that %s stays unknown, and it is not sent again", async (_what, when, sent) => {
		server.local.faults.dropConnection({ when });
		expect(await sending(`await send("${key}"); await send("${key}");`)).toBe("unresolved,unresolved");
		expect(await sending(`await send("${key}");`)).toBe("unresolved");
		expect(recipients()).toEqual(sent);
	});

	test("is not sent again by a decision before ten minutes", async () => {
		server.local.faults.dropConnection({ when: "before" });
		const ends = await sending(`
			await send("${key}");
			await resolveSend(store, "${key}", "send_again").catch((error) => ends.push(error.code));
			await send("${key}");`);
		expect(ends).toBe("unresolved,too_early,unresolved");
		expect(recipients()).toEqual([]);
	});

	test("ends with a status that comes by the message's own URL", async () => {
		server.local.faults.dropConnection({ when: "after" });
		const ends = await onFreePort((port) =>
			sending(
				`
			import { once } from "node:events";
			import { createServer } from "node:http";
			import { setTimeout as pause } from "node:timers/promises";
			import { toNode } from "messaging-gateway/webhooks/node";
			const receiver = createServer(toNode(webhooks)).listen(${port}, "127.0.0.1");
			await once(receiver, "listening");
			for (let calls = 0; calls < 600 && ends[0] !== "accepted by status"; calls++) {
				ends.length = 0;
				await send("${key}");
				await pause(50);
			}
			receiver.close();
			receiver.closeAllConnections();`,
				{
					MESSAGING_GATEWAY_WEBHOOK_SECRET: server.local.webhookSecret,
					PUBLIC_URL: `http://127.0.0.1:${port}`,
				},
			),
		);
		expect(ends).toBe("accepted by status");
		expect(recipients()).toEqual([ALICE]);
	});

	test("is none where the message certainly was not accepted: a later call tries again", async () => {
		server.local.faults.respond({ status: 403 });
		const ends = await sending(`
			await send("${key}", { to: "Alice", text: "${TEXT}" });
			await send("${key}");
			await send("${key}");`);
		expect(ends).toBe("invalid_input,permission_denied,accepted by response");
		expect(recipients()).toEqual([ALICE]);
	});

	test("is none of a text that a window blocks for the sake of another contact: it was not accepted", async () => {
		const ends = await sending(`
			await send("${key}-bob", { to: "${BOB}", text: "${TEXT}" });
			await send("${key}");`);
		expect(ends).toBe("accepted by response,duplicate_message");
		expect(recipients()).toEqual([BOB]);
	});

	test("stays unknown where a repeat would be blocked for the sake of another contact", async () => {
		await sending(`await send("${key}-bob", { to: "${BOB}", text: "${TEXT}" });`);
		server.local.faults.dropConnection({ when: "before" });
		expect(await sending(`await send("${key}"); await send("${key}");`)).toBe("unresolved,unresolved");
		expect(recipients()).toEqual([BOB]);
	});
});

describe("a server action", () => {
	/** Calls the action with each form in turn, and prints what it returns. */
	async function submit(...forms: Record<string, string>[]): Promise<unknown[]> {
		const printed = await run(`
			import { send } from "./server-actions.js";
			const states = [];
			for (const fields of ${JSON.stringify(forms)}) {
				const form = new FormData();
				for (const [name, value] of Object.entries(fields)) form.set(name, value);
				const state = await send(undefined, form);
				if (Object.getPrototypeOf(state) !== Object.prototype) throw new Error("not a plain object");
				states.push(structuredClone(state));
			}
			console.log(JSON.stringify(states));`);
		return JSON.parse(printed);
	}

	// The action's own records.
	const [alice, bob] = ["1", "2"];

	test.each([
		["the same", alice, ALICE],
		["another", bob, BOB],
	])(
		"does not report a text as sent that was blocked since %s contact got it",
		async (_which, customer, to) => {
			const states = await submit({ customer, text: TEXT }, { customer: alice, text: TEXT });
			expect(states).toEqual([{ outcome: "sent" }, { outcome: "rejected", code: "duplicate_message" }]);
			expect(server.local.sent.map((message) => message.to)).toEqual([to]);
		},
	);

	test("returns what went wrong as plain data", async () => {
		server.local.faults.dropConnection({ when: "after" });
		server.local.faults.respond({ status: 403 });
		const form = { customer: alice, text: TEXT };
		expect(await submit({ customer: ALICE, text: TEXT }, form, form)).toEqual([
			{ outcome: "not_sent", code: "invalid_input" },
			{ outcome: "unknown", code: "connection_failed" },
			{ outcome: "rejected", code: "permission_denied" },
		]);
	});
});

describe("a tunnel", () => {
	const send = `
		const sent = await gateway.messages.sendText({ to: "${ALICE}", text: "${TEXT}" }).catch((error) => error);
		console.log(sent.code ?? sent.message.status);`;
	const withModule = `import { gateway } from "./tunnel.js";${send}`;
	const without = `
		import { MessagingGateway } from "messaging-gateway";
		const gateway = new MessagingGateway({ baseUrl: process.env.TUNNEL_URL });${send}`;

	test("to a gateway may have any name", async () => {
		await using tunnel = await startTunnel(server.url);
		expect(await run(without, { TUNNEL_URL: tunnel.url })).toBe("queued");
	});

	test("that takes a prefix off the path needs the profile of the page", async () => {
		await using tunnel = await startTunnel(server.url, {
			rewritePath: (path) => path.replace("/gateway", ""),
		});
		const environment = { TUNNEL_URL: `${tunnel.url}/gateway` };
		expect(await run(without, environment)).toBe("authentication_failed");
		expect(await run(withModule, environment)).toBe("queued");
	});

	test("to a receiver may change host and path, but not the body", async () => {
		const secret = "tunnel-secret";
		const webhooks = createWebhookHandler({
			secret,
			store: memoryStore(),
			on: { unknown: () => undefined },
			onError: () => undefined,
		});
		await using receiver = await serve(toNode(webhooks));
		const rewritePath = (path: string): string => `/somewhere${path}?else=1`;
		await using tunnel = await startTunnel(receiver.url, { rewritePath });
		await using meddling = await startTunnel(receiver.url, {
			rewriteBody: (body) => new TextEncoder().encode(JSON.stringify(JSON.parse(body.toString()), null, 1)),
		});
		const deliver = async (url: string): Promise<[number, string]> => {
			const response = await fetch(createWebhookRequest("inbound_message", {}, { url, secret }));
			return [response.status, await response.text()];
		};
		expect(await deliver(`${tunnel.url}/webhooks`)).toEqual([200, ""]);
		expect(await deliver(`${meddling.url}/webhooks`)).toEqual([401, "signature_mismatch"]);
	});

	test("brings events to an application through the command of the page", async () => {
		const secret = server.local.webhookSecret;
		const webhooks = createWebhookHandler({ secret, store: memoryStore(), on: { unknown: () => undefined } });
		await using application = await serve(toNode(webhooks));
		const gateway = new MessagingGateway(server.clientOptions);
		/** Starts the command, and a tunnel to it; it ends, or registers the tunnel. */
		const start = async (port: number) => {
			const tunnel = await startTunnel(`http://127.0.0.1:${port}`, { rewritePath: (path) => `/t${path}` });
			const replacements: Record<string, string> = {
				"4000": String(port),
				"http://localhost:3000/webhooks": `${application.url}/webhooks`,
				"https://abc.example/": `${tunnel.url}/`,
			};
			const [npx, name, ...args] = readCommand("docs/tunnels.md", "Tunnels").split(/\s+/);
			expect([npx, name, ...args]).toEqual(expect.arrayContaining(["npx", ...Object.keys(replacements)]));
			const listening = startCli(
				args.map((arg) => replacements[arg] ?? arg),
				{
					env: {
						MESSAGING_GATEWAY_BASE_URL: server.clientOptions.baseUrl,
						MESSAGING_GATEWAY_APP_SECRET: server.local.appSecret,
						MESSAGING_GATEWAY_WEBHOOK_SECRET: secret,
					},
				},
			);
			const errors = text(listening.stderr);
			await expect
				.poll(async () => {
					const { inboundWebhookUrl } = await gateway.settings.getWebhooks();
					return listening.exitCode !== null || inboundWebhookUrl === `${tunnel.url}/`;
				})
				.toBe(true);
			if (listening.exitCode === null) return { listening, tunnel };
			await tunnel[Symbol.asyncDispose]();
			throw new Error(await errors);
		};
		const { listening, tunnel } = await onFreePort(start);
		try {
			await server.local.contact(ALICE).reply("Hello?");
			const statuses = () =>
				server.local.deliveries.flatMap(({ attempts }) => attempts.map(({ status }) => status));
			await expect.poll(statuses).toEqual([200]);
		} finally {
			listening.kill("SIGTERM");
			await once(listening, "exit");
			await tunnel[Symbol.asyncDispose]();
		}
	});
});
