/** What the process holds, in bytes. */
export interface Memory {
	/** Objects and texts of JavaScript. */
	readonly heap: number;
	/** Bytes outside of the heap, those of buffers among them. */
	readonly external: number;
	/** What the system has given the process. */
	readonly rss: number;
}

/** What is held now. */
export function readMemory(): Memory {
	const { heapUsed, external, rss } = process.memoryUsage();
	return { heap: heapUsed, external, rss };
}

/** What is held once all garbage is collected. */
export async function readLiveMemory(): Promise<Memory> {
	if (globalThis.gc === undefined) throw new Error("it needs --expose-gc");
	// What a callback still holds goes with the task that it belongs to.
	await new Promise((resolve) => setImmediate(resolve));
	globalThis.gc();
	globalThis.gc();
	return readMemory();
}

/** Bytes in MB or kB. */
export function formatMemory(bytes: number): string {
	return Math.abs(bytes) >= 1e6 ? `${(bytes / 1e6).toFixed(1)} MB` : `${(bytes / 1e3).toFixed(1)} kB`;
}
