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
	/** In each of these cases. */
	readonly cases: readonly string[];
	readonly ours: string;
	/** What it is compared with; the limit holds against each. */
	readonly against: readonly string[];
	readonly limit: Limit;
	/** The major versions of Node that it is for. @default all */
	readonly nodes?: readonly number[];
}

const OURS = "messaging-gateway";
const SDKS = ["@linqapp/sdk", "sendblue", "stripe", "openai"];
const LARGE = ["webhook, 0.6 kB", "10 kB", "100 kB", "1 MB"];
const BODIES = ["0.5 kB", "1 kB", "10 kB", "1 MB"].flatMap((size) => [`${size}, string`, `${size}, Buffer`]);
const WEBHOOKS = ["1 kB, string", "1 kB, Buffer"];

/**
 * The targets. They were set from a first prototype measured beside the peers: each was within its reach, and ahead of
 * every peer.
 */
export const TARGETS: readonly Target[] = [
	{
		what: "canonicalize, a text to send",
		table: "canonicalize",
		cases: ["text, 163 B"],
		ours: OURS,
		against: ["JSON.stringify"],
		limit: { speedAtLeast: 0.65 },
		nodes: [22, 24],
	},
	{
		what: "canonicalize, from a webhook to 1 MB",
		table: "canonicalize",
		cases: LARGE,
		ours: OURS,
		against: ["JSON.stringify"],
		limit: { speedAtLeast: 0.85 },
		nodes: [22, 24],
	},
	{
		what: "canonicalize, from 10 kB to 1 MB, where JSON.stringify is twice as fast",
		table: "canonicalize",
		cases: LARGE.slice(1),
		ours: OURS,
		against: ["JSON.stringify"],
		limit: { speedAtLeast: 0.5 },
		nodes: [26],
	},
	{
		what: "canonicalize, any size",
		table: "canonicalize",
		cases: ["text, 163 B", ...LARGE],
		ours: OURS,
		against: ["canonicalize"],
		limit: { speedAtLeast: 2.5 },
	},
	{
		what: "signing a request, canonicalisation included",
		table: "sign-request",
		cases: ["text, 163 B"],
		ours: OURS,
		against: ["JSON.stringify + node:crypto"],
		limit: { speedAtLeast: 1 },
	},
	{
		what: "signing a request",
		table: "sign-request",
		cases: ["text, 163 B"],
		ours: OURS,
		against: ["@smithy/signature-v4"],
		limit: { speedAtLeast: 8 },
	},
	{
		what: "verifySignature and JSON.parse, from the smallest body to 1 MB",
		table: "verify-signature",
		cases: BODIES,
		ours: "verifySignature + JSON.parse",
		against: ["createHmac + JSON.parse"],
		limit: { speedAtLeast: 1 },
	},
	{
		what: "verifySignature, 1 MB",
		table: "verify-signature",
		cases: ["1 MB, Buffer, signature alone"],
		ours: "verifySignature",
		against: ["createHmac"],
		limit: { speedAtLeast: 0.98 },
	},
	{
		what: "verifyWebhook, narrowing included",
		table: "verify-webhook",
		cases: WEBHOOKS,
		ours: "verifyWebhook",
		against: ["createHmac + JSON.parse"],
		limit: { speedAtLeast: 0.95 },
	},
	{
		what: "verifyWebhook, narrowing included",
		table: "verify-webhook",
		cases: WEBHOOKS,
		ours: "verifyWebhook",
		against: ["stripe"],
		limit: { speedAtLeast: 1.3 },
	},
	{
		what: "verifyWebhook, narrowing included",
		table: "verify-webhook",
		cases: WEBHOOKS,
		ours: "verifyWebhook",
		against: ["standardwebhooks"],
		limit: { speedAtLeast: 2.2 },
	},
	{
		what: "verifyWebhook without native hashing",
		table: "verify-webhook-noble",
		cases: WEBHOOKS,
		ours: "verifyWebhook",
		against: ["standardwebhooks"],
		limit: { speedAtLeast: 1.5 },
	},
	{
		what: "the webhook handler with the store in memory",
		table: "handler",
		cases: ["1 kB, string"],
		ours: "createWebhookHandler",
		against: ["verifyWebhook"],
		limit: { costAtMost: 1.8 },
	},
	{
		what: "a client's call on a fetch that responds at once",
		table: "client-stub",
		cases: ["1 in flight"],
		ours: OURS,
		against: SDKS,
		limit: { speedAtLeast: 1 },
	},
	{
		what: "a client's call over HTTP, 16 in flight",
		table: "client-http",
		cases: ["16 in flight"],
		ours: OURS,
		against: SDKS,
		limit: { speedAtLeast: 1 },
	},
	{
		what: "cold import of the webhooks",
		table: "cold-import",
		cases: ["new process"],
		ours: "messaging-gateway/webhooks",
		against: ["an empty module"],
		limit: { excessAtMost: 25e6 },
	},
	{
		what: "cold import of the client",
		table: "cold-import",
		cases: ["new process"],
		ours: OURS,
		against: ["ky"],
		limit: { costAtMost: 1.2 },
	},
	{
		what: "size of the client beyond its parts",
		table: "bundle-size",
		cases: ["minified, gzip"],
		ours: "MessagingGateway",
		against: ["ky, noble and zod/mini"],
		limit: { excessAtMost: 10_000 },
	},
	{
		what: "size of the client",
		table: "bundle-size",
		cases: ["minified, gzip"],
		ours: "MessagingGateway",
		against: [],
		limit: { atMost: 27_000 },
	},
	{
		what: "size of verifyWebhook",
		table: "bundle-size",
		cases: ["minified, gzip"],
		ours: "verifyWebhook",
		against: [],
		limit: { atMost: 12_000 },
	},
	{
		what: "size of verifySignature",
		table: "bundle-size",
		cases: ["minified, gzip"],
		ours: "verifySignature",
		against: [],
		limit: { atMost: 4_500 },
	},
];
