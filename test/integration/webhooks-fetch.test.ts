import { getRequestListener } from "@hono/node-server";
import { createObservedHandler } from "../support/observed-handler.ts";
import { testReceiver } from "../support/receiver-suite.ts";
import { serve } from "../support/serve.ts";

testReceiver("fetch alone", {
	hint: "pass the raw bytes",
	async start() {
		const webhooks = createObservedHandler();
		const server = await serve(
			getRequestListener(async (request) => {
				if (new URL(request.url).pathname === "/mistaken") await request.json();
				return webhooks.fetch(request);
			}),
		);
		return { ...server, mistakenUrl: `${server.url}/mistaken` };
	},
});
