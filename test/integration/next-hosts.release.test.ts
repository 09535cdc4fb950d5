import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { createWebhookRequest } from "messaging-gateway/testing";
import { type ListeningGateway, listen } from "messaging-gateway/testing/node";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Cells } from "../hosts/actions.ts";
import { toGateway } from "../hosts/define-gateway.ts";
import { filesOfHosts, NEXT_HOSTS, type NextHost } from "../hosts/next.ts";
import { testHosts } from "../hosts/test-hosts.ts";
import { catchError } from "../support/catch-error.ts";
import { NEXT_ERRORS } from "../support/next-errors.ts";
import { buildNextApp, type NextProject, readNextBlocks } from "./support/next-project.ts";

const CLIENT = `
import { MessagingGateway } from "messaging-gateway";
import { signedKy } from "messaging-gateway/ky";
export const gateway = new MessagingGateway();
export const api = signedKy();`;

/** A page that shows what an expression resolves to. */
const writePage = (expression: string, before = "") => `
import { api, gateway } from "../../client";
${before}
export default async function Page() {
	const shown = await ${expression};
	return <pre>{JSON.stringify(shown)}{String(api === gateway as never)}</pre>;
}`;

const READ = "gateway.queue.getStatus()";
const SEND = 'gateway.messages.sendText({ to: "+15551234567", text: "Hello" })';

/** Server Components with default settings: each must be rendered for each request. */
const PAGES = {
	"client.ts": CLIENT,
	"app/uncaught/page.tsx": writePage(READ),
	"app/caught/page.tsx": writePage(`${READ}.catch(() => "unavailable")`),
	"app/sends/page.tsx": writePage(SEND),
	"app/through-ky/page.tsx": writePage('api.get("queue/status").json()'),
};

/** What the guide says of `"use cache"`. */
const CACHED = `
import { MessagingGateway } from "messaging-gateway";
import { cacheLife } from "next/cache";
const gateway = new MessagingGateway();
async function readStatus() {
	"use cache";
	cacheLife("minutes");
	return await gateway.queue.getStatus();
}
export default async function Page() {
	return <pre>{JSON.stringify(await readStatus())}</pre>;
}`;

const WEBHOOKS = `
import { createWebhookHandler, memoryStore } from "messaging-gateway/webhooks";
export const runtime = "edge";
const webhooks = createWebhookHandler({ store: memoryStore(), on: { inbound_message: () => undefined, unknown: () => undefined } });
export const POST = webhooks.fetch;`;

/** Next.js compiles it apart: a second copy of the package. */
const INSTRUMENTATION = `
export async function register() {
	if (process.env.NEXT_RUNTIME !== "nodejs") return;
	const { MessagingGateway } = await import("messaging-gateway");
	Object.assign(globalThis, { theirs: { gateway: new MessagingGateway(), MessagingGateway } });
}`;

const COPIES = `
import { MessagingGateway, NotFoundError } from "messaging-gateway";
import { createSender, memorySendStore } from "messaging-gateway/sends";
export const dynamic = "force-dynamic";
export async function GET(): Promise<Response> {
	const { theirs } = globalThis as unknown as { theirs: { gateway: MessagingGateway; MessagingGateway: unknown } };
	const { gateway } = theirs;
	const error: unknown = await gateway.request("GET", "/nothing").catch((reason: unknown) => reason);
	const sender = createSender({ gateway, store: memorySendStore(), digestSecret: "a secret for digests" });
	const { status } = await sender.send("order-1", { to: "+15551234567", text: "Hello" });
	const isCopy = theirs.MessagingGateway !== MessagingGateway;
	return Response.json({ isCopy, isInstance: error instanceof NotFoundError, status });
}`;

/** The files of Next.js that define such errors. */
const SOURCES = [
	"client/components/hooks-server-context",
	"client/components/http-access-fallback/http-access-fallback",
	"client/components/redirect-error",
	"client/components/static-generation-bailout",
	"server/app-render/dynamic-rendering",
	"server/dynamic-rendering-utils",
	"shared/lib/lazy-dynamic/bailout-to-csr",
];
/** The digest of a hook's error, which neither `fetch` nor a function of the server throws. */
const OF_CLIENT_COMPONENTS = "CLIENT_HOOK_DYNAMIC";
/** Those that both releases rethrow, as they are written. */
const DIGESTS = [
	"BAILOUT_TO_CLIENT_SIDE_RENDERING",
	"DYNAMIC_SERVER_USAGE",
	"HANGING_PROMISE_REJECTION",
	"NEXT_HTTP_ERROR_FALLBACK;404",
	"NEXT_REDIRECT;replace;/login;307;",
];

const WEBHOOK_SECRET = "guide-webhook-secret";

let gateway: ListeningGateway;
let environment: Record<string, string>;
const apps = new Map<NextHost["release"], Promise<NextProject>>();

beforeAll(async () => {
	gateway = await listen({ rules: "off" });
	const { baseUrl, appId, appSecret } = gateway.clientOptions;
	environment = {
		MESSAGING_GATEWAY_BASE_URL: baseUrl,
		MESSAGING_GATEWAY_APP_ID: appId,
		MESSAGING_GATEWAY_APP_SECRET: appSecret,
		MESSAGING_GATEWAY_WEBHOOK_SECRET: WEBHOOK_SECRET,
	};
});

afterAll(async () => {
	for (const app of apps.values()) (await app).remove();
	await gateway?.close();
});

/** The app of a release, built once. */
function buildApp(release: NextHost["release"]): Promise<NextProject> {
	const files = {
		...PAGES,
		...readNextBlocks("Call the gateway from Next.js"),
		...filesOfHosts(release),
		"app/webhooks/route.ts": WEBHOOKS,
		"instrumentation.ts": INSTRUMENTATION,
		"app/copies/route.ts": COPIES,
	};
	const app = apps.get(release) ?? buildNextApp(files, { release, variables: environment });
	apps.set(release, app);
	return app;
}

describe.each([15, 16] as const)("Next.js %i", (release) => {
	let app: NextProject;

	beforeAll(async () => {
		app = await buildApp(release);
	});

	test("renders pages that call the gateway for each request, and calls nothing while it builds", () => {
		for (const page of ["queue", "uncaught", "caught", "sends", "through-ky"])
			expect(app.built).toMatch(new RegExp(`ƒ /${page}\\b`));
		expect(gateway.local.requests).toEqual([]);
	});

	test("runs all of it", async () => {
		await using server = await app.start(environment);
		const queue = await (await fetch(`${server.url}/queue`)).text();
		expect(queue).toContain("pending");
		const copies = await (await fetch(`${server.url}/copies`)).json();
		expect(copies).toEqual({ isCopy: true, isInstance: true, status: "accepted" });
		const url = `${server.url}/webhooks`;
		const request = createWebhookRequest(
			"inbound_message",
			{ text: "Grüße" },
			{ url, secret: WEBHOOK_SECRET },
		);
		expect((await fetch(request)).status).toBe(200);
		gateway.local.reset();
	});

	test("throws on purpose what passes through the client, and nothing else", () => {
		const next = `${app.folder}/node_modules/next/dist`;
		const names = SOURCES.flatMap((path) => {
			const source = readFileSync(`${next}/${path}.js`, "utf8");
			return Array.from(source.matchAll(/^const \w+ = '([A-Z]+(?:_[A-Z]+)+)';$/gm), ([, name]) => name);
		});
		expect(names.filter((name) => name !== OF_CLIENT_COMPONENTS).sort()).toEqual(NEXT_ERRORS);
		const { unstable_rethrow: rethrow } = createRequire(next)(
			`${next}/client/components/unstable-rethrow.js`,
		);
		for (const digest of DIGESTS) {
			const error = Object.assign(new Error("the reason"), { digest });
			expect(catchError(() => rethrow(error))).toBe(error);
		}
	});
});

test("a build of the guide's page needs no credentials", async () => {
	const app = await buildNextApp(readNextBlocks("Call the gateway from Next.js"));
	app.remove();
	expect(app.built).toContain("ƒ /queue");
});

describe("Next.js 16 with cacheComponents", () => {
	const config = { cacheComponents: true, partialPrefetching: true };

	test("builds the guide's page, and one that is cached as the guide says", async () => {
		const files = { ...readNextBlocks("Call the gateway from Next.js"), "app/cached/page.tsx": CACHED };
		const app = await buildNextApp(files, { config, variables: environment });
		app.remove();
		expect(app.built).toContain("◐ /queue");
		expect(app.built).toContain("○ /cached");
	});
});

async function runHost(name: NextHost["name"]): Promise<Cells> {
	const host = NEXT_HOSTS.find((each) => each.name === name);
	if (host === undefined) throw new Error(`no host is ${name}`);
	const { release, path } = host;
	const app = await buildApp(release);
	await using server = await app.start(environment);
	const body = JSON.stringify(toGateway(gateway));
	const response = await fetch(server.url + path, { method: "POST", body });
	return (await response.json()) as Cells;
}

testHosts("next-hosts.release", {
	"Route of Next.js": () => runHost("Route of Next.js"),
	"Edge route of Next.js": () => runHost("Edge route of Next.js"),
	"`middleware.ts` of Next.js": () => runHost("`middleware.ts` of Next.js"),
});
