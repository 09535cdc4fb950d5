/**
 * A program that sends one text and prints how that ended, as JSON. Several runtimes run it: Node, Deno and Bun.
 *
 * Arguments: the base URL, and what takes all files first, `"files"`, or nothing.
 */
import { CallError, ConnectionError, MessagingGateway } from "messaging-gateway";

const [baseUrl, taken] = process.argv.slice(2);
const gateway = new MessagingGateway({
	baseUrl,
	appId: "app-1",
	appSecret: "secret-1",
	maxRetries: 0,
	attemptTimeoutMs: 4_000,
	logLevel: "off",
});
const send = (text: string) => gateway.messages.sendText({ to: "+15551234567", text });

if (taken === "files") {
	// What the first send loads must not be what is missing.
	await send("Hello").catch(() => undefined);
	const { subscribe } = await import("node:diagnostics_channel");
	const { openSync } = await import("node:fs");
	// In the very turn in which the connection is made: what was still closing before has left its file.
	subscribe("net.client.socket", () => {
		try {
			for (;;) openSync("/dev/null", "r");
		} catch (error) {
			if (Reflect.get(Object(error), "code") !== "EMFILE") throw error;
		}
	});
}

/** How a send ended. */
export interface Ending {
	readonly outcome: string;
	readonly code?: unknown;
	readonly said?: string | undefined;
}

const ending = await send("Grüße 🎉").then(
	(): Ending => ({ outcome: "sent" }),
	(error: unknown): Ending => {
		if (!(error instanceof CallError)) throw error;
		const { outcome, cause } = error;
		const said = error instanceof ConnectionError ? error.transportMessage : error.message;
		return { outcome, code: Reflect.get(Object(cause), "code"), said };
	},
);
console.log(JSON.stringify(ending));
process.exit();
