import { mkdtempSync, rmSync } from "node:fs";
import type { RequestListener } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import express from "express";
import { MessagingGateway } from "messaging-gateway";
import { verifyWebhook } from "messaging-gateway/webhooks";
import type { Browser, Page as BrowserPage, Locator } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { FailureDiagnosis, Page, RequestView } from "../../src/tools/control/contract.ts";
import { openBrowserWithClipboard, openPage, type WatchedPage } from "../support/browser.ts";
import { type ClosedPort, holdClosedPort } from "../support/closed-port.ts";
import { type RunningDevServer, startDevForPeople } from "../support/dev-server.ts";
import { eventually } from "../support/eventually.ts";
import { type RunningMcp, startMcp } from "../support/mcp-client.ts";
import { machineAt } from "../support/run-cli.ts";
import { type BreakableReceiver, receive, respond, serveBreakable } from "./support/receivers.ts";

const CONTACT = "+15551234567";

let home: string;
let dev: RunningDevServer & { readonly lines: readonly string[] };
let mcp: RunningMcp;
let receiver: BreakableReceiver;
let closed: ClosedPort;
let browser: Browser;
let watched: WatchedPage;

beforeAll(async () => {
	home = mkdtempSync(join(tmpdir(), "messaging-gateway-failures-"));
	dev = await startDevForPeople([], { env: machineAt(home) });
	mcp = await startMcp(machineAt(home));
	receiver = await serveBreakable();
	closed = await holdClosedPort();
	browser = await openBrowserWithClipboard();
});

/** A conversation that works, and is in view. */
beforeEach(async () => {
	await dev.act({ type: "reset" });
	await register(`${receiver.url}/right`);
	await write();
	await dev.act({ type: "settle" });
	watched = await openPage(browser, `${dev.consoleUrl}&conversation=${encodeURIComponent(CONTACT)}`);
	await watched.page.getByRole("button", { name: "inbound_message 200" }).waitFor();
});

afterEach(async () => {
	await watched.page.context().close();
	expect(watched.problems).toEqual([]);
});

afterAll(async () => {
	await browser.close();
	await mcp[Symbol.asyncDispose]();
	await dev.end("SIGKILL");
	await receiver[Symbol.asyncDispose]();
	await closed[Symbol.asyncDispose]();
	rmSync(home, { recursive: true });
});

const write = () => dev.act({ type: "reply", from: CONTACT, text: "Hi" });

async function register(url: string | null): Promise<void> {
	await dev.act({ type: "destinations", inboundWebhookUrl: url, statusWebhookUrl: url });
}

/** A contact writes while something is wrong with the receiver's code. */
const receivedBy = (listener: () => RequestListener) => async (): Promise<void> => {
	receiver.listener = listener();
	await register(`${receiver.url}/webhooks`);
	await write();
};

/** A contact writes while the URL is wrong. */
const deliveredTo = (url: () => string | null) => async (): Promise<void> => {
	await register(url());
	await write();
};

/** What is said of a failure, with {time} in the place of a time: each attempt has its own. */
type Said = Pick<FailureDiagnosis, "reason" | "fix">;

const TIME = /\d{4}-\d\d-\d\dT[\d:.]+Z/g;

const withoutTime = (words: string): string => words.replace(TIME, "{time}");

const toPattern = (words: string): string =>
	words
		.split("{time}")
		.map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"))
		.join(TIME.source);

/** A person at the page, whose clicks are counted. */
class Person {
	clicks = 0;
	readonly page: BrowserPage;

	constructor(page: BrowserPage) {
		this.page = page;
	}

	async click(target: Locator): Promise<void> {
		await target.click();
		this.clicks++;
	}

	async press(name: string): Promise<void> {
		await this.click(this.page.getByRole("button", { name, exact: true }));
	}

	/** Opens what failed in the drawer. */
	openRow({ reason }: Said): Promise<void> {
		return this.click(this.page.getByRole("button").filter({ hasText: new RegExp(toPattern(reason)) }));
	}

	/** Enters where the application listens. */
	async enter(url: string): Promise<void> {
		await this.page.getByLabel("URL of your webhook handler").fill(url);
		await this.press("Save and try");
	}

	/** Presses a button that copies. */
	async copy(name: string): Promise<string> {
		await this.page.evaluate(() => navigator.clipboard.writeText("nothing"));
		await this.press(name);
		return eventually(async () => {
			const copied = await this.page.evaluate(() => navigator.clipboard.readText());
			expect(copied).not.toBe("nothing");
			return copied;
		});
	}
}

/** The diagnosis of what failed for a cause. */
async function diagnose(cause: string): Promise<FailureDiagnosis> {
	const { items }: Page<RequestView> = await (await dev.control("requests?failed=true")).json();
	return eventually(async () => {
		const failed = [...items, ...(await dev.deliveries())].map(({ diagnosis }) => diagnosis);
		const found = failed.find((diagnosis) => diagnosis?.cause === cause);
		if (found === undefined) throw new Error(`nothing failed for ${cause}`);
		return found;
	});
}

async function expectDelivered(): Promise<void> {
	await expect.poll(async () => (await dev.deliveries()).at(-1)?.state).toBe("delivered");
}

/** How something fails, and how it is fixed. */
interface Failure {
	readonly cause: FailureDiagnosis["cause"];
	readonly fail: () => Promise<unknown>;
	/** {url} is the receiver's address, {closed} one where nobody listens, {end} that of the webhook secret. */
	readonly sentence: string;
	/** What a person does from the page with the sentence on. */
	readonly fix: (person: Person, said: Said) => Promise<unknown>;
	/** How many clicks that takes. */
	readonly clicks: number;
}

/** Only a change of code fixes it: the words are copied, for whoever does it. */
const CHANGE_OF_CODE: Pick<Failure, "fix" | "clicks"> = {
	async fix(person, said) {
		await person.openRow(said);
		const copied = await person.copy("Copy the reason and the fix");
		expect(withoutTime(copied)).toBe(`${said.reason} ${said.fix}`);
		receiver.listener = receive(dev.webhookSecret);
		await dev.act({ type: "settle" });
		await expectDelivered();
	},
	clicks: 2,
};

/** The URL is wrong: another one is entered. */
const ANOTHER_URL: Pick<Failure, "fix" | "clicks"> = {
	async fix(person, said) {
		await person.openRow(said);
		await person.enter(`${receiver.url}/right`);
		await expectDelivered();
	},
	clicks: 2,
};

const FAILURES: Readonly<Record<string, Failure>> = {
	"another webhook secret": {
		cause: "signature_rejected",
		fail: receivedBy(() => receive("another-secret-4711")),
		sentence:
			"The gateway signed with the webhook secret ending …{end}; the receiver rejected the signature: it verified JSON that it wrote again instead of the raw bytes, or it has another secret.",
		async fix(person, said) {
			await person.openRow(said);
			receiver.listener = receive(await person.copy("Copy the webhook secret"));
			await dev.act({ type: "settle" });
			await expectDelivered();
		},
		clicks: 2,
	},
	"a body that is parsed before it is verified": {
		cause: "body_already_parsed",
		fail: receivedBy(() => {
			const handler = receive(dev.webhookSecret);
			return express().use(express.json(), (request, response) => void handler(request, response));
		}),
		sentence: "The receiver parsed or read the body before it verified it, so the signed bytes are gone.",
		...CHANGE_OF_CODE,
	},
	"a receiver that verifies JSON.stringify of the body": {
		cause: "unauthorized",
		fail: receivedBy(() =>
			express().use(express.json(), ({ body, headers }, response) => {
				try {
					verifyWebhook({ body: JSON.stringify(body), headers }, { secret: dev.webhookSecret });
					response.sendStatus(200);
				} catch {
					response.sendStatus(401);
				}
			}),
		),
		sentence:
			"The gateway signed with the webhook secret ending …{end}; the receiver responded 401: it verified JSON that it wrote again instead of the raw bytes, it has another secret, or it expects a login.",
		...CHANGE_OF_CODE,
	},
	"a receiver that does not run": {
		cause: "nobody_listens",
		fail: deliveredTo(() => `${closed.url}/webhooks`),
		sentence: "Nobody listens at {closed}.",
		...ANOTHER_URL,
	},
	"a wrong path": {
		cause: "path_not_found",
		fail: deliveredTo(() => `${receiver.url}/wrong`),
		sentence: "The receiver has nothing at {url}/wrong: it responded 404.",
		...ANOTHER_URL,
	},
	"a route that moved": {
		cause: "redirected",
		fail: deliveredTo(() => `${receiver.url}/moved`),
		sentence: "{url}/moved redirects, and the gateway doesn't follow: it leads to {url}/right.",
		async fix(person, said) {
			await person.openRow(said);
			await person.press(`Register ${receiver.url}/right`);
			await expectDelivered();
		},
		clicks: 2,
	},
	"a login in front of the handler": {
		cause: "login_expected",
		fail: receivedBy(() => respond(302, { Location: "/login" })),
		sentence:
			"{url}/webhooks asks for a login: it leads to {url}/login. The webhook didn't reach its handler.",
		...CHANGE_OF_CODE,
	},
	"a handler that throws": {
		cause: "handler_failed",
		fail: receivedBy(() => {
			const inbound_message = (): never => {
				throw new Error("a bug of the application");
			};
			return receive(dev.webhookSecret, { on: { inbound_message, unknown: () => {} } });
		}),
		sentence: "The receiver's handler threw, and the response was 500.",
		...CHANGE_OF_CODE,
	},
	"a receiver that never responds": {
		cause: "no_response_in_time",
		fail: receivedBy(() => () => undefined),
		sentence: "The receiver didn't respond within 10 s.",
		...CHANGE_OF_CODE,
	},
	"a clock that is wrong": {
		cause: "timestamp_rejected",
		fail: receivedBy(() => receive(dev.webhookSecret, { clock: { now: () => 0, setTimer: () => () => {} } })),
		sentence: "The receiver rejected the time of signing, {time}, as too far from its clock.",
		...CHANGE_OF_CODE,
	},
	"no webhook URL": {
		cause: "no_webhook_url",
		fail: deliveredTo(() => null),
		sentence: "No webhook URL is registered for messages and reactions, so the event waits here.",
		async fix(person) {
			await person.enter(`${receiver.url}/right`);
			await expectDelivered();
		},
		clicks: 1,
	},
	"another App Secret": {
		cause: "other_app_secret",
		async fail() {
			await watched.page.getByRole("link", { name: "All activity" }).click();
			const appSecret = "a-secret-of-another-gateway";
			const client = new MessagingGateway({ ...dev.clientOptions, appSecret, logLevel: "off" });
			await expect(client.agents.list()).rejects.toThrow("401");
		},
		sentence:
			"The signature matches no secret of this gateway: the client has another App Secret, or the request was changed after it was signed.",
		async fix(person, said) {
			await person.openRow(said);
			const appSecret = await person.copy("Copy the App Secret");
			await new MessagingGateway({ ...dev.clientOptions, appSecret }).agents.list();
		},
		clicks: 2,
	},
};

const fillIn = (sentence: string): string =>
	sentence
		.replaceAll("{url}", receiver.url)
		.replaceAll("{closed}", closed.url)
		.replaceAll("{end}", dev.webhookSecret.slice(-4));

describe.each(Object.entries(FAILURES))("%s", (_, { cause, fail, sentence, fix, clicks }) => {
	test("has one sentence in the page, in the terminal and for an agent, and is fixed with few clicks", async () => {
		const before = dev.lines.length;
		await fail();
		const diagnosis = await diagnose(cause);
		const said: Said = { reason: fillIn(sentence), fix: diagnosis.fix };
		expect(withoutTime(diagnosis.reason)).toBe(said.reason);
		await watched.page
			.getByText(new RegExp(`^${toPattern(said.reason)}$`))
			.first()
			.waitFor();
		await eventually(() => {
			const lines = dev.lines.slice(before).map(withoutTime);
			expect(lines[lines.indexOf(said.reason) + 1]).toBe(said.fix);
		});
		const { value } = await mcp.use("list_activity");
		expect(JSON.parse(withoutTime(JSON.stringify(value.failures)))).toEqual({ [cause]: said });

		const person = new Person(watched.page);
		await fix(person, said);
		expect(person.clicks).toBe(clicks);
	});
});
