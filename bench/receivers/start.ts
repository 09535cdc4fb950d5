import { fork } from "node:child_process";
import { once } from "node:events";
import { Pool } from "undici";
import { startPostgres } from "../../test/support/servers/postgres-server.ts";
import type { AtEnd } from "../cases.ts";
import { createPayload, SECRET, signDelivery } from "../inputs.ts";
import { createFolder } from "../stores/in-process.ts";
import { startServer as startRedis } from "../stores/redis.ts";
import type { ServerSettings } from "./process.ts";

/** What several receivers can share; each resolves to the address of an empty one. */
export const SERVERS: Readonly<Record<string, (atEnd: AtEnd) => Promise<string>>> = {
	"Redis, appendfsync everysec": async (atEnd) => (await startRedis(atEnd, "everysec"))[0],
	async "PostgreSQL, synchronous_commit on"(atEnd) {
		const server = await startPostgres();
		atEnd(() => server[Symbol.asyncDispose]());
		return server.url;
	},
	"SQLite, a file of the machine": async (atEnd) => `file:${createFolder(atEnd)}/store.db`,
};

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

/** A receiver of webhooks, and connections to it. */
export type Receiver = Awaited<ReturnType<typeof openReceiver>>;

/** Starts a receiver of webhooks. */
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
