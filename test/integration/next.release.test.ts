import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { createWebhookRequest } from "messaging-gateway/testing";
import { listen } from "messaging-gateway/testing/node";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readModules } from "../support/documented-modules.ts";
import { eventually } from "../support/eventually.ts";
import { EXAMPLE_SECRET, proveExample } from "../support/prove-example.ts";
import { share } from "../support/shared/shared.ts";
import { buildNextProject, type NextProject, readNextBlocks } from "./support/next-project.ts";
import { testReceiver } from "./support/receiver-suite.ts";

const FORM = `
"use client";
import { useActionState } from "react";
import { send } from "../actions";
export function Form() {
	const [state, action, isPending] = useActionState(send, undefined);
	return (
		<form action={action}>
			<button disabled={isPending}>Send</button>
			<output>{state?.outcome} {state?.code}</output>
		</form>
	);
}`;

let project: NextProject;
/** Stands for the servers of the stores while the project is built. */
const idle = createServer((socket) => socket.destroy());
let connections = 0;

/** The routes of the guide. */
const ROUTES = readNextBlocks("Webhooks in Next.js", "The Pages Router");

const POSTGRESQL = readFileSync("examples/modules/frameworks/next-postgresql.ts", "utf8");

/** The same with Redis, as the guide says. */
const REDIS = `import { fromNodeRedis, redisStore } from "messaging-gateway/stores/redis";
import { createWebhookHandler } from "messaging-gateway/webhooks";
import { createClient } from "redis";

const client = createClient({ url: process.env.REDIS_URL, disableOfflineQueue: true });
client.on("error", (error) => console.error(error.message));

const webhooks = createWebhookHandler({
	store: redisStore(fromNodeRedis(client)),
	on: {
		inbound_message: ({ data }) => console.log(\`a text of \${data.text.length} characters\`),
		unknown: ({ eventId }, { readBody }) => client.hSet("unknown-events", eventId, readBody()),
	},
	onError: (_, { line, thrown }) => console.error(line, ...thrown),
});

export const POST = webhooks.fetch;
`;

beforeAll(async () => {
	idle.on("connection", () => connections++).listen(0, "127.0.0.1");
	await once(idle, "listening");
	const host = `127.0.0.1:${(idle.address() as AddressInfo).port}`;
	const files = {
		...ROUTES,
		"app/postgresql/route.ts": POSTGRESQL,
		"app/redis/route.ts": REDIS,
		"app/actions.ts": readModules()["server-actions"] ?? "",
		"app/send/form.tsx": FORM,
		"app/send/page.tsx":
			'import { Form } from "./form";\nexport default function Page() { return <Form />; }',
	};
	project = await buildNextProject(files, {
		DATABASE_URL: `postgres://user@${host}/events`,
		REDIS_URL: `redis://${host}`,
	});
});

afterAll(() => {
	project?.remove();
	idle.close();
});

test("a build of routes with a store reaches no server", () => {
	expect(project.built).toContain("ƒ /postgresql");
	expect(project.built).toContain("ƒ /redis");
	expect(connections).toBe(0);
});

test("the routes with a store connect, and create what they need, at the first delivery", async () => {
	const secret = "guide-webhook-secret";
	const [postgres, redis] = await Promise.all([share("postgres"), share("redis")]);
	const environment = {
		MESSAGING_GATEWAY_WEBHOOK_SECRET: secret,
		DATABASE_URL: postgres.url,
		REDIS_URL: redis.url,
	};
	await using app = await project.start(environment);
	for (const name of ["postgresql", "redis"]) {
		const deliver = async (eventId: string, text: unknown) => {
			const options = { url: `${app.url}/${name}`, secret, eventId: `${name}_${eventId}` };
			return (await fetch(createWebhookRequest("inbound_message", { text }, options))).status;
		};
		expect(await deliver("known", "Grüße")).toBe(200);
		expect(await deliver("known", "Grüße")).toBe(200);
		expect(await deliver("unknown", 1)).toBe(200);
	}
	const printed = () => app.lines.filter((line) => line === "a text of 5 characters");
	await eventually(() => expect(printed()).toHaveLength(2));
});

test("a build without a secret in the environment knows the routes of both routers", () => {
	expect(project.built).toContain("ƒ /example/webhooks");
	expect(project.built).toContain("ƒ /api/observed");
});

test("a client component with types alone loads no code of the package", () => {
	// The brand of its errors, which every entry of the package brings.
	const mark = "~brand";
	expect(project.readScripts("with-code")).toContain(mark);
	expect(project.readScripts("types-only")).toContain("The message is");
	expect(project.readScripts("types-only")).not.toContain(mark);
});

test("the example prints each event of a local gateway once", async () => {
	await using example = await project.start({ MESSAGING_GATEWAY_WEBHOOK_SECRET: EXAMPLE_SECRET });
	await proveExample({ ...example, url: `${example.url}/example` });
});

testReceiver("the App Router of Next.js", {
	hint: "pass the raw bytes",
	async start(environment) {
		const server = await project.start(environment);
		return { ...server, url: `${server.url}/observed`, mistakenUrl: `${server.url}/mistaken` };
	},
});

testReceiver("the Pages Router of Next.js", {
	hint: "bodyParser: false",
	drains: true,
	async start(environment) {
		const server = await project.start(environment);
		return { ...server, url: `${server.url}/api/observed`, mistakenUrl: `${server.url}/api/mistaken` };
	},
});

/** Submits the page's form as a browser without scripts does. @returns what the form then shows. */
async function submit(url: string, fields: Record<string, string>): Promise<string | undefined> {
	const page = await (await fetch(url)).text();
	const form = new FormData();
	for (const [, name = "", value = ""] of page.matchAll(
		/type="hidden" name="([^"]*)"(?: value="([^"]*)")?/g,
	)) {
		form.append(name, value.replaceAll("&quot;", '"'));
	}
	for (const [name, value] of Object.entries(fields)) form.append(name, value);
	const html = await (
		await fetch(url, { method: "POST", body: form, headers: { Origin: new URL(url).origin } })
	).text();
	return /<output>(.*?)<\/output>/.exec(html)?.[1]?.replaceAll("<!-- -->", "").trim();
}

/** Calls the action as the scripts of React do. @returns what they are handed. */
async function call(url: string, fields: Record<string, string>): Promise<string> {
	const page = (await (await fetch(url)).text()).replaceAll("&quot;", '"');
	const [, id = ""] = /"id":"(\w+)"/.exec(page) ?? [];
	const form = new FormData();
	for (const [name, value] of Object.entries(fields)) form.append(`1_${name}`, value);
	form.append("0", '["$undefined","$K1"]');
	const headers = { "Next-Action": id, Accept: "text/x-component", Origin: new URL(url).origin };
	return (await fetch(url, { method: "POST", body: form, headers })).text();
}

test("a form of Next.js sends once, and shows what went wrong", async () => {
	await using server = await listen();
	const { baseUrl, appId, appSecret } = server.clientOptions;
	await using app = await project.start({
		MESSAGING_GATEWAY_BASE_URL: baseUrl,
		MESSAGING_GATEWAY_APP_ID: appId,
		MESSAGING_GATEWAY_APP_SECRET: appSecret,
	});
	const url = `${app.url}/send`;
	const message = { customer: "1", text: "Your order 1042 is on its way." };
	expect(await submit(url, message)).toBe("sent");
	expect(await submit(url, message)).toBe("rejected duplicate_message");
	expect(server.local.sent).toHaveLength(1);
	expect(await submit(url, { ...message, customer: "Alice" })).toBe("not_sent invalid_input");
	expect(await call(url, { ...message, customer: "Alice" })).toContain(
		'{"outcome":"not_sent","code":"invalid_input"}',
	);
	server.local.faults.dropConnection({ when: "after" });
	expect(await submit(url, { ...message, text: "Your order 1043 is on its way." })).toBe(
		"unknown connection_failed",
	);
});

test("the routes of the guide work unchanged", async () => {
	const secret = "guide-webhook-secret";
	// They report the delivery that they reject.
	const expectedErrors = /no signature matches the raw body/;
	await using app = await project.start({ MESSAGING_GATEWAY_WEBHOOK_SECRET: secret }, expectedErrors);
	const paths = Object.keys(ROUTES).map((path) => {
		return path.replace(/^(app|pages)/, "").replace(/(\/route)?\.ts$/, "");
	});
	expect(paths).toEqual(["/webhooks", "/api/webhooks"]);
	for (const path of paths) {
		const deliver = async (eventId: string, signedWith: string): Promise<[number, string]> => {
			const options = { url: app.url + path, secret: signedWith, eventId };
			const response = await fetch(createWebhookRequest("inbound_message", { text: "Grüße" }, options));
			return [response.status, await response.text()];
		};
		expect(await deliver("evt_1", secret)).toEqual([200, ""]);
		expect(await deliver("evt_1", secret)).toEqual([200, ""]);
		expect(await deliver("evt_2", "another-secret")).toEqual([401, "signature_mismatch"]);
	}
	// Each route prints the event once.
	const printed = () => app.lines.filter((line) => line === "a text of 5 characters");
	await eventually(() => expect(printed()).toHaveLength(paths.length));
});

test("the client is in the code for the server, and not in the code for browsers", () => {
	/** The built files that sign requests. */
	const findSigning = (folder: string): string[] => {
		const path = join(project.folder, ".next", folder);
		const files = readdirSync(path, { recursive: true, encoding: "utf8" }).filter((name) =>
			name.endsWith(".js"),
		);
		return files.filter((name) => readFileSync(join(path, name), "utf8").includes("X-Nonce"));
	};
	expect(findSigning("server")).not.toEqual([]);
	expect(findSigning("static")).toEqual([]);
});
