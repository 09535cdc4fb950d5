/**
 * Runs the local gateway as MSW handlers.
 *
 * See [Testing your app](../../../../docs/testing.md#test-code-whose-client-you-cant-change).
 * @module messaging-gateway/testing/msw
 */
export { gatewayHandlers } from "../../local-gateway/msw.ts";
