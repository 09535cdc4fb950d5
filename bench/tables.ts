import type { OpenCases, Table, TableRecord } from "./cases.ts";
import type { SETTINGS } from "./settings.ts";

/** Every table of each run, with what users notice first. What measures a table is loaded in its own process alone. */
export const TABLES = {
	/** Where users feel it; then the ceilings of what is quick enough already. */
	speed: {
		"full-store": table("cost", async () => (await import("./rows/full-store.ts")).openFullStore),
		settled: table("cost", async () => (await import("./rows/settled.ts")).openSettled),
		test: table("cost", async () => (await import("./rows/tests.ts")).openTests),
		"send-cpu": table("cost", async () => (await import("./rows/sends.ts")).openSendCpu),
		"sender-memory": table("cost", async () => (await import("./rows/sends.ts")).openSenderMemory),
		"first-send": table("cost", async () => (await import("./rows/sends.ts")).openFirstSend),
		"first-webhook": table("cost", async () => (await import("./rows/first-webhook.ts")).openFirstWebhook),
		inbox: table("rate", async () => (await import("./receivers/cases.ts")).openInbox),
		sqlite: table("rate", async () => (await import("./receivers/cases.ts")).openSqlite),
		redis: table("rate", async () => (await import("./receivers/cases.ts")).openRedis),
		attachment: table("cost", async () => (await import("./rows/attachment.ts")).openAttachment),
		size: table("cost", async () => (await import("./ceilings/size.ts")).openSize),
		call: table("cost", async () => (await import("./ceilings/calls.ts")).openCalls),
		"hash-body": table("speed", async () => (await import("./ceilings/signing.ts")).openHashBody),
		"sign-request": table("speed", async () => (await import("./ceilings/signing.ts")).openSignRequest),
		"verify-webhook": table("speed", async () => (await import("./ceilings/webhooks.ts")).openVerifiers),
		memory: table("cost", async () => (await import("./ceilings/memory.ts")).openMemory),
		"postgres-updates": table("cost", async () => (await import("./stores/tables.ts")).openUpdates),
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
