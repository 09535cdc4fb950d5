/** Sends the id of your trace with each request, for a gateway or proxy of your own. The signature covers no such header. */
import { context, propagation } from "@opentelemetry/api";
import { MessagingGateway } from "messaging-gateway";
import { traceCalls } from "messaging-gateway/opentelemetry";

export const gateway = new MessagingGateway({
	hooks: traceCalls(),
	fetch: (url, init) => {
		const headers = new Headers(init.headers);
		propagation.inject(context.active(), headers, { set: (to, name, value) => to.set(name, value) });
		return fetch(url, { ...init, headers });
	},
});
