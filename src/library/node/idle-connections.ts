import type { Agent, IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { systemClock } from "../runtime.ts";

/** How long a connection is kept whose server does not say, as Node's `fetch` keeps it. */
export const DEFAULT_IDLE_MS = 4_000;
/** A hint is shortened by this: the server counts from when it sent, and a close of its own is on its way for a while. */
const MARGIN_MS = 1_000;
/** The longest that a hint is believed, as Node's `fetch` believes it. */
const MAX_IDLE_MS = 600_000;

/** How long each connection may be idle, by the last response that it carried. */
const idleTimes = new WeakMap<Socket, number>();
/** When an idle connection lapses, in Unix milliseconds. */
const lapses = new WeakMap<Socket, number>();

/** Remembers how long the server keeps the connection of a response: `Keep-Alive: timeout=5`, in seconds. */
export function readKeepAlive({ socket, headers }: IncomingMessage): void {
	const hint = headers["keep-alive"];
	const seconds = hint && /(?:^|[\s,;])timeout\s*=\s*"?(\d+)/i.exec(String(hint))?.[1];
	const idleMs = seconds === undefined ? DEFAULT_IDLE_MS : Number(seconds) * 1000 - MARGIN_MS;
	idleTimes.set(socket, Math.min(idleMs, MAX_IDLE_MS));
}

/**
 * Makes an agent keep a connection only for as long as its server does. Node's own listens to the hint alone if it is shorter
 * than the agent's `timeout`, and before Node 24 it leaves no margin.
 * @returns closes what is idle for too long although no timer could run: where the process was suspended, as serverless
 * hosts do between two requests, or busy. A send over such a connection would be of unknown outcome.
 */
export function honorKeepAlive(agent: Agent): () => void {
	/** Nothing lapses before that, so that most requests need not look at each connection. */
	let firstLapse = Number.POSITIVE_INFINITY;
	// What Node itself does with a connection stays, such as the guard against a response that nobody asked for.
	const { keepSocketAlive } = agent;
	agent.keepSocketAlive = (stream): boolean => {
		const socket = stream as Socket;
		const idleMs = idleTimes.get(socket) ?? DEFAULT_IDLE_MS;
		if (idleMs <= 0 || !Reflect.apply(keepSocketAlive, agent, [socket])) return false;
		// The agent closes a connection that times out while it is idle.
		if (socket.timeout !== idleMs) socket.setTimeout(idleMs);
		const lapse = systemClock.now() + idleMs;
		lapses.set(socket, lapse);
		firstLapse = Math.min(firstLapse, lapse);
		return true;
	};
	return () => {
		const now = systemClock.now();
		if (now < firstLapse) return;
		firstLapse = Number.POSITIVE_INFINITY;
		for (const sockets of Object.values(agent.freeSockets)) {
			for (const socket of sockets ?? []) {
				const lapse = lapses.get(socket) ?? 0;
				if (now >= lapse) socket.destroy();
				else firstLapse = Math.min(firstLapse, lapse);
			}
			// To the front, where the agent passes over them: it takes from the end without a look.
			sockets?.sort((one, other) => Number(other.destroyed) - Number(one.destroyed));
		}
	};
}
