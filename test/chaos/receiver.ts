/** A process that receives webhooks and may be killed at any time. It prints its port when it is ready. */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createInterface } from "node:readline";
import { toNode } from "messaging-gateway/webhooks/node";
import { Halts } from "./halts.ts";
import { Journal } from "./journal.ts";
import { createChaosHandler } from "./receiver-handler.ts";
import { type ReceiverSettings, SETTINGS_VARIABLE } from "./receiver-settings.ts";
import { openStore } from "./receiver-store.ts";
import { Statements } from "./statements.ts";

// The pipe closes when the orchestrator dies for any reason.
const lines = createInterface(process.stdin).on("close", () => process.exit());

const settings = JSON.parse(process.env[SETTINGS_VARIABLE] ?? "") as ReceiverSettings;
const statements = new Statements();
const store = statements.watch(await openStore(settings));
const journal = new Journal(settings.journalUrl, String(settings.worker));
const webhooks = createChaosHandler(settings, { store, journal, halts: new Halts(lines, statements) });
const server = createServer(toNode(webhooks));
server.listen(0, "127.0.0.1");
await once(server, "listening");
console.log((server.address() as AddressInfo).port);
