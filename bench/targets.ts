/** The limit of a figure. */
export type Limit =
	/** At least so many times as fast as what it is compared with. */
	| { readonly speedAtLeast: number }
	/** At most so many times the cost of what it is compared with. */
	| { readonly costAtMost: number }
	/** At most so much beyond what it is compared with, in the table's unit. */
	| { readonly excessAtMost: number }
	/** At most so much, in the table's unit. */
	| { readonly atMost: number };

/** One aim of the benchmark. */
export interface Target {
	/** What it is about, in words. */
	readonly what: string;
	readonly table: string;
	/** In each of these cases; in all of the table by default. */
	readonly cases?: readonly string[];
	readonly ours: string;
	/** What it is compared with; the limit holds against each, and so against the best of them. */
	readonly against: readonly string[];
	readonly limit: Limit;
	/** The major versions of Node that it is for. @default all */
	readonly nodes?: readonly number[];
}

const OURS = "messaging-gateway";

/** The SDKs of the same kind as the client: on fetch, with time-outs and retries. */
const FETCH_SDKS = ["@linqapp/sdk", "sendblue", "stripe on fetch", "openai"];

const TEXT = ["text, 163 B"];
const LARGER = ["webhook, 0.6 kB", "10 kB", "100 kB", "1 MB"];
const WEBHOOKS = ["1 kB, string", "1 kB, Buffer"];

/**
 * The targets, with what users notice first. They were set from what prototypes measured. A size that
 * was reached is also a limit of the tests.
 */
export const TARGETS: readonly Target[] = [
	size("the client", "MessagingGateway", 27_000),
	size("the webhook handler with the memory store", "createWebhookHandler + memoryStore", 12_800),
	size("verifyWebhook", "verifyWebhook", 8_500),
	size("verifySignature", "verifySignature", 6_300),
	{
		what: "import of the client",
		table: "start",
		cases: ["import"],
		ours: OURS,
		against: ["@linqapp/sdk"],
		limit: { costAtMost: 0.75 },
	},
	{
		what: "import of the webhooks",
		table: "start",
		cases: ["import"],
		ours: "messaging-gateway/webhooks",
		against: ["an empty module"],
		limit: { excessAtMost: 14e6 },
	},
	{
		what: "import of the client and its first call over HTTP",
		table: "start",
		cases: ["import and first call"],
		ours: OURS,
		against: ["@linqapp/sdk"],
		limit: { costAtMost: 1.1 },
	},
	{
		what: "deliveries a second: Express, the webhook handler and Redis",
		table: "receiver",
		ours: "createWebhookHandler, Redis store",
		against: ["createHmac alone"],
		limit: { speedAtLeast: 0.7 },
	},
	{
		what: "an event in the Redis store",
		table: "redis-store",
		ours: "redisStore",
		against: ["SET NX PX, SET XX PX"],
		limit: { speedAtLeast: 0.7 },
	},
	{
		what: "updates of finished events in PostgreSQL that write to indexes",
		table: "postgres-store",
		ours: "postgresStore",
		against: [],
		limit: { atMost: 5 },
	},
	{
		what: "a client's call on a fetch that responds at once",
		table: "client-stub",
		ours: OURS,
		against: FETCH_SDKS,
		limit: { speedAtLeast: 1.3 },
	},
	{
		what: "a client's call over HTTP, 16 in flight",
		table: "client-http",
		cases: ["16 in flight"],
		ours: OURS,
		against: FETCH_SDKS,
		limit: { speedAtLeast: 1 },
	},
	hashBody("a text to send", TEXT, "JSON.stringify", 0.75, [22, 24]),
	hashBody("from a webhook to 1 MB", LARGER, "JSON.stringify", 0.55, [22, 24]),
	hashBody(
		"any size, where JSON.stringify is twice as fast",
		[...TEXT, ...LARGER],
		"JSON.stringify",
		0.4,
		[26],
	),
	hashBody("a text to send", TEXT, "canonicalize", 1.8),
	hashBody("from a webhook to 1 MB", LARGER, "canonicalize", 2),
	{
		what: "signRequest, its body included",
		table: "sign-request",
		cases: TEXT,
		ours: OURS,
		against: ["JSON.stringify + node:crypto"],
		limit: { speedAtLeast: 0.95 },
	},
	verifyWebhook("verify-webhook", "createHmac + JSON.parse", 0.95),
	verifyWebhook("verify-webhook", "stripe", 1.15),
	verifyWebhook("verify-webhook-noble", "standardwebhooks", 1.7),
	{
		what: "the webhook handler with the memory store",
		table: "handler",
		ours: "createWebhookHandler",
		against: ["verifyWebhook"],
		limit: { costAtMost: 1.8 },
	},
	{
		what: "memory after a million verifications, a million deliveries and 10,000 calls at a time",
		table: "memory",
		cases: ["1,000,000 verifications", "1,000,000 deliveries to a handler", "10,000 calls at a time"],
		ours: "at the end",
		against: ["after warm-up"],
		// Less than one byte for each.
		limit: { excessAtMost: 750_000 },
	},
	{
		what: "buffers of verifying a body of 1 MB, of which a copy would be 1 MB",
		table: "memory",
		cases: ["buffers of a body of 1 MB"],
		ours: "at the end",
		against: ["after warm-up"],
		limit: { excessAtMost: 100_000 },
	},
];

/** The target of an import's size in bytes, if it has one. */
export function findSizeTarget(name: string): number | undefined {
	const target = TARGETS.find(({ table, ours }) => table === "size" && ours === name);
	return target !== undefined && "atMost" in target.limit ? target.limit.atMost : undefined;
}

function size(what: string, ours: string, atMost: number): Target {
	return { what: `size of ${what}, gzip`, table: "size", ours, against: [], limit: { atMost } };
}

function hashBody(
	what: string,
	cases: readonly string[],
	against: string,
	speedAtLeast: number,
	nodes?: readonly number[],
): Target {
	const target = { table: "hash-body", cases, ours: OURS, against: [against], limit: { speedAtLeast } };
	return {
		what: `value, canonical bytes, SHA-256: ${what}`,
		...target,
		...(nodes === undefined ? {} : { nodes }),
	};
}

function verifyWebhook(table: string, against: string, speedAtLeast: number): Target {
	const what = table.endsWith("noble") ? "verifyWebhook without native hashing" : "verifyWebhook";
	return { what, table, cases: WEBHOOKS, ours: "verifyWebhook", against: [against], limit: { speedAtLeast } };
}
