import { MessagingGateway } from "messaging-gateway";
import { createLocalGateway } from "messaging-gateway/testing";

/** The response body for every client: that of the local gateway to the same send. */
export async function recordResponseBody(): Promise<string> {
	const local = createLocalGateway();
	let body = "";
	const gateway = new MessagingGateway({
		...local.clientOptions,
		async fetch(url, init) {
			const response = await local.clientOptions.fetch(url, init);
			body = await response.clone().text();
			return response;
		},
	});
	await gateway.messages.sendText({
		from: "+15550000001",
		text: "Your table is booked.",
		to: "+15551234567",
	});
	// Node 22 does not support `await using`.
	await local[Symbol.asyncDispose]();
	return body;
}
