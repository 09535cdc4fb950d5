import { once } from "node:events";
import { MessagingGateway } from "messaging-gateway";
import { createWebhookRequest } from "messaging-gateway/testing";
import { type ListeningGateway, listen } from "messaging-gateway/testing/node";
import { createWebhookHandler, memoryStore } from "messaging-gateway/webhooks";
import { toNode } from "messaging-gateway/webhooks/node";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { findFreePort } from "../support/free-port.ts";
import { createRecipeProject, type RecipeProject, readCommands } from "../support/recipes.ts";
import { startCli } from "../support/run-cli.ts";
import { serve } from "../support/serve.ts";
import { startTunnel } from "../support/tunnel.ts";

const ALICE = "+15551234567";
const BOB = "+15557654321";
const TEXT = "Your order 1042 is on its way.";

let project: RecipeProject;
let server: ListeningGateway;

beforeAll(async () => {
	project = await createRecipeProject();
	// The account's window would hide that a reply has ended the contact's.
	server = await listen({ rules: { duplicateWindowSeconds: { account: 0 } } });
}, 120_000);

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
		...more,
	};
	return project.run(script, { environment });
}

describe("an unknown outcome", () => {
	const sendOnce = (to = ALICE, text = TEXT) =>
		run(`
			import { MessagingGateway } from "messaging-gateway";
			import { sendOnce } from "./unknown-outcomes.js";
			console.log(await sendOnce(new MessagingGateway({ logLevel: "off" }), "${to}", "${text}"));`);

	test("does not occur where nothing goes wrong", async () => {
		expect(await sendOnce()).toBe("sent");
		expect(server.local.requests).toHaveLength(1);
	});

	test("of a message that was accepted is sent, and nothing is sent again", async () => {
		server.local.faults.dropConnection({ when: "after" });
		expect(await sendOnce()).toBe("sent");
		expect(server.local.sent).toHaveLength(1);
	});

	test("of a message that never arrived is sent, once it is", async () => {
		server.local.faults.dropConnection({ when: "before" });
		expect(await sendOnce()).toBe("sent");
		expect(server.local.sent).toHaveLength(1);
	});

	test("of a message that was accepted and answered is sent, though the reply ended the window", async () => {
		server.local.faults.dropConnection({ when: "after" });
		const fate = sendOnce();
		await vi.waitFor(() => expect(server.local.sent).toHaveLength(1), { timeout: 10_000 });
		await server.local.contact(ALICE).reply("Thank you!");
		expect(await fate).toBe("sent");
		expect(server.local.sent).toHaveLength(1);
	});

	test("of a message that the conversation does not show yet meets the duplicate window", async () => {
		server.local.faults.dropConnection({ when: "after" });
		server.local.faults.respond({
			operationId: "analytics.listMessages",
			status: 200,
			body: { ok: true, data: { messages: [], nextCursor: null }, meta: { requestId: "", timestamp: "" } },
		});
		expect(await sendOnce()).toBe("sent");
		expect(server.local.sent).toHaveLength(1);
	});

	test("stays unknown while the conversation cannot be read, and nothing is sent again", async () => {
		server.local.faults.dropConnection({ when: "after" });
		server.local.faults.respond({ operationId: "analytics.listMessages", status: 503, times: 3 });
		expect(await sendOnce()).toBe("unknown");
		expect(server.local.sent).toHaveLength(1);
	});

	test("stays unknown when the repeat is refused", async () => {
		server.local.faults.dropConnection({ when: "before" });
		server.local.faults.respond({ operationId: "messages.sendText", status: 403 });
		expect(await sendOnce()).toBe("unknown");
		expect(server.local.sent).toHaveLength(0);
	});

	test("is none where the gateway refuses, or accepts with an answer that is broken", async () => {
		server.local.faults.respond({ status: 403 });
		expect(await sendOnce()).toBe("rejected");
		server.local.faults.corrupt({ as: "html" });
		expect(await sendOnce()).toBe("sent");
		expect(server.local.sent).toHaveLength(1);
	});

	test("that a crash has left is settled, whether it was sent or not", async () => {
		const settle = () =>
			run(`
				import { MessagingGateway } from "messaging-gateway";
				import { settle } from "./unknown-outcomes.js";
				console.log(await settle(new MessagingGateway(), "${ALICE}", "${TEXT}"));`);
		expect([await settle(), await settle()]).toEqual(["sent", "sent"]);
		expect(server.local.sent).toHaveLength(1);
	});

	test("is taken for sent where an equal text went to somebody else, hence the key in it", async () => {
		expect(await sendOnce(BOB, "Hello")).toBe("sent");
		expect(await sendOnce(ALICE, "Hello")).toBe("sent");
		expect(server.local.sent.map(({ to }) => to)).toEqual([BOB]);
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

	test("sends, and takes a form that came twice for sent", async () => {
		const form = { to: ALICE, text: TEXT };
		expect(await submit(form, form)).toEqual([{ outcome: "sent" }, { outcome: "sent" }]);
		expect(server.local.sent).toHaveLength(1);
	});

	test("returns what went wrong as plain data", async () => {
		server.local.faults.dropConnection({ when: "after" });
		server.local.faults.respond({ status: 403 });
		const form = { to: ALICE, text: TEXT };
		expect(await submit({ to: "Alice", text: TEXT }, form, form)).toEqual([
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
	const withRecipe = `import { gateway } from "./tunnels.js";${send}`;
	const without = `
		import { MessagingGateway } from "messaging-gateway";
		const gateway = new MessagingGateway({ baseUrl: process.env.TUNNEL_URL });${send}`;

	test("to a gateway may have any name", async () => {
		await using tunnel = await startTunnel(server.url);
		expect(await run(without, { TUNNEL_URL: tunnel.url })).toBe("queued");
	});

	test("that takes a prefix off the path needs the recipe", async () => {
		await using tunnel = await startTunnel(server.url, {
			rewritePath: (path) => path.replace("/gateway", ""),
		});
		const environment = { TUNNEL_URL: `${tunnel.url}/gateway` };
		expect(await run(without, environment)).toBe("authentication_failed");
		expect(await run(withRecipe, environment)).toBe("queued");
	});

	test("to a receiver may change host and path, but not the body", async () => {
		const secret = "tunnel-secret";
		const webhooks = createWebhookHandler({ secret, store: memoryStore(), on: {} });
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

	test("brings events to an application through the command of the recipe", async () => {
		const secret = server.local.webhookSecret;
		const webhooks = createWebhookHandler({ secret, store: memoryStore(), on: {} });
		await using application = await serve(toNode(webhooks));
		const port = String(await findFreePort());
		await using tunnel = await startTunnel(`http://127.0.0.1:${port}`, {
			rewritePath: (path) => `/t${path}`,
		});
		const replacements: Record<string, string> = {
			"4000": port,
			"http://localhost:3000/webhooks": `${application.url}/webhooks`,
			"https://abc.example/": `${tunnel.url}/`,
		};
		const [npx, name, ...args] = (readCommands()[1] ?? "").split(/\s+/);
		expect([npx, name, ...args]).toEqual(expect.arrayContaining(["npx", ...Object.keys(replacements)]));
		const { baseUrl } = server.clientOptions;
		const listening = startCli(
			args.map((arg) => replacements[arg] ?? arg),
			{
				env: {
					MESSAGING_GATEWAY_BASE_URL: baseUrl,
					MESSAGING_GATEWAY_APP_SECRET: server.local.appSecret,
					MESSAGING_GATEWAY_WEBHOOK_SECRET: secret,
				},
			},
		);
		try {
			const gateway = new MessagingGateway(server.clientOptions);
			const registered = async () => (await gateway.settings.getWebhooks()).inboundWebhookUrl;
			await expect.poll(registered, { timeout: 10_000 }).toBe(`${tunnel.url}/`);
			await server.local.contact(ALICE).reply("Hello?");
			const statuses = () =>
				server.local.deliveries.flatMap(({ attempts }) => attempts.map(({ status }) => status));
			await expect.poll(statuses, { timeout: 10_000 }).toEqual([200]);
		} finally {
			listening.kill("SIGTERM");
			await once(listening, "exit");
		}
	});
});
