import {
	type DynamodbClient,
	type DynamodbStoreOptions,
	dynamodbStore,
} from "messaging-gateway/stores/dynamodb";
import {
	createAdjustableClock,
	createWebhookRequest,
	eventStoreCases,
	nonceStoreCases,
} from "messaging-gateway/testing";
import { ConfigurationError, createWebhookHandler } from "messaging-gateway/webhooks";
import { describe, expect, test } from "vitest";
import { catchRejection } from "../../../support/catch-error.ts";
import { acquire, bind, LEASE_MS, look, RETENTION_MS } from "../../../support/claims.ts";
import { GATEWAY_CLOCK_CASES, HANDLER_CLOCK_CASES } from "../../../support/clock-cases.ts";
import { DynamodbTable } from "../../../support/dynamodb-table.ts";
import { type Outcomes, testOutcomes } from "../../../support/outcomes.ts";
import { settableClock } from "../../../support/settable-clock.ts";

const START_MS = 1_780_272_000_000;
const SKEW_MS = 5_000;

function createSubject(options: DynamodbStoreOptions = {}, table = new DynamodbTable()) {
	const clock = createAdjustableClock({ frozen: true, startMs: START_MS });
	return { table, clock, store: dynamodbStore(table, { clock, ...options }) };
}

/** A store whose clock can be set, over a table that removes items by the time that passes. */
function createServedSubject(table: DynamodbTable, client: DynamodbClient = table) {
	const clock = settableClock(START_MS);
	let servedMs = START_MS;
	return {
		store: dynamodbStore(client, { clock, maxClockSkewMs: 0 }),
		setClock: clock.setClock,
		async advance(ms: number) {
			await clock.advance(ms);
			servedMs += ms;
			table.removeExpired(servedMs);
		},
	};
}

/** The table, behind a client that sends each write again, as if the first response were lost. */
function sendTwice(table: DynamodbTable): DynamodbClient {
	return {
		getItem: (input) => table.getItem(input),
		async putItem(input) {
			await table.putItem(input).catch(() => undefined);
			return table.putItem(input);
		},
	};
}

describe.each([true, false])("the rules of every store, if errors have the item: %s", (returnsItems) => {
	const cases = [...eventStoreCases(), ...nonceStoreCases(), ...HANDLER_CLOCK_CASES, ...GATEWAY_CLOCK_CASES];
	test.each(cases)("$name", ({ run }) =>
		run(() => {
			const table = new DynamodbTable({ returnsItems });
			const { store, ...time } = createServedSubject(table);
			const loseRecords = async () => {
				table.items.clear();
				await time.advance(1);
			};
			return { store, ...time, loseRecords };
		}),
	);

	test.each(cases)("$name, with each write sent twice", ({ run }) =>
		run(() => {
			const table = new DynamodbTable({ returnsItems });
			return createServedSubject(table, sendTwice(table));
		}),
	);
});

test("a lease ends for others when it is over on the slowest clock", async () => {
	const { store, clock } = createSubject();
	await acquire(store);
	await clock.advance(LEASE_MS + SKEW_MS - 1);
	expect(await store.claim("default:evt_1", { leaseMs: LEASE_MS, retentionMs: RETENTION_MS })).toEqual({
		status: "in_flight",
		retryAfterMs: 1,
	});
	await clock.advance(1);
	expect(await look(store)).toBe("acquired");
});

test("a first delivery is three writes, and a repeat of it two", async () => {
	const calls: string[] = [];
	const table = new DynamodbTable();
	const client: DynamodbClient = {
		getItem(input) {
			calls.push("get");
			return table.getItem(input);
		},
		putItem(input) {
			calls.push("put");
			return table.putItem(input);
		},
	};
	const webhooks = createWebhookHandler({
		secret: "local-webhook-secret",
		store: dynamodbStore(client),
		on: { status: () => undefined, unknown: () => undefined },
	});
	const deliver = async () =>
		(await webhooks.fetch(createWebhookRequest("status", {}, { eventId: "evt_1" }))).status;
	expect([await deliver(), calls.splice(0)]).toEqual([200, ["put", "put", "put"]]);
	expect([await deliver(), calls.splice(0)]).toEqual([200, ["put", "put"]]);
});

describe("what stands in the table", () => {
	const revision = { S: expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/) };
	const text = (S: string | number) => ({ S: String(S) });
	const number = (N: number) => ({ N: String(N) });

	test("is named by its kind, and may be removed when every clock is past it", async () => {
		const { store, table } = createSubject();
		const { token } = await acquire(store);
		const [key, times] = ["event:default:evt_1", { expires_at: number(START_MS + RETENTION_MS) }];
		const ttl = number((START_MS + RETENTION_MS + 2 * SKEW_MS) / 1_000);
		const held = { key: text(key), revision, token: number(token), ...times, ttl };
		expect(table.items.get(key)).toEqual({
			...held,
			state: text("held"),
			attempt: number(1),
			lease_ends_at: number(START_MS + LEASE_MS),
		});
		await store.complete("default:evt_1", token, RETENTION_MS);
		expect(table.items.get(key)).toEqual({ ...held, state: text("done") });

		await bind(store, "digest", "default:evt_1", RETENTION_MS);
		const binding = { key: text("delivery:digest"), revision, state: text("bound") };
		const bound = { bound_key: text("default:evt_1") };
		expect(table.items.get("delivery:digest")).toEqual({ ...binding, ...bound, ...times, ttl });

		await store.remember("app:nonce", RETENTION_MS);
		const nonce = { key: text("nonce:app:nonce"), revision, state: text("seen") };
		expect(table.items.get("nonce:app:nonce")).toEqual({ ...nonce, ...times, ttl });
		expect(table.items.size).toBe(3);
	});

	test("is an error if the store did not write it", async () => {
		const { store, table } = createSubject();
		table.items.set("event:default:evt_1", { key: text("event:default:evt_1"), state: text("held") });
		expect(await catchRejection(acquire(store))).toMatchObject({
			name: "StoreError",
			message: expect.stringContaining("use a table of its own"),
		});
	});

	test("gives a larger token once it was removed", async () => {
		const { store, table, clock } = createSubject();
		const behind = dynamodbStore(table, { clock: { ...clock, now: () => clock.now() - SKEW_MS } });
		const { token } = await acquire(store);
		await clock.advance(RETENTION_MS + 2 * SKEW_MS);
		table.removeExpired(clock.now());
		expect(table.items.size).toBe(0);
		expect((await acquire(behind)).token).toBeGreaterThan(token);
	});
});

test("an item that others change again and again is given up, and not asked for ever", async () => {
	const table = new DynamodbTable();
	let writes = 0;
	const client: DynamodbClient = {
		getItem: (input) => table.getItem(input),
		async putItem(input) {
			writes++;
			const other = { ...input.Item, revision: { S: `of another one ${writes}` }, state: { S: "free" } };
			table.items.set("event:default:evt_1", other);
			return table.putItem(input);
		},
	};
	await expect(acquire(dynamodbStore(client))).rejects.toThrow("others changed the same item 50 times");
	expect(writes).toBe(50);
});

const named = (name: string) => Object.assign(new Error("a message with a secret"), { name });
const failed = (sentence: string) =>
	`The store failed: ${sentence}. The event wasn't acknowledged: expect it again only if your gateway retries`;

/** What the client rejects with, by the hint of the 503. */
const REJECTIONS: Outcomes<Error> = {
	[failed(
		"the table records is missing in the client's region: create it, or set the table or the client's region",
	)]: {
		"no table": named("ResourceNotFoundException"),
	},
	[failed(
		'the table records rejects the key: its only key must be the string "key", of at most 2,048 bytes',
	)]: {
		"another key": named("ValidationException"),
	},
	[failed("access is denied: allow dynamodb:GetItem and dynamodb:PutItem on the table records")]: {
		"no permission": named("AccessDeniedException"),
	},
	[failed("the table records is throttled: raise its capacity, or its maximum on demand")]: {
		"no capacity left": named("ProvisionedThroughputExceededException"),
		"too many requests of a table": named("ThrottlingException"),
		"too many requests of an account": named("RequestLimitExceeded"),
	},
	[failed("DynamoDB accepts no credentials of the client: set valid ones of the same account")]: {
		"an unknown client": named("UnrecognizedClientException"),
		"a token that expired": named("ExpiredTokenException"),
		"no credentials": named("CredentialsProviderError"),
		"a wrong signature": named("InvalidSignatureException"),
	},
	[failed("the client has no valid region: set its region, or AWS_REGION")]: {
		"no region, which has no name of its own": new Error("Region is missing"),
		"the host of no region": new Error("getaddrinfo ENOTFOUND dynamodb.nowhere.amazonaws.com"),
	},
	"the client's own": {
		"a connection that broke": new Error("socket hang up"),
		"a message with the name of another error": new Error("no ResourceNotFoundException"),
		"an unknown name": named("InternalServerError"),
	},
};

describe("an error of the client gives 503, and the sentence is", () =>
	testOutcomes(REJECTIONS, async (cause) => {
		const client = { getItem: () => Promise.reject(cause), putItem: () => Promise.reject(cause) };
		const hints: string[] = [];
		const webhooks = createWebhookHandler({
			secret: "local-webhook-secret",
			store: dynamodbStore(client, { table: "records" }),
			on: { status: () => expect.unreachable(), unknown: () => undefined },
			onError: (error, { hint }) => {
				if (error !== cause) expect(error).toMatchObject({ cause });
				hints.push(error === cause ? "the client's own" : hint);
			},
		});
		const response = await webhooks.fetch(createWebhookRequest("status"));
		expect([response.status, await response.text()]).toEqual([503, "store_unavailable"]);
		expect(hints).toHaveLength(1);
		expect(hints[0]).not.toContain("secret");
		return hints.join();
	}));

const OPTIONS: Outcomes<object> = {
	accepted: {
		"no options": {},
		"a table": { table: "t" },
		"clocks that are the same": { maxClockSkewMs: 0 },
	},
	"table must be the name of a DynamoDB table, a string that isn't empty": {
		"an empty table": { table: "" },
		"a table that is no string": { table: 5 },
	},
	"maxClockSkewMs must be a number of at least 0": {
		"a negative skew": { maxClockSkewMs: -1 },
		"a skew of NaN": { maxClockSkewMs: Number.NaN },
		"an infinite skew": { maxClockSkewMs: Number.POSITIVE_INFINITY },
		"a skew that is no number": { maxClockSkewMs: "5" },
	},
	'Unknown option "timeoutMs" of dynamodbStore: set storeTimeoutMs of the handler, the sender or verifyRequest, which limits every call of a store':
		{
			"an option that the handler has": { timeoutMs: 1_000 },
		},
	'Unknown option "tableName" of dynamodbStore: remove it, or use table, maxClockSkewMs, clock': {
		"an unknown option": { tableName: "a" },
	},
};

describe("the options", () =>
	testOutcomes(OPTIONS, (options) => {
		try {
			dynamodbStore(new DynamodbTable(), options);
			return "accepted";
		} catch (error) {
			if (!(error instanceof ConfigurationError)) throw error;
			return error.message;
		}
	}));
