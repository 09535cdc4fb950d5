import { fork } from "node:child_process";
import { Pool } from "undici";
import type { AtEnd } from "../cases.ts";
import { createPayload, SECRET, signDelivery } from "../inputs.ts";
import { converse } from "../processes.ts";
import type { ServerSettings } from "./process.ts";

/** Starts a server in a process of its own, and waits until it listens. */
export async function startServer(settings: ServerSettings, atEnd: AtEnd) {
	const child = fork(new URL("process.ts", import.meta.url), {
		execArgv: ["--no-warnings"],
		env: { ...process.env, NODE_ENV: "production" },
	});
	atEnd(() => child.kill());
	const ask = converse<number>(child, `the receiver with ${settings.route}`);
	const port = await ask(settings);
	return {
		url: `http://127.0.0.1:${port}`,
		/** How many events it has processed. */
		countProcessed: () => ask("how many?"),
	};
}

/** Starts a receiver of webhooks, and opens connections to it. */
export async function openReceiver(
	{ connections, ...settings }: ServerSettings & { readonly connections: number },
	atEnd: AtEnd,
) {
	const { url, countProcessed } = await startServer({ ...settings, secret: SECRET }, atEnd);
	const pool = new Pool(url, { connections });
	atEnd(() => pool.destroy());
	const payload = await createPayload(1_000);

	/** Delivers an event of 1 kB with a new signature; `end` is added to the signed body. @returns the status. */
	async function deliver(eventId: string, end = ""): Promise<number> {
		const { headers, body } = signDelivery(payload, eventId);
		const response = await pool.request({ method: "POST", path: "/webhooks", headers, body: body + end });
		await response.body.dump();
		return response.statusCode;
	}
	return { deliver, countProcessed };
}
