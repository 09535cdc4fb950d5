/** A file of tests in a process of its own: `test-file.ts KIND`. It sends the time that a test took, in nanoseconds. */
import { MessagingGateway } from "messaging-gateway";
import { createLocalGateway } from "messaging-gateway/testing";
import {
	createWebhookHandler,
	memoryStore,
	signWebhook,
	type WebhookHandler,
} from "messaging-gateway/webhooks";
import { HttpResponse, http } from "msw";
import { setupServer } from "msw/node";
import { prove, type Role } from "../cases.ts";
import { TESTS } from "../settings.ts";

const SECRET = "local-webhook-secret";
const TEXT = { to: "+15551234567", text: "Your table is booked." } as const;
const BASE_URL = "http://gateway.example";
const CREDENTIALS = { baseUrl: BASE_URL, appId: "app-1", appSecret: "secret-1" } as const;

/** What the gateway would answer to the text, with the status webhook that follows it. */
interface Recorded {
	readonly response: string;
	readonly status: string;
}

/** What stands in for the gateway in tests. */
interface Kind {
	readonly role: Role;
	/** Prepares a file. @returns runs a test: sends a text, and waits for the last status. */
	open(recorded: Recorded): () => Promise<void>;
}

export const KINDS: Readonly<Record<string, Kind>> = {
	createLocalGateway: {
		role: "ours",
		open: () => async () => {
			const app = createApp();
			const local = createLocalGateway({ deliverTo: (request) => app.webhooks.fetch(request) });
			await new MessagingGateway(local.clientOptions).messages.sendText(TEXT);
			await local.settled();
			app.expectRead();
			await local.close();
		},
	},
	MSW: {
		role: "peer",
		open(recorded) {
			const server = setupServer();
			server.listen();
			return async () => {
				const app = createApp();
				const { promise: delivered, resolve } = Promise.withResolvers<Response>();
				server.use(
					http.post(`${BASE_URL}/message/text`, () => {
						setImmediate(() => resolve(app.webhooks.fetch(createDelivery(recorded.status))));
						return new HttpResponse(recorded.response, { headers: { "Content-Type": "application/json" } });
					}),
				);
				await new MessagingGateway(CREDENTIALS).messages.sendText(TEXT);
				await delivered;
				app.expectRead();
				server.resetHandlers();
			};
		},
	},
	"a fetch by hand": {
		role: "floor",
		open: (recorded) => async () => {
			const app = createApp();
			const fetch = async () =>
				new Response(recorded.response, { headers: { "Content-Type": "application/json" } });
			await new MessagingGateway({ ...CREDENTIALS, fetch }).messages.sendText(TEXT);
			await app.webhooks.fetch(createDelivery(recorded.status));
			app.expectRead();
		},
	},
};

/** The application under test: it collects statuses. */
function createApp(): { readonly webhooks: WebhookHandler; expectRead(): void } {
	const statuses: unknown[] = [];
	const webhooks = createWebhookHandler({
		secret: SECRET,
		store: memoryStore(),
		on: { status: ({ data }) => void statuses.push(data.status), unknown: () => undefined },
	});
	return { webhooks, expectRead: () => prove(statuses.at(-1) === "read", "the message was read") };
}

function createDelivery(body: string): Request {
	const headers = signWebhook({ body, secret: SECRET });
	return new Request("http://app.example/webhooks", { method: "POST", headers, body });
}

async function record(): Promise<Recorded> {
	let status = "";
	const local = createLocalGateway({
		async deliverTo(request) {
			status = await request.text();
			return new Response(null, { status: 204 });
		},
	});
	let response = "";
	const gateway = new MessagingGateway({
		...local.clientOptions,
		async fetch(url, init) {
			const answer = await local.clientOptions.fetch(url, init);
			response = await answer.clone().text();
			return answer;
		},
	});
	await gateway.messages.sendText(TEXT);
	await local.settled();
	await local.close();
	return { response, status };
}

if (import.meta.main) {
	const recorded = await record();
	const start = performance.now();
	const runTest = KINDS[process.argv[2] ?? ""]?.open(recorded);
	for (let at = 0; at < TESTS.perFile; at++) await runTest?.();
	const ns = ((performance.now() - start) * 1e6) / TESTS.perFile;
	process.send?.(ns, () => process.exit());
}
