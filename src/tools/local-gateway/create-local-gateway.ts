import { createGatewayCore } from "./create-gateway-core.ts";
import type { LocalGateway } from "./local-gateway.ts";
import type { LocalGatewayOptions } from "./options.ts";

/**
 * Creates a gateway in your process: signed requests, rules, delivery statuses and webhooks, like a server. It opens no
 * port and runs wherever `fetch` does. To serve a gateway on a port, use `listen` of `messaging-gateway/testing/node`.
 *
 * @example
 * ```ts
 * const local = createLocalGateway();
 * const gateway = new MessagingGateway(local.clientOptions);
 * await gateway.messages.sendText({ to: "+15551234567", text: "Hello" });
 * await local.settled();
 * console.log(local.sent[0]?.status); // "read"
 * await local.close();
 * ```
 * @throws ConfigurationError (`configuration`) if an option is invalid, or a codec of the profile lacks the direction
 * that only the gateway needs.
 */
export function createLocalGateway(options: LocalGatewayOptions = {}): LocalGateway {
	return createGatewayCore(options).local;
}
