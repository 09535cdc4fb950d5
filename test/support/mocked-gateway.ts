import { type ClientOptions, MessagingGateway } from "messaging-gateway";
import {
	createAdjustableClock,
	createLocalGateway,
	type LocalGateway,
	type LocalGatewayOptions,
} from "messaging-gateway/testing";
import { gatewayHandlers } from "messaging-gateway/testing/msw";
import { setupServer } from "msw/node";
import { START_MS } from "./counting-clock.ts";

export interface MockedGateway extends Disposable {
	local: LocalGateway;
	/** Creates a client that reaches the gateway through the platform's `fetch`. */
	connect(options?: ClientOptions): MessagingGateway;
}

/** The local gateway instead of the network, with a frozen clock. */
export function mockGateway(options: LocalGatewayOptions = {}): MockedGateway {
	const clock = createAdjustableClock({ frozen: true, startMs: START_MS });
	const local = createLocalGateway({ baseUrl: "https://gateway.example", clock, rules: "off", ...options });
	const server = setupServer(...gatewayHandlers(local));
	server.listen({ onUnhandledFrame: "error" });
	const { fetch: _, ...reach } = local.clientOptions;
	return {
		local,
		connect: (clientOptions) => new MessagingGateway({ ...reach, logLevel: "off", ...clientOptions }),
		[Symbol.dispose]: () => server.close(),
	};
}
