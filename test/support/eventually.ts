import { vi } from "vitest";
import { WAIT_MS } from "./patience.ts";

/** How soon a check that failed is tried again. */
const PAUSE_MS = 20;

/** Waits until a check passes, and returns what it does; fails as the check does when that takes too long. */
export function eventually<Value>(check: () => Value | Promise<Value>): Promise<Value> {
	return vi.waitFor(check, { timeout: WAIT_MS, interval: PAUSE_MS });
}
