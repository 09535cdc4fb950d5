import type { OpenCases, OpenTable, TableRecord } from "./cases.ts";

/** Tables that are measured in one run. */
interface TableSet {
	/** The first lines of the help. */
	readonly about: string;
	/** How long one contender runs in a round, by default. */
	readonly sliceMs: string;
	/** How many events a store gets, or the largest size of growth, by default. */
	readonly size?: string;
	/** Every table by its name. */
	load(): Promise<Readonly<Record<string, OpenTable>>>;
}

/** Each run with its tables. */
export const SETS: Readonly<Record<string, TableSet>> = {
	speed: {
		about: `npm run bench -- [options]

  Measures size, start, speed and memory of the built package beside other packages, in about five minutes.`,
		sliceMs: "50",
		load: async () => SPEED,
	},
	stores: {
		about: `npm run bench:stores -- [options]

  Measures each store beside raw statements on the same server: claims and full cycles, the bytes of an event, the
  calls of a delivery; and the deliveries that receivers keep up with. It takes about ten minutes.`,
		sliceMs: "300",
		size: "100000",
		load: async () => (await import("./stores/tables.ts")).STORES,
	},
	growth: {
		about: `npm run bench:growth -- [options]

  Measures how costs grow with the input and with the history, from 10^2 to 10^6 bytes or entries, and fails if one
  grows too steeply. It takes three minutes and five gigabytes.`,
		sliceMs: "50",
		size: "1000000",
		load: async () => (await import("./growth/tables.ts")).GROWTH,
	},
};

const calls = () => import("./speed/calls.ts");
const signing = () => import("./speed/signing.ts");
const webhooks = () => import("./speed/webhooks.ts");
const stores = () => import("./stores/tables.ts");

/** With what users notice first. */
const SPEED: Readonly<Record<string, OpenTable>> = {
	size: table("cost", () => import("./speed/size.ts"), "openSize"),
	start: table("cost", calls, "openStart"),
	receiver: table("rate", () => import("./receivers/cases.ts"), "openReceivers"),
	"redis-store": table("speed", stores, "openRedisStore"),
	"postgres-store": table("cost", stores, "openUpdates"),
	"client-stub": table("speed", calls, "openStub"),
	"client-http": table("speed", calls, "openHttp"),
	"hash-body": table("speed", signing, "openHashBody"),
	"sign-request": table("speed", signing, "openSignRequest"),
	"verify-webhook": table("speed", webhooks, "openVerifiers"),
	"verify-webhook-noble": table("speed", webhooks, "openNoble"),
	handler: table("speed", webhooks, "openHandler"),
	memory: table("cost", () => import("./speed/memory.ts"), "openMemory"),
};

/** A table whose module is loaded in its own process alone. */
function table<Name extends string>(
	shows: TableRecord["shows"],
	load: () => Promise<Readonly<Record<Name, OpenCases>>>,
	name: Name,
): OpenTable {
	return async (atEnd, settings) => {
		const { [name]: openCases } = await load();
		return { shows, cases: openCases(atEnd, settings) };
	};
}
