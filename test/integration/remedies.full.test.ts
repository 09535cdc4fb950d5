import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import type { RequestListener } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { parseEnv } from "node:util";
import { type ClientOptions, MessagingGateway } from "messaging-gateway";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Action } from "../../src/tools/control/action.ts";
import type { FailureDiagnosis, Page, RequestView } from "../../src/tools/control/contract.ts";
import { DELIVERY_WORDS, type DeliveryFacts } from "../../src/tools/control/diagnosis/delivery-words.ts";
import { type Remedy, URL_TO_FILL_IN } from "../../src/tools/control/diagnosis/remedy.ts";
import { REQUEST_WORDS, type RequestFacts } from "../../src/tools/control/diagnosis/request-words.ts";
import type { Words } from "../../src/tools/control/diagnosis/words.ts";
import { holdClosedPort } from "../support/closed-port.ts";
import { type RunningDevServer, startDev } from "../support/dev-server.ts";
import { machineAt, runLine, startCli } from "../support/run-cli.ts";
import {
	type BreakableReceiver,
	receive as receiveEvents,
	respond,
	serveBreakable,
	serveNoHttp,
	serveUntrusted,
} from "./support/receivers.ts";

const CONTACT = "+15551234567";
const TEXT = "The same text";

let home: string;
let dev: RunningDevServer;
/** Runs beside it: a command must not reach this one, nor fail since there are two. */
let other: RunningDevServer;
let receiver: BreakableReceiver;
const closing = new Set<AsyncDisposable>();

beforeAll(async () => {
	home = mkdtempSync(join(tmpdir(), "messaging-gateway-remedies-"));
	const env = machineAt(home);
	dev = await startDev([], { env });
	other = await startDev([], { env });
	receiver = await serveBreakable();
});

beforeEach(async () => {
	await dev.act({ type: "reset" });
	await dev.act({ type: "rules", areOn: true });
	await dev.act({ type: "clear_faults" });
	writeFileSync(join(home, ".env"), "PORT=3000\n");
});

afterEach(async () => {
	for (const server of closing) await server[Symbol.asyncDispose]();
	closing.clear();
});

afterAll(async () => {
	await dev.end("SIGKILL");
	await other.end("SIGKILL");
	await receiver[Symbol.asyncDispose]();
	rmSync(home, { recursive: true });
});

/** How something fails, and what shows that it does not any more. */
interface Scene {
	readonly fail: () => Promise<unknown>;
	readonly succeed: () => Promise<unknown>;
}

function clientWith(changes: ClientOptions): MessagingGateway {
	return new MessagingGateway({ ...dev.clientOptions, maxRetries: 0, logLevel: "off", ...changes });
}

const send = (client = clientWith({})) => client.messages.sendText({ to: CONTACT, text: TEXT });
const failing = (call: PromiseLike<unknown>) => Promise.resolve(call).catch(() => undefined);

/** A fault in the next requests. */
function fault(
	choice: Extract<Action, { type: "request_fault" }>["fault"],
	changes: ClientOptions = {},
): Scene {
	return {
		async fail() {
			await dev.act({
				type: "request_fault",
				fault: choice,
				...(choice.kind === "skew" ? {} : { times: "always" }),
			});
			await failing(send(clientWith(changes)));
		},
		succeed: () => clientWith(changes).agents.list(),
	};
}

/** Reads the file of the application, as it does when it is restarted. */
function readVariable(name: string): string {
	return parseEnv(readFileSync(join(home, ".env"), "utf8"))[`MESSAGING_GATEWAY_${name}`] ?? "";
}

/** A client that has something wrong in its environment file. */
function client(wrong: () => Record<string, string>): Scene {
	const call = () =>
		clientWith({ appId: readVariable("APP_ID"), appSecret: readVariable("APP_SECRET") }).agents.list();
	return {
		async fail() {
			const variables = { ...dev.variables, ...wrong() };
			const lines = Object.entries(variables).map(([name, value]) => `${name}=${value}\n`);
			writeFileSync(join(home, ".env"), lines.join(""));
			await failing(call());
		},
		succeed: call,
	};
}

const redeliver = async () => {
	const [delivery] = await dev.deliveries();
	await dev.act({ type: "redeliver", eventId: delivery?.eventId ?? "" });
	await dev.act({ type: "settle" });
};

/** A webhook that fails until nothing tries it again by itself. */
async function receive(url: string | null): Promise<void> {
	await dev.act({ type: "destinations", inboundWebhookUrl: url });
	await dev.act({ type: "reply", from: CONTACT, text: "Hi" });
	await dev.act({ type: "settle" });
}

async function expectDelivered(): Promise<void> {
	const [delivery] = await dev.deliveries();
	expect(delivery).toMatchObject({ state: "delivered", url: `${receiver.url}/right` });
}

/** A webhook that is delivered once another URL is registered. */
const at = (url: () => string | null | Promise<string | null>): Scene => ({
	fail: async () => receive(await url()),
	succeed: expectDelivered,
});

/** A receiver that has another secret in its environment file. */
const receiverWith = (receiving: RequestListener): Scene => ({
	async fail() {
		writeFileSync(join(home, ".env"), "MESSAGING_GATEWAY_WEBHOOK_SECRET=another-secret-4711\n");
		receiver.listener = receiving;
		await receive(`${receiver.url}/webhooks`);
	},
	async succeed() {
		await redeliver();
		expect(await dev.deliveries()).toMatchObject([{ state: "delivered" }]);
	},
});

const respondWithout =
	(status: number, body?: string): RequestListener =>
	(request, response) => {
		const isRight = readVariable("WEBHOOK_SECRET") === dev.webhookSecret;
		respond(isRight ? 200 : status, {}, isRight ? "" : body)(request, response);
	};

const SCENES: Readonly<Record<string, Scene>> = {
	response_by_fault: fault({ kind: "respond", status: 503 }),
	connection_broken_by_fault: fault({ kind: "drop", when: "before" }),
	response_corrupted_by_fault: fault({ kind: "corrupt", as: "html" }),
	clock_differs: fault({ kind: "skew", ms: 600_000 }, { correctClockSkew: false }),
	signed_with_webhook_secret: client(() => ({ MESSAGING_GATEWAY_APP_SECRET: dev.webhookSecret })),
	other_app_secret: client(() => ({ MESSAGING_GATEWAY_APP_SECRET: "a-secret-of-another-gateway" })),
	other_app_id: client(() => ({ MESSAGING_GATEWAY_APP_ID: "nobody" })),
	duplicate: {
		async fail() {
			await send();
			await failing(send());
		},
		succeed: () => send(),
	},
	too_many_unanswered: {
		async fail() {
			for (let count = 0; count <= 5; count++)
				await failing(clientWith({}).messages.sendText({ to: CONTACT, text: `Text ${count}` }));
		},
		succeed: () => send(),
	},
	no_webhook_url: at(() => null),
	nobody_listens: at(async () => {
		const closed = await holdClosedPort();
		closing.add(closed);
		return `${closed.url}/webhooks`;
	}),
	unknown_host: at(() => "https://receiver.invalid/webhooks"),
	https_expected_http: at(() => `${receiver.url.replace("http:", "https:")}/right`),
	certificate_rejected: at(async () => {
		const server = await serveUntrusted(respond(200));
		closing.add(server);
		return `${server.url}/webhooks`;
	}),
	port_blocked: at(() => "http://127.0.0.1:1/webhooks"),
	unreachable: at(async () => {
		const server = await serveNoHttp();
		closing.add(server);
		return `${server.url}/webhooks`;
	}),
	path_not_found: at(() => `${receiver.url}/wrong`),
	redirected: at(() => `${receiver.url}/moved`),
	page_responded: at(() => {
		receiver.listener = respond(200, { "Content-Type": "text/html" }, "<!doctype html><title>Home</title>");
		return `${receiver.url}/webhooks`;
	}),
	signature_rejected: receiverWith((request, response) =>
		receiveEvents(readVariable("WEBHOOK_SECRET"))(request, response),
	),
	unauthorized: receiverWith(respondWithout(401)),
	event_not_accepted: receiverWith(respondWithout(400)),
	receiver_misconfigured: receiverWith(respondWithout(500, "configuration")),
};

/** The diagnosis of what failed for a cause. */
async function diagnose(cause: string): Promise<FailureDiagnosis> {
	const { items }: Page<RequestView> = await (await dev.control("requests?failed=true")).json();
	const failed = [...items, ...(await dev.deliveries())].map(({ diagnosis }) => diagnosis);
	const found = failed.find((diagnosis) => diagnosis?.cause === cause);
	if (found !== undefined) return found;
	throw new Error(`nothing failed for this cause, but for ${failed.map((one) => one?.cause).join(", ")}`);
}

/** The ways to do what a remedy offers: as a command, and with a button. */
function waysOf({ label, command, asksFor, actions, copies }: Remedy): readonly (() => Promise<unknown>)[] {
	const url = `${receiver.url}/right`;
	const steps: readonly Action[] = [
		...(asksFor === undefined ? [] : [{ type: "destinations", [asksFor]: url } as const]),
		...(actions ?? []),
	];
	const run = async (): Promise<void> => {
		const line = command?.replace(` ${URL_TO_FILL_IN} `, ` ${url} `) ?? "";
		expect(line.split(" && ").every((part) => part.startsWith("npx messaging-gateway "))).toBe(true);
		expect(await runLine(line, home), `${label}: ${line}`).toMatchObject({ code: 0 });
	};
	const press = async (): Promise<void> => {
		for (const step of steps) await dev.act(step);
		await dev.act({ type: "settle" });
	};
	return [...(command === undefined ? [] : [run]), ...(copies === undefined ? [press] : [])];
}

describe.skipIf(process.platform === "win32").each(Object.entries(SCENES))(
	"%s",
	(cause, { fail, succeed }) => {
		test("each of its remedies runs, and ends it", async () => {
			for (let number = 0, count = 1; number < count; number++) {
				for (let way = 0, ways = 1; way < ways; way++) {
					await dev.act({ type: "reset" });
					await dev.act({ type: "rules", areOn: true });
					await fail();
					const { remedies } = await diagnose(cause);
					count = remedies.length;
					const remedy = remedies[number];
					const all = remedy === undefined ? [] : waysOf(remedy);
					ways = all.length;
					await all[way]?.();
					await succeed();
				}
			}
		});
	},
);

const DELIVERY: DeliveryFacts = {
	delivery: { kind: "status", url: "https://localhost/webhooks", eventId: "evt_1", statusCallback: null },
	attempt: {
		headers: {},
		recorded: { at: 0, timestamp: 0, status: 302 },
		response: { headers: { location: "/elsewhere" }, body: "" },
	},
	webhookSecret: "",
	baseUrl: "http://localhost:8080",
};

const REQUEST: RequestFacts = {
	request: Object.assign(Object.create(null), { method: "POST", path: "/message/text", status: 409 }),
	message: "",
	words: "",
	details: { windows: { contact: 9, account: 9 } },
	fields: [],
	baseUrl: DELIVERY.baseUrl,
	appId: "",
	conversation: { contacts: [CONTACT], groupId: null },
	doesReplyClearAll: false,
	offlineAgent: undefined,
};

test("every cause that has a remedy is one of the scenes", () => {
	const words: readonly (readonly [cause: string, words: Words])[] = [
		...Object.entries(DELIVERY_WORDS).map(([cause, write]) => [cause, write(DELIVERY)] as const),
		...Object.entries(REQUEST_WORDS).map(([cause, write]) => [cause, write(REQUEST)] as const),
	];
	const fixed = words.filter(([, { remedies = [] }]) => remedies.length > 0);
	expect(Object.keys(SCENES).sort()).toEqual(fixed.map(([cause]) => cause).sort());
});

test.skipIf(process.platform === "win32")("what dev offers when it starts runs, too", async () => {
	const child = startCli(["dev", "--port", "0"], { env: machineAt(home) });
	let output = "";
	for await (const chunk of child.stdout) {
		output += chunk;
		if (output.includes("give --state")) break;
	}
	const lines = output.match(/npx messaging-gateway .*/g) ?? [];
	expect(lines).toHaveLength(1);
	for (const line of lines) expect(await runLine(line, home)).toMatchObject({ code: 0 });
	const closed = once(child, "close");
	child.kill("SIGKILL");
	await closed;
	expect(output).toContain(readVariable("BASE_URL"));
});
