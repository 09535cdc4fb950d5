import type { ClientOptions } from "messaging-gateway";
import { nodeHttpFetch } from "messaging-gateway/node";

/**
 * Whether this run sends over `node:http` rather than over the platform's `fetch`: a project of `test:full` does. It skips
 * tests of what only an object can do, and those that count the steps in which a frozen clock moves.
 */
export const isNodeHttp = process.env["TEST_TRANSPORT"] === "node:http";

/** The options of a client with the transport of this run. */
export const transport: Pick<ClientOptions, "fetch"> = isNodeHttp ? { fetch: nodeHttpFetch } : {};
