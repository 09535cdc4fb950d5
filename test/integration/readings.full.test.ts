import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ConnectionError, MessagingGateway } from "messaging-gateway";
import { diagnose } from "messaging-gateway/doctor";
import { createSender, memorySendStore } from "messaging-gateway/sends";
import {
	createLocalGateway,
	type LocalGateway,
	type LocalGatewayOptions,
	type Reading,
	type ReadingName,
	readings,
} from "messaging-gateway/testing";
import { gatewayHandlers } from "messaging-gateway/testing/msw";
import { listen } from "messaging-gateway/testing/node";
import { setupServer } from "msw/node";
import {
	afterAll,
	afterEach,
	beforeAll,
	beforeEach,
	describe,
	expect,
	onTestFinished,
	test,
	vi,
} from "vitest";
import { createReminders } from "../../examples/testing-with-local-gateway/reminders.ts";
import { CHOICES } from "../../src/tools/local-gateway/readings/choices-by-reading.ts";
import { losingAcknowledgements } from "../support/careful-app.ts";
import { eventually } from "../support/eventually.ts";
import { EXAMPLE_SECRET } from "../support/prove-example.ts";
import { runExample } from "../support/started-example.ts";
import { type StartedProcess, startProcess } from "../support/started-process.ts";
import { createD1InNode } from "./support/d1-in-node.ts";

const CUSTOMER = "+15551234567";
const CUT = readings.filter(({ name }) => name === "kept connections are cut");

/** These examples read the environment, which has no profile. */
const WITHOUT_PROFILE = readings.filter(({ options }) => options.profile === undefined);

beforeEach(() => {
	vi.spyOn(console, "log").mockImplementation(() => undefined);
	vi.spyOn(console, "warn").mockImplementation(() => undefined);
	vi.spyOn(console, "error").mockImplementation(() => undefined);
});

afterEach(() => {
	vi.restoreAllMocks();
	vi.unstubAllEnvs();
});

test.each(CUT)(
	"$name: reads are retried, and a send that broke is reported as unknown",
	async ({ options }) => {
		await using server = await listen({ ...options, rules: { consecutive: "off" } });
		const gateway = new MessagingGateway(server.clientOptions);
		const sent: string[] = [];
		for (const text of ["1", "2", "3", "4"]) {
			try {
				await gateway.messages.sendText({ to: CUSTOMER, text });
				sent.push(text);
			} catch (error) {
				expect(error).toBeInstanceOf(ConnectionError);
				expect(error).toMatchObject({ outcome: "unknown", attempts: 1 });
			}
		}
		expect(sent.length).toBeGreaterThan(0);
		expect(sent.length).toBeLessThan(4);
		expect(server.local.sent.map(({ text }) => text)).toEqual(sent);
		for (let call = 0; call < 4; call++) {
			expect((await gateway.mappings.get(CUSTOMER)).mapping.outbound).toBe(sent.length);
		}
	},
);

test.each(CUT)("$name: a key is sent once, and one that broke stays unresolved", async ({ options }) => {
	await using server = await listen({ ...options, rules: { consecutive: "off" } });
	const gateway = new MessagingGateway({ ...server.clientOptions, logLevel: "off" });
	const sender = createSender({ gateway, store: memorySendStore(), digestSecret: "a secret for digests" });
	const sendAll = async () => {
		const accepted: string[] = [];
		for (const text of ["1", "2", "3", "4"]) {
			const { status } = await sender.send(text, { to: CUSTOMER, text });
			if (status === "accepted") accepted.push(text);
			else expect(status).toBe("unresolved");
		}
		return accepted;
	};
	const accepted = await sendAll();
	expect(accepted.length).toBeGreaterThan(0);
	expect(accepted.length).toBeLessThan(4);
	expect(await sendAll()).toEqual(accepted);
	expect(server.local.sent.map(({ text }) => text)).toEqual(accepted);
});

test.each(CUT)("$name: doctor repeats a request that broke, and reports no problem", async ({ options }) => {
	await using server = await listen(options);
	const gateway = new MessagingGateway(server.clientOptions);
	const { isHealthy, hasTestedBodies, findings, checks } = await diagnose(gateway, { probeBody: true });
	expect(findings).toEqual([]);
	expect([isHealthy, hasTestedBodies]).toEqual([true, true]);
	expect(checks.some(({ outcome }) => outcome === "no_response")).toBe(true);
});

/** What the customer has in place of a number, in webhooks. */
const HANDLES: Readonly<Partial<Record<ReadingName, string>>> = {
	"contacts have e-mail addresses": "c15551234567@mail.example",
	"contacts have short codes": "34567",
};

describe("the example testing-with-local-gateway", () => {
	test.each(readings)(
		"$name: a reminder is sent once, and an answer counts once",
		async ({ name, options }) => {
			const local = open({ ...options, deliverTo: (request) => receive(request) });
			const app = createReminders({
				gateway: new MessagingGateway(local.clientOptions),
				keep: () => undefined,
				secret: local.webhookSecret,
				clock: local.clock,
				profile: local.clientOptions.profile,
			});
			const receive = losingAcknowledgements(app.webhooks.fetch);
			await app.remind(CUSTOMER, "Ada");
			await local.settled();
			expect(local.sent).toHaveLength(1);
			await local.contact(CUSTOMER).reply("Yes, see you then");
			await local.settled();
			expect(app.confirmed).toEqual([HANDLES[name] ?? CUSTOMER]);
		},
	);
});

describe("the example testing-with-msw", () => {
	test.each(WITHOUT_PROFILE)("$name: it is certain whether a customer was notified", async ({ options }) => {
		const local = open({ ...options, baseUrl: "https://gateway.example" });
		const server = setupServer(...gatewayHandlers(local));
		server.listen({ onUnhandledFrame: "error" });
		onTestFinished(() => server.close());
		vi.stubEnv("MESSAGING_GATEWAY_BASE_URL", local.baseUrl);
		vi.stubEnv("MESSAGING_GATEWAY_APP_ID", local.appId);
		vi.stubEnv("MESSAGING_GATEWAY_APP_SECRET", local.appSecret);
		const { notifyCustomer } = await import("../../examples/testing-with-msw/notify-customer.ts");
		expect(await notifyCustomer(CUSTOMER, "4711")).toBe("sent");
		const again = await notifyCustomer(CUSTOMER, "4711");
		expect(["sent", "unclear"]).toContain(again);
		expect(local.sent).toHaveLength(again === "sent" ? 2 : 1);
	});
});

describe("the example worker", () => {
	test.each(WITHOUT_PROFILE)(
		"$name: a question gets one reply, or is left to a person",
		async ({ name, options }) => {
			vi.resetModules(); // The example keeps the receiver that it makes for its first request.
			const { default: worker } = await import("../../examples/worker/main.ts");
			const local = open({ ...options, deliverTo: (request) => receive(request) });
			await using server = await listen(local);
			const bindings = {
				DB: createD1InNode(),
				MESSAGING_GATEWAY_BASE_URL: server.url,
				MESSAGING_GATEWAY_APP_ID: local.appId,
				MESSAGING_GATEWAY_APP_SECRET: local.appSecret,
				MESSAGING_GATEWAY_WEBHOOK_SECRET: local.webhookSecret,
			};
			const receive = losingAcknowledgements((request) => worker.fetch(request, bindings));
			for (const order of ["4711", "4712"]) {
				await local.contact(CUSTOMER).reply(`Where is order ${order}?`);
				await local.settled();
			}
			const reported = vi
				.mocked(console.error)
				.mock.calls.filter(([line]) => /gave up on the event/.test(String(line)));
			expect(local.sent).toHaveLength(2 - reported.length);
			// A reused event id is reported.
			const isTold = name === "kept connections are cut" || name === "events of a message share an id";
			if (!isTold) expect(console.error).not.toHaveBeenCalled();
		},
	);
});

describe("the example webhooks-express", () => {
	let example: StartedProcess;
	/** Where it keeps what is not as documented. */
	let folder: string;
	/** Of all tests, so that a line that is printed twice but late fails the next one. */
	let deliveryCount = 0;

	beforeAll(async () => {
		const main = fileURLToPath(new URL("../../examples/webhooks-express/main.ts", import.meta.url));
		const args = ["--conditions=@messaging-gateway/source", main];
		const environment = { MESSAGING_GATEWAY_WEBHOOK_SECRET: EXAMPLE_SECRET };
		folder = mkdtempSync(join(tmpdir(), "messaging-gateway-"));
		// What it reports under "events of a message share an id"; elsewhere its events would be missing.
		const expectedErrors = /Another event came under this event id/;
		example = await startProcess(args, { cwd: folder, environment, ready: /^listening/, expectedErrors });
	});

	afterAll(async () => {
		await example[Symbol.asyncDispose]();
		rmSync(folder, { recursive: true });
	});

	test.each(WITHOUT_PROFILE)("$name: each event is printed or kept, once", async ({ options }) => {
		const local = open({
			...options,
			webhookSecret: EXAMPLE_SECRET,
			deliverTo: `${example.url}/webhooks`,
		});
		const count = () => example.lines.length + readKept().length;
		local.faults.webhooks.repeat({ times: 2 });
		const gateway = new MessagingGateway(local.clientOptions);
		await gateway.messages.sendText({ to: CUSTOMER, text: "Hello" });
		await local.settled();
		await local.contact(CUSTOMER).reply("Hi!", { attachments: [{ url: "https://files.example/map.png" }] });
		await local.contact(CUSTOMER).react("love");
		await local.settled();
		expect(local.deliveries.every(({ state }) => state === "delivered")).toBe(true);
		// An event under the id of another one is a repeat for every receiver.
		deliveryCount += new Set(local.deliveries.map(({ headers }) => eventIdOf(headers))).size;
		await eventually(() => expect(count()).toBe(deliveryCount));
	});

	/** The id as the receiver gets it. */
	function eventIdOf(headers: Readonly<Record<string, string>>): string | undefined {
		return Object.entries(headers).find(([name]) => /-event-id$/i.test(name))?.[1];
	}

	function readKept(): string[] {
		const path = join(folder, "unknown-events.jsonl");
		return existsSync(path) ? readFileSync(path, "utf8").trimEnd().split("\n") : [];
	}
});

// Of the examples that only call, the one that makes the most kinds of calls; each run is a process.
describe("the example mappings-and-agents", () => {
	test.each(WITHOUT_PROFILE.filter(concernsCalls))("$name: runs to its end", async (reading) => {
		const rules = { duplicateWindowSeconds: { agent: 0, account: 0 } };
		await using server = await listen({ ...reading.options, rules });
		const { code, stderr } = await runExample("mappings-and-agents", server);
		const texts = server.local.sent.map(({ text }) => text);
		expect(new Set(texts).size).toBe(texts.length);
		// It stops where nothing shows whether a text was sent.
		if (CUT.includes(reading)) {
			expect(code).toBe(1);
			expect(stderr).toContain("The message may have been sent");
		} else expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
	});
});

/** A gateway that is closed with the test. */
function open(options: LocalGatewayOptions): LocalGateway {
	const local = createLocalGateway(options);
	onTestFinished(() => local.close());
	return local;
}

function concernsCalls({ name }: Reading): boolean {
	return Object.keys(CHOICES[name]).some((choice) => choice !== "webhooks" && choice !== "eventFields");
}
