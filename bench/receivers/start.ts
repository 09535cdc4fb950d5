import { fork } from "node:child_process";
import { once } from "node:events";
import { Pool } from "undici";
import type { AtEnd } from "../cases.ts";
import { createPayload, SECRET, signDelivery } from "../inputs.ts";
import type { ServerSettings } from "./process.ts";

/** Starts a server in a process of its own, and waits until it listens. */
export async function startServer(settings: ServerSettings, atEnd: AtEnd) {
	const child = fork(new URL("process.ts", import.meta.url), {
		execArgv: ["--no-warnings"],
		env: { ...process.env, NODE_ENV: "production" },
	});
	atEnd(() => child.kill());
	child.send(settings);
	const [port] = await once(child, "message");
	return {
		url: `http://127.0.0.1:${port}`,
		/** How many events it has processed. */
		async countProcessed() {
			child.send("how many?");
			const [processed] = await once(child, "message");
			return Number(processed);
		},
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
