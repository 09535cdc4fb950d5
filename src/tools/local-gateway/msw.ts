import * as msw from "msw";
import { ConfigurationError } from "../../library/errors.ts";
import type { LocalGateway } from "./local-gateway.ts";

/**
 * Creates MSW handlers for `setupServer` and `setupWorker`. Code that uses the platform's `fetch` then reaches the
 * gateway under its `baseUrl`, without a server.
 *
 * @example
 * ```ts
 * const local = createLocalGateway({ baseUrl: "https://gateway.example" });
 * const server = setupServer(...gatewayHandlers(local));
 * ```
 * @throws ConfigurationError (`configuration`) with an MSW before version 2.
 */
export function gatewayHandlers(local: LocalGateway): msw.HttpHandler[] {
	// Not a named import, which would fail with the runtime's error if the export is missing.
	const { http, HttpResponse }: Partial<typeof msw> = msw;
	if (http === undefined || HttpResponse === undefined) {
		throw new ConfigurationError("gatewayHandlers needs msw 2 or later: npm install --save-dev msw@latest");
	}
	const respond = async ({ request }: { request: Request }): Promise<Response> => {
		try {
			return await local.fetch(request);
		} catch {
			// A dropped connection: anything thrown here would become a response with status 500.
			return HttpResponse.error();
		}
	};
	return [http.all(`${local.baseUrl}/*`, respond), http.all(local.baseUrl, respond)];
}
