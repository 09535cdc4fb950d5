import { json } from "node:stream/consumers";
import { toNode } from "messaging-gateway/webhooks/node";
import { serve } from "../support/serve.ts";
import { createObservedHandler } from "./support/observed-handler.ts";
import { testReceiver } from "./support/receiver-suite.ts";

testReceiver("node:http", {
	hint: "read before",
	drains: true,
	async start() {
		const listener = toNode(createObservedHandler());
		const server = await serve(async (request, response) => {
			if (request.url === "/mistaken") Object.assign(request, { body: await json(request) });
			await listener(request, response);
		});
		return { ...server, mistakenUrl: `${server.url}/mistaken` };
	},
});
