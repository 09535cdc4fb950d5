import { join } from "node:path";
import { build } from "esbuild";
import { createWebhookRequest, type WebhookRequestOptions } from "messaging-gateway/testing";
import { type ListeningGateway, listen } from "messaging-gateway/testing/node";
import { signWebhook } from "messaging-gateway/webhooks";
import { Miniflare } from "miniflare";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { createModuleProject, type ModuleProject } from "../support/documented-modules.ts";
import { toLambdaEvent } from "../support/lambda-event.ts";
import { share } from "../support/shared/shared.ts";
import { serveRedisOverHttp } from "./support/redis-over-http.ts";

const ALICE = "+15551234567";
const SECRET = "documented-webhook-secret";

let project: ModuleProject;
let server: ListeningGateway;

beforeAll(async () => {
	project = await createModuleProject();
	server = await listen();
});

afterAll(async () => {
	await server?.close();
	project?.remove();
});

afterEach(() => server.local.reset());

/** What a client reads from the environment. */
function environment() {
	const { baseUrl, appId, appSecret } = server.clientOptions;
	return {
		MESSAGING_GATEWAY_BASE_URL: baseUrl,
		MESSAGING_GATEWAY_APP_ID: appId,
		MESSAGING_GATEWAY_APP_SECRET: appSecret,
	};
}

/** A signed delivery of a text of Alice's. */
function createDelivery(url: string, options: WebhookRequestOptions & { text?: string } = {}): Request {
	const { text = "Grüße 🎉", ...rest } = options;
	return createWebhookRequest("inbound_message", { from: ALICE, text }, { url, secret: SECRET, ...rest });
}

async function deliver(
	url: string,
	options?: Parameters<typeof createDelivery>[1],
): Promise<[number, string]> {
	const response = await fetch(createDelivery(url, options));
	return [response.status, await response.text()];
}

/** The operations that the module called. */
function calls(): (string | undefined)[] {
	return server.local.requests.map(({ operationId }) => operationId);
}

describe("a Worker with bindings", () => {
	/** Bundles a module as a Worker, and starts it; `nodejs_compat` only where it is asked for. */
	async function startWorker(
		entry: string,
		bindings: Record<string, string>,
		{ flags = [], d1Databases = [] }: { flags?: string[]; d1Databases?: string[] } = {},
	) {
		const { outputFiles } = await build({
			entryPoints: [join(project.folder, entry)],
			bundle: true,
			format: "esm",
			platform: "browser",
			conditions: ["workerd", "worker"],
			write: false,
			logLevel: "error",
		});
		const worker = new Miniflare({
			modules: true,
			script: outputFiles[0]?.text ?? "",
			bindings,
			d1Databases,
			compatibilityDate: "2025-04-01",
			compatibilityFlags: flags,
			host: "127.0.0.1",
			port: 0,
		});
		const { href } = await worker.ready;
		return { url: href, [Symbol.asyncDispose]: () => worker.dispose() };
	}

	test("answers deliveries, calls the gateway, and shares its store with the next isolate", async () => {
		using errors = vi.spyOn(console, "error").mockImplementation(() => undefined);
		await using http = await serveRedisOverHttp((await share("redis")).url);
		const { baseUrl, appId, appSecret } = server.clientOptions;
		const bindings = {
			BASE_URL: baseUrl,
			APP_ID: appId,
			APP_SECRET: appSecret,
			WEBHOOK_SECRET: SECRET,
			REDIS_URL: http.url,
			REDIS_TOKEN: http.token,
		};
		await server.local.contact(ALICE).reply("Hello?");
		await using first = await startWorker("workers-redis.js", bindings);
		await using second = await startWorker("workers-redis.js", bindings);

		expect(await deliver(first.url, { secret: "another-secret" })).toEqual([401, "signature_mismatch"]);
		expect(await deliver(first.url, { eventId: "evt_1" })).toEqual([200, ""]);
		expect(await deliver(first.url, { eventId: "evt_1" })).toEqual([200, ""]);
		expect(await deliver(second.url, { eventId: "evt_1" })).toEqual([200, ""]);
		expect(calls()).toEqual(["messages.markRead"]);
		expect(new Set(http.commands)).toEqual(new Set(["EVAL"]));

		// What bind and claim have begun cannot be completed: the handler has run, and the sender need not come again.
		http.failAfter(2);
		expect(await deliver(first.url)).toEqual([200, ""]);

		await using locked = await startWorker("workers-redis.js", {
			...bindings,
			REDIS_TOKEN: "old",
		});
		expect(await deliver(locked.url)).toEqual([503, "store_unavailable"]);
		await expect
			.poll(() => errors.mock.calls.map(([line]) => String(line)))
			.toEqual([
				expect.stringContaining("no signature matches the raw body"),
				expect.stringContaining("The event was processed, but the store couldn't record it"),
				expect.stringContaining("The store failed"),
			]);
	});

	test("keeps its records in D1", async () => {
		using errors = vi.spyOn(console, "error").mockImplementation(() => undefined);
		using log = vi.spyOn(console, "log").mockImplementation(() => undefined);
		const bindings = { WEBHOOK_SECRET: SECRET };
		await using worker = await startWorker("workers-d1.js", bindings, { d1Databases: ["DB"] });
		expect(await deliver(worker.url, { secret: "another-secret" })).toEqual([401, "signature_mismatch"]);
		for (let count = 0; count < 2; count++) {
			expect(await deliver(worker.url, { eventId: "evt_1" })).toEqual([200, ""]);
			const options = { url: worker.url, secret: SECRET, eventId: "evt_2" };
			const unknown = createWebhookRequest("inbound_message", { text: 1 } as never, options);
			expect((await fetch(unknown)).status).toBe(200);
		}
		await expect.poll(() => log.mock.calls).toEqual([["a text of 8 characters"]]);
		await expect.poll(() => errors.mock.calls.length).toBe(1);
	});

	test("has them as environment variables where nodejs_compat is on", async () => {
		project.write(
			"worker-at-the-top.js",
			`import { MessagingGateway } from "messaging-gateway";
			import { createWebhookHandler, memoryStore } from "messaging-gateway/webhooks";
			const gateway = new MessagingGateway();
			const webhooks = createWebhookHandler({
				store: memoryStore(),
				on: { inbound_message: ({ data }) => gateway.messages.markRead({ to: data.from }), unknown: () => undefined },
			});
			export default { fetch: webhooks.fetch };`,
		);
		await server.local.contact(ALICE).reply("Hello?");
		const bindings = { ...environment(), MESSAGING_GATEWAY_WEBHOOK_SECRET: SECRET };
		await using worker = await startWorker("worker-at-the-top.js", bindings, { flags: ["nodejs_compat"] });
		expect(await deliver(worker.url)).toEqual([200, ""]);
		expect(calls()).toEqual(["messages.markRead"]);
	});
});

describe("a Nest application", () => {
	test("gets the raw bytes before its parser, and configures its client asynchronously", async () => {
		const { MESSAGING_GATEWAY_APP_SECRET: appSecret, ...variables } = environment();
		const secrets = {
			APP_SECRET_FILE: project.write("app-secret", `${appSecret}\n`),
			MESSAGING_GATEWAY_WEBHOOK_SECRET: SECRET,
		};
		const expectedErrors = /^messaging-gateway: (signature_mismatch|invalid_json)\b/;
		await using app = await project.start("nest", { ...variables, ...secrets }, { expectedErrors });
		await server.local.contact(ALICE).reply("Hello?");
		const url = `${app.url}/webhooks`;
		expect(await deliver(url, { eventId: "evt_1" })).toEqual([200, ""]);
		expect(await deliver(url, { eventId: "evt_1" })).toEqual([200, ""]);
		expect(calls()).toEqual(["messages.markRead"]);
		expect(await deliver(url, { secret: "another-secret" })).toEqual([401, "signature_mismatch"]);
		const tampered = new Request(createDelivery(url), { body: '{"type":"inbound_message"}' });
		expect((await fetch(tampered)).status).toBe(401);

		// What Nest's own parser would refuse.
		expect(await deliver(url, { text: "x".repeat(200_000) })).toEqual([200, ""]);
		const body = "not JSON";
		const broken = await fetch(url, { method: "POST", body, headers: signWebhook({ body, secret: SECRET }) });
		expect([broken.status, await broken.text()]).toEqual([400, "invalid_json"]);

		expect((await fetch(url)).status).toBe(405);
		expect(await (await fetch(`${app.url}/elsewhere`)).json()).toMatchObject({ statusCode: 404 });
	});
});

describe("a Lambda function", () => {
	/** Hands events to the handler, one after the other, as one instance gets them. */
	async function invoke(...events: object[]): Promise<unknown[]> {
		const script = `
			import { handler } from "./lambda.js";
			console.log = () => undefined;
			const results = [];
			for (const event of JSON.parse(process.env.EVENTS)) results.push(await handler(event));
			process.stdout.write(JSON.stringify(results));`;
		const variables = { EVENTS: JSON.stringify(events), MESSAGING_GATEWAY_WEBHOOK_SECRET: SECRET };
		return JSON.parse(await project.run(script, { environment: variables }));
	}

	const url = "https://abc.lambda-url.eu-west-1.on.aws/";
	const acknowledged = { statusCode: 200, headers: {}, body: "" };
	const refused = expect.objectContaining({ statusCode: 401, body: "signature_mismatch" });

	test.each([true, false])(
		"takes events whose isBase64Encoded is %s, and repeats of them",
		async (isBase64Encoded) => {
			const event = () => toLambdaEvent(createDelivery(url, { eventId: "evt_1" }), { isBase64Encoded });
			expect(await invoke(await event(), await event())).toEqual([acknowledged, acknowledged]);
		},
	);

	test("refuses what was tampered with, and what is still base64", async () => {
		const event = await toLambdaEvent(createDelivery(url), { isBase64Encoded: false });
		const encoded = await toLambdaEvent(createDelivery(url), { isBase64Encoded: true });
		const stranger = await toLambdaEvent(createDelivery(url, { secret: "another-secret" }), {
			isBase64Encoded: true,
		});
		const tampered = { ...event, body: event.body?.replace("Grüße", "Gruß") };
		expect(await invoke(tampered, stranger, { ...encoded, isBase64Encoded: false })).toEqual([
			refused,
			refused,
			refused,
		]);
	});

	test("tells of a body that a middleware has parsed, and responds to a GET with 405", async () => {
		const event = await toLambdaEvent(createDelivery(url), { isBase64Encoded: false });
		const get = await toLambdaEvent(new Request(url), { isBase64Encoded: false });
		expect(await invoke({ ...event, body: JSON.parse(event.body ?? "") }, get)).toMatchObject([
			{ statusCode: 500, body: "raw_body_unavailable" },
			{ statusCode: 405, headers: { Allow: "POST, PUT, PATCH, DELETE" } },
		]);
	});
});
