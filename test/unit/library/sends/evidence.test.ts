import { MessagingGateway } from "messaging-gateway";
import { createSender, listSends, observeSend, resolveSend, type SendInput } from "messaging-gateway/sends";
import { createWebhookRequest } from "messaging-gateway/testing";
import { verifyWebhookRequest, type WebhookEvent } from "messaging-gateway/webhooks";
import { expect, test } from "vitest";
import { catchRejection } from "../../../support/catch-error.ts";
import { collect } from "../../../support/collect.ts";
import { type Outcomes, testOutcomes } from "../../../support/outcomes.ts";
import {
	createWorld,
	each,
	first,
	hangingFetch,
	KEY,
	type Play,
	replaceOnce,
	type Story,
	sendAgain,
	stoppedClock,
	TEXT,
	tell,
	type World,
	wait,
} from "./sender-world.ts";

const MINUTE = 60_000;
const LATE = 10 * MINUTE;
const DECISIONS = ["accepted", "send_again", "give_up"] as const;
const STATUSES = ["open", "unresolved", "accepted", "given_up"] as const;

type Decision = (typeof DECISIONS)[number];
type StatusEvent = Extract<WebhookEvent, { kind: "status" }>;

const decide =
	(decision: Decision): Play =>
	({ store }) =>
		resolveSend(store, KEY, decision);

const prepare: Play = ({ sender }) => sender.prepare(KEY, TEXT);

/** A send whose response was lost after it was accepted. */
const lose: Play = async ({ local, sender }) => {
	local.faults.dropConnection({ when: "after", operationId: "messages.sendText" });
	expect(await sender.send(KEY, TEXT)).toMatchObject({ status: "unresolved" });
};

const observe: Play = async ({ local, events, store }) => {
	await local.settled();
	for (const event of events) expect(await observeSend(store, event)).toMatchObject({ key: KEY });
};

/** The first status event, changed; what observeSend says of it, and what is known then. */
const observeChanged =
	(change: (event: StatusEvent, world: World) => WebhookEvent | Promise<WebhookEvent>): Play =>
	async (world) => {
		await lose(world);
		await world.local.settled();
		const [event] = world.events;
		if (event?.kind !== "status") throw new Error("expected a status event");
		const observed = await observeSend(world.store, await change(event, world));
		if (observed !== undefined) expect(observed.key).toBe(KEY);
		return [observed?.verdict ?? "of no send", await sendAgain(world)];
	};

const withData = (data: object): Play =>
	observeChanged((event) => ({ ...event, data: { ...event.data, ...data } }));
const withUrl = (change: (url: string) => string | null): Play =>
	observeChanged((event) => ({
		...event,
		data: { ...event.data, status_callback: change(event.data.status_callback ?? "") },
	}));
const unknownEvent = (event: StatusEvent, narrowed: unknown): WebhookEvent =>
	({ ...event, kind: "unknown", reason: "type", type: "x", issues: [], issueCount: 0, narrowed }) as never;

const STATUS_EVENTS: Outcomes<Story> = {
	"1 posted: accepted by status, then accepted by status": {
		"by the attempt's own status_callback": observeChanged((event) => event),
		"of a failure": withData({ status: "failed" }),
		"of a status that nobody knows": withData({ status: "a new status" }),
		"whose other field is not as documented": observeChanged(({ data, timestamp }, { clock }) => {
			const request = createWebhookRequest("status", { ...data, participants: 5 as never }, { timestamp });
			return verifyWebhookRequest(request, { secret: "local-webhook-secret", clock });
		}),
	},
	"1 posted: of no send, then unresolved: unknown connection_failed mapping 1/0, send_again in 599940 ms": {
		"without a callback": withUrl(() => null),
		"by a callback for all": withUrl(() => "https://app.example/hooks/all"),
		"of no attempt of the record": withUrl((url) => `${url.slice(0, -4)}0000`),
		"of another record": withUrl((url) => url.replace(/send_..../, "send_0000")),
		"without a status": withData({ status: 5 }),
		"of an unknown kind": observeChanged((event) => unknownEvent(event, undefined)),
		"of an unknown kind, narrowed to a message": observeChanged((event) =>
			unknownEvent(event, { kind: "inbound_message", data: event.data }),
		),
		"of a message": observeChanged((event) => ({ ...event, kind: "inbound_message" }) as never),
	},
	"1 posted: accepted by status": {
		"that comes before the response is lost": ({ createProcess, local, store, events }) =>
			createProcess({
				fetch: async (url, init) => {
					await local.clientOptions.fetch(url, init);
					await local.settled();
					for (const event of events) await observeSend(store, event);
					throw new TypeError("fetch failed");
				},
			}).send(KEY, TEXT),
		"after a decision to give up": first(lose, decide("give_up"), observe, sendAgain),
		"after a decision to send again": first(lose, wait(LATE), decide("send_again"), observe, sendAgain),
	},
	"2 posted: accepted by status": {
		"of a send whose copy was rejected": first(
			({ local }) => local.faults.repeatRequest() as never,
			sendAgain,
			observe,
			sendAgain,
		),
	},
	"1 posted: not_sent store_failed: The store failed: check its server and address": {
		"while the store is down": first(lose, async ({ local, store, events }) => {
			await local.settled();
			const down = { ...store, find: () => Promise.reject(new Error("private")) };
			return observeSend(down, events[0] as WebhookEvent);
		}),
	},
	"1 posted: unresolved: unknown connection_failed mapping 1/0 without callback, send_again in 599940 ms": {
		"where no attempt has a callback": [
			{ withoutCallbacks: true },
			first(
				lose,
				async ({ local, events, store }) => {
					await local.settled();
					for (const event of events) expect(await observeSend(store, event)).toBeUndefined();
				},
				sendAgain,
			),
		],
	},
};

testOutcomes(STATUS_EVENTS, tell);

test("a status event is written once: further ones change nothing", async () => {
	const world = createWorld();
	await first(lose, observe)(world);
	expect(world.events.length).toBeGreaterThan(1);
	const { row } = await world.store.read(KEY);
	await observe(world);
	expect((await world.store.read(KEY)).row).toEqual(row);
});

test("a status event has the message's id, and no message", async () => {
	const world = createWorld();
	await first(lose, observe)(world);
	const messageId = world.local.sent[0]?.messageId;
	expect(await sendAgain(world)).toEqual({
		status: "accepted",
		proof: "status",
		messageId,
		message: undefined,
	});
});

/** A worker dies after its posting mark. */
const die: Play = async ({ createProcess, store, clock }) => {
	const dying = replaceOnce(store, 1, async (replace) => {
		await replace();
		return new Promise<never>(() => undefined);
	});
	void createProcess({ store: dying, clock: stoppedClock(clock) }).send(KEY, TEXT);
	await clock.advance(0);
};

const RESOLVED: Outcomes<Story> = {
	"1 posted: accepted by decision, without an id, then accepted by decision, without an id": {
		"accepted, and a call": first(lose, each(decide("accepted"), sendAgain)),
	},
	"1 posted: given_up, then given_up": {
		"give_up, and a call": first(lose, each(decide("give_up"), sendAgain)),
	},
	"0 posted: given_up, then given_up": {
		"an intent that is given up, and a call": first(prepare, each(decide("give_up"), sendAgain)),
	},
	"1 posted: open, then accepted by response, with its message": {
		"an intent that was given up, to send again": first(
			prepare,
			decide("give_up"),
			each(decide("send_again"), sendAgain),
		),
	},
	"1 posted: not_sent too_early 600000 ms: An earlier request could still arrive and be accepted: send_again is possible in 600 s (retryAfterMs)":
		{
			"send_again at once": first(lose, decide("send_again")),
			"send_again by a detour over give_up": first(lose, decide("give_up"), decide("send_again")),
			"send_again by a detour over accepted": first(lose, decide("accepted"), decide("send_again")),
		},
	"1 posted: not_sent too_early 1 ms: An earlier request could still arrive and be accepted: send_again is possible in 1 s (retryAfterMs)":
		{
			"send_again a millisecond too early": first(lose, wait(LATE - 1), decide("send_again")),
		},
	"2 posted: open, then accepted by response, with its message": {
		"send_again after ten minutes, and a call": first(
			lose,
			wait(LATE),
			each(decide("send_again"), sendAgain),
		),
	},
	"2 posted: unresolved: unknown connection_failed mapping 2/0, send_again in 600000 ms": {
		"send_again, and another lost response": first(lose, wait(LATE), decide("send_again"), lose, sendAgain),
	},
	"0 posted: not_sent send_in_progress 60000 ms: Another worker is making this send: call again in 60 s (retryAfterMs)":
		{
			"while a worker holds the send": first(die, decide("give_up")),
		},
	"0 posted: not_sent too_early 600000 ms: An earlier request could still arrive and be accepted: send_again is possible in 600 s (retryAfterMs)":
		{
			"send_again when the lease of a dead worker ends": first(die, wait(MINUTE), decide("send_again")),
		},
	"0 posted: unresolved: no end, send_again in 600000 ms": {
		"a call when the lease of a dead worker has ended": first(die, wait(MINUTE), sendAgain),
	},
	"1 posted: accepted by response, then accepted by response, then accepted by response": {
		"what the response proved": first(sendAgain, wait(LATE), each(...DECISIONS.map(decide))),
	},
	"0 posted: not_sent unknown_key: Nothing was changed: this store has no send with this key. Check the key, and that this is the store that you passed to createSender":
		{ "a key that no send has": decide("give_up") },
	"0 posted: not_sent invalid_input: key must be a string of 1 to 256 visible ASCII characters": {
		"no key": ({ store }) => resolveSend(store, "", "give_up"),
	},
	"0 posted: not_sent configuration: The decision must be one of accepted, send_again, give_up": {
		"a decision that does not exist": decide("forget" as never),
	},
	"0 posted: given_up": {
		"give_up while a worker claims the send": first(prepare, ({ createProcess, store }) => {
			const overtaken = replaceOnce(store, 1, async (replace) => {
				await resolveSend(store, KEY, "give_up");
				return replace();
			});
			return createProcess({ store: overtaken }).send(KEY, TEXT);
		}),
	},
	"2 posted: rejected duplicate_message 409 3000000 ms after 1 attempts, then it is open": {
		"send_again, and the gateway says that it is a duplicate": [
			{ rules: { duplicateWindowSeconds: { contact: 3_600 } } },
			first(lose, wait(LATE), decide("send_again"), each(sendAgain, listAll)),
		],
	},
};

testOutcomes(RESOLVED, tell);

/** The keys under each status. */
async function listAll({ store }: World): Promise<string> {
	const listed: string[] = [];
	for (const status of STATUSES)
		for (const { key, verdict } of await collect(listSends(store, { status }))) {
			expect(verdict.status).toBe(status);
			listed.push(`${key === KEY ? "it" : key} is ${status}`);
		}
	return listed.join(", ") || "nothing is listed";
}

const LISTED: Outcomes<Story> = {
	"0 posted: it is open": { "an intent": first(prepare, listAll) },
	"1 posted: it is accepted": { "a send": first(sendAgain, listAll) },
	"1 posted: it is unresolved": { "a lost response": first(lose, listAll) },
	"1 posted: it is given_up": { "a send that was given up": first(lose, decide("give_up"), listAll) },
	"0 posted: it is unresolved": { "a dead worker, after its lease": first(die, wait(MINUTE), listAll) },
	"0 posted: nothing is listed": {
		"a send that a worker is making": async (world) => {
			const { fetch, posted } = hangingFetch();
			void world.createProcess({ fetch }).send(KEY, TEXT);
			await posted;
			expect((await world.store.list({ state: "unresolved", limit: 9 })).rows).toHaveLength(1);
			return listAll(world);
		},
	},
	"2 posted: it is open, first is accepted": {
		"a duplicate under another key": [
			{ rules: "on" },
			first(
				({ sender }) => sender.send("first", TEXT),
				(world) => sendAgain(world).catch(() => undefined),
				listAll,
			),
		],
	},
	"0 posted: not_sent configuration: status must be one of open, unresolved, accepted, given_up": {
		"a status that does not exist": ({ store }) => collect(listSends(store, { status: "sent" as never })),
	},
};

testOutcomes(LISTED, tell);

test("a list reads every page", async () => {
	const { sender, store } = createWorld();
	for (let at = 0; at < 250; at++) await sender.prepare(`open-${at}`, TEXT);
	const open = await collect(listSends(store, { status: "open" }));
	expect(new Set(open.map(({ key }) => key)).size).toBe(250);
	expect(open).toHaveLength(250);
});

const BARE = { code: "UNAUTHORIZED", requestId: "r", message: "" };
const GROUP = { groupId: "group-1", text: TEXT.text };

/** A POST that gets a 401 without a reason, and a read of the mapping that goes so. */
const unauthorized =
	(prepareRead: (local: World["local"]) => unknown, input: SendInput = TEXT): Play =>
	async ({ local, sender }) => {
		const refusal = { status: 401, body: { ok: false, error: BARE } };
		local.faults.respond({ operationId: "messages.sendText", ...refusal });
		await prepareRead(local);
		const ended = await sender.send(KEY, input).catch((error: unknown) => error);
		return [ended, local.requests.map(({ method }) => method).join()];
	};

const refuseRead = ({ faults }: World["local"]) =>
	faults.respond({ operationId: "mappings.get", status: 401, body: { ok: false, error: BARE } });
const answerRead = ({ contact }: World["local"]) => contact(TEXT.to).reply("Hi");

const UNAUTHORIZED: Outcomes<Story> = {
	"1 posted: rejected authentication_failed 401 after 1 attempts, then POST,GET": {
		"if a read is refused as well": unauthorized(refuseRead),
		"to a group, if a read of any number is refused": unauthorized(refuseRead, GROUP),
	},
	"1 posted: unresolved: unknown authentication_failed 401 mapping 0/1, send_again in 600000 ms, then POST,GET":
		{ "if a read succeeds": unauthorized(answerRead) },
	"1 posted: unresolved: unknown authentication_failed 401, send_again in 600000 ms, then POST,GET": {
		"to a group, if a read of any number succeeds: it is no hint": unauthorized(answerRead, GROUP),
		"if a read finds nothing": unauthorized(() => undefined),
		"if a read breaks": unauthorized(({ faults }) =>
			faults.dropConnection({ operationId: "mappings.get", when: "before" }),
		),
		"if a read is forbidden": unauthorized(({ faults }) =>
			faults.respond({ operationId: "mappings.get", status: 403 }),
		),
	},
	"2 posted: unresolved: unknown authentication_failed 401 mapping 1/0, send_again in 600000 ms, then unresolved: unknown authentication_failed 401 mapping 1/0, send_again in 600000 ms, then 202,401,200":
		{
			"to a copy of the request": async ({ local, sender }) => {
				local.faults.repeatRequest();
				const ended = [await sender.send(KEY, TEXT), await sender.send(KEY, TEXT)];
				return [...ended, local.requests.map(({ status }) => status).join()];
			},
		},
	"2 posted: rejected authentication_failed 401 after 1 attempts, then accepted by response, with its message":
		{
			"to a secret that was rotated: the next send has the other one": async ({ local, store }) => {
				const secrets = ["old-secret", "local-app-secret"];
				const gateway = new MessagingGateway({
					...local.clientOptions,
					appSecret: () => secrets.shift() ?? "none",
					logLevel: "off",
					fetch: async (url, init) => {
						const response = await local.clientOptions.fetch(url, init);
						if (response.status !== 401) return response;
						return Response.json({ ok: false, error: BARE }, { status: 401 });
					},
				});
				const sender = createSender({ gateway, store, digestSecret: "a secret" });
				return [await catchRejection(sender.send(KEY, TEXT)), await sender.send(KEY, TEXT)];
			},
		},
};

testOutcomes(UNAUTHORIZED, tell);

test("a POST that was held back is rejected by the time that send_again is possible", async () => {
	const { local, clock, store, sender, createProcess } = createWorld({ rules: "off" });
	let deliver = async (): Promise<number> => 0;
	const held = createProcess({
		fetch: async (url, init) => {
			deliver = async () => (await local.clientOptions.fetch(url, init)).status;
			throw new TypeError("fetch failed");
		},
	});
	expect(await held.send(KEY, TEXT)).toMatchObject({ status: "unresolved" });
	// Our clock is five minutes ahead: the gateway accepts the request for ten.
	local.faults.skewClock(-5 * MINUTE);
	await clock.advance(LATE - 1);
	expect(await catchRejection(resolveSend(store, KEY, "send_again"))).toMatchObject({ retryAfterMs: 1 });
	expect(local.sent).toHaveLength(0);
	await clock.advance(2);
	expect(await resolveSend(store, KEY, "send_again")).toEqual({ status: "open" });
	expect(await deliver()).toBe(401);
	local.faults.clear();
	await sender.send(KEY, TEXT);
	expect(local.sent).toHaveLength(1);
});
