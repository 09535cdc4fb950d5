import type { Agent, IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { systemClock } from "../runtime.ts";

/** How long a connection is kept whose server does not say, as Node's `fetch` keeps it. */
const DEFAULT_IDLE_MS = 4_000;
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
	const seconds = /(?:^|[\s,;])timeout\s*=\s*"?(\d+)/i.exec(String(headers["keep-alive"]))?.[1];
	const idleMs = seconds === undefined ? DEFAULT_IDLE_MS : Number(seconds) * 1000 - MARGIN_MS;
	idleTimes.set(socket, Math.min(idleMs, MAX_IDLE_MS));
}

/**
 * Makes an agent keep a connection only for as long as its server does. Node's own listens to the hint alone if it is shorter
 * than the agent's `timeout`, and before Node 24 it leaves no margin.
 */
export function honorKeepAlive(agent: Agent): void {
	// What Node itself does with a connection stays, such as the guard against a response that nobody asked for.
	const { keepSocketAlive } = agent;
	agent.keepSocketAlive = (stream): boolean => {
		const socket = stream as Socket;
		const idleMs = idleTimes.get(socket) ?? DEFAULT_IDLE_MS;
		if (idleMs <= 0 || !Reflect.apply(keepSocketAlive, agent, [socket])) return false;
		// The agent closes a connection that times out while it is idle.
		socket.setTimeout(idleMs);
		lapses.set(socket, systemClock.now() + idleMs);
		return true;
	};
}

/**
 * Closes what is idle for too long although no timer could run: where the process was suspended, as serverless hosts do
 * between two requests, or busy. A send over such a connection would be of unknown outcome.
 */
export function closeLapsed({ freeSockets }: Agent): void {
	const now = systemClock.now();
	for (const sockets of Object.values(freeSockets))
		for (const socket of sockets ?? []) if (now >= (lapses.get(socket) ?? 0)) socket.destroy();
}
