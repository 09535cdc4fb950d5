/**
 * Serves the local gateway on a port.
 *
 * See [Testing your app](../../../../docs/testing.md#test-over-http).
 * @module messaging-gateway/testing/node
 */
export { type ListeningGateway, type ListenOptions, listen } from "../../local-gateway/listen.ts";
