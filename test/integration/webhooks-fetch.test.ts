import { getRequestListener } from "@hono/node-server";
import { afterAll } from "vitest";
import { serve } from "../support/serve.ts";
import { createObservedHandler } from "./support/observed-handler.ts";
import { testReceiver } from "./support/receiver-suite.ts";

// The listener replaces them for good, and other files share this worker.
const { Request, Response } = globalThis;
afterAll(() => void Object.assign(globalThis, { Request, Response }));

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
