import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { postgresInbox } from "messaging-gateway/stores/postgres";
import pg from "pg";
import { expect, test } from "vitest";
import { share } from "../support/shared/shared.ts";
import { createInboxReceiver, createInboxTables, type InboxWork } from "./support/inbox.ts";

const write: InboxWork<pg.ClientBase> = ({ eventId }, { transaction }) =>
	transaction.query("INSERT INTO effects VALUES ($1)", [eventId]);

type Direction = "to the server" | "to the client";

/** A proxy that counts the bytes of a connection, and ends it behind one of them. */
async function startCutter(target: string) {
	const { hostname, port } = new URL(target);
	const passed = { "to the server": 0, "to the client": 0 };
	let cut: { readonly direction: Direction; readonly at: number } | undefined;
	const sockets = new Set<Socket>();
	const server = createServer((near) => {
		const far = connect(Number(port), hostname);
		const end = (): void => void [near, far].map((socket) => socket.destroy());
		const pass = (from: Socket, to: Socket, direction: Direction): void => {
			sockets.add(from);
			from.on("error", end).on("close", end);
			from.on("data", (bytes: Buffer) => {
				const left = cut?.direction === direction ? cut.at - passed[direction] : bytes.length;
				passed[direction] += bytes.length;
				if (left >= bytes.length) return void to.write(bytes);
				// What was passed on before must arrive.
				if (left > 0) to.write(bytes.subarray(0, left));
				to.end();
				from.destroy();
			});
		};
		pass(near, far, "to the server");
		pass(far, near, "to the client");
	}).listen(0, "127.0.0.1");
	await once(server, "listening");
	const url = new URL(target);
	url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
	return {
		url: url.href,
		passed,
		cutAt(direction: Direction, at: number): void {
			passed[direction] = 0;
			cut = { direction, at };
		},
		async [Symbol.asyncDispose]() {
			for (const socket of sockets) socket.destroy();
			server.close();
			await once(server, "close");
		},
	};
}

test.each(["to the server", "to the client"] as const)(
	"a connection that is cut behind each byte on its way %s: the event is processed once",
	async (direction) => {
		const { url } = await share("postgres");
		const observer = new pg.Pool({ connectionString: url, max: 2 });
		await createInboxTables(observer);
		const settled = createInboxReceiver(postgresInbox(observer), write);
		const statuses = new Set<string>();

		/** Delivers an event over a connection that is cut, and again over another. @returns how many bytes were passed. */
		async function deliverCut(at: number, hasNames: boolean): Promise<number> {
			const eventId = `evt_${direction.at(-1)}_${hasNames}_${at}`;
			await using cutter = await startCutter(url);
			const pool = new pg.Pool({ connectionString: cutter.url, max: 1 });
			pool.on("error", () => undefined);
			const receiver = createInboxReceiver(postgresInbox(pool), write);
			if (hasNames) expect(await receiver.deliver(`${eventId}_before`)).toBe("200");
			cutter.cutAt(direction, at);
			statuses.add(await receiver.deliver(eventId));
			const count = cutter.passed[direction];
			await pool.end();
			// The server notices a connection's end a moment later.
			await expect.poll(() => settled.deliver(eventId), { interval: 5 }).toBe("200");
			return count;
		}

		for (const hasNames of [false, true]) {
			const length = await deliverCut(1_000_000, hasNames);
			expect(length).toBeGreaterThan(500);
			const places = Array.from({ length }, (_, at) => at);
			const cutNext = async (): Promise<void> => {
				for (let at = places.pop(); at !== undefined; at = places.pop()) await deliverCut(at, hasNames);
			};
			await Promise.all(Array.from({ length: 6 }, cutNext));
		}
		expect([...statuses].sort()).toEqual(["200", "503 store_unavailable"]);
		const doubled = await observer.query(
			"SELECT event_id FROM effects GROUP BY event_id HAVING count(*) <> 1",
		);
		expect(doubled.rows).toEqual([]);
		await observer.end();
	},
	600_000,
);
