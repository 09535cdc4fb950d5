import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

// The flag holds for contexts that are created after it, so that the process needs none.
setFlagsFromString("--expose-gc");

/** Collects all garbage. */
export const collectGarbage: () => void = runInNewContext("gc");

/** The bytes that JavaScript's objects and strings hold once all garbage is collected. */
export async function readLiveHeap(): Promise<number> {
	// References of a callback are released with its task.
	await new Promise((resolve) => setImmediate(resolve));
	collectGarbage();
	collectGarbage();
	return process.memoryUsage().heapUsed;
}
