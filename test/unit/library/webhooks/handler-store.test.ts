import { createWebhookHandler, memoryStore, PermanentWebhookError } from "messaging-gateway/webhooks";
import { describe, expect, test, vi } from "vitest";
import { settle } from "../../../support/counting-clock.ts";
import { type Outcomes, testOutcomes } from "../../../support/outcomes.ts";
import { type Fault, type StoreMethod, scriptStore } from "../../../support/scripted-store.ts";
import { ALICE, createFrozenGateway } from "../../../support/signed-client.ts";
import { createReceiver, type Receiver, showResponse } from "../../../support/webhook-receiver.ts";

/** What `onError` got of the event: the code, the error and the hint. */
function problemsOf({ reports, reported }: Pick<Receiver, "reports" | "reported">): string[] {
	for (const { eventId } of reports) expect(eventId).toBe("evt_1");
	return reported().map((problem, at) => `${problem}. ${reports[at]?.hint}`);
}

/** A method of the store that fails, each time by default, and the handler. */
interface Failing {
	readonly method: StoreMethod;
	readonly fault: Fault;
	readonly times?: number;
	/** How extend fails, each time. */
	readonly extend?: Fault;
	readonly onMessage?: (event: unknown, context: { readonly attempt: number }) => unknown;
}

/** How a delivery, a repeat at once and one a minute after the store is well again end, and what the first one reports. */
async function outcomeOf({ method, fault, times, extend, onMessage }: Failing): Promise<string> {
	const handle = vi.fn<NonNullable<Failing["onMessage"]>>(onMessage);
	const { send, fail, heal, calls, reports, reported, clock } = createReceiver({
		on: { inbound_message: handle },
	});
	fail(method, fault, times);
	if (extend !== undefined) fail("extend", extend);
	const respond = async (): Promise<string> => showResponse(await settle(clock, send(), 100));
	const startedAt = clock.now();
	const first = await respond();
	const tookMs = clock.now() - startedAt;
	const timers = clock.openTimers;
	const called = calls.filter((call) => call === method).length;
	const problems = problemsOf({ reports, reported });
	const again = await respond();
	heal();
	await clock.advance(60_000);
	const later = await respond();
	expect(clock.openTimers).toBe(0);
	const attempts = handle.mock.calls.map(([, { attempt }]) => attempt);
	return [
		`${first}, after ${tookMs} ms, ${called} ${method}, ${timers} timers left`,
		`then ${again}`,
		`then ${later}`,
		`attempts ${attempts.join(", ")}`,
		...problems,
	].join("; ");
}

const AGAIN = "The event wasn't acknowledged: expect it again only if your gateway retries";
const LATE =
	"no response within storeTimeoutMs, 5000 ms. Check the store's server, and that its Pool has free connections";
const CLAIM_FAILED = `store_unavailable: the store's claim failed. The store failed: its error says why. ${AGAIN}`;
const CLAIM_LATE = `store_unavailable: ${LATE}. The store failed: ${LATE}. ${AGAIN}`;
const RUNS_AGAIN = "If the gateway repeats it, your handler runs again: make it safe to run twice";
const NOT_RECORDED = `not_recorded: the store's complete failed. The event was processed, but the store couldn't record it: its error says why. ${RUNS_AGAIN}`;
const RECORDED_LATE = `not_recorded: ${LATE}. The event was processed, but the store couldn't record it: ${LATE}. ${RUNS_AGAIN}`;
const HANDLER_FAILED = `handler_failed: the database is away. Your handler threw. ${AGAIN}`;
const LEASE_ENDS =
	"A repeat can run once its lease is over, in 15000 ms (leaseMs) at most. If this goes on, check the store's server";
const NOT_RELEASED = `not_released: the store's release failed. The store couldn't release the event: its error says why. ${LEASE_ENDS}`;
const RELEASED_LATE = `not_released: ${LATE}. The store couldn't release the event: ${LATE}. ${LEASE_ENDS}`;

const claim = (fault: Fault, times?: number): Failing => ({
	method: "claim",
	fault,
	...(times && { times }),
});
const complete = (fault: Fault, times?: number): Failing => ({
	method: "complete",
	fault,
	...(times && { times }),
});
const release = (fault: Fault): Failing => ({
	method: "release",
	fault,
	onMessage: (_event, { attempt }) =>
		attempt === 1 ? Promise.reject(new Error("the database is away")) : undefined,
});
const extending = (extend: Fault, failing: Failing): Failing => ({ ...failing, extend });

const FAULTS: Outcomes<Failing> = {
	[`503 store_unavailable, again in 5 s, after 0 ms, 1 claim, 0 timers left; then 503 store_unavailable, again in 5 s; then 200; attempts 1; ${CLAIM_FAILED}`]:
		{
			"claim throws": claim("throw"),
			"claim rejects": claim("reject"),
		},
	[`503 store_unavailable, again in 5 s, after 5000 ms, 1 claim, 0 timers left; then 503 store_unavailable, again in 5 s; then 200; attempts 1; ${CLAIM_LATE}`]:
		{ "claim hangs": claim("hang") },
	[`503 store_unavailable, again in 5 s, after 0 ms, 1 claim, 0 timers left; then 503 store_unavailable, again in 5 s; then 200; attempts 2; ${CLAIM_FAILED}`]:
		{ "claim claims, and its response is lost": claim("lose") },
	[`503 store_unavailable, again in 5 s, after 0 ms, 1 claim, 0 timers left; then 200; then 200; attempts 1; ${CLAIM_FAILED}`]:
		{ "claim rejects once": claim("reject", 1) },
	[`503 store_unavailable, again in 5 s, after 0 ms, 1 claim, 0 timers left; then 503 in_flight, again in 15 s; then 200; attempts 2; ${CLAIM_FAILED}`]:
		{
			"claim claims once, and its response is lost: the event is held until the lease is over": claim(
				"lose",
				1,
			),
		},
	"200, after 100 ms, 2 complete, 0 timers left; then 200; then 200; attempts 1": {
		"complete throws once: it is tried again": complete("throw", 1),
		"complete rejects once: it is tried again": complete("reject", 1),
		"complete records the event, and its response is lost: it is tried again": complete("lose", 1),
	},
	"200, after 5100 ms, 2 complete, 0 timers left; then 200; then 200; attempts 1": {
		"complete hangs once: it is tried again": complete("hang", 1),
	},
	"200, after 500 ms, 3 complete, 0 timers left; then 200; then 200; attempts 1": {
		"complete rejects twice": complete("reject", 2),
	},
	[`200, after 2100 ms, 4 complete, 0 timers left; then 503 in_flight, again in 14 s; then 200; attempts 1, 2; ${NOT_RECORDED}`]:
		{
			"complete throws for good: it is tried four times": complete("throw"),
			"complete rejects for good: it is tried four times": complete("reject"),
			"complete rejects for good, and extend's response is lost": extending("lose", complete("reject")),
		},
	[`200, after 8000 ms, 2 complete, 1 timers left; then 503 in_flight, again in 12 s; then 200; attempts 1; ${RECORDED_LATE}`]:
		{ "complete hangs for good: there is no third call": complete("hang") },
	[`200, after 2100 ms, 4 complete, 0 timers left; then 200; then 200; attempts 1; ${NOT_RECORDED}`]: {
		"complete records the event for good, and its response is lost": complete("lose"),
	},
	[`200, after 2100 ms, 4 complete, 0 timers left; then 503 in_flight, again in 13 s; then 200; attempts 1, 2; ${NOT_RECORDED}`]:
		{
			"complete and extend throw for good": extending("throw", complete("throw")),
			"complete and extend reject for good": extending("reject", complete("reject")),
		},
	[`200, after 8000 ms, 2 complete, 2 timers left; then 503 in_flight, again in 7 s; then 200; attempts 1; ${RECORDED_LATE}`]:
		{ "complete and extend hang for good": extending("hang", complete("hang")) },
	[`500 handler_failed, after 0 ms, 1 release, 0 timers left; then 503 in_flight, again in 15 s; then 200; attempts 1, 2; ${HANDLER_FAILED}; ${NOT_RELEASED}`]:
		{
			"release throws: the lease ends by itself": release("throw"),
			"release rejects: the lease ends by itself": release("reject"),
		},
	[`500 handler_failed, after 5000 ms, 1 release, 0 timers left; then 503 in_flight, again in 10 s; then 200; attempts 1, 2; ${HANDLER_FAILED}; ${RELEASED_LATE}`]:
		{ "release hangs: the lease ends by itself": release("hang") },
	[`500 handler_failed, after 0 ms, 1 release, 0 timers left; then 200; then 200; attempts 1, 2; ${HANDLER_FAILED}; ${NOT_RELEASED}`]:
		{ "release releases the event, and its response is lost": release("lose") },
};

describe("a store of which", () => testOutcomes(FAULTS, outcomeOf));

test("onError gets the handler's own error first, if release fails, too", async () => {
	const failure = new Error("the database is away");
	const { respond, fail, reports } = createReceiver({
		on: { inbound_message: () => Promise.reject(failure) },
	});
	fail("release", "reject");
	await respond();
	expect(reports[0]?.error).toBe(failure);
});

test("complete hangs for longer than the lease: the event stays held meanwhile, and no repeat runs it again", async () => {
	const handle = vi.fn();
	const { send, respond, fail, clock } = createReceiver({ on: { inbound_message: handle } });
	fail("complete", "hang", 3);
	const response = send();
	await clock.advance(16_000);
	expect(await respond()).toMatch(/^503 in_flight/);
	expect(showResponse(await settle(clock, response))).toBe("200");
	await clock.advance(2_000);
	expect(await respond()).toBe("200");
	expect(handle).toHaveBeenCalledTimes(1);
});

test("complete hangs for good: 200 after eight seconds, before a sender gives up, and onError learns of it", async () => {
	const { send, fail, reports, clock } = createReceiver();
	fail("complete", "hang");
	const ended = vi.fn();
	const response = send().finally(ended);
	await clock.advance(7_999);
	expect(ended).not.toHaveBeenCalled();
	await clock.advance(1);
	expect(ended).toHaveBeenCalled();
	expect(showResponse(await response)).toBe("200");
	expect(reports).toMatchObject([
		{ hint: expect.stringContaining("couldn't record it: no response within storeTimeoutMs") },
	]);
});

test("complete hangs for good: the local gateway has its 200 before it gives up, so the event runs once", async () => {
	const local = createFrozenGateway({ deliverTo: (request) => webhooks.fetch(request) });
	const { clock, webhookSecret: secret } = local;
	const handle = vi.fn();
	const webhooks = createWebhookHandler({
		secret,
		clock,
		store: { ...memoryStore({ clock }), complete: () => new Promise(() => undefined) },
		on: { inbound_message: handle, unknown: () => undefined },
		onError: () => undefined,
	});
	await local.contact(ALICE).reply("Hi");
	await clock.advance(120_000);
	await local.settled();
	expect(local.deliveries[0]?.attempts.map(({ status, error }) => status ?? error)).toEqual([200]);
	expect(handle).toHaveBeenCalledOnce();
});

test("complete is tried again after a pause, so that a client has the time to reconnect", async () => {
	const { send, fail, heal, reported, clock } = createReceiver();
	fail("complete", "reject");
	const response = send();
	await clock.advance(2_000);
	heal();
	await clock.advance(100);
	expect((await response).status).toBe(200);
	expect(reported()).toEqual([]);
	expect((await send()).status).toBe(200);
});

test("storeTimeoutMs bounds each call", async () => {
	const { send, fail, clock } = createReceiver({ storeTimeoutMs: 100 });
	fail("claim", "hang");
	const response = send();
	await clock.advance(99);
	const pending = Symbol("pending");
	expect(await Promise.race([response, Promise.resolve(pending)])).toBe(pending);
	await clock.advance(1);
	expect((await response).status).toBe(503);
});

/** A receiver whose store can lose all its records, as in a failover, while a handler runs. */
function createForgetfulReceiver(work: () => unknown = () => undefined) {
	const { clock } = createReceiver();
	let inner = memoryStore({ clock });
	const scripted = scriptStore({
		claim: (...given) => inner.claim(...given),
		extend: (...given) => inner.extend(...given),
		complete: (...given) => inner.complete(...given),
		release: (...given) => inner.release(...given),
	});
	const loseRecords = () => {
		inner = memoryStore({ clock });
	};
	const handle = vi.fn(async (_event: unknown, _context: { readonly attempt: number }) => {
		loseRecords();
		await clock.advance(1);
		return work();
	});
	const receiver = createReceiver({ store: scripted.store, clock, on: { inbound_message: handle } });
	return { ...receiver, ...scripted, clock, handle };
}

/** A run whose record the store loses meanwhile, and what the store does then. */
interface Forgotten {
	readonly work?: () => unknown;
	/** Instead of the second claim. */
	readonly claimAgain?: () => Promise<never>;
	/** Instead of all calls of complete but the first. */
	readonly completeAgain?: () => Promise<never>;
}

/** How the delivery and its repeat end, the attempts, the calls of the store for the first one, and its reports. */
async function forgottenOf({ work, claimAgain, completeAgain }: Forgotten): Promise<string> {
	const { send, store, handle, calls, reports, reported, clock } = createForgetfulReceiver(work);
	if (claimAgain !== undefined) {
		const { claim } = store;
		vi.spyOn(store, "claim").mockImplementationOnce(claim).mockImplementationOnce(claimAgain);
	}
	if (completeAgain !== undefined)
		vi.spyOn(store, "complete").mockResolvedValueOnce(false).mockImplementation(completeAgain);
	const first = showResponse(await settle(clock, send()));
	const called = calls.join(", ");
	const problems = problemsOf({ reports, reported });
	const again = showResponse(await settle(clock, send()));
	const attempts = handle.mock.calls.map(([, { attempt }]) => attempt);
	return [`${first}, after ${called}`, `then ${again}`, `attempts ${attempts.join(", ")}`, ...problems].join(
		"; ",
	);
}

const RECORD_LOST =
	"record_lost: the record of a finished run was lost. The store no longer knew of this run, which has finished: its record was lost, or its lease was over. The event is acknowledged";
const NO_CLAIM =
	'its claim must resolve to { status: "acquired", token, attempt }, { status: "in_flight", retryAfterMs } or { status: "done" }, with integers for token and attempt, a finite retryAfterMs, and for a bound delivery boundKey, a string';

const FORGOTTEN: Outcomes<Forgotten> = {
	[`200, after claim, complete, claim, complete; then 200; attempts 1; ${RECORD_LOST}`]: {
		"a run that finished is acknowledged, and recorded again": {},
	},
	[`200, after claim, complete, claim, complete; then 200; attempts 1; event_given_up: no. Your handler gave up on the event, so it is acknowledged; ${RECORD_LOST}`]:
		{
			"a run that gave the event up is, too": { work: () => Promise.reject(new PermanentWebhookError("no")) },
		},
	[`503 lease_lost, again in 5 s, after claim, release, claim, release; then 503 lease_lost, again in 5 s; attempts 1, 1; handler_failed: no. Your handler threw. ${AGAIN}`]:
		{
			"a run that failed doesn't count as finished: the event comes again, as its first attempt": {
				work: () => Promise.reject(new Error("no")),
			},
		},
	[`200, after claim, claim, extend, extend, extend; then 503 in_flight, again in 14 s; attempts 1; not_recorded: away. The event was processed, but the store couldn't record it: its error says why. ${RUNS_AGAIN}; ${RECORD_LOST}`]:
		{
			"a run that can't be recorded then is acknowledged": {
				completeAgain: () => Promise.reject(new Error("away")),
			},
		},
	[`503 lease_lost, again in 5 s, after claim, complete; then 200; attempts 1, 1; store_unavailable: away. The store failed: its error says why. ${AGAIN}`]:
		{
			"a store that fails then is reported, and no other worker is blamed": {
				claimAgain: () => Promise.reject(new Error("away")),
			},
		},
	[`503 lease_lost, again in 5 s, after claim, complete; then 200; attempts 1, 1; store_unavailable: ${NO_CLAIM}. The store failed: ${NO_CLAIM}. ${AGAIN}`]:
		{ "a store that breaks its contract then is, too": { claimAgain: async () => null as never } },
};

describe("a store that loses its record during a run:", () => testOutcomes(FORGOTTEN, forgottenOf));

test("a run that is recorded again holds the event meanwhile, so that no repeat runs", async () => {
	const { send, store, handle, clock } = createForgetfulReceiver();
	const { complete } = store;
	const slowly: typeof complete = async (...given) => {
		await new Promise<void>((resolve) => clock.setTimer(resolve, 1_000));
		return complete(...given);
	};
	const completing = vi
		.spyOn(store, "complete")
		.mockImplementationOnce(complete)
		.mockImplementationOnce(slowly);
	const response = send();
	await expect.poll(() => completing.mock.calls.length).toBe(2);
	await clock.advance(500);
	expect(showResponse(await send())).toBe("503 in_flight, again in 15 s");
	await clock.advance(1_000);
	expect(showResponse(await response)).toBe("200");
	expect(handle).toHaveBeenCalledTimes(1);
});
