import {
	listSends,
	observeSend,
	resolveSend,
	type SendStore,
	type StoredSend,
} from "messaging-gateway/sends";
import { expect, test, vi } from "vitest";
import { StoreError } from "../../../../src/library/store-calls/store-error.ts";
import { catchRejection } from "../../../support/catch-error.ts";
import { collect } from "../../../support/collect.ts";
import { settle } from "../../../support/counting-clock.ts";
import { type Outcomes, testOutcomes } from "../../../support/outcomes.ts";
import { createWorld, describeEnded, KEY, type Play, type Story, TEXT, tell } from "./sender-world.ts";

const hang = () => new Promise<never>(() => undefined);

const FAILED = "0 posted: not_sent store_failed: The store failed";
const UNSENT = "0 posted: not_sent store_failed: This call sent nothing. The store failed";
const AGAIN = " Then call again with the same key";
const silentFor = (ms: number) =>
	`no response within storeTimeoutMs, ${ms} ms. Check the store's server, and that its Pool has free connections`;

const ROW: StoredSend = { key: KEY, id: "id", version: 1, state: "open", data: "{}" };

/** A send over a store some of whose methods are others. */
const sendOver =
	(methods: object): Play =>
	({ createProcess, store }) =>
		createProcess({ store: { ...store, ...methods } }).send(KEY, TEXT);

const resolves =
	(...values: readonly unknown[]) =>
	(step: string): Record<string, Play> =>
		Object.fromEntries(
			values.map((value) => [
				`${step} resolves to ${JSON.stringify(value)}`,
				sendOver({ [step]: async () => value }),
			]),
		);

const rejects = (error: unknown): Play => sendOver({ read: () => Promise.reject(error) });

/** A list of sends, over a store that lists this; a row whose data is `{}` gets the data of an intent. */
const lists =
	(listed: unknown): Play =>
	async ({ store, sender }) => {
		await sender.prepare(KEY, TEXT);
		const { row } = await store.read(KEY);
		const value = JSON.parse(JSON.stringify(listed).replaceAll('"{}"', JSON.stringify(row?.data)));
		return collect(listSends({ ...store, list: async () => value }, { status: "open" }));
	};

const observes =
	(find: () => Promise<unknown>): Play =>
	async ({ sender, store, local, events }) => {
		await sender.send(KEY, TEXT);
		await local.settled();
		const [event] = events;
		if (event === undefined) throw new Error("expected an event");
		return observeSend({ ...store, find } as SendStore, event);
	};

const CONTRACT: Outcomes<Story> = {
	[`${UNSENT}: its read must resolve to { now, row }: a time in Unix milliseconds, and the key's row or undefined.${AGAIN}`]:
		resolves(
			undefined,
			null,
			{},
			{ now: "2026-01-01", row: undefined },
			{ now: 1, row: null },
			{ now: 1, row: {} },
			{ now: 1, row: { ...ROW, version: "1" } },
			{ now: 1, row: { ...ROW, version: 1.5 } },
			{ now: 1, row: { ...ROW, key: KEY.toUpperCase() } },
			{ now: 1, row: { ...ROW, data: undefined } },
		)("read"),
	[`${UNSENT}: its read must resolve to the data that was written, unchanged.${AGAIN}`]: {
		...resolves(
			{ now: 1, row: ROW },
			...[
				"",
				"null",
				"[]",
				'{ "leaseEndsAt": 0, "attempts": [] }',
				'{ "digest": 5, "leaseEndsAt": 0, "attempts": [] }',
				'{ "digest": "d", "leaseEndsAt": "0", "attempts": [] }',
				'{ "digest": "d", "leaseEndsAt": 0 }',
			].map((data) => ({ now: 1, row: { ...ROW, data } })),
		)("read"),
	},
	[`${UNSENT}: its insert must resolve to true or false.${AGAIN}`]: resolves(
		1,
		undefined,
		{ rowCount: 0 },
		[],
	)("insert"),
	[`${UNSENT}: its replace must resolve to true or false.${AGAIN}`]: resolves("0", undefined)("replace"),
	[`${FAILED}: its replace must resolve to true for the version that read returned`]: {
		"replace never succeeds, for a decision": async ({ sender, store }) => {
			await sender.prepare(KEY, TEXT);
			return resolveSend({ ...store, replace: async () => false }, KEY, "give_up");
		},
	},
	"0 posted: not_sent send_in_progress 60000 ms: Another worker is making this send: call again in 60 s (retryAfterMs)":
		{
			"replace never succeeds, for a send": sendOver({ replace: async () => false }),
			"insert never succeeds": sendOver({ insert: async () => false }),
		},
	"1 posted: accepted by response, with its message": {
		"only the third of three claims is won": ({ createProcess, store }) => {
			let tries = 0;
			const insert: SendStore["insert"] = async (...given) => ++tries === 3 && store.insert(...given);
			return createProcess({ store: { ...store, insert } }).send(KEY, TEXT);
		},
	},
	[`${FAILED}: its list must resolve to { now, rows }: a time in Unix milliseconds, and at most limit rows whose keys come after the given one`]:
		{
			"list has no rows": lists({ now: 1 }),
			"list has no time": lists({ rows: [] }),
			"list has rows without keys": lists({ now: 1, rows: [{}] }),
			"list has rows that are null": lists({ now: 1, rows: [null] }),
			"list has more rows than its limit": lists({ now: 1, rows: Array.from({ length: 101 }, () => ROW) }),
			"list has the first page for every `after`": lists({
				now: 1,
				rows: Array.from({ length: 100 }, () => ROW),
			}),
		},
	"1 posted: not_sent store_failed: The store failed: its find must resolve to a key or undefined": {
		"find resolves to a row": observes(async () => ROW),
	},
	"1 posted: undefined": {
		"find resolves to undefined": observes(async () => undefined),
		"find resolves to a key that is gone": observes(async () => "gone"),
	},
	"0 posted: undefined": {
		"an intent whose row is gone": ({ createProcess, store }) =>
			createProcess({ store: { ...store, insert: async () => false } }).prepare(KEY, TEXT),
	},
	[`${UNSENT}: the table t is missing.${AGAIN}`]: {
		"a store says why it failed, in a sentence of ours": rejects(new StoreError("the table t is missing")),
	},
	[`${UNSENT}: check its server and address.${AGAIN}`]: {
		"a store fails with a foreign error": rejects(new Error("private")),
	},
	[`${UNSENT} (ECONNRESET): check its server and address.${AGAIN}`]: {
		"a store fails with a foreign error with a code": rejects(
			Object.assign(new Error("private"), { code: "ECONNRESET" }),
		),
	},
	"1 posted: accepted by response, with its message, then not_sent store_failed: The result of a send wasn't recorded. The store failed: its read must resolve to the row that was written":
		{
			"read has no row any more, and replace failed, once it was sent": async ({ createProcess, store }) => {
				const errors: unknown[] = [];
				let reads = 0;
				let replaced = 0;
				const forgetful: SendStore = {
					...store,
					read: async (key) => (++reads > 1 ? { now: 1, row: undefined } : store.read(key)),
					replace: async (...given) => ++replaced === 1 && (await store.replace(...given)),
				};
				const sender = createProcess({ store: forgetful, onError: (error) => errors.push(error) });
				return [await sender.send(KEY, TEXT), ...errors];
			},
		},
};

testOutcomes(CONTRACT, tell);

/** A call of a store that hangs: what comes of it, and when. */
const waitFor =
	(call: Play): Play =>
	async (world) => {
		const startedAt = world.clock.now();
		const ended = await settle(world.clock, call(world), 500).catch((error: unknown) => error);
		return `${describeEnded(ended)}, after ${world.clock.now() - startedAt} ms`;
	};

const LIMIT = { storeTimeoutMs: 2_000 };

/** A send over a store each of whose calls takes seven seconds. */
const slowly = (limit: object): Play =>
	waitFor(({ createProcess, store, clock }) => {
		const slow = async <Value>(value: Promise<Value>): Promise<Value> => {
			await new Promise<void>((resolve) => void clock.setTimer(resolve, 7_000));
			return value;
		};
		const slowStore: SendStore = {
			...store,
			read: (...given) => slow(store.read(...given)),
			insert: (...given) => slow(store.insert(...given)),
			replace: (...given) => slow(store.replace(...given)),
		};
		return createProcess({ ...limit, store: slowStore }).send(KEY, TEXT);
	});

const hangingIn = (step: string): Play =>
	waitFor(({ createProcess, store }) =>
		createProcess({ ...LIMIT, store: { ...store, [step]: hang } }).send(KEY, TEXT),
	);

const HANGS: Outcomes<Story> = {
	[`${UNSENT}: ${silentFor(2_000)}.${AGAIN}, after 2000 ms`]: {
		"read, in send": hangingIn("read"),
		"insert, in send": hangingIn("insert"),
	},
	// The end of an attempt whose mark may be there is recorded, too.
	[`${UNSENT}: ${silentFor(2_000)}.${AGAIN}, after 8000 ms`]: { "replace, in send": hangingIn("replace") },
	[`${UNSENT}: ${silentFor(5_000)}.${AGAIN}, after 5000 ms`]: {
		"read, without a limit": waitFor(sendOver({ read: hang })),
		"seven seconds for each call, without a limit": slowly({}),
	},
	[`${FAILED}: ${silentFor(5_000)}, after 5000 ms`]: {
		"insert, in a prepare in a transaction": waitFor(({ sender, store }) =>
			sender.prepare(KEY, TEXT, { store: { ...store, insert: hang } }),
		),
	},
	[`${FAILED}: ${silentFor(2_000)}, after 2000 ms`]: {
		"read, in resolveSend": waitFor(({ store, clock }) =>
			resolveSend({ ...store, read: hang }, KEY, "give_up", { ...LIMIT, clock }),
		),
		"list, in listSends": waitFor(({ store, clock }) =>
			collect(listSends({ ...store, list: hang }, { status: "open", ...LIMIT, clock })),
		),
	},
	[`1 posted: not_sent store_failed: The store failed: ${silentFor(2_000)}, after 2000 ms`]: {
		"find, in observeSend": async (world) => {
			await world.sender.send(KEY, TEXT);
			await world.local.settled();
			const [event] = world.events;
			if (event === undefined) throw new Error("expected an event");
			const { clock, store } = world;
			return waitFor(() => observeSend({ ...store, find: hang }, event, { ...LIMIT, clock }))(world);
		},
	},
	"1 posted: accepted by response, with its message, after 28000 ms": {
		"seven seconds for each call, with a limit of ten": slowly({ storeTimeoutMs: 10_000 }),
	},
};

testOutcomes(HANGS, tell);

test("after a mark whose fate is unknown, send rejects once the end is recorded", async () => {
	const { createProcess, store } = createWorld();
	const recorded = Promise.withResolvers<void>();
	let replaced = 0;
	const slow: SendStore = {
		...store,
		async replace(...given) {
			if (++replaced === 1) throw new Error("the connection is gone");
			await recorded.promise;
			return store.replace(...given);
		},
	};
	let isOver = false;
	const sent = catchRejection(createProcess({ store: slow }).send(KEY, TEXT)).finally(() => {
		isOver = true;
	});
	await vi.waitUntil(() => replaced === 2);
	expect(isOver).toBe(false);
	recorded.resolve();
	expect(await sent).toMatchObject({ code: "store_failed", outcome: "not_sent" });
});

test("the cause of a foreign error is shown without its message", async () => {
	const error = await catchRejection(rejects(new Error("private"))(createWorld()));
	expect(error).toMatchObject({ cause: { message: "its message is left out" } });
});

test("a store that breaks its contract is no cause", async () => {
	const error = await catchRejection(sendOver({ read: async () => undefined })(createWorld()));
	expect(error).not.toHaveProperty("cause");
});

test("a store that redirects is the framework's concern", async () => {
	const redirect = Object.assign(new Error("NEXT_REDIRECT"), { digest: "NEXT_REDIRECT;replace;/;307;" });
	expect(await catchRejection(rejects(redirect)(createWorld()))).toBe(redirect);
});
