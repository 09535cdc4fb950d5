/**
 * Runs the local gateway as MSW handlers.
 *
 * See [Testing your app](../../../../docs/testing.md#code-whose-client-you-cannot-change).
 * @module messaging-gateway/testing/msw
 */
export { gatewayHandlers } from "../../local-gateway/msw.ts";
