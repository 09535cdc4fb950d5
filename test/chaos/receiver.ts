/** A process that receives webhooks and may be killed at any time. It prints its port when it is ready. */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createInterface } from "node:readline";
import { toNode } from "messaging-gateway/webhooks/node";
import { Journal } from "./journal.ts";
import { createChaosHandler } from "./receiver-handler.ts";
import { Orders } from "./receiver-orders.ts";
import { type ReceiverSettings, SETTINGS_VARIABLE } from "./receiver-settings.ts";
import { openStore } from "./receiver-store.ts";

// The pipe closes when the orchestrator dies for any reason.
const lines = createInterface(process.stdin).on("close", () => process.exit());

const settings = JSON.parse(process.env[SETTINGS_VARIABLE] ?? "") as ReceiverSettings;
const store = await openStore(settings);
const journal = new Journal(settings.journalUrl, String(settings.worker));
const webhooks = createChaosHandler(settings, { store, journal, orders: new Orders(lines) });
const server = createServer(toNode(webhooks));
server.listen(0, "127.0.0.1");
await once(server, "listening");
console.log((server.address() as AddressInfo).port);
