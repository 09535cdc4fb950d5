import type { LocalGatewayOptions } from "messaging-gateway/testing";
import { createFrozenGateway, START_MS } from "../../../support/signed-client.ts";

/** A webhook as a receiver gets it. */
export interface ReceivedWebhook {
	readonly url: string;
	readonly headers: Headers;
	readonly body: string;
	/** How long after the start it came. */
	readonly at: number;
}

/** A gateway whose clock stands still, with a receiver that responds with these statuses in turn, then with 200. */
export function createReceivingGateway(options: LocalGatewayOptions = {}, ...statuses: number[]) {
	const received: ReceivedWebhook[] = [];
	const local = createFrozenGateway({
		async deliverTo(request) {
			const { url, headers } = request;
			received.push({ url, headers, body: await request.text(), at: local.clock.now() - START_MS });
			return new Response(null, { status: statuses.shift() ?? 200 });
		},
		...options,
	});
	return { local, received };
}

/** The status that a webhook reports. */
export function statusIn({ body }: { readonly body: string }): unknown {
	return JSON.parse(body).status;
}
