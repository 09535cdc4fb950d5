import { createLocalGateway } from "messaging-gateway/testing";
import { gatewayHandlers } from "messaging-gateway/testing/msw";
import { setupServer } from "msw/node";

export const server = setupServer(...gatewayHandlers(createLocalGateway()));
