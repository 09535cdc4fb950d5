import { createServer } from "node:net";
import { expect, test, vi } from "vitest";
import { onFreePort } from "../support/free-port.ts";

const TAKEN = new Error("it ended: Error: listen EADDRINUSE: address already in use 127.0.0.1");

test("a starter whose port was taken in between gets another one", async () => {
	const start = vi.fn((port: number) => Promise.resolve(port)).mockRejectedValueOnce(TAKEN);
	const port = await onFreePort(start);
	const [[first], second] = start.mock.calls as [[number], [number]];
	expect(second).toEqual([port]);
	expect(first).not.toBe(port);
});

test("a port that is always taken, and any other error, is told", async () => {
	const always = vi.fn(() => Promise.reject(TAKEN));
	await expect(onFreePort(always)).rejects.toBe(TAKEN);
	expect(always).toHaveBeenCalledTimes(3);
	const other = new Error("it ended: SyntaxError");
	const failing = vi.fn(() => Promise.reject(other));
	await expect(onFreePort(failing)).rejects.toBe(other);
	expect(failing).toHaveBeenCalledTimes(1);
});

test("what Node says of a taken port is known", async () => {
	const ports: number[] = [];
	const server = await onFreePort(async (port) => {
		ports.push(port);
		const listening = createServer();
		await new Promise<void>((resolve, reject) => {
			listening.once("error", reject).listen(port, "127.0.0.1", resolve);
		});
		if (ports.length > 1) return listening;
		const second = createServer();
		return new Promise<never>((_resolve, reject) => {
			second.once("error", (error) => listening.close(() => reject(error))).listen(port, "127.0.0.1");
		});
	});
	expect(ports).toHaveLength(2);
	server.close();
});
