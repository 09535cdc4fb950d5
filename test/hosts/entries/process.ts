/** Node, Bun and Deno: prints the cells, and what a client says whose options come from the environment. */
import { MessagingGateway } from "messaging-gateway";
import { type Gateway, runActions } from "../actions.ts";

/** Written into the code when it is bundled. */
declare const GATEWAY: Gateway;

const { mappings } = new MessagingGateway({ logLevel: "off" });
const fromEnvironment = await mappings.get("+15551234567").then(() => "works", String);
console.log(JSON.stringify({ cells: await runActions(GATEWAY), fromEnvironment }));
