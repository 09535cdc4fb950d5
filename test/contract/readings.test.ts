import { readFileSync } from "node:fs";
import { DuplicateMessageError, MessagingGateway, PermissionDeniedError } from "messaging-gateway";
import { diagnose } from "messaging-gateway/doctor";
import { sqliteStore } from "messaging-gateway/stores/sqlite";
import {
	createAdjustableClock,
	createLocalGateway,
	type LocalGateway,
	type Reading,
	readings,
} from "messaging-gateway/testing";
import {
	createWebhookHandler,
	type EventStore,
	type InboundReaction,
	memoryStore,
} from "messaging-gateway/webhooks";
import { describe, expect, onTestFinished, test } from "vitest";
import { CHOICES } from "../../src/tools/local-gateway/readings/choices-by-reading.ts";
import {
	type CarefulApp,
	type CarefulAppOptions,
	countRuns,
	createCarefulApp,
	losingAcknowledgements,
} from "../support/careful-app.ts";
import { createCalledGateway, METHODS } from "../support/operation-calls.ts";
import { AGENT, ALICE, BOB, call } from "../support/signed-client.ts";

const FAILS = "+15550001001";
const SHARED_IDS = "events of a message share an id";

describe("the table", () => {
	const excerpts = readFileSync(new URL("../vectors/specification-excerpts.md", import.meta.url), "utf8");
	const sections = new Map(
		excerpts.split(/^(?=#+ )/m).map((section) => {
			const [, number = "introduction"] = /^#+ (\d+(?:\.\d+)?)/.exec(section) ?? [];
			return [number, section];
		}),
	);

	test.each(readings)(
		"$name: its quotation stands in the section that it names",
		({ section, quotation }) => {
			expect(sections.get(section)).toContain(quotation);
		},
	);

	test.each(["docs/readings.md", "docs/testing.md"])("%s says how many there are", (path) => {
		const document = readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");
		expect(document).toContain(`${readings.length} plausible differences`);
	});

	test("each reading has a name of its own and sentences, and cannot be changed", () => {
		expect(new Set(readings.map(({ name }) => name)).size).toBe(readings.length);
		for (const { summary, advice } of readings) {
			expect(summary).toMatch(/^[A-Z`].*\.$/);
			expect(advice).toMatch(/^[A-Z`].*\.$/);
		}
		expect(readings.every(isFrozen)).toBe(true);
	});

	test("each reading changes something, and its name alone the same as its options", async () => {
		const usual = await observe({});
		expect(await observe({})).toBe(usual);
		for (const { name, options } of readings) {
			if (name === "kept connections are cut") continue; // test/integration/readings.full.test.ts has connections.
			const observed = await observe(options);
			expect(observed, name).not.toBe(usual);
			expect(await observe({ readings: [name] }), name).toBe(observed);
		}
	});
});

/** One of each kind. */
const few = readings.filter((_, at) => at % 15 === 0);

/** All of them in `npm run test:full`. */
const tried = process.env["TEST_ALL_CASES"] === undefined ? few : readings;

const STORES = [
	["memory", memoryStore],
	["SQLite", createSqliteStore],
] as const;

describe.each(tried)("$name", (reading) => {
	const { name: readingName, options } = reading;
	if (concernsCalls(reading))
		test("every method returns its data", async () => {
			for (const { operation, method, name } of METHODS) {
				const { local, callMethod, warnings } = await createCalledGateway({}, options);
				await using _ = local;
				warnings.length = 0; // Of the send that every method finds.
				const data = await callMethod(operation.id, method);
				const isAssumedChange = operation.provenance === "provisional" && operation.method !== "GET";
				const isEmpty = options.profile?.emptyResponses === true && isAssumedChange;
				if (isEmpty) expect(data, name).toEqual(operation.dataWhenGone ?? {});
				else if (data !== undefined && operation.id !== "health.check") {
					expect((await operation.data["~standard"].validate(data)).issues, name).toBeUndefined();
				}
				expect(warnings, name).toEqual([]);
			}
		});

	test("a second send is accepted, or a duplicate that names the time", async () => {
		const { local, app } = createWorld(reading);
		await app.gateway.messages.sendText({ to: ALICE, text: "Hello" });
		for (const to of [ALICE, BOB]) {
			const error = await errorOf(app.gateway.messages.sendText({ to, text: "Hello" }));
			expect(error === undefined || error instanceof DuplicateMessageError).toBe(true);
			if (error instanceof DuplicateMessageError) {
				expect(error).toMatchObject({ outcome: "rejected", attempts: 1 });
				const hasInfo = options.profile?.duplicates?.infoPath !== null;
				expect((error.duplicate?.timeRemaining ?? 0) > 0).toBe(hasInfo);
			}
		}
		const accepted = local.requests.filter(({ status }) => status !== undefined && status < 300);
		expect(local.sent).toHaveLength(accepted.length);
	});

	test("a send without a reply is accepted, or rejected as not permitted", async () => {
		const { local, app } = createWorld(reading);
		const errors = [];
		for (const text of ["1", "2", "3", "4", "5", "6", "7"]) {
			errors.push(await errorOf(app.gateway.messages.sendText({ to: ALICE, text })));
		}
		const rejected = errors.filter((error) => error !== undefined);
		expect(rejected.every((error) => error instanceof PermissionDeniedError)).toBe(true);
		expect(local.sent).toHaveLength(7 - rejected.length);
		const { mapping } = await app.gateway.mappings.get(ALICE);
		expect(mapping.consecutiveCount).toBe(local.sent.length);
	});

	test("a mapping's time can be told from that of an event", async () => {
		const { local, app } = createWorld(reading);
		await local.contact(ALICE).reply("Hi");
		await local.settled();
		const { mapping } = await app.gateway.mappings.get(ALICE);
		const time = Number(app.processed[0]?.data["timestamp_ms"]);
		expect([time, time / 1000]).toContain(mapping.lastReceivedAt);
		expect(mapping.duplicate?.isDuplicate).toBeUndefined();
		const { mappings } = await app.gateway.mappings.list({ limit: 10 });
		expect(mappings).toMatchObject([{ userNumber: ALICE, inbound: 1 }]);
	});

	test("a bot that answers reactions does not answer itself", async () => {
		let reactions = 0;
		const errors: unknown[] = [];
		const local = createLocalGateway({ ...options, deliverTo: (request) => webhooks.fetch(request) });
		onTestFinished(() => local.close());
		const gateway = new MessagingGateway(local.clientOptions);
		const answer = async ({ outbound, originalMessageGuid }: Partial<InboundReaction>): Promise<void> => {
			// The bound ends a bot that answers itself.
			if (outbound !== false || originalMessageGuid === undefined || reactions === 3) return;
			reactions += 1;
			await gateway.messages.addTapback({ messageGuid: originalMessageGuid, reaction: "love" });
		};
		const webhooks = createWebhookHandler({
			secret: local.webhookSecret,
			clock: local.clock,
			profile: options.profile,
			store: memoryStore({ clock: local.clock }),
			onError: (error) => errors.push(error),
			on: {
				inbound_reaction: ({ data }) => answer(data),
				unknown: async ({ narrowed }) => {
					if (narrowed?.kind === "inbound_reaction") await answer(narrowed.data);
				},
			},
		});
		await gateway.messages.sendText({ to: ALICE, text: "Hello" });
		await local.settled();
		await local.contact(ALICE).react("love");
		await local.settled();
		expect(errorsBut(reading, errors)).toEqual([]);
		// Without `outbound` nobody knows whose reaction it is.
		expect(reactions).toBe(readingName === "empty values in events are left out" ? 0 : 1);
	});

	// A reading changes what is delivered, and not how a store keeps it.
	describe.each(few.includes(reading) ? STORES : STORES.slice(0, 1))(
		"with the store in %s",
		(_, createStore) => {
			test("each event is processed once, also if its acknowledgement is lost", async () => {
				const { local, app } = createWorld(reading, { store: createStore() });
				await converse(local, app);
				expectProcessedOnce(local, app, reading);
				expect(errorsBut(reading, app.errors)).toEqual([]);
			});

			test("each event is processed once if its run fails at first", async () => {
				const { local, app } = createWorld(reading, { store: createStore(), failsFirst: true });
				await converse(local, app);
				if (readingName !== "webhooks are not retried") expectProcessedOnce(local, app, reading);
				// Without retries it is lost, but never acknowledged.
				else expect(local.deliveries.every(({ state }) => state === "failed")).toBe(true);
				const others = errorsBut(reading, app.errors);
				expect(others.every((error) => String(error).includes("the first run fails"))).toBe(true);
			});

			test("each event is processed once from a queue, also if its run fails at first", async () => {
				const { local, app } = createWorld(reading, {
					store: createStore(),
					failsFirst: true,
					isQueued: true,
				});
				await converse(local, app);
				app.work();
				expectProcessedOnce(local, app, reading);
				expect(errorsBut(reading, app.errors)).toEqual([]);
			});
		},
	);

	if (options.profile?.signing)
		test("doctor finds the profile, if calls need it", async () => {
			const local = createLocalGateway(options);
			onTestFinished(() => local.close());
			const { profile, ...clientOptions } = local.clientOptions;
			const { isHealthy, profileSource } = await diagnose(new MessagingGateway(clientOptions), {
				probeBody: true,
			});
			// The client's own bodies have sorted fields and no null.
			if (isHealthy) return expect(["json", "no_nulls"]).toContain(profile?.signing?.canonicalBody);
			for (const [name, value] of Object.entries(profile?.signing ?? {})) {
				expect(profileSource).toContain(`${name}: "${value}"`);
			}
		});

	test("doctor reports no problem", async () => {
		const { app } = createWorld(reading);
		const { isHealthy, hasTestedBodies, findings } = await diagnose(app.gateway, { probeBody: true });
		expect(findings).toEqual([]);
		expect([isHealthy, hasTestedBodies]).toEqual([true, true]);
	});
});

/** A gateway under a reading, and the application beside it. */
function createWorld({ options }: Reading, appOptions: Partial<CarefulAppOptions> = {}) {
	let receive = async (_request: Request): Promise<Response> => new Response(null, { status: 500 });
	const local = createLocalGateway({ ...options, deliverTo: (request: Request) => receive(request) });
	onTestFinished(() => local.close());
	const app = createCarefulApp(local, { store: memoryStore({ clock: local.clock }), ...appOptions });
	receive = losingAcknowledgements(app.webhooks.fetch);
	return { local, app };
}

function createSqliteStore(): EventStore {
	const store = sqliteStore({ path: ":memory:" });
	onTestFinished(() => store[Symbol.dispose]());
	return store;
}

/** What an application sees of a conversation: statuses, a failure, messages and a reaction. */
async function converse(local: LocalGateway, { gateway }: CarefulApp): Promise<void> {
	await gateway.messages.sendText({ to: ALICE, text: "Are you there?" });
	await gateway.messages.sendText({ to: FAILS, text: "And you?" });
	await local.settled();
	await local.contact(ALICE).reply("Yes");
	await local.contact(ALICE).reply("Yes!", { attachments: [{ url: "https://files.example/map.png" }] });
	await local.contact(ALICE).reply("", { attachments: [{ url: "https://files.example/note.caf" }] });
	await local.contact(ALICE).react("love");
	await local.settled();
}

/** Only an inbound message is known by its own id, if each retry has another event id. */
function expectProcessedOnce(local: LocalGateway, app: CarefulApp, { name }: Reading): void {
	const mayRepeat = (body: string) =>
		name === "each retry has a new event id" && JSON.parse(body).type !== "inbound_message";
	const runs = countRuns(local, app);
	if (name === SHARED_IDS) {
		expectLossReported(runs, app);
		return;
	}
	expect(runs.every((count) => count > 0)).toBe(true);
	const counted = runs.map((count, at) => (mayRepeat(local.deliveries[at]?.body ?? "") ? 1 : count));
	expect(counted).toEqual(local.deliveries.map(() => 1));
	expect(app.processed).toHaveLength(runs.reduce((sum, count) => sum + count, 0));
	const kinds = new Set(app.processed.map(({ kind }) => kind));
	expect([...kinds].filter((kind) => kind !== "unknown").sort()).toEqual([
		"inbound_message",
		"inbound_reaction",
		"status",
	]);
}

/** Nothing can tell such an event from a repeat before it is lost. */
function expectLossReported(runs: readonly number[], { processed, errors }: CarefulApp): void {
	expect(runs.every((count) => count <= 1)).toBe(true);
	expect(processed).toHaveLength(runs.filter((count) => count === 1).length);
	const lost = runs.length - processed.length;
	expect(lost).toBeGreaterThan(0);
	// Its first acknowledgement is lost on the way.
	expect(errors.filter(isReuse)).toHaveLength(2 * lost);
}

/** The reported errors, without those that a reading brings. */
function errorsBut({ name }: Reading, errors: readonly unknown[]): unknown[] {
	return errors.filter((error) => name !== SHARED_IDS || !isReuse(error));
}

function isReuse(error: unknown): boolean {
	return error instanceof Error && "code" in error && error.code === "event_id_reused";
}

/** Whether a reading is about more than webhooks. */
function concernsCalls({ name }: Reading): boolean {
	return Object.keys(CHOICES[name]).some((choice) => choice !== "webhooks" && choice !== "eventFields");
}

/** What is seen of a gateway from outside, without its profile: the responses, and the webhooks. */
async function observe(options: Reading["options"]): Promise<string> {
	const responses: unknown[] = [];
	const webhooks: unknown[] = [];
	const attempts = new Map<string, number>();
	await using local = createLocalGateway({
		...options,
		clock: createAdjustableClock({ frozen: true, startMs: 1_800_000_000_000 }),
		async deliverTo(request) {
			const headers = Object.fromEntries(request.headers);
			const id = Object.entries(headers).find(([name]) => name.endsWith("event-id"))?.[1] ?? "";
			attempts.set(id, (attempts.get(id) ?? 0) + 1);
			const seen = [attempts.get(id), local.clock.now(), Object.keys(headers), await request.text()];
			webhooks.push(seen, headers["x-svc-timestamp"]);
			if (attempts.get(id) !== 1) return new Response();
			const status = attempts.size % 2 === 0 ? 500 : 401;
			return new Response(null, { status, headers: { "Retry-After": "5" } });
		},
	});
	const request = async (...given: Tail<Parameters<typeof call>>): Promise<void> => {
		const { status, body } = await call(local, ...given);
		responses.push([status, body]);
	};
	const send = (text: string, to = ALICE, fields = {}) =>
		request("POST", "/message/text", { to, text, ...fields });

	for (const text of ["One", "One", "Two", "One", "Three", "Four", "Five", "Six"]) await send(text);
	await send("Note", BOB, { note: 1 });
	// What JSON libraries write in different ways.
	for (const text of ["A < B", "1/2", "é"]) await send(text, BOB);
	await send("Null", BOB, { effect: null });
	await request(
		"POST",
		"/message/text",
		{ text: "Order", to: BOB },
		{ sentBody: `{"to":"${BOB}","text":"Order"}` },
	);
	await send("Hello", FAILS);
	await local.settled();
	await request("GET", "/mapping?limit=1");
	await local.contact(BOB).reply("Yes", { attachments: [{ url: "https://files.example/map.png" }] });
	await send("Order", BOB);
	await local.contact(BOB).reply("", { attachments: [{ url: "https://files.example/note.caf" }] });
	await send(" Order", BOB);
	await local.contact(ALICE).reply("Yes");
	await request("GET", `/mapping/${encodeURIComponent(ALICE)}`);
	await send("Six");
	if (local.sent.length > 0) await local.contact(ALICE).react("love");
	local.agent(AGENT).goOffline();
	await send("Seven", "+15557654322");
	local.agent(AGENT).goOnline();
	await send("Seven", BOB, { status_callback: "https://app.example/own" });
	await local.settled();
	await request("POST", "/message/tapback", {
		messageGuid: local.sent.at(-1)?.messageGuid,
		reaction: "love",
		action: "add",
	});
	await request("POST", "/settings/webhooks", {});
	await request("GET", "/health");
	await local.settled();
	const secrets = [local.clientOptions.appSecret, local.webhookSecret];
	return JSON.stringify([responses, webhooks, secrets]).replace(/[0-9a-f-]{36}/g, "UUID");
}

type Tail<Values extends unknown[]> = Values extends [unknown, ...infer Rest] ? Rest : never;

function isFrozen(value: unknown): boolean {
	if (typeof value !== "object" || value === null) return true;
	return Object.isFrozen(value) && Object.values(value).every(isFrozen);
}

async function errorOf(call: PromiseLike<unknown>): Promise<unknown> {
	try {
		await call;
		return undefined;
	} catch (error) {
		return error;
	}
}
