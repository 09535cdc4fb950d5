import type { OpenCases, Table, TableRecord } from "./cases.ts";
import type { SETTINGS } from "./settings.ts";

/** Every table of each run, with what users notice first. What measures a table is loaded in its own process alone. */
export const TABLES = {
	speed: {
		size: table("cost", async () => (await import("./speed/size.ts")).openSize),
		start: table("cost", async () => (await import("./speed/calls.ts")).openStart),
		deliveries: table("rate", async () => (await import("./receivers/cases.ts")).openDeliveries),
		"postgres-store": table("cost", async () => (await import("./stores/tables.ts")).openUpdates),
		"client-stub": table("speed", async () => (await import("./speed/calls.ts")).openStub),
		"client-http": table("speed", async () => (await import("./speed/calls.ts")).openHttp),
		"hash-body": table("speed", async () => (await import("./speed/signing.ts")).openHashBody),
		"sign-request": table("speed", async () => (await import("./speed/signing.ts")).openSignRequest),
		"verify-webhook": table("speed", async () => (await import("./speed/webhooks.ts")).openVerifiers),
		"verify-webhook-noble": table("speed", async () => (await import("./speed/webhooks.ts")).openNoble),
		memory: table("cost", async () => (await import("./speed/memory.ts")).openMemory),
	},
	stores: {
		speeds: table("rate", async () => (await import("./stores/tables.ts")).openSpeeds),
		calls: table("cost", async () => (await import("./stores/tables.ts")).openCalls),
		bytes: table("cost", async () => (await import("./stores/tables.ts")).openBytes),
		rates: table("rate", async () => (await import("./receivers/cases.ts")).openRates),
	},
} as const;

/** The tables of a run by their names. */
export async function loadTables(set: keyof typeof SETTINGS): Promise<Readonly<Record<string, Table>>> {
	return set === "growth" ? (await import("./growth/tables.ts")).GROWTH : TABLES[set];
}

function table(shows: TableRecord["shows"], open: () => Promise<OpenCases>): Table {
	return { shows, open };
}
