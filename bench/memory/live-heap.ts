/** The memory of the process, in bytes. */
export interface Memory {
	/** Objects and strings of JavaScript. */
	readonly heap: number;
	/** Bytes outside of the heap, those of buffers among them. */
	readonly external: number;
	/** The memory that the system has given the process. */
	readonly rss: number;
}

/** The memory held now. */
export function readMemory(): Memory {
	const { heapUsed, external, rss } = process.memoryUsage();
	return { heap: heapUsed, external, rss };
}

/** The memory held once all garbage is collected. */
export async function readLiveMemory(): Promise<Memory> {
	if (globalThis.gc === undefined) throw new Error("it needs --expose-gc");
	// References of a callback are released with its task.
	await new Promise((resolve) => setImmediate(resolve));
	globalThis.gc();
	globalThis.gc();
	return readMemory();
}

/** Bytes in MB or kB. */
export function formatMemory(bytes: number): string {
	return Math.abs(bytes) >= 1e6 ? `${(bytes / 1e6).toFixed(1)} MB` : `${(bytes / 1e3).toFixed(1)} kB`;
}
