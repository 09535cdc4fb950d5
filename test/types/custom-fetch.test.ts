import { type ClientOptions, type FetchInit, MessagingGateway } from "messaging-gateway";
import { createLocalGateway } from "messaging-gateway/testing";
import { type ProxyAgent, fetch as undiciFetch } from "undici";
import { expectTypeOf, test } from "vitest";

type CustomFetch = NonNullable<ClientOptions["fetch"]>;

/** Never called: what matters is that each of them is taken without a cast. */
function makeClients(dispatcher: ProxyAgent): readonly MessagingGateway[] {
	return [
		new MessagingGateway({ fetch }),
		new MessagingGateway({ fetch: (url, init) => fetch(url, { ...init, keepalive: true }) }),
		new MessagingGateway({ fetch: async (url: string, init: RequestInit) => fetch(new Request(url, init)) }),
		new MessagingGateway({ fetch: createLocalGateway().clientOptions.fetch }),
		new MessagingGateway({ fetch: undiciFetch }),
		new MessagingGateway({ fetch: (url, init) => undiciFetch(url, { ...init, dispatcher }) }),
	];
}

test("the fetch of the platform and of undici are accepted without a cast", () => {
	expectTypeOf(makeClients).parameters.toEqualTypeOf<[ProxyAgent]>();
	expectTypeOf<FetchInit>().toExtend<RequestInit>();
});

test("nothing else is accepted as a fetch", () => {
	expectTypeOf<(url: string) => Promise<string>>().not.toExtend<CustomFetch>();
	expectTypeOf<(url: string) => Promise<{ status: number }>>().not.toExtend<CustomFetch>();
	expectTypeOf<(request: Request) => Promise<Response>>().not.toExtend<CustomFetch>();
});
